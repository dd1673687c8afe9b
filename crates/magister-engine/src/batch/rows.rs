//! A step of a batch program on rows of this machine, as one sweep runs it.
//!
//! The gates of the program are extended by those that compute random numbers from planes, and
//! those that commit the next state; then wires are assigned to rows.

use magister_lanes::{BITS, Commit, Operation, Tape, TapeForm, Width, planes_for};

use super::ending::Ending;
use super::goals::Goals;
use super::numbers::{Planes, mix, scale_all};
use super::program::{Signal, StepProgram};
use crate::circuit::{Circuit, Laid, Layout, Wire};
use crate::network::Graph;

/// The row of the constant.
pub(super) const YES: u32 = 0;

/// The first row of the fluents.
pub(super) const STATE: u32 = 1;

/// The parts of one sweep, in execution order: `legal`; `goals` if a playout has ended; the random
/// planes of every draw; `mix`; the choices; `next`; the ending.
#[derive(Debug)]
pub(super) struct RowProgram {
    /// The number of rows.
    pub(super) rows: usize,
    /// Legal moves, their number, terminal states.
    pub(super) legal: Tape,
    /// The goals, for terminal states.
    pub(super) goals: Tape,
    /// The first of the upper planes, which choices try first.
    pub(super) from: usize,
    /// Selects the draw of each role, if that differs between lanes: for the upper planes, and for
    /// the others.
    pub(super) mix: Tape,
    pub(super) mix_rest: Tape,
    /// The chosen moves and the next state.
    pub(super) next: Tape,
    pub(super) ending: Ending,
    /// Whether the state is terminal.
    pub(super) terminal: u32,
    /// The lanes in which a role has no legal move.
    pub(super) stuck: u32,
    /// The lanes whose playouts end: written from outside.
    pub(super) restart: u32,
    /// The first plane of each draw.
    pub(super) draws: Vec<u32>,
    pub(super) choices: Vec<RowChoice>,
    /// If the choices from the upper planes are part of `mix`, the lanes in which the upper planes
    /// do not suffice.
    pub(super) unsure: Option<u32>,
    /// Rewards: the role, the value, and the row of the lanes in which it is paid; at most one per
    /// role. If goals are computed separately, the rows are those of their program.
    pub(super) rewards: Vec<(usize, f64, u32)>,
    /// The rows of the rewards, and the row of the constant: these are counted at the end.
    pub(super) paid: Vec<u32>,
    /// Intermediate rewards: the role, the value, and the row of the lanes in which a step pays it.
    pub(super) gains: Vec<(usize, f64, u32)>,
}

/// A random choice.
#[derive(Debug)]
pub(super) struct RowChoice {
    /// The rows of the number of legal moves, the lowest digit first.
    pub(super) count: Vec<u32>,
    /// The start of the random number.
    pub(super) random: u32,
    /// The start of the chosen number.
    pub(super) number: u32,
}

impl RowProgram {
    /// The rows of a step whose goals may be computed separately. With `moves`, the rows of the
    /// moves that are made are valid after each sweep, at the positions of the network's inputs.
    pub(super) fn new(
        step: &StepProgram,
        apart: Option<&Goals>,
        moves: bool,
        form: TapeForm,
    ) -> Self {
        // New gates need no graph, only wires after those of the step.
        let none = Graph::new(0, Vec::new());
        let mut circuit = Circuit::new(&none);
        circuit.wires = step.wires;
        // These rows come before everything that differs between phases, so that they are the same
        // in all phases.
        let mut fixed = Vec::new();
        let restart = fix(&mut circuit, &mut fixed, 1);
        let code = form != TapeForm::Runs;
        let starts = code.then(|| fix(&mut circuit, &mut fixed, step.next.len()));
        let planes = Planes::new(&mut circuit, &mut fixed, &step.choices);
        fixed.extend(step.choices.iter().flat_map(|choice| choice.number.clone()));

        // The random numbers of each choice.
        let most = step.choices.iter().map(|choice| planes_for(choice.count.len())).max();
        let from = BITS - most.unwrap_or(BITS);
        mix(&mut circuit, &step.choices, &planes, from..BITS);
        let unsure = code.then(|| scale_all(&mut circuit, &step.choices, &planes, from));
        let mix_gates = circuit.section();
        mix(&mut circuit, &step.choices, &planes, 0..from);
        let rest_gates = circuit.section();

        // How the next state replaces the current one.
        let mut next_gates = step.next_gates.clone();
        let inputs = step.inputs;
        let next: Vec<Signal> =
            step.next.iter().map(|&signal| own_wire(&mut circuit, signal, inputs)).collect();
        let after: Vec<Wire> = match starts {
            None => next.iter().map(|signal| signal.wire).collect(),
            Some(starts) => (starts..)
                .zip(&next)
                .map(|(start, &next)| commit(&mut circuit, next, restart, start))
                .collect(),
        };
        next_gates.extend(circuit.section());

        // Rows.
        let mut kept = vec![step.terminal, step.stuck];
        kept.extend(unsure);
        kept.extend(&fixed);
        let rewards = if apart.is_some() { &[][..] } else { &step.rewards };
        kept.extend(rewards.iter().map(|&(.., wire)| wire));
        kept.extend(step.gains.iter().map(|&(.., wire)| wire));
        kept.extend(step.choices.iter().flat_map(|choice| &choice.count));
        if moves {
            kept.extend(step.made.iter().flatten());
        }
        if starts.is_none() {
            kept.extend(&after);
        }
        let layout = Layout {
            form,
            widths: Width::useful(),
            wires: circuit.wires as usize,
            inputs,
            fixed: &fixed,
            kept,
            after: starts.map(|_| after.as_slice()),
        };
        let (legal, goals) = (step.legal_gates.clone(), step.goal_gates.clone());
        let sections = vec![legal, goals, mix_gates, rest_gates, next_gates];
        let Laid { tapes, row, rows: count, .. } = layout.lay(sections);
        let at = |wire: Wire| row[wire as usize];
        let mut tapes = tapes.into_iter();
        let [legal, goals, mix, mix_rest, next_tape] =
            std::array::from_fn(|_| tapes.next().unwrap_or_else(|| Tape::new(&[], 0)));
        let paying = |&(role, value, wire): &(magister_core::Role, f64, Wire)| {
            (role.index(), value, at(wire))
        };
        let rewards: Vec<(usize, f64, u32)> = match apart {
            Some(apart) => apart.rewards.clone(),
            None => rewards.iter().map(paying).collect(),
        };
        let paid = rewards.iter().map(|&(.., row)| row).chain([YES]).collect();
        Self {
            rows: count,
            legal,
            goals,
            from,
            mix,
            mix_rest,
            next: next_tape,
            ending: match starts {
                Some(starts) => Ending::Tape { starts: at(starts) },
                None => Ending::Commit(Commit::new(
                    next.iter()
                        .enumerate()
                        .map(|(fluent, next)| (fluent as u32 + 1, at(next.wire), next.negated)),
                )),
            },
            terminal: at(step.terminal),
            stuck: at(step.stuck),
            restart: at(restart),
            draws: planes.draws.iter().map(|&wire| at(wire)).collect(),
            choices: step
                .choices
                .iter()
                .zip(&planes.random)
                .map(|(choice, &random)| RowChoice {
                    count: choice.count.iter().map(|&wire| at(wire)).collect(),
                    random: at(random),
                    // A choice without digits needs no number.
                    number: choice.number.clone().next().map_or(0, at),
                })
                .collect(),
            unsure: unsure.map(at),
            rewards,
            paid,
            gains: step.gains.iter().map(paying).collect(),
        }
    }

    /// Whether it runs as code, if code is available.
    pub(super) fn has_code(&self) -> bool {
        let tapes = [&self.legal, &self.goals, &self.mix, &self.mix_rest, &self.next];
        tapes.iter().all(|tape| tape.is_empty() || tape.has_code(Width::best()))
    }
}

/// Consecutive wires that have their own rows because they are written from outside.
pub(super) fn fix(circuit: &mut Circuit<'_>, fixed: &mut Vec<Wire>, count: usize) -> Wire {
    let first = circuit.wires;
    fixed.extend((0..count).map(|_| circuit.fresh()));
    first
}

/// The wire of a next fluent; never an input, because inputs are overwritten one by one when the
/// next state is committed.
fn own_wire(circuit: &mut Circuit<'_>, signal: Signal, inputs: u32) -> Signal {
    let Signal { wire, negated } = signal;
    if wire == 0 || wire >= inputs {
        return signal;
    }
    Signal { wire: circuit.two(Operation::And, wire, wire), negated }
}

/// The wire of a fluent after the sweep: its next value, or its start value where a playout has
/// ended.
fn commit(circuit: &mut Circuit<'_>, next: Signal, restart: Wire, start: Wire) -> Wire {
    let operation = if next.negated { Operation::Nor } else { Operation::AndNot };
    let going = circuit.two(operation, next.wire, restart);
    let again = circuit.two(Operation::And, start, restart);
    circuit.two(Operation::Or, going, again)
}
