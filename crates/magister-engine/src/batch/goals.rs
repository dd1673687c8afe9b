//! Rewards, and when they are computed.
//!
//! Goals are needed at the end of a playout, which only a few lanes reach in most sweeps. If goals
//! take many gates, each lane keeps its last state until some lane would have to keep a second one;
//! then the goals of all kept states are computed at once.

use magister_lanes::{Gate, Operation, Tape, TapeForm, Width};

use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::Network;

/// How a game pays its rewards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pay {
    /// The role that has no rewards.
    pub(crate) chance: Option<usize>,
    /// The goal value of a role for which the rules give none.
    pub(crate) missing: Option<f64>,
    /// Whether gains are paid instead of goal values.
    pub(crate) on_the_way: bool,
}

/// The goals of kept states.
#[derive(Debug)]
pub(super) struct Goals {
    /// The number of rows. Row 0 is the constant; the rows of the fluents follow.
    pub(super) rows: usize,
    /// The wires of a state that goals depend on.
    pub(super) fluents: Vec<Wire>,
    pub(super) tape: Tape,
    /// Rewards: the role, the value, and the row of the lanes in which it is paid.
    pub(super) rewards: Vec<(usize, f64, u32)>,
}

impl Goals {
    /// The goals of a network, if their gates cost more than keeping the states.
    pub(super) fn new(network: &Network, pay: Pay) -> Option<Self> {
        if pay.on_the_way {
            return None;
        }
        let mut circuit = Circuit::new(&network.graph);
        circuit.nodes(network.goals.iter().map(|goal| goal.when));
        let rewards = rewards(network, &mut circuit, pay);
        let mut gates = circuit.section();
        let inputs = network.graph.inputs() as u32;
        let mut fluents: Vec<Wire> = gates.iter().flat_map(Gate::inputs).collect();
        fluents.extend(rewards.iter().map(|&(.., wire)| wire));
        fluents.retain(|&wire| wire > 0 && wire <= inputs);
        fluents.sort_unstable();
        fluents.dedup();
        // A kept fluent costs about as much as a few gates.
        if gates.len() < 8 * fluents.len().max(50) {
            return None;
        }
        let shift = fluents.len() as u32;
        let at = |wire: Wire| match fluents.binary_search(&wire) {
            Ok(place) => place as u32 + 1,
            Err(_) if wire == 0 => 0,
            // After all fluents, kept or not.
            Err(_) => wire + shift,
        };
        for gate in &mut gates {
            (gate.a, gate.b, gate.c) = (at(gate.a), at(gate.b), at(gate.c));
            gate.out = at(gate.out);
        }
        let kept: Vec<Wire> = rewards.iter().map(|&(.., wire)| at(wire)).collect();
        let layout = Layout {
            form: TapeForm::best(Width::best()),
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
    pay: Pay,
) -> Vec<(usize, f64, Wire)> {
    let mut rewards = Vec::new();
    for role in (0..network.roles()).filter(|&role| pay.chance != Some(role)) {
        let goals: Vec<(f64, Wire)> = network
            .goals
            .iter()
            .filter(|goal| goal.role.index() == role)
            .filter_map(|goal| Some((goal.value?, circuit.edge(goal.when))))
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
        if let Some(missing) = pay.missing {
            let none = one.map_or(0, |one| circuit.two(Operation::Nor, one, one));
            rewards.push((role, missing, none));
        }
    }
    rewards
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::Program;
    use crate::grounder::{GroundLimits, ground};
    use crate::network::{GdlNetwork, NetworkLimits};
    use magister_core::Stop;
    use magister_gdl::{Options, read};
    use magister_lanes::Wires;

    /// Lamps that are switched one at a time. There is a goal for every number of lit lamps, and
    /// there are two goals if three are lit.
    fn lamps(count: usize) -> String {
        let mut text = "(role you)
            (<= (on ?n 0) (first ?n) (not (true (lamp ?n))))
            (<= (on ?n 1) (first ?n) (true (lamp ?n)))
            (<= (on ?n ?k) (after ?m ?n) (on ?m ?k) (not (true (lamp ?n))))
            (<= (on ?n ?k) (after ?m ?n) (on ?m ?j) (succ ?j ?k) (true (lamp ?n)))
            (<= (legal you (switch ?n)) (number ?n))
            (<= (next (lamp ?n)) (true (lamp ?n)) (not (does you (switch ?n))))
            (<= (next (lamp ?n)) (does you (switch ?n)) (not (true (lamp ?n))))
            (<= (goal you ?k) (last ?n) (on ?n ?k))
            (<= (goal you 77) (last ?n) (on ?n 3))
            (<= terminal (true (lamp 1)) (true (lamp 2)))
            (init (lamp 1)) (first 1) (number 1) (succ 0 1) "
            .to_owned();
        for n in 2..=count {
            let _ = write!(text, "(after {} {n}) (succ {} {n}) (number {n}) ", n - 1, n - 1);
        }
        text + &format!("(last {count})")
    }

    const PAY: Pay = Pay { chance: None, missing: None, on_the_way: false };

    fn network(text: &str) -> GdlNetwork {
        let rules = read(text, &Options::default()).rules;
        let program = Program::new(&rules, text).expect("a game");
        let grounded = ground(&program, &GroundLimits::default(), &Stop::never()).expect("grounds");
        GdlNetwork::new(&grounded, &NetworkLimits::default(), &Stop::never()).expect("fits")
    }

    #[test]
    fn goals_of_kept_states_agree_with_the_rules() {
        let count = 24;
        let network = network(&lamps(count));
        let goals =
            Goals::new(&network, PAY).expect("goals with many gates are computed separately");
        assert_eq!(goals.fluents.len(), count);
        for &width in Width::ALL {
            let mut kept = Wires::new(width, goals.rows);
            kept.row_mut(0).fill(!0);
            let mut on = vec![0u32; width.lanes()];
            for row in 1..=count as u32 {
                for (lane, on) in on.iter_mut().enumerate() {
                    // From no lit lamp in the first lane to most of them in others.
                    let lit = ((row as usize * 0x9e37_79b9) >> 7) % 64 < lane % 64;
                    kept.row_mut(row)[lane / 64] |= u64::from(lit) << (lane % 64);
                    *on += u32::from(lit);
                }
            }
            goals.tape.run(&mut kept);
            for (lane, &on) in on.iter().enumerate() {
                let paid: Vec<f64> = goals
                    .rewards
                    .iter()
                    .filter(|&&(.., row)| kept.row(row)[lane / 64] >> (lane % 64) & 1 == 1)
                    .map(|&(_, value, _)| value)
                    .collect();
                let expected = if on == 3 { Vec::new() } else { vec![f64::from(on)] };
                assert_eq!(paid, expected, "{on} lamps in lane {lane} of {width}");
            }
        }
    }

    #[test]
    fn few_goals_are_not_computed_separately() {
        let network = network(&lamps(4));
        assert!(Goals::new(&network, PAY).is_none());
    }
}
