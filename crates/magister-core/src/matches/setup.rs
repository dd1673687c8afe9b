//! What a match begins with, and what is said in it.

use std::time::Duration;

use crate::record::{FaultKind, MatchLimits, Seat};
use crate::{Decision, Halt, Move, Role, Seed};

/// What a match begins with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The name of the match, where it has one.
    pub id: Option<String>,
    /// Where everything random comes from.
    pub seed: Seed,
    /// What is hashed together with the seed, so that the hash does not give the seed away. It
    /// follows from the seed if there is none: then the same seed gives the same record, but a seed
    /// that can be guessed can be found out. Who runs matches for others gives fresh entropy.
    pub salt: Option<Seed>,
    /// Who plays, in seat order.
    pub seats: Vec<Seat>,
    /// How long players may think, and how long the match may become. The match itself looks at
    /// `opening` and `max_steps` only; the rest is for the record.
    pub limits: MatchLimits,
    /// The round of the tournament that the match belongs to.
    pub round: Option<u32>,
    /// Whether the record keeps what players thought.
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
    /// Its number among the roles that somebody plays.
    pub seat: usize,
    /// Whether it has no choice. In games that hide information this tells more than the role may
    /// know.
    pub forced: bool,
}

/// What came of asking a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What was said, or why nothing was.
    pub said: Said,
    /// How long it took.
    pub time: Duration,
}

/// What a player said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A move, perhaps with reasons.
    Decision(Decision),
    /// A move as text.
    Text(String),
    /// Nothing that can be used; the sentence says why. The kind is a
    /// [mistake](FaultKind::is_mistake); any other is taken for a refusal. Who resigns or leaves
    /// ends the match by [`Match::resign`](crate::Match::resign) or
    /// [`Match::leave`](crate::Match::leave).
    Fault(FaultKind, String),
}

impl From<Halt> for Said {
    /// Why an agent gave no move.
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped => {
                Said::Fault(FaultKind::Late, "no move was known when the time was over".to_owned())
            }
            halt => Said::Fault(FaultKind::Refused, format!("the player gave no move: {halt}")),
        }
    }
}

impl Answer {
    /// A move, in no time.
    pub fn choice(choice: Move) -> Self {
        Answer { said: Said::Decision(choice.into()), time: Duration::ZERO }
    }

    /// A move as text, in no time.
    pub fn text(text: &str) -> Self {
        Answer { said: Said::Text(text.to_owned()), time: Duration::ZERO }
    }

    /// A fault, in no time.
    pub fn fault(kind: FaultKind, what: &str) -> Self {
        Answer { said: Said::Fault(kind, what.to_owned()), time: Duration::ZERO }
    }

    /// The same answer, which took so long.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Answer { time, ..self }
    }
}
