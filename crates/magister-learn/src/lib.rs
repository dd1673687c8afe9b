//! Agents that learn games by self-play.
//!
//! A game is an [`Environment`](environment::Environment) of afterstates, a value function is a
//! [`Model`](model::Model), and [`train`](driver::train) is the one loop that plays and learns. All
//! three are generic and compiled together. [`az`] learns a policy together with the values, by
//! searches with a neural network. [`connect_four`] is the perfect player that serves as the
//! yardstick.

#![forbid(unsafe_code)]

pub mod ablations;
mod average;
pub mod az;
pub mod cells;
pub mod connect_four;
mod constant_sum;
mod container;
pub mod driver;
mod either;
pub mod environment;
pub mod file;
pub mod games;
pub mod measure;
pub mod model;
pub mod net;
pub mod nibbles;
pub mod ntuple;
mod player;
pub mod recipe;
pub mod recognise;
mod sound;
pub mod tiles;
pub mod trainer;
pub mod tuples;
pub mod weights;
pub mod yardsticks;

pub use either::LearnedAgent;
pub use file::{AgentFile, AgentType, FileError};
pub use player::Learned;
pub use trainer::{Learner, Sight, TrainError};
