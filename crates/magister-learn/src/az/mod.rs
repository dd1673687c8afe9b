//! Learning by self-play with a policy-and-value network, in the manner of Gumbel AlphaZero.
//!
//! [`AzLearner`] plays many games at the same time. In each position a search with few simulations
//! improves the network's policy ([`gumbel`]); the network then learns the improved policy and the
//! results. [`NetEvaluator`] is the network as the evaluator of any search, and [`AzSearch`] the
//! search of the player `az`. Positions, moves and values are those of any
//! [`Game`](magister_core::Game) with perfect information and a fixed list of moves: one or more
//! players, also at the same time, and chance.
//!
//! The network is computed by this crate ([`matrix`]); docs/learning.md has the measurements behind
//! that choice.

mod file;
mod gumbel;
mod judge;
mod learner;
pub mod matrix;
pub mod net;
mod replay;
mod search;
mod selfplay;
mod settings;
mod shape;
mod stepper;
mod tree;

pub use file::{AzFile, AzHeader};
pub use judge::NetEvaluator;
pub use learner::AzLearner;
pub use search::AzSearch;
pub use settings::AzSettings;
pub use shape::{Form, Shape, Size};
