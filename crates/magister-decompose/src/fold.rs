//! Three-valued evaluation: the consequences of known inputs for gates.

use magister_engine::network::{Edge, Graph, NodeId};

/// The unknown value of a wire; 0 is false and 1 is true.
pub(crate) const UNKNOWN: u8 = 2;

/// The gates that some wires depend on, in order.
pub(crate) fn gates(graph: &Graph, outputs: impl IntoIterator<Item = Edge>) -> Vec<NodeId> {
    let all = graph.reachable(outputs).into_iter();
    all.filter(|&node| !graph.is_input(node)).collect()
}

/// Evaluates gates from the known values.
pub(crate) fn fold(graph: &Graph, gates: &[NodeId], values: &mut [u8]) {
    for &node in gates {
        if values[node.index()] != UNKNOWN {
            continue;
        }
        let mut all = 1;
        for &child in graph.children(node) {
            match values[child.node().index()] {
                UNKNOWN => all = UNKNOWN,
                value if (value == 1) == child.negated() => {
                    all = 0;
                    break;
                }
                _ => {}
            }
        }
        values[node.index()] = all;
    }
}

/// Whether a wire is known to be false.
pub(crate) fn is_false(values: &[u8], edge: Edge) -> bool {
    let value = values[edge.node().index()];
    value != UNKNOWN && (value == 1) == edge.negated()
}
