//! Inspection of games: path counts and random matches.
//!
//! Everything works on any [`Game`](magister_core::Game) through its public interface.

mod count;
mod identity;
mod joints;
mod survey;
#[cfg(test)]
mod tests;

pub use count::{Counter, Failure, Level};
pub use identity::{Identity, Walks, identity};
pub use survey::{Fault, Score, Seen, Survey, survey};
