//! Solvers.
//!
//! With perfect information, [`Solution`] computes the values of all positions by retrograde
//! analysis, and [`puzzle`] finds shortest solutions. With hidden information, [`ExtensiveForm`] is
//! the game tree with its information sets, [`Cfr`] computes strategies, and the gain of every best
//! response is computed exactly, so every [`Equilibrium`] carries its own proof.

#![forbid(unsafe_code)]

mod answer;
mod cfr;
pub mod choices;
pub mod combine;
mod equilibrium;
mod extensive_form;
mod external;
mod held;
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
pub use extensive_form::ExtensiveForm;
pub use external::External;
pub use key::Key;
pub use limits::{Size, SolveLimits, Unsolved};
pub use outcome::{Draws, Outcome};
pub use perfect::{Candidate, Solution};
pub use profile::{Profile, Reply};
