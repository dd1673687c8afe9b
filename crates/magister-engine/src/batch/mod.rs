//! Playouts by the hundred: a network run on vectors, one game in every bit.

mod choice;
mod circuit;
mod fuse;
mod player;
mod program;
mod schedule;

pub(crate) use player::{BatchPlan, BatchPlayer, Trouble};
pub(crate) use program::Pay;
