//! The inputs that a wire depends on, and the consequences of a true wire.

use magister_engine::network::{Edge, Graph, Network, NodeId};
use rustc_hash::FxHashSet;

/// The inputs that a wire depends on, by walking its gates.
#[derive(Debug)]
pub(crate) struct Support {
    seen: Vec<u32>,
    stamp: u32,
    stack: Vec<NodeId>,
}

impl Support {
    pub(crate) fn new() -> Self {
        Support { seen: Vec::new(), stamp: 0, stack: Vec::new() }
    }

    /// Calls `found` once with the index of every input below these wires. Input 0 is the first
    /// fluent.
    pub(crate) fn each(
        &mut self,
        graph: &Graph,
        edges: impl IntoIterator<Item = Edge>,
        mut found: impl FnMut(usize),
    ) {
        self.seen.resize(graph.len(), 0);
        self.stamp += 1;
        self.stack.extend(edges.into_iter().map(Edge::node));
        while let Some(node) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[node.index()], self.stamp) == self.stamp {
                continue;
            }
            if graph.is_input(node) {
                if node.index() > 0 {
                    found(node.index() - 1);
                }
            } else {
                self.stack.extend(graph.children(node).iter().map(|edge| edge.node()));
            }
        }
    }
}

/// The conjuncts of a wire: positive gates are expanded, everything else is one conjunct.
pub(crate) fn conjuncts(graph: &Graph, edge: Edge) -> Vec<Edge> {
    let mut out = Vec::new();
    let mut stack = vec![edge];
    while let Some(edge) = stack.pop() {
        let children = graph.children(edge.node());
        if edge.negated() || children.is_empty() {
            out.push(edge);
        } else {
            stack.extend_from_slice(children);
        }
    }
    out.retain(|&edge| edge != Edge::TRUE);
    out.sort_unstable();
    out.dedup();
    out
}

/// All wires that are known to be true when some wires are: their conjuncts, expanded and not
/// expanded, and the consequences of the invariants.
pub(crate) fn facts(network: &Network, wires: &[Edge]) -> FxHashSet<Edge> {
    let graph = &network.graph;
    let mut known: FxHashSet<Edge> = FxHashSet::default();
    let mut stack: Vec<Edge> = wires.to_vec();
    while let Some(edge) = stack.pop() {
        if edge == Edge::TRUE || !known.insert(edge) {
            continue;
        }
        if !edge.negated() {
            stack.extend_from_slice(graph.children(edge.node()));
        }
        let input = edge.node().index();
        if input == 0 || input > network.fluents() {
            continue;
        }
        for group in network.invariants.groups.iter().filter(|g| g.members.contains(&edge.node())) {
            if edge.negated() {
                let open: Vec<NodeId> = group
                    .members
                    .iter()
                    .copied()
                    .filter(|&node| !known.contains(&!Edge::of(node)))
                    .collect();
                if let (true, [last]) = (group.exact, &open[..]) {
                    stack.push(Edge::of(*last));
                }
            } else {
                let others = group.members.iter().filter(|&&node| node != edge.node());
                stack.extend(others.map(|&node| !Edge::of(node)));
            }
        }
        for &(a, b) in &network.invariants.implied {
            if edge == Edge::of(a.node()) {
                stack.push(Edge::of(b.node()));
            } else if edge == !Edge::of(b.node()) {
                stack.push(!Edge::of(a.node()));
            }
        }
    }
    known
}

/// A partition of numbers that can only become coarser (union-find).
#[derive(Clone, Debug)]
pub(crate) struct Union {
    parent: Vec<u32>,
}

impl Union {
    pub(crate) fn new(count: usize) -> Self {
        Union { parent: (0..count as u32).collect() }
    }

    pub(crate) fn find(&mut self, item: usize) -> usize {
        let mut root = item;
        while self.parent[root] as usize != root {
            root = self.parent[root] as usize;
        }
        let mut at = item;
        while self.parent[at] as usize != root {
            at = std::mem::replace(&mut self.parent[at], root as u32) as usize;
        }
        root
    }

    /// Joins two parts; returns false if they were already joined. The smaller number stays the
    /// root, so that results do not depend on the order of calls.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low as u32;
        low != high
    }

    /// Joins all of these; returns whether anything changed.
    pub(crate) fn join_all(&mut self, items: impl IntoIterator<Item = usize>) -> bool {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return false };
        let mut changed = false;
        for item in items {
            changed |= self.join(first, item);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_parts_have_one_root() {
        let mut union = Union::new(5);
        assert!(union.join(3, 1));
        assert!(union.join_all([4, 3]));
        assert!(!union.join(1, 4));
        assert_eq!((0..5).map(|item| union.find(item)).collect::<Vec<_>>(), [0, 1, 2, 1, 1]);
    }
}
