//! A state as a picture: what a person would lay on the table.

use magister_core::Layout;

/// A picture of a state, for whoever draws it: as text, or as anything else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The boards.
    pub panels: Vec<Panel>,
    /// What is said in words: whose turn it is, counters, hands.
    pub lines: Vec<Line>,
    /// All other fluents, as the game writes them.
    pub facts: Vec<String>,
    /// Fluents that never change and are not drawn.
    pub always: Vec<String>,
    /// Symbols and what they stand for, where that is not plain.
    pub legend: Vec<(String, String)>,
}

/// One board.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What to write above it; empty if nothing.
    pub title: String,
    /// How the cells lie.
    pub layout: Layout,
    /// The names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// Whether the names of the columns belong below.
    pub up: bool,
    /// The cells.
    pub spots: Vec<Spot>,
    /// For points: those that each is connected with, as positions among the cells.
    pub links: Vec<Vec<usize>>,
    /// Where the board lies among others of its kind.
    pub row: usize,
}

/// One cell of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its name in the words of the game.
    pub name: String,
    /// Its column, from the left.
    pub column: usize,
    /// Its row, from the top.
    pub row: usize,
    /// Where it lies, from left to right and from top to bottom.
    pub at: (f32, f32),
    /// The values that lie there.
    pub labels: Vec<String>,
    /// What to draw for them.
    pub symbol: String,
}

/// Something that is said in words.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A name and its value.
    Word {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
    /// A value for each of several keys.
    Counters {
        /// What is counted.
        name: String,
        /// Keys and values.
        entries: Vec<(String, String)>,
        /// Whether the values are numbers of things that lie in heaps.
        piles: bool,
    },
    /// Things that are there.
    List {
        /// What they are.
        name: String,
        /// The things.
        items: Vec<String>,
    },
}
