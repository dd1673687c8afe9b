//! Errors of matches.

use std::error::Error;
use std::fmt;

use crate::record::{MatchEnd, ReplayError};
use crate::{Halt, Role};

/// Why a match refused a request. The match is unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MatchError {
    /// The number of players differs from the number of seats.
    Seats {
        /// The number of seats of the game.
        seats: usize,
        /// The number of players.
        given: usize,
    },
    /// The match has ended.
    Ended(MatchEnd),
    /// The match is paused.
    Paused,
    /// The match is not paused.
    NotPaused,
    /// It is not this role's turn to decide.
    NotPending(Role),
    /// This role must decide before the turn can be made.
    Pending(Role),
    /// There is nothing to take back or redo.
    NoSuchTurn,
    /// The rules failed.
    Halt(Halt),
    /// A record cannot be continued.
    Record(ReplayError),
    /// A record does not contain the seed, so the match cannot be continued.
    NoSeed,
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Seats { seats, given } => {
                write!(f, "the number of players is {given}, but the number of seats is {seats}")
            }
            MatchError::Ended(_) => f.write_str("the match has ended"),
            MatchError::Paused => f.write_str("the match is paused"),
            MatchError::NotPaused => f.write_str("the match is not paused"),
            MatchError::NotPending(role) => {
                write!(f, "it is not the turn of role {} to decide", role.0)
            }
            MatchError::Pending(role) => write!(f, "role {} has not decided yet", role.0),
            MatchError::NoSuchTurn => f.write_str("there is no such turn"),
            MatchError::Halt(halt) => halt.fmt(f),
            MatchError::Record(error) => error.fmt(f),
            MatchError::NoSeed => {
                f.write_str("the record contains no seed, so the match cannot be resumed")
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
