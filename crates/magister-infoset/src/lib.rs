//! Information sets: all that a role can not tell apart.
//!
//! A role knows its own moves and what it perceived. The courses of the game that agree with that
//! are its information set; how likely each is depends on chance, which the rules tell, and on
//! the others, of whom a [`Model`] is made. Everything here works with any
//! [`Game`](magister_core::Game).
//!
//! | module | holds |
//! |---|---|
//! | `exact` | [`Tracker`]: all states with their probabilities, as long as they are few enough |
//! | `cloud`, `rejuvenate` | [`Cloud`]: sampled courses of the game with weights, for everything else |
//! | `search` | one course that agrees, found by trying everything if need be |
//! | `belief` | [`Belief`]: the one while it can be had, then the other |
//! | `known` | [`Known`]: what is certain, and what is likely |
//! | `model` | [`Model`]: what the others are taken to do |
//! | `opened` | [`Opened`]: a game as if it hid nothing, from a state on |
//! | `views` | [`Views`]: the histories of all roles, each kept once |
//!
//! Sampling is easily done wrong. Whoever draws only among moves that agree with the next percept,
//! or backs out of dead ends, favours courses that have few ways to go on: where evidence comes
//! late, such a sample may be as wrong as 1:1 for 1:3. Here a course that comes to a dead end is
//! given up, and every course carries the weight that makes up for how it was drawn.

#![forbid(unsafe_code)]

mod belief;
mod climb;
mod cloud;
mod evidence;
mod exact;
mod hints;
mod joints;
mod known;
mod model;
mod opened;
mod pool;
mod pretend;
mod proposal;
mod rejuvenate;
mod search;
mod trail;
mod views;

pub use belief::{Belief, Settings};
pub use cloud::Cloud;
pub use exact::{Keep, Layer, Limits, Tracker};
pub use known::Known;
pub use model::{Model, Uniform};
pub use opened::Opened;
pub use pool::{Pool, Rows};
pub use views::{ViewId, Views};

use magister_core::Halt;

/// Why an information set can not be told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// It is larger, or takes more work, than was allowed.
    TooLarge,
    /// No course of the game agrees with what was seen in this turn, counted from 0, and before.
    Impossible {
        /// The turn.
        turn: usize,
    },
    /// An evaluation failed.
    Halt(Halt),
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Self {
        Trouble::Halt(halt)
    }
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Halt(halt) => halt,
            Trouble::TooLarge => Halt::Limit(trouble.to_string()),
            Trouble::Impossible { .. } => Halt::Rules(trouble.to_string()),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::TooLarge => f.write_str("the information set is larger than was allowed"),
            Trouble::Impossible { turn } => {
                let turn = turn + 1;
                write!(f, "no course of the game agrees with what was seen up to turn {turn}")
            }
            Trouble::Halt(halt) => halt.fmt(f),
        }
    }
}

impl std::error::Error for Trouble {}
