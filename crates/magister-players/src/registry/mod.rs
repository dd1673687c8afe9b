//! How players are written and made: names, parameters, and a player of a text.

mod arguments;
mod error;
mod parameter;
mod read;
mod spec;
#[cfg(test)]
mod tests;

pub use arguments::Arguments;
pub use error::SpecError;
pub use parameter::{Parameter, ParameterKind};
pub use spec::Spec;

use magister_core::{Agent, SourceError};

/// A player, or why it could not be made.
pub(crate) type Made = Result<Box<dyn Agent>, SourceError>;

/// A player of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
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
    /// Whether it is shown the true state, which the record then says.
    pub clairvoyant: bool,
    /// Whether it has to look at a game with hidden information before it can play it. That is
    /// done when it is made, before any clock runs.
    pub prepares: bool,
    /// Makes one.
    pub make: fn(&Arguments) -> Result<Box<dyn Agent>, SourceError>,
}

/// Players within players, at most.
const NESTING: usize = 8;
