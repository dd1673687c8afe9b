//! The setup of a match, and the answers of players.

use std::time::Duration;

use crate::record::{FaultKind, MatchLimits, Seat};
use crate::{Decision, Halt, Move, Role, Seed};

/// The setup of a match.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The name of the match, if it has one.
    pub id: Option<String>,
    /// The seed of all random draws.
    pub seed: Seed,
    /// It is hashed together with the seed, so that the hash does not reveal the seed. If it is
    /// `None`, it is derived from the seed: the same seed then gives the same record, but a
    /// guessable seed can be found by search. A service that runs matches for others provides fresh
    /// entropy.
    pub salt: Option<Seed>,
    /// The players, in seat order.
    pub seats: Vec<Seat>,
    /// The limits on thinking time and match length. The match itself uses only `opening` and
    /// `max_steps`; the others are for the record.
    pub limits: MatchLimits,
    /// The round of the tournament that the match belongs to.
    pub round: Option<u32>,
    /// Whether the record keeps the players' thoughts.
    pub thoughts: bool,
}

impl Setup {
    /// A match of these players without limits.
    pub fn new(seed: Seed, seats: Vec<Seat>) -> Self {
        Setup {
            id: None,
            seed,
            salt: None,
            seats,
            limits: MatchLimits::default(),
            round: None,
            thoughts: false,
        }
    }
}

/// A role that must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The role.
    pub role: Role,
    /// Its index among the roles except chance.
    pub seat: usize,
    /// Whether it has only one legal move. With hidden information this reveals more than the role
    /// may know.
    pub forced: bool,
}

/// The result of asking a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The player's answer, or why there is none.
    pub said: Said,
    /// The time it took.
    pub time: Duration,
}

/// The answer of a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A move, possibly with reasons.
    Decision(Decision),
    /// A move as text.
    Text(String),
    /// No usable answer; the text says why. The kind is a [mistake](FaultKind::is_mistake); any
    /// other counts as a refusal. A player that resigns or leaves ends the match by
    /// [`Match::resign`](crate::Match::resign) or [`Match::leave`](crate::Match::leave).
    Fault(FaultKind, String),
}

impl From<Halt> for Said {
    /// Why an agent gave no move.
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped => {
                Said::Fault(FaultKind::Late, "no move was found before the time ran out".to_owned())
            }
            halt => Said::Fault(FaultKind::Refused, format!("the player gave no move: {halt}")),
        }
    }
}

impl Answer {
    /// A move, with a time of zero.
    pub fn choice(choice: Move) -> Self {
        Answer { said: Said::Decision(choice.into()), time: Duration::ZERO }
    }

    /// A move as text, with a time of zero.
    pub fn text(text: &str) -> Self {
        Answer { said: Said::Text(text.to_owned()), time: Duration::ZERO }
    }

    /// A fault, with a time of zero.
    pub fn fault(kind: FaultKind, what: &str) -> Self {
        Answer { said: Said::Fault(kind, what.to_owned()), time: Duration::ZERO }
    }

    /// The same answer with its time.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Answer { time, ..self }
    }
}
