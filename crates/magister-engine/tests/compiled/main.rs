//! Games that are built without GDL, gate by gate, and the same games in plain Rust: equal in every
//! answer, on every network evaluator, and in every playout to the last bit.

#![allow(clippy::print_stdout, reason = "a test that cannot run prints SKIPPED")]

mod errors;
mod interpreter;
mod nim;
mod slide;
mod twins;
mod urn;
