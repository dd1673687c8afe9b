//! How large a game may be, and why one was not solved.

use std::fmt;

use magister_core::Halt;

/// What solving a game may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Positions, or nodes of the extensive form.
    pub nodes: usize,
    /// Bytes, about.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { nodes: 50_000_000, bytes: 512 << 20 }
    }
}

/// Why a game was not solved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsolved {
    /// It has more positions or nodes than a limit allows.
    TooLarge(Size),
    /// There was not enough time to look through it.
    Late(Size),
    /// Best play is not defined, or can not be found by what is here: the sentence says why.
    Undefined(String),
    /// Rules failed, or somebody stopped it before it was complete.
    Halt(Halt),
}

/// How far a game was looked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Positions or nodes that were met.
    pub nodes: usize,
    /// The steps of the longest course among them.
    pub depth: usize,
    /// Information sets that were met, in a game that hides information.
    pub sets: usize,
    /// Bytes in use, about.
    pub bytes: usize,
    /// Nodes that were to be expected in the next step, if that was the reason to give up.
    pub expected: usize,
}

impl Unsolved {
    /// The same, but where somebody stopped it, how far it had come by then.
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
                    write!(f, ", and the next step would lead to about {} more", size.expected)?;
                }
                Ok(())
            }
            Unsolved::Late(size) => write!(f, "the time was over when {size} were met"),
            Unsolved::Undefined(why) => f.write_str(why),
            Unsolved::Halt(halt) => halt.fmt(f),
        }
    }
}

impl std::error::Error for Unsolved {}
