//! Everything that decides.
//!
//! A player is an [`Agent`](magister_core::Agent): it is given what its role knows and decides
//! within a budget. All are listed in [`PLAYERS`], with their parameters; [`Spec`] makes a player
//! of a text such as `mcts:c=1.2`.

#![forbid(unsafe_code)]

mod follow;
mod list;
mod registry;
mod simple;

pub use follow::Follower;
pub use list::PLAYERS;
pub use registry::{Entry, Parameter, Settings, Spec, SpecError};
