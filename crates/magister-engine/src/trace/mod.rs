//! Recorded matches of other programs, and the comparison of an evaluator with them.

mod compare;
mod read;
#[cfg(test)]
mod tests;

use magister_core::{Halt, Stop};

pub use compare::{Mismatch, Report, conform};
pub use read::{BadTrace, read, unpack};

use crate::ground::Ground;

/// What a trace can be held against: an evaluator that can be put into any state.
pub trait Stepper {
    /// The roles, in order.
    fn roles(&self) -> Vec<Ground>;

    /// The initial state. Which state the evaluator is in afterwards is not said.
    fn initial(&mut self, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// Goes to a state.
    fn load(&mut self, state: &[Ground], stop: &Stop) -> Result<(), Halt>;

    /// Whether the state is terminal.
    fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt>;

    /// The legal moves that the rules give a role, in terminal states too. Empty for a role that
    /// is not in control, in the operations dialect.
    fn legal(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// All goal values that the rules give a role.
    fn goals(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt>;

    /// What a joint move leads to; `None` for a role that does nothing. The state stays loaded.
    fn successor(&mut self, joint: &[Option<Ground>], stop: &Stop) -> Result<Successor, Halt>;
}

/// What a joint move leads to.
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
    /// Which match of its file it is, from zero.
    pub number: u64,
    /// The roles; everything that is kept per role is in this order.
    pub roles: Vec<Ground>,
    /// The positions, each the successor of the one before.
    pub positions: Vec<Position>,
}

/// One recorded position. What was not recorded is `None`.
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
    /// What each role perceives of it.
    pub percepts: Option<Vec<Vec<Ground>>>,
}

/// The recorded goal values of a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goals {
    /// All answers.
    All(Vec<Ground>),
    /// One answer, or zero if there is none, as Gamemaster records it.
    One(Ground),
}
