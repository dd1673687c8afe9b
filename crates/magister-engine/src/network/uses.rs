//! The users of gates, and the gates that only one other gate uses.

use super::NodeId;
use super::graph::{Edge, Graph};

/// The number of uses of each gate.
pub(super) struct Uses {
    count: Vec<u32>,
}

impl Uses {
    /// The uses by the outputs and by the gates they depend on.
    pub(super) fn new(graph: &Graph, outputs: Vec<Edge>) -> Self {
        let mut count = vec![0; graph.len()];
        for edge in &outputs {
            count[edge.node().index()] += 1;
        }
        for node in graph.reachable(outputs) {
            for edge in graph.children(node) {
                count[edge.node().index()] += 1;
            }
        }
        Self { count }
    }

    /// The number of two-input gates that only this gate uses.
    pub(super) fn own(&mut self, graph: &Graph, node: NodeId) -> usize {
        if node.index() >= self.count.len() {
            return 0; // A gate that was made later.
        }
        let mut size = 0;
        let mut taken = vec![node];
        let mut open = Vec::new();
        let drop = |count: &mut u32, node: NodeId, open: &mut Vec<NodeId>| {
            *count -= 1;
            if *count == 0 {
                open.push(node);
            }
        };
        drop(&mut self.count[node.index()], node, &mut open);
        while let Some(node) = open.pop() {
            let children = graph.children(node);
            size += children.len().saturating_sub(1);
            for edge in children {
                drop(&mut self.count[edge.node().index()], edge.node(), &mut open);
                taken.push(edge.node());
            }
        }
        for node in taken {
            self.count[node.index()] += 1;
        }
        size
    }
}
