//! Matches played again from their reports.

use std::error::Error;
use std::fmt;

use magister_core::{Game, Halt, Move, Payment, Step, Stop};

use crate::report::{GameReport, Mishap};

/// Why a report does not agree with the rules. Steps are counted from 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// There are not as many players, or rewards, as seats.
    Seats {
        /// How many seats the game has.
        seats: usize,
        /// How many players are named.
        players: usize,
        /// How many rewards are told.
        rewards: usize,
    },
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
    /// A move is not legal.
    Illegal {
        /// The step.
        step: usize,
        /// The role.
        role: String,
        /// The move.
        text: String,
    },
    /// There are moves after the end.
    Over {
        /// The last step before the end.
        step: usize,
    },
    /// There are rewards, but the moves do not lead to the end.
    Open {
        /// The last step.
        step: usize,
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
            ReplayError::Seats { seats, players, rewards } => write!(
                f,
                "the game has {seats} seats, but {players} players are named and {rewards} rewards \
                 told"
            ),
            ReplayError::Illegal { step, role, text } => {
                write!(f, "step {step}: `{text}` of {role} is not legal")
            }
            ReplayError::Over { step: 0 } => {
                f.write_str("there are moves, but the match is over before the first")
            }
            ReplayError::Over { step } => {
                write!(f, "the match was over after step {step}, but there are more moves")
            }
            ReplayError::Open { step } => {
                write!(f, "the match is not over after step {step}, but there are rewards")
            }
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
    /// rules give, and gives all positions, from the first to the last. A last move after which
    /// the rules know no state, and with which the match was broken off, has none.
    pub fn replay(&self, game: &dyn Game, stop: &Stop) -> Result<Vec<Vec<u64>>, ReplayError> {
        let (info, text) = (game.info(), game.text());
        let seats = info.players().count();
        let (players, rewards) = (self.players.len(), self.rewards.len());
        if players != seats || rewards != seats {
            return Err(ReplayError::Seats { seats, players, rewards });
        }
        let mut worker = game.worker();
        worker.reset();
        let mut states = vec![Vec::new()];
        worker.save(&mut states[0]);
        let mut out = Step::new();
        let mut totals = vec![0.0; info.roles.len()];
        for (at, joint) in self.moves.iter().enumerate() {
            let step = at + 1;
            if worker.terminal() {
                return Err(ReplayError::Over { step: at });
            }
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
            match worker.step(&joint, &mut out, stop) {
                Ok(()) => {}
                // The match was broken off here for the same reason.
                Err(Halt::Rules(_) | Halt::Limit(_)) if self.broken_off(step) => break,
                Err(Halt::IllegalMove { role, choice }) => {
                    let (role, text) = (info.role_name(role).to_owned(), text.move_text(choice));
                    return Err(ReplayError::Illegal { step, role, text });
                }
                Err(halt) => return Err(ReplayError::Halt { step, halt }),
            }
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
        if !worker.terminal() && self.rewards.iter().any(Option::is_some) {
            return Err(ReplayError::Open { step: self.moves.len() });
        }
        if given != self.rewards {
            return Err(ReplayError::Rewards { given });
        }
        Ok(states)
    }

    /// Whether this step is the last, and the report says that the match was broken off there.
    fn broken_off(&self, step: usize) -> bool {
        let here = |error: &Mishap| error.step == step && error.kind == "broken-off";
        step == self.moves.len() && self.errors.iter().any(here)
    }
}
