//! The network: everything a game asks about a state and a joint move, as gates.

mod build;
mod cofactor;
mod dot;
mod factor;
mod gdl;
mod graph;
mod guess;
mod ids;
mod invariant;
mod pairs;
mod per_player;
mod sample;
mod solver;
mod turns;
mod uses;

use magister_core::{Halt, Move, Percept, Role, Stop};

pub(crate) use cofactor::Cofactors;
pub use gdl::GdlNetwork;
pub use graph::{Edge, Graph, Group};
pub(crate) use guess::Hints;
pub use ids::{FluentId, InputId, MoveId, NodeId};
pub use per_player::PlayerNetwork;
pub use turns::Turns;
use uses::Uses;

/// The wire that an edge has become.
fn through(new: &[Edge], edge: Edge) -> Edge {
    let wire = new[edge.node().index()];
    if edge.negated() { !wire } else { wire }
}

/// How large a network may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkLimits {
    /// Instances of rules that are looked at.
    pub instances: usize,
    /// Gates, before simplification.
    pub gates: usize,
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self { instances: 8_000_000, gates: 3_000_000 }
    }
}

/// A game as gates over its fluents and moves. It knows no language: roles, moves and percepts are
/// numbers, and their texts are kept elsewhere.
#[derive(Clone, Debug)]
pub struct Network {
    /// The gates. The inputs are the fluents, then the moves.
    pub graph: Graph,
    /// The moves, role by role, in the order of their numbers.
    pub moves: Vec<(Role, Move)>,
    /// The input of each move.
    pub inputs: Vec<InputId>,
    /// For every role the input that is true when it does nothing, where roles can.
    pub idle: Vec<Option<InputId>>,
    /// Which fluents are true at the start.
    pub initial: Vec<bool>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether the state is terminal.
    pub terminal: Edge,
    /// Whether each fluent is true next.
    pub next: Vec<Edge>,
    /// The goal values of states.
    pub goals: Vec<Goal>,
    /// What roles perceive of a step.
    pub percepts: Vec<Sight>,
    /// How likely the moves of chance are; if there are none, all legal moves are equally likely.
    pub weights: Vec<Weight>,
    /// What roles gain by a step, in games that pay on the way.
    pub gains: Vec<Gain>,
    /// Whether the step out of a state is silent; see [`Worker::silent`](magister_core::Worker::silent).
    pub silent: Edge,
    /// What is true in every state that play comes to. The gates rely on it: they tell nothing of
    /// other states.
    pub invariants: Invariants,
    /// Whose turn it is, if roles take turns and that could be proven.
    pub turns: Option<Turns>,
    /// The network of the states in which one role has its turn, for each that has; none if it is
    /// not split.
    pub per_player: Vec<PlayerNetwork>,
}

/// A goal value of a role.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// Whose it is.
    pub role: Role,
    /// The value; none if the rules give something that is no number.
    pub value: Option<f64>,
    /// In which states.
    pub when: Edge,
}

/// Something that a role may perceive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sight {
    /// Who perceives it.
    pub role: Role,
    /// What is perceived.
    pub percept: Percept,
    /// By which steps: a wire over the state and the moves.
    pub when: Edge,
}

/// A part of the weight of a move of chance. The weight of a move is the sum of its parts that
/// hold in a state, so a number that depends on the state is one part for each binary digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// The move.
    pub place: MoveId,
    /// How much is added.
    pub weight: u32,
    /// In which states.
    pub when: Edge,
}

/// A part of what a role gains by a step. The gain is the sum of the parts that hold, so a number
/// is one part for each binary digit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gain {
    /// Whose it is.
    pub role: Role,
    /// How much is added.
    pub value: f64,
    /// By which steps: a wire over the state and the moves.
    pub when: Edge,
}

/// What is true in every state that play comes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariants {
    /// Fluents, by their nodes, that exclude each other.
    pub groups: Vec<Group>,
    /// Fluents the first of which never comes without the second.
    pub implied: Vec<(FluentId, FluentId)>,
}

impl Invariants {
    /// What can be proven of a plain network.
    pub(crate) fn proven(network: &Network, hints: &Hints<'_>, stop: &Stop) -> Result<Self, Halt> {
        invariant::prove(network, hints, stop)
    }
}

/// How many gates with two inputs each part of a step takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gates {
    /// Legal moves, their weights and the end.
    pub legal: usize,
    /// The next state, beyond those.
    pub next: usize,
    /// Goals, beyond those.
    pub goals: usize,
    /// Percepts and gains, beyond those.
    pub percepts: usize,
}

/// Inputs of gates from which on a network is simplified only once.
const LARGE: usize = 150_000;

impl Network {
    /// The number of fluents.
    pub fn fluents(&self) -> usize {
        self.initial.len()
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        self.idle.len()
    }

    /// The places of a role's moves.
    pub(crate) fn places(&self, role: Role) -> std::ops::Range<usize> {
        let from = self.moves.partition_point(|&(other, _)| other < role);
        let to = self.moves.partition_point(|&(other, _)| other <= role);
        from..to
    }

    /// Finds out whose turn it is, splits the network into sides where that pays, and simplifies
    /// the gates. The invariants are known by now.
    pub(crate) fn finish(&mut self, stop: &Stop) -> Result<(), Halt> {
        let built = cfg!(debug_assertions).then(|| self.clone());
        self.turns = self.find_turns(stop);
        self.per_player = self.split(stop)?;
        self.complement();
        self.simplify(stop)?;
        // A proof that was cut short by the flag makes another network, which nobody may see.
        stop.check()?;
        if let Some(built) = built {
            assert!(
                sample::same(&built, self, Edge::TRUE),
                "what is simplified must stay the same"
            );
        }
        Ok(())
    }

    /// Where one of a group of fluents is always true, the next state of one of them follows from
    /// those of the others. It is worth it for the one that has the most gates of its own.
    fn complement(&mut self) {
        let mut uses = Uses::new(&self.graph, self.outputs());
        for group in self.invariants.groups.iter().filter(|group| group.exact) {
            let own = |uses: &mut Uses, node: NodeId| {
                let edge = self.next[node.fluent().index()];
                uses.own(&self.graph, edge.node())
            };
            let sizes = group.members.iter().map(|&node| (own(&mut uses, node), node));
            let Some((size, one)) = sizes.max() else { continue };
            if size + 2 > group.members.len() {
                let others = group.members.iter().filter(|&&node| node != one);
                let edges: Vec<Edge> =
                    others.map(|&node| !self.next[node.fluent().index()]).collect();
                self.next[one.fluent().index()] = self.graph.and(edges);
            }
        }
    }

    /// All outputs: legal, terminal, next, goals, percepts, weights, gains, silent.
    fn outputs(&self) -> Vec<Edge> {
        let mut all = self.legal.clone();
        all.push(self.terminal);
        all.extend(&self.next);
        all.extend(self.goals.iter().map(|goal| goal.when));
        all.extend(self.of_steps());
        all.extend(self.weights.iter().map(|weight| weight.when));
        all.push(self.silent);
        all
    }

    /// What is asked of a state before moves are made: legal moves, the end, how likely the moves
    /// of chance are, whether the step is silent.
    fn of_states(&self) -> Vec<Edge> {
        let mut first = self.legal.clone();
        first.push(self.terminal);
        first.extend(self.weights.iter().map(|weight| weight.when));
        first.push(self.silent);
        first
    }

    /// What is asked of a step besides the next state: percepts and gains.
    pub(crate) fn of_steps(&self) -> impl Iterator<Item = Edge> {
        let percepts = self.percepts.iter().map(|sight| sight.when);
        percepts.chain(self.gains.iter().map(|gain| gain.when))
    }

    /// The outputs in the order in which a state asks for them: legal moves and the end; goals,
    /// if somebody wants to know; percepts, gains and the next state, when moves are made. What
    /// goals share with those is among the first, since it must be there whether they are asked
    /// for or not.
    pub(crate) fn sections(&self) -> [Vec<Edge>; 4] {
        let goals: Vec<Edge> = self.goals.iter().map(|goal| goal.when).collect();
        let steps: Vec<Edge> = self.of_steps().collect();
        let of_goals = self.graph.reachable(goals.iter().copied());
        let others = self.graph.reachable(self.next.iter().chain(&steps).copied());
        let mut first = self.of_states();
        first
            .extend(of_goals.into_iter().filter(|n| others.binary_search(n).is_ok()).map(Edge::of));
        [first, goals, steps, self.next.clone()]
    }

    /// All outputs, in the order of [`outputs`](Self::outputs).
    fn outputs_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let first = self.legal.iter_mut().chain(std::iter::once(&mut self.terminal));
        let goals = self.goals.iter_mut().map(|goal| &mut goal.when);
        let percepts = self.percepts.iter_mut().map(|sight| &mut sight.when);
        let gains = self.gains.iter_mut().map(|gain| &mut gain.when);
        let weights = self.weights.iter_mut().map(|weight| &mut weight.when);
        let steps = first.chain(&mut self.next).chain(goals).chain(percepts).chain(gains);
        steps.chain(weights).chain(std::iter::once(&mut self.silent))
    }

    /// The number of gates of each part.
    pub fn gates(&self) -> Gates {
        let mut done = vec![false; self.graph.len()];
        let mut part = |outputs: Vec<Edge>| {
            let nodes = self.graph.reachable(outputs);
            let new: Vec<NodeId> = nodes
                .into_iter()
                .filter(|&n| !std::mem::replace(&mut done[n.index()], true))
                .collect();
            self.graph.gates(new.into_iter())
        };
        Gates {
            legal: part(self.of_states()),
            next: part(self.next.clone()),
            goals: part(self.goals.iter().map(|goal| goal.when).collect()),
            percepts: part(self.of_steps().collect()),
        }
    }

    /// Shares common pairs until that saves nothing more, or once in a large network.
    fn simplify(&mut self, stop: &Stop) -> Result<(), Halt> {
        for round in 0..4 {
            if round > 0 && self.graph.edges() > LARGE {
                break;
            }
            let before = self.gates();
            let (graph, outputs) = pairs::share(&self.graph, &self.outputs(), stop)?;
            self.graph = graph;
            self.outputs_mut().zip(outputs).for_each(|(old, new)| *old = new);
            if self.gates() == before {
                break;
            }
        }
        Ok(())
    }
}
