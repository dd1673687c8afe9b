//! The shared data of all batch players of a game: its programs and the checks of its states.

use magister_core::Batch;
use magister_lanes::{TapeForm, Width};

use super::check::Check;
use super::ending::Ending;
use super::goals::{Goals, Pay};
use super::moves::CountedMoves;
use super::phases::Phase;
use super::program::{Contents, StepProgram};
use super::rows::RowProgram;
use crate::network::{Network, Turns};

/// The shared data of all batch players of a game.
#[derive(Debug)]
pub(crate) struct BatchPlan {
    /// The programs of sweeps: one, or one per phase in turn.
    pub(super) programs: Vec<RowProgram>,
    pub(super) phases: Vec<Phase>,
    /// The goals of kept states, if that is faster.
    pub(super) apart: Option<Goals>,
    pub(super) fluents: usize,
    pub(super) roles: usize,
    /// The moves, if their statistics are collected.
    pub(super) moves: Option<CountedMoves>,
    /// The check of states; not used when moves are counted.
    pub(super) check: Option<Check>,
    /// Whether gains are paid, and the role without rewards.
    pub(super) on_the_way: bool,
    pub(super) chance: Option<usize>,
}

impl BatchPlan {
    /// The plan of a network for a kind of rewards. With `moves`, it collects statistics of moves.
    pub(crate) fn new(network: &Network, pay: Pay, moves: bool) -> Self {
        let apart = Goals::new(network, pay);
        // The moves of all roles are recorded at once.
        let phases = if moves { Vec::new() } else { Phase::of(network) };
        let contents = Contents { goals: apart.is_none(), percepts: false };
        let step = |network: &Network, turns: Option<Turns>| {
            StepProgram::new(network, turns, pay, contents)
        };
        let steps: Vec<StepProgram> = if phases.is_empty() {
            vec![step(network, network.turns.clone())]
        } else {
            phases.iter().map(|(_, side, turns)| step(side, Some(turns.clone()))).collect()
        };
        let make = |form: TapeForm| -> Vec<RowProgram> {
            steps.iter().map(|step| RowProgram::new(step, apart.as_ref(), moves, form)).collect()
        };
        let form = TapeForm::best(Width::best());
        let mut programs = make(form);
        if form != TapeForm::Runs && !programs.iter().all(RowProgram::has_code) {
            // The gate order that suits machine code is slow without machine code.
            programs = make(TapeForm::Runs);
        }
        let phases: Vec<Phase> = phases.into_iter().map(|(phase, ..)| phase).collect();
        let check = (!moves).then(|| Check::new(network, &phases.iter().collect::<Vec<_>>()));
        let moves = moves.then(|| CountedMoves::new(network, &programs[0].rewards));
        let (fluents, roles) = (network.fluents(), network.roles());
        let (on_the_way, chance) = (pay.on_the_way, pay.chance);
        Self { programs, phases, apart, fluents, roles, moves, check, on_the_way, chance }
    }

    /// The phase of a state; `None` if this plan cannot play its playouts.
    fn phase(&self, state: &[u64]) -> Option<usize> {
        if self.phases.is_empty() {
            return Some(0);
        }
        self.phases.iter().position(|phase| phase.holds(state))
    }

    pub(super) fn fluents(&self) -> usize {
        self.fluents
    }

    pub(super) fn roles(&self) -> usize {
        self.roles
    }

    /// The number of alternating programs.
    pub(super) fn phases(&self) -> usize {
        self.programs.len()
    }

    /// The phase of a state by the role to move, without the other checks.
    pub(super) fn turn(&self, state: &[u64]) -> usize {
        self.phases.iter().position(|phase| phase.has_turn(state)).unwrap_or(0)
    }

    pub(super) fn program(&self, phase: usize) -> &RowProgram {
        &self.programs[phase]
    }

    pub(super) fn apart(&self) -> Option<&Goals> {
        self.apart.as_ref()
    }

    pub(super) fn ending(&self) -> &Ending {
        &self.programs[0].ending
    }

    pub(super) fn rewards(&self) -> &[(usize, f64, u32)] {
        &self.programs[0].rewards
    }

    /// The phase of the start of each stream; `None` if this plan does not apply to all of them.
    pub(super) fn phases_of(&self, batch: &Batch<'_>) -> Option<Vec<u8>> {
        let mut last: Option<(&[u64], u8)> = None;
        let phases = batch.streams.iter().map(|stream| match last {
            Some((state, phase)) if state == stream.start => Some(phase),
            _ => {
                let phase = self.phase(stream.start)? as u8;
                last = Some((stream.start, phase));
                Some(phase)
            }
        });
        phases.collect()
    }
}
