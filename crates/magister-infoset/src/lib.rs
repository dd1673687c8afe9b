//! Information sets: the histories that a role cannot distinguish.
//!
//! A role knows its own moves and its observations. The histories that are consistent with them
//! form its information set. The probability of each history depends on chance, which the rules
//! define, and on the other roles, which a [`Model`] describes. Everything here works with any
//! [`Game`](magister_core::Game).
//!
//! | module | holds |
//! |---|---|
//! | `exact` | [`Tracker`]: all states with their probabilities, as long as they are few enough |
//! | `particle_filter`, `rejuvenate` | [`ParticleFilter`]: weighted samples of histories, for larger sets |
//! | `dealt` | samples by the game's own sampler, if it has one |
//! | `search`, `climb` | finds one consistent history, by exhaustive search if necessary |
//! | `hints`, `proposal` | rank moves by their resemblance to the observations |
//! | `pretend` | a state that comes close, if no consistent one was found |
//! | `customary` | [`Customary`]: the legal moves after some percepts, in random play |
//! | `belief` | [`Belief`]: exact while the set is small enough, then sampled |
//! | `known` | [`Known`]: what is certain, and what is likely |
//! | `model` | [`Model`]: the assumed behaviour of the other roles |
//! | `determinization` | [`Determinization`]: a game with perfect information from a given state |
//! | `views` | [`Views`]: the information states of all roles, each stored once |
//!
//! Naive sampling is biased. A sampler that draws only among moves that agree with the next
//! percept, or that backtracks out of dead ends, is biased towards low-branching histories: with
//! late evidence it may yield odds of 1:1 instead of the correct 1:3. Here a history that reaches a
//! dead end is discarded, and every history carries an importance weight.

#![forbid(unsafe_code)]

mod belief;
mod climb;
mod customary;
mod dealt;
mod determinization;
mod evidence;
mod exact;
mod hints;
mod joints;
mod known;
mod model;
mod particle_filter;
mod pool;
mod pretend;
mod proposal;
mod rejuvenate;
mod search;
mod trail;
mod views;
mod votes;

pub use belief::{Belief, Settings};
pub use customary::Customary;
pub use determinization::Determinization;
pub use exact::{InfosetLimits, Keep, Layer, Tracker};
pub use known::Known;
pub use model::{Model, Uniform};
pub use particle_filter::ParticleFilter;
pub use pool::{Pool, Rows};
pub use views::{ViewId, Views};
pub use votes::Votes;

use magister_core::Halt;

/// Why an information set cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InfosetError {
    /// It is larger, or takes more work, than the limits allow.
    TooLarge,
    /// No history is consistent with the observations up to this turn, counted from 0.
    Impossible {
        /// The turn.
        turn: usize,
    },
    /// An evaluation failed.
    Halt(Halt),
}

impl From<Halt> for InfosetError {
    fn from(halt: Halt) -> Self {
        InfosetError::Halt(halt)
    }
}

impl From<InfosetError> for Halt {
    fn from(error: InfosetError) -> Self {
        match error {
            InfosetError::Halt(halt) => halt,
            InfosetError::TooLarge => Halt::Limit(error.to_string()),
            InfosetError::Impossible { .. } => Halt::Rules(error.to_string()),
        }
    }
}

impl std::fmt::Display for InfosetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InfosetError::TooLarge => f.write_str("the information set exceeds the limits"),
            InfosetError::Impossible { turn } => {
                let turn = turn + 1;
                write!(f, "no history is consistent with the observations up to turn {turn}")
            }
            InfosetError::Halt(halt) => halt.fmt(f),
        }
    }
}

impl std::error::Error for InfosetError {}
