//! Tests of the library: one program, because linking many takes longer than running them.

mod az;
mod cards;
mod examples;
mod learn;
mod open;
mod signature;
mod tactics;
