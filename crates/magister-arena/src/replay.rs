//! Matches played again from their reports.

use std::error::Error;
use std::fmt;

use magister_core::{Game, Halt, Move, Payment, Step, Stop};

use crate::report::GameReport;

/// Why a report can not be played again. Steps are counted from 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// A joint move does not have a move for each role.
    Length {
        /// The step.
        step: usize,
    },
    /// The game knows no such move.
    UnknownMove {
        /// The step.
        step: usize,
        /// The move.
        text: String,
    },
    /// A step could not be made.
    Halt {
        /// The step.
        step: usize,
        /// Why not.
        halt: Halt,
    },
    /// The rewards are others than the rules give.
    Rewards {
        /// What the rules give.
        given: Vec<Option<f64>>,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Length { step } => {
                write!(f, "step {step}: there must be one move for each role")
            }
            ReplayError::UnknownMove { step, text } => {
                write!(f, "step {step}: the game knows no move `{text}`")
            }
            ReplayError::Halt { step, halt } => write!(f, "step {step}: {halt}"),
            ReplayError::Rewards { given } => {
                let given: Vec<String> = given
                    .iter()
                    .map(|reward| reward.map_or("none".to_owned(), |reward| reward.to_string()))
                    .collect();
                write!(f, "the rules give other rewards: {}", given.join(", "))
            }
        }
    }
}

impl Error for ReplayError {}

impl GameReport {
    /// Plays the match again, checks that every move was legal and that the rewards are what the
    /// rules give, and gives all positions, from the first to the last.
    pub fn replay(&self, game: &dyn Game, stop: &Stop) -> Result<Vec<Vec<u64>>, ReplayError> {
        let (info, text) = (game.info(), game.text());
        let mut worker = game.worker();
        worker.reset();
        let mut states = vec![Vec::new()];
        worker.save(&mut states[0]);
        let mut out = Step::new();
        let mut totals = vec![0.0; info.roles.len()];
        for (at, joint) in self.moves.iter().enumerate() {
            let step = at + 1;
            if joint.len() != info.roles.len() {
                return Err(ReplayError::Length { step });
            }
            let joint = info
                .all_roles()
                .zip(joint)
                .map(|(role, words)| {
                    let unknown = || ReplayError::UnknownMove { step, text: words.clone() };
                    text.parse_move(role, words).ok_or_else(unknown)
                })
                .collect::<Result<Vec<Move>, _>>()?;
            let made = worker.step(&joint, &mut out, stop);
            made.map_err(|halt| ReplayError::Halt { step, halt })?;
            totals.iter_mut().zip(&out.gains).for_each(|(total, gain)| *total += gain);
            let mut state = Vec::new();
            worker.save(&mut state);
            states.push(state);
        }
        let mut goals = Vec::new();
        let given: Vec<Option<f64>> = info
            .players()
            .map(|role| {
                if !worker.terminal() {
                    return None;
                }
                if info.payment == Payment::OnTheWay {
                    return Some(totals[role.index()]);
                }
                worker.goals(role, &mut goals);
                if let [goal] = goals[..] { Some(goal) } else { None }
            })
            .collect();
        if given != self.rewards {
            return Err(ReplayError::Rewards { given });
        }
        Ok(states)
    }
}
