//! Playouts by the hundred: a network run on vectors, one game in every bit.

mod check;
mod choice;
mod ending;
mod gains;
mod goals;
mod leaves;
mod moves;
mod numbers;
mod phases;
mod plan;
mod player;
pub mod program;
mod rows;
mod slot;
mod squares;
mod try_plan;
mod try_player;

pub(crate) use goals::Pay;
pub(crate) use plan::BatchPlan;
pub(crate) use player::{BatchPlayer, Trouble};
pub use program::{BatchProgram, Choice, Signal, StepProgram};
pub(crate) use try_plan::TryPlan;
pub(crate) use try_player::TryPlayer;
