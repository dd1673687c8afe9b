//! Errors in the text of a player.

use std::fmt;

use super::{NESTING, Parameter, ParameterKind, Registered};

/// Longer names are not misspellings.
const LONGEST: usize = 64;
/// The maximum number of suggestions.
const NEAR: usize = 3;

/// Why a text does not name a player.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SpecError {
    /// There is no player of this name.
    Player(String),
    /// A bracket is not closed, or closed without being opened.
    Bracket {
        /// The text.
        text: String,
        /// Whether a closing bracket is missing.
        open: bool,
    },
    /// A setting was given twice.
    Twice {
        /// The player.
        player: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A setting has no value.
    Setting(String),
    /// The player has no parameter of this name.
    Parameter {
        /// The player.
        entry: &'static Registered,
        /// The name.
        name: String,
    },
    /// Players are nested too deeply.
    Nesting,
    /// A parameter cannot have this value.
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
                let all = crate::PLAYERS.iter().chain(crate::LEARNED).chain([&crate::HUMAN]);
                let names = all.chain(&crate::levels::PLAYERS).map(|entry| entry.name);
                let names: Vec<&str> = names.collect();
                write!(f, "there is no player `{name}`; ")?;
                let near = nearest(name, &names);
                if near.is_empty() {
                    write!(f, "`magister players` lists the players")
                } else {
                    write!(f, "did you mean {}?", near.join(" or "))
                }
            }
            SpecError::Bracket { text, open: true } => {
                write!(f, "in `{text}` a bracket is not closed; put a `]` after the inner player")
            }
            SpecError::Bracket { text, open: false } => {
                write!(
                    f,
                    "in `{text}` a closing bracket has no opening bracket; put a `[` before the inner player"
                )
            }
            SpecError::Twice { player, name } => {
                write!(
                    f,
                    "`{name}` of the player `{player}` is set twice; leave out one of the two"
                )
            }
            SpecError::Setting(setting) => {
                write!(f, "`{setting}` is not a setting; write it as name=value")
            }
            SpecError::Parameter { entry, name } => {
                let names: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
                if names.is_empty() {
                    return write!(f, "the player `{}` has no parameters", entry.name);
                }
                let names = names.join(", ");
                write!(f, "the player `{}` has no parameter `{name}`; it has {names}", entry.name)?;
                if name == "inner" && entry.name == "expectimax" {
                    // Who knows the method by this name looks for the other player here.
                    write!(f, "; expectimax around another player is plies:inner=[PLAYER]")?;
                }
                Ok(())
            }
            SpecError::Nesting => {
                write!(f, "players can be nested at most {NESTING} deep")
            }
            SpecError::Value { parameter, value } => {
                write!(f, "`{}` is ", parameter.name)?;
                match parameter.kind {
                    ParameterKind::Number { range: (low, high), .. } => {
                        write!(f, "a number from {low} to {high}")?;
                    }
                    ParameterKind::Whole { range: (low, high), .. } => {
                        write!(f, "a whole number from {low} to {high}")?;
                    }
                    ParameterKind::Choice { names } => write!(f, "one of {}", names.join(", "))?,
                    ParameterKind::Text { .. } => write!(f, "a text")?,
                    ParameterKind::File { .. } => write!(f, "the path of a file")?,
                    ParameterKind::Player { .. } => {
                        write!(
                            f,
                            "a player, but not a person, and within a council not another council"
                        )?;
                    }
                }
                write!(f, ", not `{value}`")
            }
        }
    }
}

impl std::error::Error for SpecError {}

/// Names within an edit or two, nearest first.
fn nearest<'a>(wrong: &str, names: &[&'a str]) -> Vec<&'a str> {
    let length = wrong.chars().count();
    if !(2..=LONGEST).contains(&length) {
        return Vec::new();
    }
    let wrong = wrong.to_lowercase();
    let allowed = (length / 3).max(1);
    // A truncated name is a more likely mistake than a wrong letter.
    let slips = |name: &&'a str| {
        (strsim::damerau_levenshtein(&wrong, name), !name.starts_with(&wrong), *name)
    };
    let mut near: Vec<(usize, bool, &str)> =
        names.iter().map(slips).filter(|&(slips, ..)| slips <= allowed).collect();
    near.sort_unstable();
    near.into_iter().map(|(.., name)| name).take(NEAR).collect()
}
