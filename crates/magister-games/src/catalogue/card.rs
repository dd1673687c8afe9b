//! The contents of `game.toml`.

use serde::Deserialize;

/// The contents of a game's `game.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The usual name.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The rules in the words of a person.
    pub rules: String,
    /// The kinds of the game; see [`TAGS`](super::TAGS).
    pub tags: Vec<String>,
    /// The inventor, if known.
    #[serde(default)]
    pub author: Option<String>,
    /// Alternative names for searches.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The clues of a puzzle that are not drawn on its board.
    #[serde(default)]
    pub clues: String,
    /// Facts that can be verified by counting.
    #[serde(default)]
    pub facts: Facts,
}

/// Facts about a game. Every fact that is given is tested.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The number of move sequences of length 1, 2, 3 and so on; a terminal position ends a
    /// sequence.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// The number of reachable positions, including the first and the terminal ones.
    #[serde(default)]
    pub positions: Option<u64>,
    /// The mean length of random matches.
    #[serde(default)]
    pub length: Option<f64>,
    /// The reward of each role under optimal play, in role order.
    #[serde(default)]
    pub value: Option<Vec<f64>>,
}

impl Facts {
    /// Whether no facts are given.
    pub fn is_empty(&self) -> bool {
        *self == Facts::default()
    }
}
