//! Games looked at from outside: paths counted, matches played at random.
//!
//! All of it works on any [`Game`](magister_core::Game) and asks it nothing but what the
//! vocabulary offers.

mod count;
mod identity;
mod joints;
mod survey;
#[cfg(test)]
mod tests;

pub use count::{Counter, Failure, Level};
pub use identity::{Identity, Walks, identity};
pub use survey::{Fault, Score, Seen, Survey, survey};
