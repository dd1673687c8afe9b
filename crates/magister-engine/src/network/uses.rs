//! How often gates are used, and which only for the sake of one other.

use super::graph::{Edge, Graph};

/// The number of uses of each gate.
pub(super) struct Uses {
    count: Vec<u32>,
}

impl Uses {
    /// The uses by the outputs and by the gates that those need.
    pub(super) fn new(graph: &Graph, outputs: Vec<Edge>) -> Self {
        let mut count = vec![0; graph.len()];
        for edge in &outputs {
            count[edge.node() as usize] += 1;
        }
        for node in graph.reachable(outputs) {
            for edge in graph.children(node) {
                count[edge.node() as usize] += 1;
            }
        }
        Self { count }
    }

    /// How many gates of two inputs are there for one use of this gate only.
    pub(super) fn own(&mut self, graph: &Graph, node: u32) -> usize {
        if node as usize >= self.count.len() {
            return 0; // A gate that was made later.
        }
        let mut size = 0;
        let mut taken = vec![node];
        let mut open = Vec::new();
        let drop = |count: &mut u32, node: u32, open: &mut Vec<u32>| {
            *count -= 1;
            if *count == 0 {
                open.push(node);
            }
        };
        drop(&mut self.count[node as usize], node, &mut open);
        while let Some(node) = open.pop() {
            let children = graph.children(node);
            size += children.len().saturating_sub(1);
            for edge in children {
                drop(&mut self.count[edge.node() as usize], edge.node(), &mut open);
                taken.push(edge.node());
            }
        }
        for node in taken {
            self.count[node as usize] += 1;
        }
        size
    }
}
