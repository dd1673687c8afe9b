//! Evaluators of networks, behind the vocabulary and behind recorded matches.
//!
//! Three types say how a game is run:
//!
//! | type | says |
//! |---|---|
//! | [`Evaluator`](crate::Evaluator) | which evaluator makes the steps; what `--evaluator` takes |
//! | [`Playouts`] | how batches of playouts are played: step by step, on vectors, or as measured |
//! | [`Width`] | how many lanes a vector has |

mod bare;
mod code;
mod game;
mod gdl;
mod incremental;
mod machine;
mod pace;
mod places;
mod playouts;
mod possible;
mod stepper;
mod sweep;
mod tape;
mod tries;
mod weights;
mod worker;

#[cfg(test)]
mod tests;

pub use game::CompiledGame;
pub use gdl::NetworkGame;
pub use magister_lanes::Width;
pub use pace::Playouts;
