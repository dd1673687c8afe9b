//! People at the table.

use magister_core::{Move, View};

/// Whoever speaks for the people of a match: a terminal, for instance.
///
/// People have no clock, and may take back what they did. Like an agent, a person is given what
/// its role knows and no state.
pub trait Person: Send + Sync {
    /// Asks what a person wants to do. What is no legal move, or goes too far back or forth, is
    /// asked for again.
    fn choose(&self, asked: &Asked<'_>) -> Wish;

    /// Tells that the match is over, with the results of all roles, and asks what now: a move is
    /// as good as leaving.
    fn over(&self, asked: &Asked<'_>, outcome: &[Option<f64>]) -> Wish;
}

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To play a move.
    Play(Move),
    /// To take back so many of its own moves, with all that followed.
    Back(usize),
    /// To make so many of them again.
    Forth(usize),
    /// To stop here and go on later: the record of the match has no end.
    Pause,
    /// To give up: the match ends here.
    Resign,
    /// To do something else.
    Leave,
}

/// A question to a person.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What the role knows.
    pub view: &'a View,
    /// How many of its moves can be taken back.
    pub back: usize,
    /// How many of them can be made again.
    pub forth: usize,
    pub(crate) legal: &'a [Move],
}

impl Asked<'_> {
    /// Whether a move is legal. The list is not given away, because in games that hide information
    /// it may tell more than the role knows.
    pub fn is_legal(&self, choice: Move) -> bool {
        self.legal.contains(&choice)
    }
}
