//! The log of a match.

use std::collections::BTreeSet;

use magister_core::record::OpenAnswer;
use magister_core::{Fault, MatchEnd, MatchRecord};
use serde::{Deserialize, Serialize};

/// One entry of the log of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The match begins.
    Begun {
        /// Its record before the first turn. It has a name.
        record: Box<MatchRecord>,
        /// The locations of its players, in seat order.
        places: Vec<Place>,
        /// The rules as text, if they are known.
        rules: Option<String>,
        /// The tournament that it belongs to.
        tournament: Option<String>,
        /// The format of messages to its players, as text in a format of the manager.
        manner: Option<String>,
        /// The time, in milliseconds since 1970.
        at_ms: i64,
    },
    /// A request is about to be sent.
    Requested(RequestKey),
    /// A request was answered, or a fault replaced the answer.
    Answered {
        /// The request.
        key: RequestKey,
        /// The answer.
        body: AnswerBody,
    },
    /// A turn was made, with the silent steps after it.
    Stepped {
        /// The name of the match.
        id: String,
        /// The number of turns so far.
        turn: usize,
        /// The number of the first of the steps, from 0.
        from: usize,
        /// The steps.
        steps: Vec<StepBody>,
    },
    /// Moves were taken back or redone, so the match continues from another position.
    Rewound {
        /// The record up to that position. It replaces all earlier entries.
        record: Box<MatchRecord>,
    },
    /// The match ended.
    Ended {
        /// The whole record.
        record: Box<MatchRecord>,
        /// The time, in milliseconds since 1970.
        at_ms: i64,
    },
    /// All players of an ended match have been informed of the end.
    Dismissed {
        /// The name of the match.
        id: String,
    },
}

impl Entry {
    /// The name of the match.
    pub fn id(&self) -> &str {
        match self {
            Entry::Begun { record, .. }
            | Entry::Rewound { record }
            | Entry::Ended { record, .. } => record.id.as_deref().unwrap_or_default(),
            Entry::Requested(key) | Entry::Answered { key, .. } => &key.id,
            Entry::Stepped { id, .. } | Entry::Dismissed { id } => id,
        }
    }
}

/// The location of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The address of a remote player; `None` for a player of this process.
    pub address: Option<String>,
    /// Whether the player recognises duplicate messages.
    pub repeats: bool,
}

/// A request to a player.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey {
    /// The name of the match.
    pub id: String,
    /// The kind of request.
    pub kind: RequestKind,
    /// The number of turns so far.
    pub turn: usize,
    /// The seat.
    pub seat: usize,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestKind {
    /// A request to prepare.
    Start,
    /// A request for a move.
    Play,
}

impl RequestKind {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Start => "start",
            RequestKind::Play => "play",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [RequestKind::Start, RequestKind::Play].into_iter().find(|kind| kind.name() == name)
    }
}

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerBody {
    /// The move that counts: the player's, or the one that was drawn for it. `None` for START.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub time_ms: f64,
    /// The fault, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// A step in the format of the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepBody {
    /// The joint move.
    pub moves: Vec<String>,
    /// The percepts of each role; `None` in silent steps and with perfect information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percepts: Option<Vec<Vec<String>>>,
    /// The gains of each role, in games with intermediate rewards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gains: Option<Vec<f64>>,
    /// Whether the step was silent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// The thinking time of each seat.
    #[serde(default)]
    pub times_ms: Vec<f64>,
}

impl StepBody {
    /// The step of a record with this number, from 0.
    pub fn of(record: &MatchRecord, at: usize) -> Self {
        StepBody {
            moves: record.moves.get(at).cloned().unwrap_or_default(),
            percepts: record.percepts.get(at).cloned().flatten(),
            gains: record.gains.get(at).cloned(),
            silent: record.silent.contains(&(at + 1)),
            times_ms: record.times_ms.get(at).cloned().unwrap_or_default(),
        }
    }
}

/// The status of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is being played.
    Running,
    /// It has ended, but its players may not have been informed yet.
    Ending,
    /// It has ended, and its players have been informed.
    Ended,
}

impl Status {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Ending => "ending",
            Status::Ended => "ended",
        }
    }

    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "running" => Status::Running,
            "ending" => Status::Ending,
            _ => Status::Ended,
        }
    }
}

/// A match as described by its log.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMatch {
    /// The record so far.
    pub record: MatchRecord,
    /// The locations of its players, in seat order.
    pub places: Vec<Place>,
    /// The rules as text, if they are known.
    pub rules: Option<String>,
    /// The tournament that it belongs to.
    pub tournament: Option<String>,
    /// The format of messages to its players, as text in a format of the manager.
    pub manner: Option<String>,
    /// Its status.
    pub status: Status,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// The number of turns so far.
    pub turn: usize,
    /// The requests that were sent but not answered.
    pub outstanding: BTreeSet<RequestKey>,
    started: bool,
}

impl StoredMatch {
    /// A match that begins.
    pub(crate) fn begun(
        record: MatchRecord,
        places: Vec<Place>,
        rules: Option<String>,
        tournament: Option<String>,
        started_ms: i64,
    ) -> Self {
        let turn = turns(&record);
        StoredMatch {
            record,
            places,
            rules,
            tournament,
            manner: None,
            status: Status::Running,
            started_ms,
            turn,
            outstanding: BTreeSet::new(),
            started: false,
        }
    }

    /// Whether START was sent to the players.
    pub fn was_started(&self) -> bool {
        self.started
    }

    /// Applies one more entry of its log.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        match entry {
            Entry::Begun { .. } => {}
            Entry::Requested(key) => self.request(key.clone()),
            Entry::Answered { key, body } => self.answer(key, body),
            Entry::Stepped { turn, from, steps, .. } => {
                for (number, step) in steps.iter().enumerate() {
                    self.step(from + number, step);
                }
                self.turn = *turn;
                self.record.answers.clear();
            }
            Entry::Rewound { record } => {
                self.record = (**record).clone();
                self.turn = turns(record);
                self.status = Status::Running;
                self.outstanding.clear();
            }
            // A match that has ended does not change.
            Entry::Ended { .. } if self.status != Status::Running => {}
            Entry::Ended { record, .. } => {
                self.record = (**record).clone();
                self.status = Status::Ending;
                self.outstanding.clear();
            }
            Entry::Dismissed { .. } => self.status = Status::Ended,
        }
    }

    pub(crate) fn request(&mut self, key: RequestKey) {
        self.started = true;
        self.outstanding.insert(key);
    }

    pub(crate) fn answer(&mut self, key: &RequestKey, body: &AnswerBody) {
        // Earlier answers are kept.
        if !self.outstanding.remove(key) {
            return;
        }
        self.record.errors.extend(body.fault.clone());
        if let (RequestKind::Play, Some(choice)) = (key.kind, &body.choice)
            && key.turn == self.turn
        {
            let (seat, time_ms) = (key.seat, body.time_ms);
            self.record.answers.push(OpenAnswer { seat, choice: choice.clone(), time_ms });
        }
    }

    pub(crate) fn step(&mut self, at: usize, step: &StepBody) {
        // Silent steps before the first turn are part of the first record.
        if at < self.record.moves.len() {
            return;
        }
        let record = &mut self.record;
        record.moves.push(step.moves.clone());
        record.times_ms.push(step.times_ms.clone());
        if step.percepts.is_some() || !record.percepts.is_empty() {
            record.percepts.resize(at, None);
            record.percepts.push(step.percepts.clone());
        }
        record.gains.extend(step.gains.clone());
        if step.silent {
            record.silent.push(at + 1);
        }
    }

    /// Whether the match was ended from outside.
    pub fn is_aborted(&self) -> bool {
        self.record.end == Some(MatchEnd::Aborted)
    }
}

/// The number of turns in a record: its steps without the silent ones.
fn turns(record: &MatchRecord) -> usize {
    record.moves.len().saturating_sub(record.silent.len())
}
