//! Why an evaluation ends early, and the flag that requests this.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Move, Role};

/// A flag that asks a long evaluation to end.
///
/// One step of a huge game can outlast the clock, so everything that evaluates rules takes a `Stop`
/// and checks it regularly. Copies share the flag; once set it stays set.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// A flag that can be set.
    pub fn new() -> Self {
        Stop(Some(Arc::default()))
    }

    /// A flag that cannot be set, without an allocation.
    pub const fn never() -> Self {
        Stop(None)
    }

    /// Sets the flag for all copies. No effect on [`Stop::never`].
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// [`Halt::Stopped`] if the flag is set; for use with `?`.
    pub fn check(&self) -> Result<(), Halt> {
        if self.is_set() { Err(Halt::Stopped) } else { Ok(()) }
    }
}

/// Why an evaluation did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Halt {
    /// The [`Stop`] was set.
    Stopped,
    /// A move is illegal in this state. The state is unchanged.
    IllegalMove {
        /// The role.
        role: Role,
        /// The illegal move.
        choice: Move,
    },
    /// The joint move does not have one move per role. The state is unchanged.
    JointLength {
        /// The number of roles, including chance.
        expected: usize,
        /// The number of moves given.
        given: usize,
    },
    /// The words are not a state of this game.
    BadState,
    /// The game has hidden information, so a view does not determine the state.
    Hidden,
    /// A limit of the engine was reached; the text says which one, and how to raise it.
    Limit(String),
    /// The rules have a defect; the text describes it.
    Rules(String),
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Halt::Stopped => f.write_str("the evaluation was stopped before it was complete"),
            Halt::IllegalMove { role, choice: Move::IDLE } => {
                write!(f, "role {} has to move in this state and cannot be idle", role.0)
            }
            Halt::IllegalMove { role, choice } => {
                write!(f, "move {} of role {} is not legal in this state", choice.0, role.0)
            }
            Halt::JointLength { expected, given } => {
                write!(f, "the joint move has length {given}, but this game needs {expected}")
            }
            Halt::BadState => f.write_str("these words are not a state of this game"),
            Halt::Hidden => f.write_str(
                "the game has hidden information, so a view does not determine the state",
            ),
            Halt::Limit(limit) => write!(f, "a limit was reached: {limit}"),
            Halt::Rules(fault) => write!(f, "the rules are at fault: {fault}"),
        }
    }
}

impl Error for Halt {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_the_flag() {
        let stop = Stop::new();
        let copy = stop.clone();
        assert_eq!(copy.check(), Ok(()));
        stop.set();
        assert_eq!(copy.check(), Err(Halt::Stopped));
    }

    #[test]
    fn never_is_never_set() {
        let stop = Stop::never();
        stop.set();
        assert!(!stop.is_set());
    }

    #[test]
    fn reasons_read_as_sentences() {
        let halt = Halt::IllegalMove { role: Role(1), choice: Move(7) };
        assert_eq!(halt.to_string(), "move 7 of role 1 is not legal in this state");
    }
}
