//! Playouts by the hundred: a network run on vectors, one game in every bit.

mod choice;
mod goals;
mod moves;
mod numbers;
mod player;
mod program;

pub(crate) use goals::Pay;
pub(crate) use player::{BatchPlan, BatchPlayer, Trouble};
