//! The network: everything a game asks about a state and a joint move, as gates.

mod build;
mod cofactor;
mod dot;
mod factor;
mod graph;
mod guess;
mod invariant;
mod pairs;
mod sample;
mod sides;
mod solver;
mod turns;
mod uses;

use magister_core::{Halt, Stop};

use crate::Error;
use crate::grounder::Grounded;
use crate::term::{TermId, Terms};

use build::Builder;
pub(crate) use cofactor::Cofactors;
pub use graph::{Edge, Graph, Group};
pub use sides::Side;
pub use turns::Turns;
use uses::Uses;

/// The wire that an edge has become.
fn through(new: &[Edge], edge: Edge) -> Edge {
    let wire = new[edge.node() as usize];
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

/// A game as gates over its fluents and moves.
#[derive(Clone, Debug)]
pub struct Network {
    /// All terms.
    pub terms: Terms,
    /// The gates. The inputs are the fluents, then the moves.
    pub graph: Graph,
    /// The fluents, by input.
    pub fluents: Vec<TermId>,
    /// The moves, role by role, in the order of their terms: role and term.
    pub moves: Vec<(u32, TermId)>,
    /// The input of each move.
    pub inputs: Vec<u32>,
    /// For every role the input that is true when it does nothing, where roles can.
    pub idle: Vec<Option<u32>>,
    /// Which fluents are true at the start.
    pub initial: Vec<bool>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether the state is terminal.
    pub terminal: Edge,
    /// Whether each fluent is true next.
    pub next: Vec<Edge>,
    /// Goal values: role, value, when.
    pub goals: Vec<(u32, TermId, Edge)>,
    /// Percepts: role, what is seen, when.
    pub percepts: Vec<(u32, TermId, Edge)>,
    /// What is true in every state that play comes to. The gates rely on it: they tell nothing of
    /// other states.
    pub invariants: Invariants,
    /// Whose turn it is, if roles take turns and that could be proven.
    pub turns: Option<Turns>,
    /// The network of the states in which one role has its turn, for each that has; none if it is
    /// not split.
    pub sides: Vec<Side>,
}

/// What is true in every state that play comes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariants {
    /// Fluents, as inputs, that exclude each other.
    pub groups: Vec<Group>,
    /// Fluents, by number, the first of which never comes without the second.
    pub implied: Vec<(u32, u32)>,
}

/// How many gates with two inputs each part of a step takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gates {
    /// Legal moves and the end.
    pub legal: usize,
    /// The next state, beyond those.
    pub next: usize,
    /// Goals, beyond those.
    pub goals: usize,
    /// Percepts, beyond those.
    pub percepts: usize,
}

/// Inputs of gates from which on a network is simplified only once.
const LARGE: usize = 150_000;

impl Network {
    /// Builds the network of a ground program.
    pub fn new(ground: &Grounded, limits: &NetworkLimits, stop: &Stop) -> Result<Network, Error> {
        if ground.instances() > limits.instances {
            return Err(Error::Halt(Halt::Limit(format!(
                "{} instances are too many for a network",
                ground.instances()
            ))));
        }
        let plain = Builder::new(ground, *limits, Invariants::default(), stop).network()?;
        let invariants = invariant::prove(&plain, stop)?;
        let mut network = if invariants == Invariants::default() {
            plain
        } else {
            Builder::new(ground, *limits, invariants, stop).network()?
        };
        let built = cfg!(debug_assertions).then(|| network.clone());
        network.turns = network.find_turns(stop);
        network.sides = network.split(stop)?;
        network.complement();
        network.simplify(stop)?;
        if let Some(built) = built {
            assert!(
                sample::same(&built, &network, Edge::TRUE),
                "what is simplified must stay the same"
            );
        }
        Ok(network)
    }

    /// Where one of a group of fluents is always true, the next state of one of them follows from
    /// those of the others. It is worth it for the one that has the most gates of its own.
    fn complement(&mut self) {
        let mut uses = Uses::new(&self.graph, self.outputs());
        for group in self.invariants.groups.iter().filter(|group| group.exact) {
            let own = |uses: &mut Uses, node: u32| {
                let edge = self.next[node as usize - 1];
                uses.own(&self.graph, edge.node())
            };
            let sizes = group.members.iter().map(|&node| (own(&mut uses, node), node));
            let Some((size, one)) = sizes.max() else { continue };
            if size + 2 > group.members.len() {
                let others = group.members.iter().filter(|&&node| node != one);
                let edges: Vec<Edge> = others.map(|&node| !self.next[node as usize - 1]).collect();
                self.next[one as usize - 1] = self.graph.and(edges);
            }
        }
    }

    /// All outputs: legal, terminal, next, goals, percepts.
    fn outputs(&self) -> Vec<Edge> {
        let mut all = self.legal.clone();
        all.push(self.terminal);
        all.extend(&self.next);
        all.extend(self.goals.iter().map(|&(.., e)| e));
        all.extend(self.percepts.iter().map(|&(.., e)| e));
        all
    }

    /// The outputs in the order in which a state asks for them: legal moves and the end; goals,
    /// if somebody wants to know; percepts and the next state, when moves are made. What goals
    /// share with those is among the first, since it must be there whether they are asked for or
    /// not.
    pub(crate) fn sections(&self) -> [Vec<Edge>; 4] {
        let goals: Vec<Edge> = self.goals.iter().map(|&(.., e)| e).collect();
        let percepts: Vec<Edge> = self.percepts.iter().map(|&(.., e)| e).collect();
        let of_goals = self.graph.reachable(goals.iter().copied());
        let others = self.graph.reachable(self.next.iter().chain(&percepts).copied());
        let mut first = self.legal.clone();
        first.push(self.terminal);
        first
            .extend(of_goals.into_iter().filter(|n| others.binary_search(n).is_ok()).map(Edge::of));
        [first, goals, percepts, self.next.clone()]
    }

    /// All outputs, in the order of [`outputs`](Self::outputs).
    fn outputs_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let first = self.legal.iter_mut().chain(std::iter::once(&mut self.terminal));
        let goals = self.goals.iter_mut().map(|(.., e)| e);
        let percepts = self.percepts.iter_mut().map(|(.., e)| e);
        first.chain(&mut self.next).chain(goals).chain(percepts)
    }

    /// The number of gates of each part.
    pub fn gates(&self) -> Gates {
        let mut done = vec![false; self.graph.len()];
        let mut part = |outputs: Vec<Edge>| {
            let nodes = self.graph.reachable(outputs);
            let new: Vec<u32> = nodes
                .into_iter()
                .filter(|&n| !std::mem::replace(&mut done[n as usize], true))
                .collect();
            self.graph.gates(new.into_iter())
        };
        let mut first = self.legal.clone();
        first.push(self.terminal);
        Gates {
            legal: part(first),
            next: part(self.next.clone()),
            goals: part(self.goals.iter().map(|&(.., e)| e).collect()),
            percepts: part(self.percepts.iter().map(|&(.., e)| e).collect()),
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
