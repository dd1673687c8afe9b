//! The record of a match: everything that happened, as one line of JSON.
//!
//! All commands write and read this one format. `docs/match-record.schema.json` is its JSON Schema.
//! Unknown fields are ignored; optional ones have defaults. Records of older versions are upgraded
//! when they are read.
//!
//! There are two orders. *Role order* is the order of [`MatchRecord::roles`], including chance.
//! *Seat order* is the same without chance.
//!
//! # Who may see what
//!
//! | field | during the match | after the end |
//! |---|---|---|
//! | `schema` to `roles`, `chance`, `players`, `seats`, `limits`, `round`, `clairvoyant`, `seed_hash`, `end` | everyone | everyone |
//! | `seed`, `salt`, `answers`, `thoughts` | the referee | everyone |
//! | `moves`, `gains`, `rewards` | perfect information: everyone; hidden: a role its own moves, spectators none | everyone |
//! | `percepts` | a role its own | everyone |
//! | `silent`, and the silent steps themselves | the referee | everyone |
//! | `times_ms` | perfect information: everyone; hidden: a role its own, spectators all | everyone |
//! | `errors` | perfect information: everyone; hidden: a role its own, spectators step, seat and kind of all; before the turn is made, others see step, seat and kind only | everyone |
//!
//! [`MatchRecord::seen_by`] applies this table.

mod fault;
mod read;
mod replay;
pub(crate) mod seen;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use fault::{Fault, FaultKind, MatchEnd};
pub use replay::{ChanceProof, ReplayError, Replayed};
pub use seen::{SeenRecord, Viewer};

pub(crate) use replay::resolve;

use crate::draws::{default_salt, seed_hash};
use crate::{Decision, Info, Information, Move, Payment, Percept, Role, Seed, Step, Text};

/// The version of the format of [`MatchRecord`].
pub const SCHEMA: u32 = 2;

/// A match, move by move. One record is one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "read::Raw")]
pub struct MatchRecord {
    /// The version of this format; see [`SCHEMA`]. Older formats are upgraded when they are read.
    pub schema: u32,
    /// The version of Magister that wrote it; empty if unknown.
    pub magister: String,
    /// The name of the match, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the game.
    pub game: String,
    /// SHA-256 of its rules in canonical form; empty if unknown.
    pub rules_hash: String,
    /// SHA-256 of its rules as written; empty if unknown.
    pub text_hash: String,
    /// The names of the roles, including chance; empty in records of earlier versions.
    pub roles: Vec<String>,
    /// The chance role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<String>,
    /// The seed of the match, in hexadecimal digits; empty if unknown.
    pub seed: String,
    /// The salt of the seed's hash, in hexadecimal digits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub salt: String,
    /// SHA-256 of salt and seed, published when the match started.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub seed_hash: String,
    /// The names of the players, in seat order.
    pub players: Vec<String>,
    /// More about the players, in seat order; empty in records of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Seat>,
    /// The limits on thinking time and match length.
    pub limits: MatchLimits,
    /// The round of the tournament that the match belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The joint moves, step after step, each in role order. If a match was broken off because its
    /// rules could not make a step, the last joint move is the failed one.
    pub moves: Vec<Vec<String>>,
    /// The percepts of each role in each step, in role order; `None` in silent steps. Empty with
    /// perfect information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Option<Vec<Vec<String>>>>,
    /// The gains of each role in each step, in role order. Empty in games that pay at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<Vec<f64>>,
    /// The numbers of the silent steps, from 1: steps of chance alone, without a turn of the
    /// players.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<usize>,
    /// The rewards in seat order; `None` if the match did not end in a terminal state, or the rules
    /// gave no goal value or several.
    pub rewards: Vec<Option<f64>>,
    /// How the match ended; `None` while it is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<MatchEnd>,
    /// The roles whose players saw the true state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clairvoyant: Vec<String>,
    /// The faults, in the order of the steps.
    pub errors: Vec<Fault>,
    /// The thinking time of each seat for each step, in milliseconds and in seat order.
    pub times_ms: Vec<Vec<f64>>,
    /// The players' thoughts, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thoughts>,
    /// The answers for a turn that is not made yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OpenAnswer>,
}

/// A seat of a match and its player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The name of the role.
    #[serde(default)]
    pub role: String,
    /// The name of the player, the same as in [`MatchRecord::players`].
    #[serde(default)]
    pub player: String,
    /// The kind of player.
    #[serde(default)]
    pub kind: PlayerKind,
    /// The origin of the player, such as `registry`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Its parameters, including default values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Whether the player is asked even if it has only one legal move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_when_forced: bool,
}

/// The kind of player on a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlayerKind {
    /// A program in this process.
    #[default]
    Agent,
    /// A person.
    Person,
    /// A program behind a connection.
    Remote,
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

/// The limits on thinking time and match length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchLimits {
    /// The time for a move, in milliseconds.
    #[serde(default)]
    pub time_ms: Option<f64>,
    /// The iterations for a move.
    #[serde(default)]
    pub iterations: Option<u64>,
    /// The time before the first move, in milliseconds.
    #[serde(default)]
    pub start_ms: Option<f64>,
    /// How late an answer may be and still count, in milliseconds.
    #[serde(default)]
    pub grace_ms: f64,
    /// The number of random turns at the start.
    #[serde(default)]
    pub opening: u32,
    /// The number of turns after which a match is broken off.
    #[serde(default = "no_limit")]
    pub max_steps: u32,
}

fn no_limit() -> u32 {
    u32::MAX
}

impl Default for MatchLimits {
    fn default() -> Self {
        MatchLimits {
            time_ms: None,
            iterations: None,
            start_ms: None,
            grace_ms: 0.0,
            opening: 0,
            max_steps: no_limit(),
        }
    }
}

/// The thoughts of a player about a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thoughts {
    /// The step, from 1.
    pub step: usize,
    /// The seat.
    pub seat: usize,
    /// The number of iterations.
    #[serde(default)]
    pub iterations: u64,
    /// The examined moves.
    #[serde(default)]
    pub moves: Vec<MoveThought>,
    /// The expected continuation: joint moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Vec<String>>,
}

/// The thoughts of a player about one of its moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveThought {
    /// The move.
    #[serde(rename = "move")]
    pub choice: String,
    /// The expected reward.
    #[serde(default)]
    pub value: Option<f64>,
    /// The iterations spent on it.
    #[serde(default)]
    pub visits: u64,
    /// Whether the value is proven.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proven: bool,
    /// The probability of playing it, with a mixed strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
}

/// An answer for a turn that is not made yet. Only the referee may see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenAnswer {
    /// The seat.
    pub seat: usize,
    /// The move, drawn if the player made a mistake.
    #[serde(rename = "move")]
    pub choice: String,
    /// The thinking time in milliseconds.
    #[serde(default)]
    pub time_ms: f64,
}

/// The place of a seat in the final ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// 1 for the best. Seats with equal rewards share a place, and the following places are
    /// skipped: 1, 1, 3.
    pub place: u32,
    /// The seat.
    pub seat: usize,
    /// Its reward.
    pub reward: f64,
}

/// One step as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepText {
    pub(crate) joint: Vec<String>,
    pub(crate) percepts: Option<Vec<Vec<String>>>,
    pub(crate) gains: Vec<f64>,
    pub(crate) tick: bool,
}

impl MatchRecord {
    /// The record of a match before its first step, with the default salt.
    pub fn new(info: &Info, seed: Seed) -> Self {
        let salt = default_salt(&seed);
        let seats = info.players().count();
        MatchRecord {
            schema: SCHEMA,
            magister: env!("CARGO_PKG_VERSION").to_owned(),
            id: None,
            game: info.name.clone(),
            rules_hash: info.rules_hash.clone(),
            text_hash: info.text_hash.clone(),
            roles: info.roles.clone(),
            chance: info.chance.map(|role| info.role_name(role).to_owned()),
            seed: seed.to_string(),
            salt: salt.to_string(),
            seed_hash: seed_hash(&seed, &salt),
            players: vec![String::new(); seats],
            seats: Vec::new(),
            limits: MatchLimits::default(),
            round: None,
            moves: Vec::new(),
            percepts: Vec::new(),
            gains: Vec::new(),
            silent: Vec::new(),
            rewards: vec![None; seats],
            end: None,
            clairvoyant: Vec::new(),
            errors: Vec::new(),
            times_ms: Vec::new(),
            thoughts: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// The seats with a reward, best first, ties in seat order.
    pub fn ranking(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self
            .rewards
            .iter()
            .enumerate()
            .filter_map(|(seat, &reward)| Some(Place { place: 1, seat, reward: reward? }))
            .collect();
        places.sort_by(|a, b| b.reward.total_cmp(&a.reward));
        for index in 1..places.len() {
            places[index].place = if places[index].reward < places[index - 1].reward {
                index as u32 + 1
            } else {
                places[index - 1].place
            };
        }
        places
    }

    /// Whether the faults include this kind.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.errors.iter().any(|fault| fault.kind == kind)
    }

    /// Whether the match was broken off because its rules failed, and not because it was too long.
    pub fn rules_failed(&self) -> bool {
        let moves = self.moves.len();
        // The record ends with the joint move on which the rules failed. Without one, the number of
        // moves decides: a match that was too long has at least as many moves as turns.
        let stuck = |fault: &Fault| fault.kind == FaultKind::BrokenOff && fault.step <= moves;
        self.end == Some(MatchEnd::BrokenOff)
            && (moves < self.limits.max_steps as usize || self.errors.iter().any(stuck))
    }

    /// Whether two matches have the same history, regardless of their times.
    pub fn same_history(&self, other: &MatchRecord) -> bool {
        self.without_times() == other.without_times()
    }

    /// The same record without times, for comparisons.
    #[must_use]
    pub fn without_times(&self) -> MatchRecord {
        let mut record = MatchRecord { times_ms: Vec::new(), ..self.clone() };
        record.answers.iter_mut().for_each(|answer| answer.time_ms = 0.0);
        record
    }

    /// Adds a step. The owner of the clock adds the times.
    pub(crate) fn push(&mut self, info: &Info, step: StepText) {
        self.moves.push(step.joint);
        if info.information == Information::Hidden {
            self.percepts.push(step.percepts);
        }
        if info.payment == Payment::OnTheWay {
            self.gains.push(step.gains);
        }
        if !step.tick {
            self.silent.push(self.moves.len());
        }
    }
}

impl StepText {
    /// A step as text.
    pub(crate) fn new(info: &Info, text: &dyn Text, joint: &[Move], step: &Step) -> Self {
        let texts = |percepts: &[Percept]| -> Vec<String> {
            percepts.iter().map(|&percept| text.percept_text(percept)).collect()
        };
        let hidden = info.information == Information::Hidden && step.tick;
        StepText {
            joint: joint.iter().map(|&choice| text.move_text(choice)).collect(),
            percepts: hidden
                .then(|| info.all_roles().map(|role| texts(step.percepts.of(role))).collect()),
            gains: step.gains.clone(),
            tick: step.tick,
        }
    }
}

impl Thoughts {
    /// A decision as text.
    pub(crate) fn new(text: &dyn Text, step: usize, seat: usize, decision: &Decision) -> Self {
        let moves = decision.thoughts.iter().map(|thought| MoveThought {
            choice: text.move_text(thought.choice),
            value: thought.value,
            visits: thought.visits,
            proven: thought.proven,
            probability: thought.probability,
        });
        let line = decision.line.iter();
        let line = line.map(|joint| joint.iter().map(|&choice| text.move_text(choice)).collect());
        Thoughts {
            step,
            seat,
            iterations: decision.iterations,
            moves: moves.collect(),
            line: line.collect(),
        }
    }
}

impl Seat {
    /// A seat with a player of this name and no other data.
    pub fn new(player: &str) -> Self {
        Seat { player: player.to_owned(), ..Seat::default() }
    }
}

/// The rewards of all players in seat order, given the results of all roles.
pub(crate) fn rewards(info: &Info, result: &[Option<f64>]) -> Vec<Option<f64>> {
    info.players().map(|role: Role| result.get(role.index()).copied().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_results_share_a_place() {
        let info = Info::new("g", &["a", "b", "c", "d"], "g 1");
        let mut record = MatchRecord::new(&info, Seed::from(1));
        assert!(record.ranking().is_empty());
        record.rewards = vec![Some(0.0), Some(50.0), Some(50.0), Some(-1.0)];
        let places: Vec<(u32, usize)> =
            record.ranking().iter().map(|place| (place.place, place.seat)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (3, 0), (4, 3)]);
    }

    #[test]
    fn a_record_is_one_line_of_json() {
        let info = Info::new("g", &["a"], "g 1");
        let mut record = MatchRecord::new(&info, Seed::from(1));
        record.moves.push(vec!["(mark 1 2)".into()]);
        record.errors.push(Fault {
            step: 1,
            seat: Some(0),
            role: Some("a".into()),
            kind: FaultKind::TakenBack,
            what: "took back".into(),
            answer: None,
            played: None,
        });
        let line = serde_json::to_string(&record).unwrap();
        assert!(!line.contains('\n') && !line.contains("percepts"));
        assert!(line.contains("taken-back"));
        assert_eq!(serde_json::from_str::<MatchRecord>(&line).unwrap(), record);
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let info = Info::new("g", &["a"], "g 1");
        let mut value = serde_json::to_value(MatchRecord::new(&info, Seed::from(1))).unwrap();
        value["colour"] = "blue".into();
        value["limits"]["colour"] = "blue".into();
        value["end"] = "eaten".into();
        value["errors"] = serde_json::json!([
            {"step": 1, "seat": null, "kind": "eaten", "what": "the dog ate it"}
        ]);
        let record: MatchRecord = serde_json::from_value(value).unwrap();
        assert_eq!(record.end, Some(MatchEnd::Unknown));
        assert_eq!(record.errors[0].kind, FaultKind::Unknown);
    }
}
