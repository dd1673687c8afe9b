//! Networks as gates of two and three inputs, in execution order.

mod fuse;
mod layout;
mod schedule;
#[cfg(test)]
mod tests;

use magister_lanes::{Gate, Operation};

use crate::network::{Edge, Graph, NodeId};

use fuse::fuse;
pub(crate) use layout::{Laid, Layout};
pub(crate) use schedule::in_runs;
use schedule::{depth_first, in_place, rows, wanted};

/// A wire, by number. Those of the network's nodes come first.
pub(crate) type Wire = u32;

/// Gates under construction.
pub(crate) struct Circuit<'a> {
    graph: &'a Graph,
    /// Gates in a valid execution order.
    pub(crate) gates: Vec<Gate>,
    /// The number of wires so far.
    pub(crate) wires: u32,
    /// The depth of each node. Inputs that are ready first are combined first.
    level: Vec<u32>,
    /// Whether the gates of each node exist.
    done: Vec<bool>,
}

impl<'a> Circuit<'a> {
    /// A circuit without gates. The constant and the inputs of the graph are its only wires.
    pub(crate) fn new(graph: &'a Graph) -> Self {
        let mut done = vec![false; graph.len()];
        done[..=graph.inputs()].fill(true);
        Self {
            graph,
            gates: Vec::new(),
            wires: graph.len() as u32,
            level: vec![0; graph.len()],
            done,
        }
    }

    /// Returns the gates so far, and begins a new section.
    pub(crate) fn section(&mut self) -> Vec<Gate> {
        std::mem::take(&mut self.gates)
    }

    /// A new wire that no gate has written.
    pub(crate) fn fresh(&mut self) -> Wire {
        self.wires += 1;
        self.wires - 1
    }

    /// Adds a gate.
    pub(crate) fn write(&mut self, operation: Operation, inputs: [Wire; 3], out: Wire) {
        let [a, b, c] = inputs;
        self.gates.push(Gate { operation, a, b, c, out });
    }

    /// A gate of three inputs.
    pub(crate) fn three(&mut self, operation: Operation, a: Wire, b: Wire, c: Wire) -> Wire {
        let out = self.fresh();
        self.write(operation, [a, b, c], out);
        out
    }

    /// A gate of two inputs.
    pub(crate) fn two(&mut self, operation: Operation, a: Wire, b: Wire) -> Wire {
        self.three(operation, a, b, a)
    }

    /// The disjunction; `None` for no wires.
    pub(crate) fn any(&mut self, wires: &[Wire]) -> Option<Wire> {
        let mut wires = wires.to_vec();
        while wires.len() > 1 {
            wires = wires
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.two(Operation::Or, a, b),
                    _ => pair[0],
                })
                .collect();
        }
        wires.first().copied()
    }

    /// Adds the missing gates of the network for these outputs.
    pub(crate) fn nodes(&mut self, outputs: impl IntoIterator<Item = Edge>) {
        for node in self.graph.reachable(outputs) {
            if !std::mem::replace(&mut self.done[node.index()], true) {
                self.conjunction(node);
            }
        }
    }

    /// The wire of an edge, whose gate exists already.
    pub(crate) fn edge(&mut self, edge: Edge) -> Wire {
        if edge.negated() {
            self.two(Operation::Nor, edge.node().0, edge.node().0)
        } else {
            edge.node().0
        }
    }

    /// Writes a gate with many inputs as gates of three and two inputs. Inputs that are ready first
    /// come first.
    fn conjunction(&mut self, node: NodeId) {
        let level = |circuit: &Self, e: &Edge| circuit.level[e.node().index()];
        let children = self.graph.children(node);
        self.level[node.index()] = children.iter().map(|e| level(self, e)).max().unwrap_or(0) + 1;
        let mut open: Vec<(Wire, bool)> = {
            let mut sorted: Vec<Edge> = children.to_vec();
            sorted.sort_by_key(|e| (level(self, e), e.node()));
            sorted.iter().map(|e| (e.node().0, e.negated())).collect()
        };
        let mut at = 0;
        loop {
            let left = open.len() - at;
            let take = if left == 2 { 2 } else { 3.min(left) };
            let mut now = open[at..at + take].to_vec();
            at += take;
            now.sort_by_key(|&(_, negated)| negated);
            let out = if at == open.len() { node.0 } else { self.fresh() };
            self.product(&now, out);
            if out == node.0 {
                return;
            }
            open.push((out, false));
        }
    }

    /// A conjunction of two or three inputs, non-negated ones first.
    fn product(&mut self, parts: &[(Wire, bool)], out: Wire) {
        let negated = parts.iter().filter(|(_, negated)| *negated).count();
        let wire = |at: usize| parts.get(at).map_or(parts[0].0, |&(wire, _)| wire);
        let operation = match (parts.len(), negated) {
            (3, 0) => Operation::And3,
            (3, 1) => Operation::And2Not,
            (3, 2) => Operation::AndNot2,
            (3, _) => Operation::Nor3,
            (_, 0) => Operation::And,
            (1, _) => Operation::Nor,
            (_, 1) => Operation::AndNot,
            _ => Operation::Nor,
        };
        self.write(operation, [wire(0), wire(1), wire(2)], out);
    }
}
