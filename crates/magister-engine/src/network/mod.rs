//! The network: all queries about a state and a joint move, as gates.

mod build;
mod cofactor;
mod concept;
mod dot;
mod factor;
mod functional;
mod gdl;
mod graph;
mod guess;
mod ids;
mod invariant;
mod pairs;
mod per_player;
mod sample;
mod solver;
mod symmetry;
mod tactics;
mod turns;
mod uses;
mod written;

use magister_core::{Halt, Move, Percept, Role, Stop};

pub(crate) use cofactor::Cofactors;
pub use concept::Concept;
pub(crate) use functional::functional;
pub use gdl::GdlNetwork;
pub use graph::{Edge, Graph, Group};
pub(crate) use guess::Hints;
pub use ids::{FluentId, InputId, MoveId, NodeId};
pub use per_player::PlayerNetwork;
pub use turns::Turns;
use uses::Uses;
pub use written::Written;

/// The wire that replaces an edge.
fn through(new: &[Edge], edge: Edge) -> Edge {
    let wire = new[edge.node().index()];
    if edge.negated() { !wire } else { wire }
}

/// The limits on the size of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkLimits {
    /// The number of rule instances.
    pub instances: usize,
    /// The number of gates before simplification.
    pub gates: usize,
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self { instances: 8_000_000, gates: 3_000_000 }
    }
}

/// A game as gates over its fluents and moves. It depends on no language: roles, moves and percepts
/// are numbers, and their texts are stored elsewhere.
#[derive(Clone, Debug)]
pub struct Network {
    /// The gates. The inputs are the fluents, then the moves.
    pub graph: Graph,
    /// The moves, role by role, in the order of their numbers.
    pub moves: Vec<(Role, Move)>,
    /// The input of each move.
    pub inputs: Vec<InputId>,
    /// For every role, the input of its idle move, if roles may be idle.
    pub idle: Vec<Option<InputId>>,
    /// The initial values of the fluents.
    pub initial: Vec<bool>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether the state is terminal.
    pub terminal: Edge,
    /// The next value of each fluent.
    pub next: Vec<Edge>,
    /// The goal values of states.
    pub goals: Vec<Goal>,
    /// The percepts of roles in a step.
    pub percepts: Vec<Sight>,
    /// The weights of chance moves; if empty, all legal moves are equally likely.
    pub weights: Vec<Weight>,
    /// The gains of roles in a step, in games with intermediate rewards.
    pub gains: Vec<Gain>,
    /// Whether the step from a state is silent; see
    /// [`Worker::silent`](magister_core::Worker::silent).
    pub silent: Edge,
    /// Invariants of reachable states. The gates rely on them, so their results for other states
    /// are meaningless.
    pub invariants: Invariants,
    /// The role to move, if it could be proven that roles take turns.
    pub turns: Option<Turns>,
    /// The named conditions that `terminal` and the goals depend on; empty if the front end
    /// provides none.
    pub concepts: Vec<Concept>,
    /// The per-player networks: one for the states in which each role has its turn; empty if the
    /// network is not split.
    pub per_player: Vec<PlayerNetwork>,
}

/// A goal value of a role.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// The role.
    pub role: Role,
    /// The value; `None` if it is not a number.
    pub value: Option<f64>,
    /// The states in which it is paid.
    pub when: Edge,
}

/// A percept of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sight {
    /// The role.
    pub role: Role,
    /// The percept.
    pub percept: Percept,
    /// The steps in which it occurs: a wire over the state and the moves.
    pub when: Edge,
}

/// A part of the weight of a move of chance. The weight of a move is the sum of the parts that hold
/// in a state, so a weight that depends on the state has one part for each binary digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// The move.
    pub place: MoveId,
    /// The added weight.
    pub weight: u32,
    /// The states in which it counts.
    pub when: Edge,
}

/// A part of a role's gain in a step. The gain is the sum of the parts that hold, so a variable
/// gain has one part for each binary digit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gain {
    /// The role.
    pub role: Role,
    /// The added gain.
    pub value: f64,
    /// The steps in which it is paid: a wire over the state and the moves.
    pub when: Edge,
}

/// Invariants of reachable states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariants {
    /// Fluents, by their nodes, that exclude each other.
    pub groups: Vec<Group>,
    /// Pairs of fluents, the first of which implies the second.
    pub implied: Vec<(FluentId, FluentId)>,
}

impl Invariants {
    /// The provable invariants of a plain network.
    pub(crate) fn proven(network: &Network, hints: &Hints<'_>, stop: &Stop) -> Result<Self, Halt> {
        invariant::prove(network, hints, stop)
    }
}

/// The number of two-input gates of each part of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gates {
    /// Legal moves, their weights and the terminal test.
    pub legal: usize,
    /// The next state, in addition to those.
    pub next: usize,
    /// Goals, in addition to those.
    pub goals: usize,
    /// Percepts and gains, in addition to those.
    pub percepts: usize,
}

/// Networks with more gate inputs than this are simplified only once.
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

    /// The range of a role's moves.
    pub(crate) fn places(&self, role: Role) -> std::ops::Range<usize> {
        let from = self.moves.partition_point(|&(other, _)| other < role);
        let to = self.moves.partition_point(|&(other, _)| other <= role);
        from..to
    }

    /// Determines the turns, splits the network into per-player networks if that pays off, and
    /// simplifies the gates. The invariants must be known.
    pub(crate) fn finish(&mut self, stop: &Stop) -> Result<(), Halt> {
        let built = cfg!(debug_assertions).then(|| self.clone());
        self.turns = self.find_turns(stop);
        self.per_player = self.split(stop)?;
        self.complement();
        self.simplify(stop)?;
        // A proof that was stopped by the flag would lead to a different network, which must not be
        // used.
        stop.check()?;
        if let Some(built) = built {
            assert!(
                sample::same(&built, self, Edge::TRUE),
                "simplification must not change the outputs"
            );
        }
        Ok(())
    }

    /// If exactly one of a group of fluents is always true, the next value of one of them follows
    /// from the others. This is applied to the fluent with the most gates that nothing else uses.
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

    /// The queries of a state before moves are made: legal moves, terminal, the weights of chance,
    /// whether the step is silent.
    fn of_states(&self) -> Vec<Edge> {
        let mut first = self.legal.clone();
        first.push(self.terminal);
        first.extend(self.weights.iter().map(|weight| weight.when));
        first.push(self.silent);
        first
    }

    /// The queries of a step besides the next state: percepts and gains.
    pub(crate) fn of_steps(&self) -> impl Iterator<Item = Edge> {
        let percepts = self.percepts.iter().map(|sight| sight.when);
        percepts.chain(self.gains.iter().map(|gain| gain.when))
    }

    /// The outputs in the order of queries: legal moves and terminal; goals, on demand; percepts,
    /// gains and the next state, when moves are made. Gates shared by goals and the later sections
    /// are in the first one, because they are needed whether goals are queried or not.
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

    /// Shares common pairs to a fixpoint, or once in a large network.
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
