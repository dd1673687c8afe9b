//! People as players.

use magister_core::{MatchRecord, Move, View};

/// The interface to the people of a match, such as a terminal.
///
/// People have no clock and may take moves back. Like an agent, a person sees the information state
/// of the role, and no state.
pub trait Person: Send + Sync {
    /// Asks a person for a decision. After an illegal move, or an undo or redo that goes too far,
    /// the person is asked again.
    fn choose(&self, asked: &Asked<'_>) -> Wish;

    /// Reports the end of the match, and asks what to do next. A move means the same as leaving.
    fn over(&self, asked: &Asked<'_>, end: &Ended<'_>) -> Wish;
}

/// A match that has ended, so that everything may be shown.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The results of all roles, in role order.
    pub outcome: &'a [Option<f64>],
    /// The whole match.
    pub record: &'a MatchRecord,
}

/// What a person wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To play a move.
    Play(Move),
    /// To take back this number of its own moves, with everything that followed.
    Back(usize),
    /// To redo this number of them.
    Forth(usize),
    /// To stop here and continue later; the record of the match then has no end.
    Pause,
    /// To give up, which ends the match.
    Resign,
    /// To do something else.
    Leave,
}

/// A question to a person.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The information state of the role.
    pub view: &'a View,
    /// How many of its moves can be taken back.
    pub back: usize,
    /// How many of them can be redone.
    pub forth: usize,
    pub(crate) legal: &'a [Move],
}

impl Asked<'_> {
    /// Whether a move is legal. The list is not accessible, because with hidden information it may
    /// reveal more than the role knows.
    pub fn is_legal(&self, choice: Move) -> bool {
        self.legal.contains(&choice)
    }
}
