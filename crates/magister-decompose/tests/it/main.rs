//! Tests of decomposition: one program, because linking many takes longer than running them.

mod common;
mod normal;
mod numbers;
mod own;
mod placement;
mod positions;
mod products;
mod rows;
mod rules;
mod targets;
mod values;
