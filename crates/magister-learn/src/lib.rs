//! Agents that teach themselves games.
//!
//! A game is an [`Environment`](environment::Environment) of afterstates, a value function is a
//! [`Model`](model::Model), and [`train`](driver::train) is the one loop that plays and learns.
//! All three are generic and compiled together. [`connect_four`] is the perfect player that
//! measures what was learned.

#![forbid(unsafe_code)]

pub mod connect_four;
pub mod driver;
pub mod environment;
pub mod games;
pub mod measure;
pub mod model;
pub mod nibbles;
pub mod ntuple;
pub mod tuples;
pub mod weights;
