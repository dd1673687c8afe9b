//! All players.
//!
//! A player is an [`Agent`](magister_core::Agent): it gets the information state of its role and
//! decides within a budget. [`PLAYERS`] lists all of them with their parameters; [`Spec`] creates a
//! player from a text such as `mcts:c=1.2`.

#![forbid(unsafe_code)]

mod alphabeta;
mod az;
mod bestfirst;
mod council;
mod depth;
mod follow;
mod hidden;
mod learned;
mod levels;
mod list;
mod lookahead;
mod mcs;
mod mcts;
mod opinion;
mod playing;
mod playouts;
mod plies;
mod possible;
mod puct;
mod puzzle;
mod registry;
mod simple;
mod table;
mod uct;

// Backing up values is shared with the solvers.
pub(crate) use magister_solve::{choices, combine, rewards};

pub use follow::Follower;
pub use learned::{AROUND_VALUES, LEARNED, learned, values};
pub use levels::{LEVELS, Level, Strength};
pub use list::{HUMAN, PLAYERS};
pub use playouts::Playouts;
pub use possible::Possible;
pub use registry::{Arguments, Parameter, ParameterKind, Registered, Spec, SpecError};

/// The number of simulations of Monte Carlo tree search until it finds the best reward of a puzzle:
/// with one tree per subgame, or with one tree. `None` if it took more than `most`, or if the game
/// has no subgames of this kind.
pub fn simulations_to_solve(
    game: &std::sync::Arc<dyn magister_core::Game>,
    by_subgames: bool,
    most: u64,
    rng: &mut magister_core::Rng,
) -> Result<Option<u64>, magister_core::Halt> {
    puzzle::simulations(game, by_subgames, most, rng)
}
