//! Why a match does not do what it is asked for.

use std::error::Error;
use std::fmt;

use crate::record::{MatchEnd, ReplayError};
use crate::{Halt, Role};

/// Why a match does not do what it is asked for. Nothing has changed then.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MatchError {
    /// There is not one player for each seat.
    Seats {
        /// How many seats the game has.
        seats: usize,
        /// How many players there are.
        given: usize,
    },
    /// The match has ended.
    Ended(MatchEnd),
    /// The match is paused.
    Paused,
    /// The match is not paused.
    NotPaused,
    /// This role is not to decide now.
    NotPending(Role),
    /// This role must decide before the turn can be made.
    Pending(Role),
    /// There is nothing that can be taken back or made again.
    NoSuchTurn,
    /// The rules can not go on.
    Halt(Halt),
    /// A record can not be gone on with.
    Record(ReplayError),
    /// A record does not tell the seed, so nobody knows what comes next.
    NoSeed,
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Seats { seats, given } => {
                write!(f, "the game has {seats} seats, but there are {given} players")
            }
            MatchError::Ended(_) => f.write_str("the match has ended"),
            MatchError::Paused => f.write_str("the match is paused"),
            MatchError::NotPaused => f.write_str("the match is not paused"),
            MatchError::NotPending(role) => write!(f, "role {} is not to decide now", role.0),
            MatchError::Pending(role) => write!(f, "role {} has not decided yet", role.0),
            MatchError::NoSuchTurn => f.write_str("there is no such turn to go to"),
            MatchError::Halt(halt) => halt.fmt(f),
            MatchError::Record(error) => error.fmt(f),
            MatchError::NoSeed => {
                f.write_str("the record tells no seed, so the match can not be resumed")
            }
        }
    }
}

impl Error for MatchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            MatchError::Halt(halt) => Some(halt),
            MatchError::Record(error) => Some(error),
            _ => None,
        }
    }
}
