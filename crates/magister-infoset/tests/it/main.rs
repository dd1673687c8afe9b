//! Tests of information sets: one program, because linking many takes longer than running them.

mod common;
mod exact;
mod late;
mod sampled;
mod together;
