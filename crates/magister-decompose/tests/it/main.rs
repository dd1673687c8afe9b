//! Tests of decomposition: one program, because linking many takes longer than running them.

mod common;
mod numbers;
mod own;
mod placement;
mod products;
mod rows;
mod values;
