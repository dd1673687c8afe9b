//! Tests of the players: one program, because linking many takes longer than running them.

mod blind;
mod hidden;
mod perfect;
mod policy;
mod rounds;
