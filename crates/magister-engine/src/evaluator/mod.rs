//! Evaluators of networks, behind the vocabulary and behind recorded matches.

mod bare;
mod code;
mod game;
mod incremental;
mod machine;
mod names;
mod pace;
mod playouts;
mod possible;
mod stepper;
mod sweep;
mod tape;
mod tries;
mod worker;

#[cfg(test)]
mod tests;

pub use game::{Method, NetworkGame};
pub use pace::{Choice, Playing};
