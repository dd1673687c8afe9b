//! Tests of the vocabulary: one program, because linking many takes longer than running them.

mod claim;
mod matches;
mod observation;
mod referee;
