//! Cofactors: the next state for known moves. Most fluents do not change, and the others depend on
//! a small part of the network.

use rustc_hash::FxHashSet;

use super::graph::{Edge, Graph};
use super::{FluentId, InputId, Network, NodeId, through};

/// A network before the moves are known.
pub(crate) struct Cofactors<'a> {
    network: &'a Network,
    /// Gates of the next state that depend on moves, children before parents.
    dependent: Vec<NodeId>,
    /// The value of each node once the moves are known.
    known: Vec<Known>,
    /// Pairs of fluents, negated or not, the first of which implies the second.
    implied: FxHashSet<(Edge, Edge)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// It does not depend on moves.
    Free,
    /// It depends on moves, and on fluents as well.
    Open,
    Always(bool),
}

/// The changes of a joint move: gates over the fluents and, for each fluent that may change, its
/// number and the wire of its next value.
pub(crate) type Changes = (Graph, Vec<(FluentId, Edge)>);

impl<'a> Cofactors<'a> {
    pub(crate) fn new(network: &'a Network) -> Self {
        let graph = &network.graph;
        let mut known = vec![Known::Free; graph.len()];
        known[network.fluents() + 1..=graph.inputs()].fill(Known::Open);
        let mut dependent = Vec::new();
        for node in graph.reachable(network.next.iter().copied()) {
            let children = graph.children(node);
            if children.iter().any(|e| known[e.node().index()] != Known::Free) {
                known[node.index()] = Known::Open;
                dependent.push(node);
            }
        }
        let mut implied = FxHashSet::default();
        for &(a, b) in &network.invariants.implied {
            let (a, b) = (Edge::of(a.node()), Edge::of(b.node()));
            implied.extend([(a, b), (!b, !a)]);
        }
        Self { network, dependent, known, implied }
    }

    /// The changes if exactly these moves, given by their inputs, are made.
    pub(crate) fn after(&mut self, moves: &[InputId]) -> Changes {
        let graph = &self.network.graph;
        let known = &mut self.known;
        known[self.network.fluents() + 1..=graph.inputs()].fill(Known::Always(false));
        moves.iter().for_each(|&input| known[input.node().index()] = Known::Always(true));
        for &node in &self.dependent {
            let mut now = Known::Always(true);
            for edge in graph.children(node) {
                match known[edge.node().index()] {
                    Known::Always(value) if value == edge.negated() => {
                        now = Known::Always(false);
                        break;
                    }
                    Known::Always(_) => {}
                    Known::Free | Known::Open => now = Known::Open,
                }
            }
            known[node.index()] = now;
        }
        self.gates()
    }

    /// The gates of the unknown part.
    fn gates(&self) -> Changes {
        let old = &self.network.graph;
        let fluents = (0..).map(FluentId).zip(&self.network.next);
        let changing = fluents.filter(|&(fluent, &next)| next != Edge::of(fluent.node()));
        let always = |node: NodeId| match self.known[node.index()] {
            Known::Always(value) => Some(value),
            Known::Free | Known::Open => None,
        };
        let mut seen = vec![false; old.len()];
        let mut stack: Vec<NodeId> = changing.clone().map(|(_, next)| next.node()).collect();
        let mut needed = Vec::new();
        while let Some(node) = stack.pop() {
            if always(node).is_none() && !std::mem::replace(&mut seen[node.index()], true) {
                needed.push(node);
                stack.extend(old.children(node).iter().map(|e| e.node()));
            }
        }
        needed.sort_unstable();
        let mut graph = old.emptied();
        let mut new: Vec<Edge> =
            (0..old.len())
                .map(|node| {
                    if always(NodeId::new(node)) == Some(false) { Edge::FALSE } else { Edge::TRUE }
                })
                .collect();
        for node in needed.into_iter().filter(|&node| node != NodeId::TRUE) {
            new[node.index()] = if old.is_input(node) {
                Edge::of(node)
            } else {
                let mut parts: Vec<Edge> =
                    old.children(node).iter().map(|&e| through(&new, e)).collect();
                self.settle(&mut parts);
                graph.and(parts)
            };
        }
        let changes = changing.map(|(fluent, &next)| (fluent, through(&new, next)));
        let changes = changes.filter(|&(fluent, next)| next != Edge::of(fluent.node())).collect();
        (graph, self.rest(changes))
    }

    /// Removes parts of a conjunction that are implied by other parts.
    fn settle(&self, parts: &mut Vec<Edge>) {
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            // One at a time, so that one of two parts that imply each other remains.
            if parts.iter().any(|&other| self.implied.contains(&(other, part))) {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Removes changes without effect: if exactly one of several fluents is always true and all but
    /// one of them are unchanged, that one is unchanged too.
    fn rest(&self, mut changes: Vec<(FluentId, Edge)>) -> Vec<(FluentId, Edge)> {
        let mut changing = vec![false; self.network.fluents()];
        changes.iter().for_each(|&(fluent, _)| changing[fluent.index()] = true);
        for group in self.network.invariants.groups.iter().filter(|group| group.exact) {
            let mut alone = group.members.iter().filter(|&&node| changing[node.fluent().index()]);
            if let (Some(&node), None) = (alone.next(), alone.next()) {
                changing[node.fluent().index()] = false;
            }
        }
        changes.retain(|&(fluent, _)| changing[fluent.index()]);
        changes
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Stop;
    use magister_gdl::{Options, read as parse};

    use super::super::sample::{Samples, evaluate, read};
    use super::super::{GdlNetwork, NetworkLimits};
    use super::*;
    use crate::Program;
    use crate::grounder::{GroundLimits, ground};

    /// Two roles take turns to light one of three lamps. Lighting the middle one switches off the
    /// others, and a counter advances.
    const LAMPS: &str = "
        (role a) (role b) (init (turn a)) (init (time 0))
        (lamp 1) (lamp 2) (lamp 3) (after 0 1) (after 1 2) (after 2 3) (after 3 0)
        (<= (legal ?r (light ?l)) (true (turn ?r)) (lamp ?l) (not (true (lit ?l))))
        (<= (legal ?r wait) (true (turn ?r)))
        (<= (legal a wait) (true (turn b)))
        (<= (legal b wait) (true (turn a)))
        (<= (next (lit ?l)) (does ?r (light ?l)))
        (<= (next (lit ?l)) (true (lit ?l)) (not middle))
        (<= middle (does ?r (light 2)))
        (<= (next (turn a)) (true (turn b)))
        (<= (next (turn b)) (true (turn a)))
        (<= (next (time ?n)) (true (time ?m)) (after ?m ?n))
        (init (dark 1)) (init (dark 2)) (init (dark 3))
        (<= (next (dark ?l)) (lamp ?l) (not (lights ?l)))
        (<= (lights ?l) (does ?r (light ?l)))
        (<= (lights ?l) (true (lit ?l)) (not middle))
        (<= terminal (true (lit 1)) (true (lit 2)) (true (lit 3)))
        (<= (goal ?r 50) (role ?r))";

    #[test]
    fn changes_agree_with_the_network() {
        let rules = parse(LAMPS, &Options::default()).rules;
        let program = Program::new(&rules, LAMPS).unwrap();
        let ground = ground(&program, &GroundLimits::default(), &Stop::never()).unwrap();
        let network = GdlNetwork::new(&ground, &NetworkLimits::default(), &Stop::never()).unwrap();
        let network = &*network.network;
        let fluents = network.fluents();
        let samples = Samples::new(network, 60);
        let mut cofactors = Cofactors::new(network);
        let of = |role: u8| {
            let own = network.moves.iter().enumerate().filter(move |(_, m)| m.0.0 == role);
            own.map(|(at, _)| at)
        };
        let mut compared = 0;
        for one in of(0) {
            for other in of(1) {
                let inputs = [network.inputs[one], network.inputs[other]];
                let (graph, changes) = cofactors.after(&inputs);
                assert!(graph.len() <= network.graph.len() && !changes.is_empty());
                for state in samples.states() {
                    let mut all = vec![0; network.graph.len()];
                    all[1..=fluents].copy_from_slice(state);
                    evaluate(&network.graph, &mut all);
                    let legal = read(&all, network.legal[one]) & read(&all, network.legal[other]);
                    let asked = legal & !read(&all, network.terminal);
                    all[fluents + 1..].fill(0);
                    inputs.iter().for_each(|&input| all[input.node().index()] = !0);
                    evaluate(&network.graph, &mut all);
                    let mut own = vec![0; graph.len()];
                    own[1..=fluents].copy_from_slice(state);
                    evaluate(&graph, &mut own);
                    let mut next = state.clone();
                    for &(fluent, edge) in &changes {
                        next[fluent.index()] = read(&own, edge);
                    }
                    for (fluent, word) in next.iter().enumerate() {
                        assert_eq!(word & asked, read(&all, network.next[fluent]) & asked);
                    }
                    compared += asked.count_ones();
                }
            }
        }
        assert!(compared > 1000, "{compared} states");
    }
}
