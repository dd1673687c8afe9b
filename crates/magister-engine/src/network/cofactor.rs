//! The next state when it is known which moves are made: most fluents stay what they are, and what
//! the others become is a small part of the network.

use super::graph::{Edge, Graph};
use super::{Network, through};

/// A network as the moves find it.
pub(crate) struct Cofactors<'a> {
    network: &'a Network,
    /// Gates that the next state needs and that depend on moves, children before parents.
    dependent: Vec<u32>,
    /// What is known of each node once the moves are.
    known: Vec<Known>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// It does not depend on moves.
    Free,
    /// It depends on moves, and on fluents as well.
    Open,
    Always(bool),
}

/// What fluents become by a joint move: gates over the fluents, and for each fluent that may change
/// its number and the wire that says what it is next.
pub(crate) type Changes = (Graph, Vec<(u32, Edge)>);

impl<'a> Cofactors<'a> {
    pub(crate) fn new(network: &'a Network) -> Self {
        let graph = &network.graph;
        let mut known = vec![Known::Free; graph.len()];
        known[network.fluents.len() + 1..=graph.inputs()].fill(Known::Open);
        let mut dependent = Vec::new();
        for node in graph.reachable(network.next.iter().copied()) {
            let children = graph.children(node);
            if children.iter().any(|e| known[e.node() as usize] != Known::Free) {
                known[node as usize] = Known::Open;
                dependent.push(node);
            }
        }
        Self { network, dependent, known }
    }

    /// What changes if these moves, given by their inputs, are made and no others.
    pub(crate) fn after(&mut self, moves: &[u32]) -> Changes {
        let graph = &self.network.graph;
        let known = &mut self.known;
        known[self.network.fluents.len() + 1..=graph.inputs()].fill(Known::Always(false));
        moves.iter().for_each(|&input| known[input as usize + 1] = Known::Always(true));
        for &node in &self.dependent {
            let mut now = Known::Always(true);
            for edge in graph.children(node) {
                match known[edge.node() as usize] {
                    Known::Always(value) if value == edge.negated() => {
                        now = Known::Always(false);
                        break;
                    }
                    Known::Always(_) => {}
                    Known::Free | Known::Open => now = Known::Open,
                }
            }
            known[node as usize] = now;
        }
        self.gates()
    }

    /// The gates of what is not known yet.
    fn gates(&self) -> Changes {
        let old = &self.network.graph;
        let changing =
            (1..).zip(&self.network.next).filter(|&(fluent, &next)| next != Edge::of(fluent));
        let always = |node: u32| match self.known[node as usize] {
            Known::Always(value) => Some(value),
            Known::Free | Known::Open => None,
        };
        let mut seen = vec![false; old.len()];
        let mut stack: Vec<u32> = changing.clone().map(|(_, next)| next.node()).collect();
        let mut needed = Vec::new();
        while let Some(node) = stack.pop() {
            if always(node).is_none() && !std::mem::replace(&mut seen[node as usize], true) {
                needed.push(node);
                stack.extend(old.children(node).iter().map(|e| e.node()));
            }
        }
        needed.sort_unstable();
        let mut graph = old.emptied();
        let mut new: Vec<Edge> = (0..old.len() as u32)
            .map(|node| if always(node) == Some(false) { Edge::FALSE } else { Edge::TRUE })
            .collect();
        for node in needed.into_iter().filter(|&node| node > 0) {
            new[node as usize] = if node as usize <= old.inputs() {
                Edge::of(node)
            } else {
                graph.and(old.children(node).iter().map(|&e| through(&new, e)).collect::<Vec<_>>())
            };
        }
        let changes = changing.map(|(fluent, &next)| (fluent - 1, through(&new, next)));
        let changes = changes.filter(|&(fluent, next)| next != Edge::of(fluent + 1)).collect();
        (graph, changes)
    }
}
