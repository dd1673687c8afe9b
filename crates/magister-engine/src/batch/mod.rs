//! Batch playouts: a network on vectors, one game in every bit.
//!
//! # The batch program
//!
//! A [`BatchProgram`] is one step of a game as gates over lanes, before it is laid out for a
//! processor; [`batch_program`](crate::evaluator::CompiledGame::batch_program) returns it.
//!
//! A back end plays as many games at once as its words have bits; each game is a lane. A program
//! has one [`StepProgram`], or two that alternate if two roles strictly take turns. Wire 0 is
//! always true; then come the wires of the fluents, then those of the moves that are made (and of
//! idle roles), then the outputs of gates. A gate reads inputs or wires written before it, so a
//! back end may run the gates in order, reorder them, or translate them.
//!
//! One step of all lanes:
//!
//! 1. The wires of the fluents contain the state. Run [`legal_gates`](StepProgram::legal_gates).
//!    Now [`terminal`](StepProgram::terminal), [`legal`](StepProgram::legal),
//!    [`weights`](StepProgram::weights) and the [`count`](Choice::count) of every choice are valid,
//!    and [`stuck`](StepProgram::stuck) marks lanes in which the rules fail.
//! 2. In terminal states, run [`goal_gates`](StepProgram::goal_gates); then
//!    [`rewards`](StepProgram::rewards) are valid. The wires for step 3 do not change.
//! 3. Make the choices. Each takes a random number `U` of 40 bits: in the lanes of
//!    [`draws[d]`](Choice::draws), that of draw `d` as numbered by the
//!    [contract](magister_core::playout). Write the digits of `floor(U * count / 2^40)` to the
//!    wires of [`number`](Choice::number).
//! 4. Run [`next_gates`](StepProgram::next_gates). Now [`made`](StepProgram::made),
//!    [`next`](StepProgram::next) and [`gains`](StepProgram::gains) are valid, and after
//!    [`percept_gates`](StepProgram::percept_gates) also [`percepts`](StepProgram::percepts).
//! 5. The next state replaces the current one. Lanes that were terminal are undefined: the back end
//!    writes a new start state to them.

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
mod program;
mod rows;
mod slot;
mod squares;
mod try_plan;
mod try_player;

pub(crate) use goals::Pay;
pub use magister_lanes::{Gate, Operation};
pub(crate) use plan::BatchPlan;
pub(crate) use player::{BatchError, BatchPlayer};
pub use program::{BatchProgram, Choice, Signal, StepProgram};
pub(crate) use try_plan::TryPlan;
pub(crate) use try_player::TryPlayer;
