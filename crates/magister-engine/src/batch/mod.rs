//! Playouts by the hundred: a network run on vectors, one game in every bit.

mod check;
mod choice;
mod ending;
mod goals;
mod leaves;
mod moves;
mod numbers;
mod phases;
mod player;
mod program;
mod slot;

pub(crate) use goals::Pay;
pub(crate) use player::{BatchPlan, BatchPlayer, Trouble};
