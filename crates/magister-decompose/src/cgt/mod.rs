//! Combinatorial game theory: the values of games in which the last move wins.
//!
//! A position is the set of positions that Left can move to and the set that Right can move to. The
//! sum of their values decides a sum of positions, and every value has a unique smallest form. The
//! [temperature](Thermograph::temperature) of a value measures the urgency of the next move.

mod dyadic;
mod forms;
mod names;
mod sums;
mod thermograph;

pub use dyadic::Dyadic;
pub use forms::{Form, Forms, Outcome};
pub use sums::Sums;
pub use thermograph::Thermograph;
