//! Why rules could not become a game.

use std::fmt;

use magister_core::Halt;

/// Why rules could not become a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A statement is unusable; the message says why.
    Statement {
        /// The line where it begins, from one.
        line: u32,
        /// The defect.
        what: String,
    },
    /// The rulesheet as a whole is not a game.
    Game(String),
    /// The initial position could not be computed.
    Halt(Halt),
    /// The rules did not become a network.
    Network(Halt),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Statement { line, what } => write!(f, "line {line}: {what}"),
            Error::Game(what) => f.write_str(what),
            Error::Halt(halt) => write!(f, "the initial position: {halt}"),
            Error::Network(halt) => write!(f, "the network: {halt}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        Error::Halt(halt)
    }
}
