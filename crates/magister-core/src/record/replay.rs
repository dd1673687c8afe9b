//! Replaying matches from their records.

use std::error::Error;
use std::fmt;

use super::{FaultKind, MatchEnd, MatchRecord, SCHEMA, StepText, rewards};
use crate::draws::{self, pick, seed_hash};
use crate::{Game, Halt, Info, Move, Role, Seed, Step, Stop, Text, Worker, referee};

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// All states, from the initial one to the last.
    pub states: Vec<Vec<u64>>,
    /// Whether the random moves are proven.
    pub chance: ChanceProof,
}

/// What a record proves about the random moves: those of chance, those of the opening, and
/// substituted moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChanceProof {
    /// The record lacks seed, salt or hash, so nothing can be proven.
    Unknown,
    /// All random moves follow from the seed, and the hash that was published at the start is that
    /// of seed and salt.
    Proven,
}

/// Why a record contradicts the rules. Steps are counted from 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The record was written in a format of a later version.
    Schema(u32),
    /// The record belongs to other rules.
    OtherRules,
    /// The numbers of players or rewards differ from the number of seats.
    Seats {
        /// The number of seats of the game.
        seats: usize,
        /// The number of players.
        players: usize,
        /// The number of rewards.
        rewards: usize,
    },
    /// A joint move does not have a move for each role.
    Length {
        /// The step.
        step: usize,
    },
    /// The game has no such move.
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
    /// There are moves after the end of the game.
    Over {
        /// The last step before the end.
        step: usize,
    },
    /// There are rewards, but the moves do not lead to a terminal state.
    Open {
        /// The last step.
        step: usize,
    },
    /// A step could not be made.
    Halt {
        /// The step.
        step: usize,
        /// The reason.
        halt: Halt,
    },
    /// The rewards differ from those of the rules.
    Rewards {
        /// The rewards according to the rules.
        given: Vec<Option<f64>>,
    },
    /// The record differs from the rules.
    Differs {
        /// The step after which they differ.
        step: usize,
        /// The part that differs.
        what: &'static str,
    },
    /// The seed does not match the hash published at the start.
    Promise,
    /// A move does not follow from the seed.
    Drawn {
        /// The step.
        step: usize,
        /// The role it was drawn for.
        role: String,
        /// The move.
        text: String,
        /// The move that follows from the seed.
        due: String,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Schema(schema) => {
                write!(f, "the record has format {schema}, this program reads up to {SCHEMA}")
            }
            ReplayError::OtherRules => f.write_str("the record belongs to other rules"),
            ReplayError::Seats { seats, players, rewards } => write!(
                f,
                "the record is for another number of seats (players {players}, rewards {rewards}, \
                 seats of the game {seats})"
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
                write!(f, "step {step}: the game has no move `{text}`")
            }
            ReplayError::Halt { step, halt } => write!(f, "step {step}: {halt}"),
            ReplayError::Rewards { given } => {
                let given: Vec<String> = given
                    .iter()
                    .map(|reward| reward.map_or("none".to_owned(), |reward| reward.to_string()))
                    .collect();
                write!(f, "the rewards should be {}", given.join(", "))
            }
            ReplayError::Differs { step, what } => {
                write!(f, "step {step}: the record differs from the rules in its {what}")
            }
            ReplayError::Promise => f.write_str(
                "the seed does not match the hash that was published at the start, so chance was \
                 not fair",
            ),
            ReplayError::Drawn { step, role, text, due } => write!(
                f,
                "step {step}: `{text}` of {role} was not drawn from the seed, which gives `{due}`, so \
                 chance was not fair"
            ),
        }
    }
}

impl Error for ReplayError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ReplayError::Halt { halt, .. } => Some(halt),
            _ => None,
        }
    }
}

impl MatchRecord {
    /// Replays the match and checks that every move was legal and that percepts, gains, rewards and
    /// the end agree with the rules. If the record contains seed, salt and hash, it also checks
    /// that all random moves follow from the seed.
    ///
    /// If the match was broken off because the rules have no next state, the last move leads to no
    /// state.
    pub fn replay(&self, game: &dyn Game, stop: &Stop) -> Result<Replayed, ReplayError> {
        self.fits(game.info())?;
        let seed = self.revealed()?;
        let mut again = Again {
            record: self,
            game,
            seed,
            worker: game.worker(),
            out: Step::new(),
            totals: vec![0.0; game.info().roles.len()],
            turn: 0,
        };
        again.worker.reset();
        let mut states = vec![Vec::new()];
        again.worker.save(&mut states[0]);
        for at in 0..self.moves.len() {
            if !again.step(at, stop)? {
                break;
            }
            let mut state = Vec::new();
            again.worker.save(&mut state);
            states.push(state);
        }
        again.end()?;
        let proven = seed.is_some();
        let chance = if proven { ChanceProof::Proven } else { ChanceProof::Unknown };
        Ok(Replayed { states, chance })
    }

    /// Whether the record can belong to this game.
    fn fits(&self, info: &Info) -> Result<(), ReplayError> {
        if self.schema > SCHEMA {
            return Err(ReplayError::Schema(self.schema));
        }
        let other = |mine: &str, its: &str| !mine.is_empty() && mine != its;
        // The text may differ although the rules are the same.
        let hashes = if self.rules_hash.is_empty() {
            other(&self.text_hash, &info.text_hash)
        } else {
            other(&self.rules_hash, &info.rules_hash)
        };
        if hashes || (!self.roles.is_empty() && self.roles != info.roles) {
            return Err(ReplayError::OtherRules);
        }
        let seats = info.players().count();
        let (players, rewards) = (self.players.len(), self.rewards.len());
        if players != seats || rewards != seats {
            return Err(ReplayError::Seats { seats, players, rewards });
        }
        Ok(())
    }

    /// The seed, if the record contains it together with salt and hash.
    fn revealed(&self) -> Result<Option<Seed>, ReplayError> {
        if self.seed.is_empty() || self.salt.is_empty() || self.seed_hash.is_empty() {
            return Ok(None);
        }
        match (Seed::parse(&self.seed), Seed::parse(&self.salt)) {
            (Some(seed), Some(salt)) if seed_hash(&seed, &salt) == self.seed_hash => Ok(Some(seed)),
            _ => Err(ReplayError::Promise),
        }
    }

    /// Whether this step is the last, and the match was broken off there.
    pub(crate) fn broken_off(&self, step: usize) -> bool {
        step == self.moves.len()
            && self.errors.iter().any(|fault| {
                fault.step == step
                    && matches!(fault.kind, FaultKind::BrokenOff | FaultKind::Aborted)
            })
    }
}

/// A match during its replay.
struct Again<'a> {
    record: &'a MatchRecord,
    game: &'a dyn Game,
    /// The seed, if known.
    seed: Option<Seed>,
    worker: Box<dyn Worker>,
    out: Step,
    totals: Vec<f64>,
    /// The number of turns made.
    turn: usize,
}

impl Again<'_> {
    /// Makes the step with this index. Returns false if the match was broken off there.
    fn step(&mut self, at: usize, stop: &Stop) -> Result<bool, ReplayError> {
        let (info, text) = (self.game.info(), self.game.text());
        let step = at + 1;
        if self.worker.terminal() {
            return Err(ReplayError::Over { step: at });
        }
        let words = &self.record.moves[at];
        if words.len() != info.roles.len() {
            return Err(ReplayError::Length { step });
        }
        let mut joint = Vec::with_capacity(words.len());
        for (role, words) in info.all_roles().zip(words) {
            joint.push(resolve(&*self.worker, text, role, words).map_err(|known| {
                let text = words.clone();
                if known {
                    ReplayError::Illegal { step, role: info.role_name(role).to_owned(), text }
                } else {
                    ReplayError::UnknownMove { step, text }
                }
            })?);
        }
        self.drawn(at, &joint)?;
        match self.worker.step(&joint, &mut self.out, stop) {
            Ok(()) => {}
            // The match was broken off here for the same reason.
            Err(Halt::Rules(_) | Halt::Limit(_)) if self.record.broken_off(step) => {
                return Ok(false);
            }
            Err(halt) => return Err(ReplayError::Halt { step, halt }),
        }
        self.turn += usize::from(self.out.tick);
        self.same(at, StepText::new(info, text, &joint, &self.out))?;
        self.totals.iter_mut().zip(&self.out.gains).for_each(|(total, gain)| *total += gain);
        Ok(true)
    }

    /// Checks the moves that no player chose.
    fn drawn(&self, at: usize, joint: &[Move]) -> Result<(), ReplayError> {
        let (Some(seed), info) = (&self.seed, self.game.info()) else { return Ok(()) };
        let check = |role: Role, due: Option<Move>| {
            let given = joint[role.index()];
            if due == Some(given) {
                return Ok(());
            }
            let text = self.game.text();
            Err(ReplayError::Drawn {
                step: at + 1,
                role: info.role_name(role).to_owned(),
                text: text.move_text(given),
                due: due.map_or_else(|| "nothing".to_owned(), |due| text.move_text(due)),
            })
        };
        if let Some(role) = info.chance {
            let mut rng = draws::chance(seed, at);
            check(role, referee::draw(self.worker.legal(role), self.worker.weights(), &mut rng))?;
        }
        if self.worker.silent() {
            return Ok(());
        }
        let random = self.turn < self.record.limits.opening as usize;
        for (seat, role) in info.players().enumerate() {
            let replaced = || {
                self.record.errors.iter().any(|fault| {
                    fault.step == at + 1 && fault.seat == Some(seat) && fault.kind.is_mistake()
                })
            };
            let mut rng = if random {
                draws::opening(seed, self.turn, role)
            } else if replaced() {
                draws::substitute(seed, self.turn, role)
            } else {
                continue;
            };
            check(role, Some(pick(self.worker.legal(role), &mut rng)))?;
        }
        Ok(())
    }

    /// Compares a step with the fields that the record contains.
    fn same(&self, at: usize, mut again: StepText) -> Result<(), ReplayError> {
        let record = self.record;
        let differs = |what| Err(ReplayError::Differs { step: at + 1, what });
        // Records of earlier versions contain only moves and rewards.
        if record.roles.is_empty() {
            return Ok(());
        }
        if again.tick == record.silent.contains(&(at + 1)) {
            return differs("silent steps");
        }
        if self.game.info().information == crate::Information::Hidden {
            let mut recorded = record.percepts.get(at).cloned().flatten();
            // The order of percepts depends on their numbers, which other versions may assign
            // differently.
            for all in [&mut recorded, &mut again.percepts].into_iter().flatten() {
                all.iter_mut().for_each(|percepts| percepts.sort_unstable());
            }
            if recorded != again.percepts {
                return differs("percepts");
            }
        }
        let none = vec![0.0; again.gains.len()];
        if *record.gains.get(at).unwrap_or(&none) != again.gains {
            return differs("gains");
        }
        Ok(())
    }

    /// Compares the end with the record.
    fn end(&self) -> Result<(), ReplayError> {
        let (record, info) = (self.record, self.game.info());
        let step = record.moves.len();
        let terminal = self.worker.terminal();
        if !terminal
            && (record.rewards.iter().any(Option::is_some)
                || record.end == Some(MatchEnd::Terminal))
        {
            return Err(ReplayError::Open { step });
        }
        let given = if terminal {
            rewards(info, &referee::result(&*self.worker, &self.totals))
        } else {
            vec![None; record.rewards.len()]
        };
        if given != record.rewards {
            return Err(ReplayError::Rewards { given });
        }
        if terminal && !record.roles.is_empty() && record.end != Some(MatchEnd::Terminal) {
            return Err(ReplayError::Differs { step, what: "end" });
        }
        Ok(())
    }
}

/// The legal move of a role with this text. The error says whether the game has such a move at all.
pub(crate) fn resolve(
    worker: &dyn Worker,
    text: &dyn Text,
    role: Role,
    words: &str,
) -> Result<Move, bool> {
    let legal = worker.legal(role);
    let known = text.parse_move(role, words);
    let same = |&&choice: &&Move| text.move_text(choice) == words;
    let legal_known = known.filter(|choice| legal.contains(choice));
    legal_known.or_else(|| legal.iter().find(same).copied()).ok_or(known.is_some())
}
