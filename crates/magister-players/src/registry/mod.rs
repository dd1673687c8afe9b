//! How players are written and made: names, parameters, and a player of a text.

mod error;
mod parameter;
mod read;
mod settings;
mod spec;
#[cfg(test)]
mod tests;

pub use error::SpecError;
pub use parameter::Parameter;
pub use settings::Settings;
pub use spec::Spec;

use magister_core::Agent;

/// A player that can be made.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What an iteration of it is.
    pub iteration: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it also plays games that hide information.
    pub hidden: bool,
    /// Makes one.
    pub make: fn(&Settings) -> Box<dyn Agent>,
}

/// Players within players, at most.
const NESTING: usize = 8;
