//! Tests of the solvers: one program, because linking many takes longer than running them.

mod cycles;
mod extensive_form;
mod known;
mod sampled;
