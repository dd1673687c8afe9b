//! Recorded matches of other programs, and the comparison of evaluators with them.

mod compare;
mod read;
#[cfg(test)]
mod tests;

use magister_core::{Halt, Stop};

pub use compare::{Mismatch, Report, conform};
pub use read::{BadTrace, read, unpack};

use crate::ground::Ground;

/// An evaluator that can load any state, for the comparison with a trace.
pub trait Stepper {
    /// The roles, in order.
    fn roles(&self) -> Vec<Ground>;

    /// The initial state. Afterwards, the loaded state is unspecified.
    fn initial(&mut self, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// Loads a state.
    fn load(&mut self, state: &[Ground], stop: &Stop) -> Result<(), Halt>;

    /// Whether the state is terminal.
    fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt>;

    /// The legal moves of a role according to the rules, also in terminal states. In the operations
    /// dialect, a role that is not in control has none.
    fn legal(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// All goal values of a role according to the rules.
    fn goals(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// The result of a joint move; `None` for a role without a move. The state stays loaded.
    fn successor(&mut self, joint: &[Option<Ground>], stop: &Stop) -> Result<Successor, Halt>;
}

/// The result of a joint move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The next state.
    pub state: Vec<Ground>,
    /// The percepts of each role.
    pub percepts: Vec<Vec<Ground>>,
}

/// One recorded match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The index of the match in its file, from zero.
    pub number: u64,
    /// The roles; all lists per role use this order.
    pub roles: Vec<Ground>,
    /// The positions, each the successor of the one before.
    pub positions: Vec<Position>,
}

/// One recorded position. A field is `None` if the trace does not contain it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// The fluents.
    pub state: Vec<Ground>,
    /// Whether it is terminal.
    pub terminal: bool,
    /// The legal moves of each role.
    pub legal: Option<Vec<Vec<Ground>>>,
    /// The goal values of each role.
    pub goals: Option<Vec<Goals>>,
    /// The joint move that leads to the next position.
    pub joint: Option<Vec<Option<Ground>>>,
    /// The percepts of each role after the joint move.
    pub percepts: Option<Vec<Vec<Ground>>>,
}

/// The recorded goal values of a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goals {
    /// All values.
    All(Vec<Ground>),
    /// One value, or zero if the role has none, as Gamemaster records it.
    One(Ground),
}
