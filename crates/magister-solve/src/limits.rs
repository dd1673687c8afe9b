//! Limits on the size of a game, and the reasons why a game was not solved.

use std::fmt;

use magister_core::Halt;

/// The resources for solving a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveLimits {
    /// The maximum number of positions, or of nodes of the extensive form.
    pub nodes: usize,
    /// The maximum memory in bytes, approximately.
    pub bytes: usize,
}

impl Default for SolveLimits {
    fn default() -> Self {
        SolveLimits { nodes: 50_000_000, bytes: 512 << 20 }
    }
}

/// Why a game was not solved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsolved {
    /// It has more positions or nodes than a limit allows.
    TooLarge(Size),
    /// The time was up before the whole game was visited.
    Late(Size),
    /// Optimal play is undefined, or these methods cannot find it: the text says why.
    Undefined(String),
    /// The rules failed, or the stop flag was set before the result was complete.
    Halt(Halt),
}

/// How much of a game was visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of positions or nodes visited.
    pub nodes: usize,
    /// The length of the longest history among them.
    pub depth: usize,
    /// The number of information sets visited, in a game with hidden information.
    pub sets: usize,
    /// The approximate memory in bytes.
    pub bytes: usize,
    /// The estimated number of nodes of the next step, if that was the reason to give up.
    pub expected: usize,
}

impl Unsolved {
    /// Adds the size reached so far to an error caused by the stop flag.
    pub(crate) fn or_late(self, size: Size) -> Self {
        match self {
            Unsolved::Halt(Halt::Stopped) => Unsolved::Late(size),
            other => other,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} positions within {} steps", self.nodes, self.depth)?;
        match self.sets {
            0 => Ok(()),
            sets => write!(f, " with {sets} information sets"),
        }
    }
}

impl From<Halt> for Unsolved {
    fn from(halt: Halt) -> Self {
        Unsolved::Halt(halt)
    }
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolved::TooLarge(size) => {
                write!(f, "it is too large: {size}, which take about {} MiB", size.bytes >> 20)?;
                if size.expected > 0 {
                    write!(f, ", and the next step would add about {} positions", size.expected)?;
                }
                Ok(())
            }
            Unsolved::Late(size) => write!(f, "the time ran out after {size}"),
            Unsolved::Undefined(why) => f.write_str(why),
            Unsolved::Halt(halt) => halt.fmt(f),
        }
    }
}

impl std::error::Error for Unsolved {}
