//! Matches on paper: everything that happened, in words that outlive the program.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Game, Halt, Info, Information, Move, Percept, Role, Seed, Step, Stop, Text, referee};

/// The version of the format of [`MatchRecord`].
pub const SCHEMA: u32 = 1;

/// A match, move by move. One record is one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The version of this format; see [`SCHEMA`].
    pub schema: u32,
    /// The version of the program that wrote it.
    pub engine: String,
    /// The name of the game.
    pub game: String,
    /// SHA-256 of its rules.
    pub rules_hash: String,
    /// The seed of the match, in hexadecimal digits.
    pub seed: String,
    /// The names of the roles, chance included.
    pub roles: Vec<String>,
    /// Who played each role, where it is known.
    pub players: Vec<Option<String>>,
    /// The roles that were shown the true state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clairvoyant: Vec<String>,
    /// The steps, silent ones too.
    pub steps: Vec<StepRecord>,
    /// The result of each role if the match came to its end; chance has none, nor has a player
    /// whom the rules gave no goal value or several.
    pub result: Option<Vec<Option<f64>>>,
}

/// One step of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The moves of all roles.
    pub joint: Vec<String>,
    /// What each role perceived, in games that hide information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percepts: Option<Vec<Vec<String>>>,
    /// What each role gained, if anybody gained anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<f64>,
    /// Whether the players had a turn.
    pub tick: bool,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
}

/// Something that a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The role it played.
    pub role: String,
    /// What it did, as a sentence.
    pub what: String,
}

/// The place of a role in the final ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// 1 for the best. Roles with equal results share a place, and the places after it are
    /// skipped: 1, 1, 3.
    pub place: u32,
    /// The role.
    pub role: Role,
    /// Its result.
    pub result: f64,
}

impl MatchRecord {
    /// The record of a match before its first step.
    pub fn new(info: &Info, seed: Seed) -> Self {
        MatchRecord {
            schema: SCHEMA,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            game: info.name.clone(),
            rules_hash: info.rules_hash.clone(),
            seed: seed.to_string(),
            roles: info.roles.clone(),
            players: vec![None; info.roles.len()],
            clairvoyant: Vec::new(),
            steps: Vec::new(),
            result: None,
        }
    }

    /// The roles that have a result, best first, those with equal results in the order of the
    /// roles. Empty if the match did not come to its end.
    pub fn ranking(&self) -> Vec<Place> {
        let results = self.result.as_deref().unwrap_or_default();
        let mut places: Vec<Place> = results
            .iter()
            .enumerate()
            .filter_map(|(index, &result)| {
                Some(Place { place: 1, role: Role(index as u8), result: result? })
            })
            .collect();
        places.sort_by(|a, b| b.result.total_cmp(&a.result));
        for index in 1..places.len() {
            places[index].place = if places[index].result < places[index - 1].result {
                index as u32 + 1
            } else {
                places[index - 1].place
            };
        }
        places
    }

    /// Plays the match again and checks that every move was legal and that percepts, gains and
    /// result were what the rules say. Gives all states, from the initial one to the last.
    pub fn replay(&self, game: &dyn Game, stop: &Stop) -> Result<Vec<Vec<u64>>, RecordError> {
        let (info, text) = (game.info(), game.text());
        if self.schema != SCHEMA {
            return Err(RecordError::Schema(self.schema));
        }
        if self.rules_hash != info.rules_hash || self.roles != info.roles {
            return Err(RecordError::OtherRules);
        }
        let mut worker = game.worker();
        let mut out = Step::new();
        let mut totals = vec![0.0; info.roles.len()];
        let mut states = vec![Vec::new()];
        worker.save(&mut states[0]);
        for (index, step) in self.steps.iter().enumerate() {
            let number = index + 1;
            if step.joint.len() != info.roles.len() {
                return Err(RecordError::Differs { step: number, what: "number of moves" });
            }
            let joint = info
                .all_roles()
                .zip(&step.joint)
                .map(|(role, words)| {
                    text.parse_move(role, words).ok_or_else(|| RecordError::UnknownMove {
                        step: number,
                        text: words.clone(),
                    })
                })
                .collect::<Result<Vec<Move>, _>>()?;
            worker
                .step(&joint, &mut out, stop)
                .map_err(|halt| RecordError::Halt { step: number, halt })?;
            let again = StepRecord::new(info, text, &joint, &out);
            let what = if again.percepts != step.percepts {
                "percepts"
            } else if again.gains != step.gains {
                "gains"
            } else if again.tick != step.tick {
                "tick"
            } else {
                ""
            };
            if !what.is_empty() {
                return Err(RecordError::Differs { step: number, what });
            }
            for (total, gain) in totals.iter_mut().zip(&out.gains) {
                *total += gain;
            }
            let mut state = Vec::new();
            worker.save(&mut state);
            states.push(state);
        }
        let result = worker.terminal().then(|| referee::result(&*worker, &totals));
        if result != self.result {
            return Err(RecordError::Differs { step: self.steps.len(), what: "result" });
        }
        Ok(states)
    }
}

impl StepRecord {
    /// A step in words, with no errors yet.
    pub(crate) fn new(info: &Info, text: &dyn Text, joint: &[Move], step: &Step) -> Self {
        let texts = |percepts: &[Percept]| -> Vec<String> {
            percepts.iter().map(|&percept| text.percept_text(percept)).collect()
        };
        let hidden = info.information == Information::Hidden && step.tick;
        let gained = step.gains.iter().any(|&gain| gain != 0.0);
        StepRecord {
            joint: joint.iter().map(|&choice| text.move_text(choice)).collect(),
            percepts: hidden
                .then(|| info.all_roles().map(|role| texts(step.percepts.of(role))).collect()),
            gains: if gained { step.gains.clone() } else { Vec::new() },
            tick: step.tick,
            errors: Vec::new(),
        }
    }
}

/// Why a record can not be played again. Steps are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// The record was written in a format of another version.
    Schema(u32),
    /// The record belongs to other rules.
    OtherRules,
    /// The game knows no move of this text.
    UnknownMove {
        /// The step.
        step: usize,
        /// The text.
        text: String,
    },
    /// A step could not be made.
    Halt {
        /// The step.
        step: usize,
        /// Why not.
        halt: Halt,
    },
    /// The record says something else than the rules.
    Differs {
        /// The step after which they differ.
        step: usize,
        /// In what.
        what: &'static str,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Schema(schema) => {
                write!(f, "the record has format {schema}, this program reads format {SCHEMA}")
            }
            RecordError::OtherRules => f.write_str("the record belongs to other rules"),
            RecordError::UnknownMove { step, text } => {
                write!(f, "step {step}: the game knows no move `{text}`")
            }
            RecordError::Halt { step, halt } => write!(f, "step {step}: {halt}"),
            RecordError::Differs { step, what } => {
                write!(f, "step {step}: the record differs from the rules in its {what}")
            }
        }
    }
}

impl Error for RecordError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RecordError::Halt { halt, .. } => Some(halt),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_results_share_a_place() {
        let info = Info::new("g", &["a", "b", "random", "c", "d"], "g 1");
        let mut record = MatchRecord::new(&info, Seed::from(1));
        assert!(record.ranking().is_empty());
        record.result = Some(vec![Some(0.0), Some(50.0), None, Some(50.0), Some(-1.0)]);
        let places: Vec<(u32, u8)> =
            record.ranking().iter().map(|place| (place.place, place.role.0)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (3, 0), (4, 4)]);
    }

    #[test]
    fn a_record_is_one_line_of_json() {
        let info = Info::new("g", &["a"], "g 1");
        let mut record = MatchRecord::new(&info, Seed::from(1));
        record.steps.push(StepRecord {
            joint: vec!["(mark 1 2)".into()],
            percepts: None,
            gains: vec![],
            tick: true,
            errors: vec![Fault { role: "a".into(), what: "came late".into() }],
        });
        let line = serde_json::to_string(&record).unwrap();
        assert!(!line.contains('\n') && !line.contains("percepts"));
        assert_eq!(serde_json::from_str::<MatchRecord>(&line).unwrap(), record);
    }
}
