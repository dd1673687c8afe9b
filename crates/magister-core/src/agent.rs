//! What decides.

use crate::{Budget, Move, Rng, View};

/// A player.
///
/// It is given its view and nothing else, so what it decides is a function of what its role
/// knows, of its budget and of its random numbers.
pub trait Agent: Send {
    /// A name for tables and records.
    fn name(&self) -> String;

    /// Chooses a move. The budget ends the search; the answer must be legal all the same, however
    /// small the budget was.
    fn decide(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Decision;

    /// What each role can expect, where the agent has an opinion.
    fn value(&mut self, _view: &View) -> Option<Vec<f64>> {
        None
    }
}

/// A move and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move.
    pub choice: Move,
    /// What the agent thinks of the moves it looked at, in the scale of the rewards of its role.
    pub values: Vec<(Move, f64)>,
    /// The iterations it made.
    pub iterations: u64,
}

impl From<Move> for Decision {
    /// A decision without reasons.
    fn from(choice: Move) -> Self {
        Decision { choice, values: Vec::new(), iterations: 0 }
    }
}
