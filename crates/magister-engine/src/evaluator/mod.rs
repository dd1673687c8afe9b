//! Evaluators of networks, as games and as steppers for recorded matches.
//!
//! Three types select how a game is run:
//!
//! | type | selects |
//! |---|---|
//! | [`Evaluator`](crate::Evaluator) | the evaluator of steps; the values of `--evaluator` |
//! | [`Playouts`] | the batch method of playouts: step by step, on vectors, or as measured |
//! | [`Width`] | the number of lanes of a vector |

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
