//! Why a game was not opened, and what to do next.

use std::fmt;
use std::io;

use magister_engine::Evaluator;

use crate::Findings;

/// Why a game was not opened. The message says what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no file and no bundled game with this name.
    Unknown {
        /// The requested name.
        name: String,
        /// Files with an additional extension, and bundled games with similar names.
        similar: Vec<String>,
    },
    /// The bundled game has no such version.
    UnknownVersion {
        /// The requested name.
        name: String,
        /// The versions it has.
        versions: Vec<String>,
    },
    /// No game with this name is written in Rust.
    NotInRust {
        /// The requested name.
        name: String,
        /// A similar name, or all names.
        similar: Vec<&'static str>,
    },
    /// The path is a folder.
    Folder {
        /// The path.
        name: String,
    },
    /// A file could not be read.
    Io {
        /// The failed operation.
        what: String,
        /// The system's error.
        error: io::Error,
    },
    /// The `style.toml` next to the rules is invalid.
    Style {
        /// Its path.
        path: String,
        /// The defect.
        what: String,
    },
    /// The game is written in Rust and has no rulesheet.
    NoRulesheet {
        /// The game.
        name: String,
    },
    /// The game has no subgame with this number.
    NoSubgame {
        /// The requested name.
        name: String,
        /// The reason.
        what: String,
    },
    /// The game is not written in GDL, so no evaluator can be chosen.
    NoEvaluator {
        /// The game.
        name: String,
        /// The requested evaluator.
        evaluator: Evaluator,
    },
    /// The rules have errors.
    Rules(Box<Findings>),
    /// The rules can be read, but no match can start.
    NotPlayable {
        /// The game.
        name: String,
        /// The reason.
        error: magister_engine::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unknown { name, similar } if similar.is_empty() => write!(
                f,
                "no file or bundled game is called {name}; `magister games` lists the games"
            ),
            Error::Unknown { name, similar } => write!(
                f,
                "no file or bundled game is called {name}; did you mean {}?",
                similar.join(" or ")
            ),
            Error::UnknownVersion { name, versions } => {
                write!(f, "there is no {name}; there is {}", versions.join(", "))
            }
            Error::NotInRust { name, similar } => match &similar[..] {
                [near] => {
                    write!(f, "no game called {name} is written in Rust; did you mean {near}?")
                }
                all => write!(
                    f,
                    "no game called {name} is written in Rust; these are: {}",
                    all.join(", ")
                ),
            },
            Error::Folder { name } => {
                write!(f, "{name} is a folder; give the files in it, as in {name}/*.kif")
            }
            Error::Io { what, .. } => f.write_str(what),
            Error::Style { path, what } => write!(f, "{path}: {what}"),
            Error::NoRulesheet { name } => {
                write!(f, "{name} is written in Rust and has no rulesheet")
            }
            Error::NoSubgame { name, what } => write!(f, "there is no {name}: {what}"),
            Error::NoEvaluator { name, evaluator } => write!(
                f,
                "{name} is not written in GDL and needs no evaluator; leave out --evaluator {evaluator}"
            ),
            Error::Rules(findings) => {
                let name = &findings.input().name;
                write!(f, "{name} cannot be played because it has errors")?;
                match findings.first_error() {
                    Some(line) => write!(f, ", such as {line}; `magister check` shows them all"),
                    None => Ok(()),
                }
            }
            Error::NotPlayable { name, error } => {
                write!(f, "{name} cannot be played: {error}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
