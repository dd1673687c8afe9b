//! Combinatorial game theory: games in which the last move wins, as values.
//!
//! A position is the set of positions that Left can move to and the set that Right can move to. A
//! sum of positions is decided by the sum of their values, and every value has one smallest form.
//! The [temperature](Thermograph::temperature) of a value says how much the next move is worth.

mod dyadic;
mod forms;
mod names;
mod thermograph;

pub use dyadic::Dyadic;
pub use forms::{Form, Forms, Outcome};
pub use thermograph::Thermograph;
