//! Everything that decides.
//!
//! A player is an [`Agent`](magister_core::Agent): it gets what its role knows and decides within a
//! budget. [`PLAYERS`] lists all of them with their parameters; [`Spec`] creates a player from a
//! text such as `mcts:c=1.2`.

#![forbid(unsafe_code)]

mod alphabeta;
mod bestfirst;
mod council;
mod depth;
mod follow;
mod hidden;
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
pub use levels::{LEVELS, Level, Strength};
pub use list::{HUMAN, PLAYERS};
pub use playouts::Playouts;
pub use possible::Possible;
pub use registry::{Arguments, Parameter, ParameterKind, Registered, Spec, SpecError};
