//! Rewards, and when they are computed.
//!
//! Goals are needed where a playout ends, which is a few lanes in most sweeps. Where they take
//! many gates, the last states are kept lane by lane until a lane would have to keep two, and the
//! goals of all are computed at once.

use magister_lanes::{Gate, Operation, Tape, Width};

use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::Network;

/// What goals are worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pay<'a> {
    /// The values of the network's goals, if they are numbers.
    pub(crate) values: &'a [Option<f64>],
    /// The role that has no rewards.
    pub(crate) chance: Option<usize>,
    /// Whether a role without a goal has zero.
    pub(crate) zero: bool,
}

/// Goals over states that have been kept.
#[derive(Debug)]
pub(super) struct Goals {
    /// The number of rows. Row 0 is the constant; those of the fluents follow.
    pub(super) rows: usize,
    /// The wires of a state that goals look at.
    pub(super) fluents: Vec<Wire>,
    pub(super) tape: Tape,
    /// Rewards: the role, the value, and the row of the lanes in which it is paid.
    pub(super) rewards: Vec<(usize, f64, u32)>,
}

impl Goals {
    /// The goals of a network, if they take so many gates that it is worth while to keep states.
    pub(super) fn new(network: &Network, pay: &Pay<'_>) -> Option<Self> {
        let mut circuit = Circuit::new(&network.graph);
        circuit.nodes(network.goals.iter().map(|&(.., edge)| edge));
        let rewards = rewards(network, &mut circuit, pay);
        let mut gates = circuit.section();
        let inputs = network.graph.inputs() as u32;
        let mut fluents: Vec<Wire> = gates.iter().flat_map(Gate::inputs).collect();
        fluents.extend(rewards.iter().map(|&(.., wire)| wire));
        fluents.retain(|&wire| wire > 0 && wire <= inputs);
        fluents.sort_unstable();
        fluents.dedup();
        // A fluent that is kept costs about as much as a few gates.
        if gates.len() < 8 * fluents.len().max(50) {
            return None;
        }
        let shift = fluents.len() as u32;
        let at = |wire: Wire| match fluents.binary_search(&wire) {
            Ok(place) => place as u32 + 1,
            Err(_) if wire == 0 => 0,
            // Behind all fluents, whether they are kept or not.
            Err(_) => wire + shift,
        };
        for gate in &mut gates {
            (gate.a, gate.b, gate.c) = (at(gate.a), at(gate.b), at(gate.c));
            gate.out = at(gate.out);
        }
        let kept: Vec<Wire> = rewards.iter().map(|&(.., wire)| at(wire)).collect();
        let layout = Layout {
            widths: Width::useful(),
            wires: (circuit.wires + shift) as usize,
            inputs: shift + 1,
            fixed: &[],
            kept,
            after: None,
        };
        let Laid { mut tapes, row, rows: count, .. } = layout.lay(vec![gates]);
        let tape = tapes.pop()?;
        let rewards: Vec<(usize, f64, u32)> = rewards
            .iter()
            .map(|&(role, value, wire)| (role, value, row[at(wire) as usize]))
            .collect();
        Some(Self { rows: count, fluents, tape, rewards })
    }
}

/// The rewards: a role has one if exactly one of its goals holds.
pub(super) fn rewards(
    network: &Network,
    circuit: &mut Circuit<'_>,
    pay: &Pay<'_>,
) -> Vec<(usize, f64, Wire)> {
    let mut rewards = Vec::new();
    for role in (0..network.idle.len()).filter(|&role| pay.chance != Some(role)) {
        let goals: Vec<(f64, Wire)> = network
            .goals
            .iter()
            .zip(pay.values)
            .filter(|((whose, ..), _)| *whose as usize == role)
            .filter_map(|(&(.., edge), value)| value.map(|value| (value, edge)))
            .map(|(value, edge)| (value, circuit.edge(edge)))
            .collect();
        let (mut one, mut two): (Option<Wire>, Option<Wire>) = (None, None);
        for &(_, goal) in &goals {
            if let Some(before) = one {
                let both = circuit.two(Operation::And, before, goal);
                two = Some(match two {
                    Some(two) => circuit.two(Operation::Or, two, both),
                    None => both,
                });
                one = Some(circuit.two(Operation::Or, before, goal));
            } else {
                one = Some(goal);
            }
        }
        for (value, goal) in goals {
            let single = match two {
                Some(two) => circuit.two(Operation::AndNot, goal, two),
                None => goal,
            };
            rewards.push((role, value, single));
        }
        if pay.zero {
            let none = one.map_or(0, |one| circuit.two(Operation::Nor, one, one));
            rewards.push((role, 0.0, none));
        }
    }
    rewards
}
