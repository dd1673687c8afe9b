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
mod squares;
mod try_plan;
mod try_player;

pub(crate) use goals::Pay;
pub(crate) use plan::BatchPlan;
pub(crate) use player::{BatchPlayer, Trouble};
pub(crate) use try_plan::{Numbers, TryPlan};
pub(crate) use try_player::TryPlayer;
