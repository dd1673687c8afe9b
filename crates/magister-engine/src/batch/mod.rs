//! Playouts by the hundred: a network run on vectors, one game in every bit.

mod check;
mod choice;
mod ending;
mod goals;
mod leaves;
mod moves;
mod numbers;
mod phases;
mod plan;
mod player;
mod program;
mod slot;

pub(crate) use goals::Pay;
pub(crate) use plan::BatchPlan;
pub(crate) use player::{BatchPlayer, Trouble};
