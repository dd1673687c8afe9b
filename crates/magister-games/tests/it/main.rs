//! Tests over the catalogue: one program, because linking many takes longer than running them.

mod battery;
mod cards;
mod catalogue;
mod chance;
mod counts;
mod holdem;
mod identity;
mod lockstep;
mod mutants;
mod observation;
mod playouts;
mod slides;
mod symmetries;
