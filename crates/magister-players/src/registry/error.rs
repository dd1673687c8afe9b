//! What can be wrong with the text of a player.

use std::fmt;

use super::{Entry, NESTING, Parameter};

/// Why a text is no player.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no player of this name.
    Player(String),
    /// A setting has no value.
    Setting(String),
    /// The player has no parameter of this name.
    Parameter {
        /// The player.
        entry: &'static Entry,
        /// The name.
        name: String,
    },
    /// Players stand inside of players, too deep.
    Nesting,
    /// A parameter can not have this value.
    Value {
        /// The parameter.
        parameter: &'static Parameter,
        /// The value.
        value: String,
    },
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Player(name) => {
                let names = crate::PLAYERS.iter().chain([&crate::HUMAN]).map(|entry| entry.name);
                let names: Vec<&str> = names.collect();
                write!(f, "there is no player `{name}`; there are {}", names.join(", "))
            }
            SpecError::Setting(setting) => {
                write!(f, "`{setting}` is no setting; write it as name=value")
            }
            SpecError::Parameter { entry, name } => {
                let names: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
                if names.is_empty() {
                    return write!(f, "the player `{}` has no parameters", entry.name);
                }
                let names = names.join(", ");
                write!(f, "the player `{}` has no parameter `{name}`; it has {names}", entry.name)
            }
            SpecError::Nesting => {
                write!(f, "players may stand inside of players {NESTING} deep, not deeper")
            }
            SpecError::Value { parameter, value } if parameter.player.is_some() => {
                write!(
                    f,
                    "`{}` is a player that is no person, and in a council no council, not `{value}`",
                    parameter.name
                )
            }
            SpecError::Value { parameter, value } if !parameter.names.is_empty() => {
                let names = parameter.names.join(", ");
                write!(f, "`{}` is one of {names}, not `{value}`", parameter.name)
            }
            SpecError::Value { parameter, value } => {
                let (low, high) = parameter.range;
                let kind = if parameter.whole { "a whole number" } else { "a number" };
                write!(f, "`{}` is {kind} from {low} to {high}, not `{value}`", parameter.name)
            }
        }
    }
}

impl std::error::Error for SpecError {}
