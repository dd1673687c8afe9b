//! How players are written and created: names, parameters, and players from text.

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

/// A player, or why it could not be created.
pub(crate) type Made = Result<Box<dyn Agent>, SourceError>;

/// A player of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// Its name.
    pub name: &'static str,
    /// One sentence on what it does.
    pub about: &'static str,
    /// The meaning of one iteration.
    pub iteration: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it also plays games with hidden information.
    pub hidden: bool,
    /// Whether it sees the true state. The record reports this.
    pub clairvoyant: bool,
    /// Its constructor.
    pub make: fn(&Arguments) -> Result<Box<dyn Agent>, SourceError>,
}

/// The maximum nesting depth of players.
const NESTING: usize = 8;
