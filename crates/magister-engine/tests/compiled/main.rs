//! Games that are built without GDL, gate by gate, and the same games in plain Rust: equal in every
//! answer, on every evaluator of networks, and in every playout to the last bit.

#![allow(clippy::print_stdout, reason = "a test that can not be run says so")]

mod errors;
mod interpreter;
mod nim;
mod slide;
mod twins;
mod urn;
