//! What `game.toml` says.

use serde::Deserialize;

/// What `game.toml` says about a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The name people use.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The rules as a person would explain them.
    pub rules: String,
    /// What kind of game it is; see [`TAGS`](super::TAGS).
    pub tags: Vec<String>,
    /// Who invented it, if that is known.
    #[serde(default)]
    pub author: Option<String>,
    /// Other names by which it is found.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What is given in a puzzle and not drawn on its board.
    #[serde(default)]
    pub clues: String,
    /// What is known about it and can be counted again.
    #[serde(default)]
    pub facts: Facts,
}

/// What is known about a game. Everything that is given is true and tested.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The number of move sequences of length 1, 2, 3 and so on; a terminal position ends a
    /// sequence.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// The number of positions that can be reached, the first and the terminal ones included.
    #[serde(default)]
    pub positions: Option<u64>,
    /// The mean length of random matches.
    #[serde(default)]
    pub length: Option<f64>,
    /// What each role gets if all play as well as possible, in the order of the roles.
    #[serde(default)]
    pub value: Option<Vec<f64>>,
}

impl Facts {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Facts::default()
    }
}
