//! Overrides for drawing a game's positions, in addition to board recognition.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Layout;

/// The contents of `style.toml`. Everything is optional; anything that is not given is recognised
/// automatically.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Style {
    /// The boards, in the order in which they are drawn.
    #[serde(default, rename = "board")]
    pub boards: Vec<BoardStyle>,
    /// Symbols of values, such as `blank = "."`.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Display names of fluents that are written as text, by fluent name.
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
    /// The names of the fluents on it. Arguments are counted from 1 and refer to the first fluent;
    /// those of the other fluents are recognised automatically.
    pub fluents: Vec<String>,
    /// The title above it.
    #[serde(default)]
    pub title: Option<String>,
    /// The geometry of the cells.
    #[serde(default)]
    pub layout: Option<Layout>,
    /// The argument for the column.
    #[serde(default)]
    pub column: Option<usize>,
    /// The argument for the row.
    #[serde(default)]
    pub row: Option<usize>,
    /// The arguments that distinguish several boards.
    #[serde(default)]
    pub split: Vec<usize>,
    /// Where the first row is.
    #[serde(default)]
    pub first_row: Option<End>,
    /// Coordinates of points by their names, from left to right and from top to bottom. A point with
    /// two arguments is named by both, in their order, as in `"outer 3"`.
    #[serde(default)]
    pub places: BTreeMap<String, (f32, f32)>,
    /// Names of constant relations that are drawn too, such as walls.
    #[serde(default)]
    pub fixed: Vec<String>,
    /// Names of constant relations that connect the points of a graph, or cells by their
    /// coordinates. They are drawn as lines. If no list is given, they are recognised for points;
    /// if the list is empty, there are none.
    #[serde(default)]
    pub lines: Option<Vec<String>>,
    /// Further lines between points, by their names.
    #[serde(default)]
    pub links: Vec<(String, String)>,
}

/// One end of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// At the top, as in a table.
    Top,
    /// At the bottom, as in a diagram.
    Bottom,
}
