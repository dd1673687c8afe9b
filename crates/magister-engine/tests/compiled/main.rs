//! Games that are built gate by gate, without GDL, and the same games in plain Rust. All answers
//! are equal on every network evaluator, and all playouts are bit-identical.

#![allow(clippy::print_stdout, reason = "a test that cannot run prints SKIPPED")]

mod errors;
mod interpreter;
mod nim;
mod slide;
mod twins;
mod urn;
