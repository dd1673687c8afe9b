//! The record of a match: everything that happened, as one line of JSON.
//!
//! All commands write and read this one format. `docs/match-record.schema.json` is its JSON
//! Schema. Fields that a reader does not know are ignored; optional ones have defaults. What
//! older versions wrote is upgraded when it is read.
//!
//! Two orders occur. *Role order* is the order of [`MatchRecord::roles`], chance included. *Seat
//! order* is the same without chance: the roles that somebody plays.
//!
//! # Who may see what
//!
//! | field | during the match | after the end |
//! |---|---|---|
//! | `schema` to `roles`, `chance`, `players`, `seats`, `limits`, `round`, `clairvoyant`, `seed_hash`, `end` | everybody | everybody |
//! | `seed`, `salt`, `answers`, `thoughts` | the referee | everybody |
//! | `moves`, `gains`, `rewards` | everybody where nothing is hidden; else a role its own moves, spectators none | everybody |
//! | `percepts` | a role its own | everybody |
//! | `silent`, and the silent steps themselves | the referee | everybody |
//! | `times_ms` | everybody where nothing is hidden; else a role its own, spectators all | everybody |
//! | `errors` | everybody where nothing is hidden; else a role its own, spectators step, seat and kind of all; of a turn that is not made yet, others see step, seat and kind only | everybody |
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
    /// The version of Magister that wrote it; empty if it is not known.
    pub magister: String,
    /// The name of the match, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the game.
    pub game: String,
    /// SHA-256 of its rules in canonical form; empty if it is not known.
    pub rules_hash: String,
    /// SHA-256 of its rules as they were written; empty if it is not known.
    pub text_hash: String,
    /// The names of the roles, chance included; empty in records of earlier versions.
    pub roles: Vec<String>,
    /// The role that stands for chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<String>,
    /// The seed of the match, in hexadecimal digits; empty if it is not known.
    pub seed: String,
    /// The salt that the seed was hashed with, in hexadecimal digits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub salt: String,
    /// SHA-256 of salt and seed, which was told when the match started.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub seed_hash: String,
    /// The names of the players, in seat order.
    pub players: Vec<String>,
    /// What else is known of the players, in seat order; empty in records of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Seat>,
    /// How long players may think, and how long the match may become.
    pub limits: MatchLimits,
    /// The round of the tournament that the match belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The joint moves, step after step, each in role order. If a match was broken off because its
    /// rules could not make a step, the last joint move is the one that could not be made.
    pub moves: Vec<Vec<String>>,
    /// What each role perceived in each step, in role order; none in silent steps. Empty in games
    /// of perfect information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Option<Vec<Vec<String>>>>,
    /// What each role gained in each step, in role order. Empty in games that pay at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<Vec<f64>>,
    /// The numbers of the silent steps, from 1: steps of chance alone, in which nobody had a turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<usize>,
    /// The rewards in seat order; none if the match did not come to its end, or the rules gave no
    /// value or several.
    pub rewards: Vec<Option<f64>>,
    /// How the match ended; none as long as it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<MatchEnd>,
    /// The roles whose players were shown the true state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clairvoyant: Vec<String>,
    /// What went wrong, in the order of the steps.
    pub errors: Vec<Fault>,
    /// How long each seat thought for each step, in milliseconds and in seat order.
    pub times_ms: Vec<Vec<f64>>,
    /// What players thought, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thoughts>,
    /// The answers that are already there for a turn that is not made yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OpenAnswer>,
}

/// The place of a role in a match: who sits there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The name of the role.
    #[serde(default)]
    pub role: String,
    /// The name of the player, the same as in [`MatchRecord::players`].
    #[serde(default)]
    pub player: String,
    /// What kind of player it is.
    #[serde(default)]
    pub kind: PlayerKind,
    /// Where the player comes from, such as `registry`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Its parameters, those with default values too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Whether the player is asked even where it has one legal move only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_when_forced: bool,
}

/// What kind of player sits on a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlayerKind {
    /// A program in this process.
    #[default]
    Agent,
    /// A person.
    Person,
    /// A program that is reached over a connection.
    Remote,
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

/// How long players may think, and how long a match may become.
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
    /// How much later an answer may come and still count, in milliseconds.
    #[serde(default)]
    pub grace_ms: f64,
    /// The number of random turns at the start.
    #[serde(default)]
    pub opening: u32,
    /// A match of more turns is broken off.
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

/// What a player thought when it decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thoughts {
    /// The step, from 1.
    pub step: usize,
    /// The seat.
    pub seat: usize,
    /// The iterations that it made.
    #[serde(default)]
    pub iterations: u64,
    /// The moves that it looked at.
    #[serde(default)]
    pub moves: Vec<MoveThought>,
    /// How it expects the match to go on: joint moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Vec<String>>,
}

/// What a player thought of one of its moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveThought {
    /// The move.
    #[serde(rename = "move")]
    pub choice: String,
    /// What it expected.
    #[serde(default)]
    pub value: Option<f64>,
    /// The iterations that it spent on it.
    #[serde(default)]
    pub visits: u64,
    /// Whether the value is proven.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proven: bool,
    /// How likely it plays the move, if it decides by lot.
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
    /// How long the player thought, in milliseconds.
    #[serde(default)]
    pub time_ms: f64,
}

/// The place of a role in the final ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// 1 for the best. Seats with equal rewards share a place, and the places after it are
    /// skipped: 1, 1, 3.
    pub place: u32,
    /// The seat.
    pub seat: usize,
    /// Its reward.
    pub reward: f64,
}

/// One step as it stands in a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepText {
    pub(crate) joint: Vec<String>,
    pub(crate) percepts: Option<Vec<Vec<String>>>,
    pub(crate) gains: Vec<f64>,
    pub(crate) tick: bool,
}

impl MatchRecord {
    /// The record of a match before its first step, with the salt that follows from the seed.
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

    /// The seats that have a reward, best first, those with equal rewards in their order.
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

    /// Whether something of this kind stands among the errors.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.errors.iter().any(|fault| fault.kind == kind)
    }

    /// Whether two matches went the same way, whatever time they took.
    pub fn same_history(&self, other: &MatchRecord) -> bool {
        self.without_times() == other.without_times()
    }

    /// The same record without any times, for comparisons.
    #[must_use]
    pub fn without_times(&self) -> MatchRecord {
        let mut record = MatchRecord { times_ms: Vec::new(), ..self.clone() };
        record.answers.iter_mut().for_each(|answer| answer.time_ms = 0.0);
        record
    }

    /// Enters a step. Times are entered by whoever has a clock.
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
    /// A step in words.
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
    /// What a decision says, in words.
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
    /// A seat with a player of this name, of whom nothing else is known.
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
    fn what_a_reader_does_not_know_is_ignored() {
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
