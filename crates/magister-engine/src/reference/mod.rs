//! The reference interpreter: the oracle for all other evaluators, and the last fallback.
//!
//! It answers queries top-down, with a table for every call (see `machine`), so left recursion and
//! mutual recursion work, and so do infinite relations if only a finite part is queried.
//! [`Reference`] computes with states as lists of ground fluents; [`ReferenceGame`] implements the
//! traits of `magister-core` with it.

mod ask;
pub(crate) mod bind;
pub(crate) mod builtin;
mod facts;
mod game;
mod limits;
mod literal;
mod machine;
pub(crate) mod number;
pub(crate) mod numbering;
pub(crate) mod operation;
mod plan;
mod position;
mod table;
mod worker;

#[cfg(test)]
mod tests;

pub(crate) use ask::{Bindings, Computed};
pub use game::ReferenceGame;
pub(crate) use game::{info, locked, possible};
pub use limits::QueryLimits;
pub use position::Reference;
