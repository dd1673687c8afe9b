//! Everything that decides.
//!
//! A player is an [`Agent`](magister_core::Agent): it is given what its role knows and decides
//! within a budget. All are listed in [`PLAYERS`], with their parameters; [`Spec`] makes a player
//! of a text such as `mcts:c=1.2`.

#![forbid(unsafe_code)]

mod alphabeta;
mod bestfirst;
mod choices;
mod combine;
mod depth;
mod follow;
mod hidden;
mod list;
mod lookahead;
mod matrix;
mod mcs;
mod mcts;
mod playing;
mod possible;
mod puzzle;
mod registry;
mod rewards;
mod simple;
mod solve;
mod table;
mod uct;

pub use follow::Follower;
pub use list::PLAYERS;
pub use registry::{Entry, Parameter, Settings, Spec, SpecError};
pub use solve::Solution;
