//! Whether states satisfy the assumptions of a network, for all lanes at once.

use magister_lanes::{Operation, Tape, TapeForm, Width};

use super::phases::Phase;
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::{Edge, Graph, Network};

/// A tape over the fluents. Their rows follow the row of the constant.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) rows: usize,
    pub(super) tape: Tape,
    /// The row of the lanes whose states satisfy the invariants of the game.
    pub(super) possible: u32,
    /// For each phase, the row of the lanes that satisfy the assumptions of its network.
    pub(super) known: Vec<u32>,
}

impl Check {
    pub(super) fn new(network: &Network, phases: &[&Phase]) -> Self {
        let fluents = network.fluents() as u32;
        let mut circuit = Circuit::new(&network.graph);
        let possible = possible(&mut circuit, network);
        let known: Vec<Wire> =
            phases.iter().map(|phase| copy(&mut circuit, &phase.known, fluents)).collect();
        let gates = circuit.section();
        let kept = known.iter().copied().chain([possible]).collect();
        let layout = Layout {
            form: TapeForm::best(Width::best()),
            widths: Width::useful(),
            wires: circuit.wires as usize,
            inputs: fluents + 1,
            fixed: &[],
            kept,
            after: None,
        };
        let Laid { mut tapes, row, rows, .. } = layout.lay(vec![gates]);
        let at = |wire: Wire| row[wire as usize];
        Self {
            rows,
            tape: tapes.pop().unwrap_or_else(|| Tape::new(&[], 0)),
            possible: at(possible),
            known: known.into_iter().map(at).collect(),
        }
    }
}

/// The negation of a wire as a separate wire.
fn not(circuit: &mut Circuit<'_>, wire: Wire) -> Wire {
    circuit.two(Operation::Nor, wire, wire)
}

/// The invariants of a network: in each group at most one fluent is true, or exactly one; and the
/// implications.
pub(super) fn possible(circuit: &mut Circuit<'_>, network: &Network) -> Wire {
    let mut wrong = Vec::new();
    for group in &network.invariants.groups {
        let (mut one, mut two): (Option<Wire>, Option<Wire>) = (None, None);
        for &member in &group.members {
            let Some(before) = one else {
                one = Some(member.0);
                continue;
            };
            let both = circuit.two(Operation::And, before, member.0);
            two = Some(two.map_or(both, |two| circuit.two(Operation::Or, two, both)));
            one = Some(circuit.two(Operation::Or, before, member.0));
        }
        wrong.extend(two);
        if group.exact {
            wrong.push(one.map_or(0, |one| not(circuit, one)));
        }
    }
    for &(first, second) in &network.invariants.implied {
        wrong.push(circuit.two(Operation::AndNot, first.node().0, second.node().0));
    }
    match circuit.any(&wrong) {
        Some(wrong) => not(circuit, wrong),
        None => 0,
    }
}

/// Copies the gates of another graph over the same fluents.
fn copy(circuit: &mut Circuit<'_>, (graph, edge): &(Graph, Edge), fluents: u32) -> Wire {
    let mut wires: Vec<Wire> = vec![0; graph.len()];
    for node in graph.reachable([*edge]) {
        wires[node.index()] = if graph.is_input(node) {
            // A state consists of fluents only.
            if node.0 <= fluents { node.0 } else { not(circuit, 0) }
        } else {
            graph.children(node).iter().fold(0, |all, child| {
                let wire = wires[child.node().index()];
                let operation = if child.negated() { Operation::AndNot } else { Operation::And };
                circuit.two(operation, all, wire)
            })
        };
    }
    let wire = wires[edge.node().index()];
    // A separate row, so that it is a result and never an input.
    if edge.negated() { not(circuit, wire) } else { circuit.two(Operation::And, wire, wire) }
}
