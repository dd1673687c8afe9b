//! The data of pictures: shapes, cells, facts.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::pieces::Piece;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Its name in the terms of the game.
    pub name: String,
    /// Its horizontal position, to the right.
    pub x: f32,
    /// Its vertical position, downwards.
    pub y: f32,
    /// Its board.
    pub board: usize,
}

/// One board: the names beside its rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardNames {
    /// The title above it; may be empty.
    pub title: String,
    /// `grid`, `hexagons` or `graph`.
    pub layout: &'static str,
    /// The names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The notes at the other end of the columns, such as the clues of a nonogram.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub column_notes: Vec<String>,
    /// The notes at the other end of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub row_notes: Vec<String>,
    /// The row of the board among others of its kind.
    pub row: usize,
    /// Its column and its row among them, if the boards are arranged in rows and columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub among: Option<(usize, usize)>,
}

/// The constant part of all positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// The geometry of the first board.
    pub layout: &'static str,
    /// The titles of the boards.
    pub boards: Vec<String>,
    /// More about the boards.
    pub panels: Vec<BoardNames>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The names of the values; value 0 is the empty cell.
    pub values: Vec<String>,
    /// Short symbols of the values, by name.
    pub symbols: BTreeMap<String, String>,
    /// How values are drawn, by name.
    pub pieces: BTreeMap<String, Piece>,
    /// For each cell, its neighbours.
    pub neighbours: Vec<Vec<usize>>,
    /// The lines between the points of a graph.
    pub lines: Vec<[usize; 2]>,
    /// Cells whose value never changes, such as walls.
    pub fixed: Vec<usize>,
    /// Walls and signs between cells.
    pub edges: Vec<Edge>,
}

/// A wall or a sign at a side of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edge {
    /// The cell.
    pub cell: usize,
    /// `top`, `right`, `bottom` or `left`.
    pub side: &'static str,
    /// The sign; a wall has none.
    pub sign: Option<char>,
    /// The words of the rules for it.
    pub label: String,
}

/// A part of the state that is not on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// Its name; empty if it is a whole fact.
    pub name: String,
    /// Its value as text.
    pub text: String,
    /// Name and value as text for people.
    pub label: String,
    /// `word`, `counters`, `piles`, `list`, `groups`, `stacks`, `flags`, `owner` or `fact`.
    pub kind: &'static str,
    /// The role that owns these things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<usize>,
    /// Keys and values of counters and piles, `on` or `off` for flags, and the values that an owner
    /// of cards has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<(String, String)>,
    /// The things of a list, such as the cards of a hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Things in groups: the hands of roles, stacks from the bottom, the piles of an owner of cards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// Some things that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The visible things.
    pub items: Vec<Item>,
    /// The number of hidden things, such as cards that lie face down or below others.
    pub hidden: usize,
}

impl Group {
    /// The group as text.
    pub(crate) fn text(&self) -> String {
        let things: Vec<&str> = self.items.iter().map(|item| item.text.as_str()).collect();
        let more = match (self.hidden, things.is_empty()) {
            (0, _) => String::new(),
            (1, true) => " 1 card".to_owned(),
            (count, true) => format!(" {count} cards"),
            (count, false) => format!(" and {count} more"),
        };
        format!("{} {}{more}", self.name, things.join(" ")).replace("  ", " ")
    }
}

/// A thing in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// Its name.
    pub text: String,
    /// How it is drawn.
    pub piece: Piece,
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// The value of each cell.
    pub cells: Vec<u16>,
    /// All other facts.
    pub facts: Vec<Fact>,
}
