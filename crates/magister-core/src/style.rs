//! How the positions of a game are drawn, where that is not left to the recognition of boards.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Layout;

/// What `style.toml` says about a game. Everything is optional: what is not said is recognised.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Style {
    /// The boards, in the order in which they are drawn.
    #[serde(default, rename = "board")]
    pub boards: Vec<BoardStyle>,
    /// Symbols of values, by the value, such as `blank = "."`.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// What to call fluents that are told in words, by their name.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Names of fluents that are not shown.
    #[serde(default)]
    pub hide: Vec<String>,
}

/// How one board is drawn.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoardStyle {
    /// The names of the fluents that lie on it. Arguments are counted from 1, and are those of
    /// the first fluent; others are recognised.
    pub fluents: Vec<String>,
    /// What to write above it.
    #[serde(default)]
    pub title: Option<String>,
    /// How the cells lie.
    #[serde(default)]
    pub layout: Option<Layout>,
    /// The argument that tells the column.
    #[serde(default)]
    pub column: Option<usize>,
    /// The argument that tells the row.
    #[serde(default)]
    pub row: Option<usize>,
    /// The arguments that tell several boards apart.
    #[serde(default)]
    pub split: Vec<usize>,
    /// Where the first row is.
    #[serde(default)]
    pub first_row: Option<End>,
    /// Where positions lie that are no rows and columns: from left to right, from top to bottom.
    #[serde(default)]
    pub places: BTreeMap<String, (f32, f32)>,
    /// Names of relations that never change and are drawn too, such as walls.
    #[serde(default)]
    pub fixed: Vec<String>,
    /// Names of relations that never change and join the points of a graph, or cells by their
    /// coordinates: drawn as lines between them. Found for points if not given; none if empty.
    #[serde(default)]
    pub lines: Option<Vec<String>>,
}

/// One end of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// As in a table.
    Top,
    /// As in a diagram.
    Bottom,
}
