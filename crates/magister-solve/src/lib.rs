//! Games solved.
//!
//! Where everybody sees everything, [`Solution`] values all positions from their ends, and
//! [`puzzle`] finds shortest ways. Where information is hidden, [`Form`] is the game as its
//! players can tell its courses apart, [`Cfr`] finds how to play it, and what anybody could gain
//! by playing otherwise is computed exactly, so that every [`Equilibrium`] carries its own proof.

#![forbid(unsafe_code)]

mod answer;
mod cfr;
pub mod choices;
pub mod combine;
mod equilibrium;
mod external;
mod form;
mod key;
mod limits;
pub mod matrix;
mod memory;
mod outcome;
mod perfect;
mod positions;
mod profile;
pub mod puzzle;
pub mod rewards;
mod tables;

pub use answer::{Answer, solve};
pub use cfr::{Cfr, Variant};
pub use equilibrium::{Effort, Equilibrium};
pub use external::External;
pub use form::Form;
pub use key::Key;
pub use limits::{Limits, Size, Unsolved};
pub use outcome::{Draws, Outcome};
pub use perfect::{Candidate, Solution};
pub use profile::{Profile, Reply};
