//! Errors in a game that is built gate by gate.

use std::fmt;

use magister_core::Halt;

/// Why a [`CompiledBuilder`](super::CompiledBuilder) could not build a game. The message says what
/// to change.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The game has no role, or more than 255.
    Roles(usize),
    /// A text is used twice, or cannot be parsed.
    Name {
        /// The kind: a fluent, a move or a percept.
        what: &'static str,
        /// The text.
        text: String,
    },
    /// A definition is missing.
    Missing {
        /// The item that lacks it.
        of: String,
        /// The call that provides it.
        call: &'static str,
    },
    /// A declared wire has no definition.
    Undefined(usize),
    /// Wires depend on each other.
    Cycle(usize),
    /// A wire does not belong to this builder.
    Foreign,
    /// Something that must not depend on moves does.
    DependsOnMove(String),
    /// Weights were given to a move of a role other than chance, or only to some moves of chance.
    Weights(String),
    /// The total of all weights does not fit 32 bits.
    TotalWeight(u64),
    /// The game cannot start: the initial state is not terminal, and no role can move.
    Stuck,
    /// Building was stopped.
    Stopped(Halt),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Roles(count) => {
                write!(f, "a game has 1 to 255 roles, not {count}: give their names to `new`")
            }
            BuildError::Name { what, text } => write!(
                f,
                "the {what} `{text}` needs another text: it is used twice or cannot be parsed; \
                 write one word, or words in parentheses, or set a reader with `read_by`"
            ),
            BuildError::Missing { of, call } => write!(f, "{of} is not defined: call `{call}`"),
            BuildError::Undefined(wire) => {
                write!(f, "wire {wire} was announced and is not defined: call `define`")
            }
            BuildError::Cycle(wire) => write!(
                f,
                "wire {wire} depends on itself: break the cycle, or unroll the recursion as many \
                 times as it can take"
            ),
            BuildError::Foreign => {
                write!(f, "a wire of another builder was used: make all wires with this one")
            }
            BuildError::DependsOnMove(what) => write!(
                f,
                "{what} depends on a move that is made: only next fluents, percepts and gains may; \
                 keep what was done in a fluent"
            ),
            BuildError::Weights(text) => write!(
                f,
                "weights belong to all moves of chance or to none, each above zero: see \
                 `{text}`, and name the role of chance with `chance`"
            ),
            BuildError::TotalWeight(total) => write!(
                f,
                "the weights add up to {total}, but must stay below 2^32: divide them by a common \
                 factor"
            ),
            BuildError::Stuck => write!(
                f,
                "the first state is not terminal and no role has a legal move there: check `legal` \
                 and the initial fluents"
            ),
            BuildError::Stopped(halt) => write!(f, "building was stopped: {halt}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<Halt> for BuildError {
    fn from(halt: Halt) -> Self {
        BuildError::Stopped(halt)
    }
}
