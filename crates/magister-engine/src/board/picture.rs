//! A state as a picture, as data.

use magister_core::Layout;

/// A picture of a state, for any renderer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The boards.
    pub panels: Vec<Panel>,
    /// Lines of text: the role to move, counters, hands.
    pub lines: Vec<Line>,
    /// All other fluents, in the syntax of the game.
    pub facts: Vec<String>,
    /// Constant fluents that are not drawn.
    pub always: Vec<String>,
    /// Symbols and their meanings, unless they are obvious.
    pub legend: Vec<(String, String)>,
}

/// One board.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The title above it; may be empty.
    pub title: String,
    /// The geometry of the cells.
    pub layout: Layout,
    /// The names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The note at the other end of each column; may be empty.
    pub column_notes: Vec<String>,
    /// The note at the other end of each row, from top to bottom; may be empty.
    pub row_notes: Vec<String>,
    /// Whether the names of the columns are written below the board.
    pub up: bool,
    /// The cells.
    pub spots: Vec<Spot>,
    /// For points: the connected points, as indexes of the cells.
    pub links: Vec<Vec<usize>>,
    /// Walls and signs at the sides of cells.
    pub edges: Vec<Edge>,
    /// The row of the board among others of its kind.
    pub row: usize,
    /// Its column and its row among them, from the left and from the top, if two arguments of the
    /// fluents distinguish the boards.
    pub among: Option<(usize, usize)>,
}

/// A side of a cell, as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Towards the first row of the picture.
    Top,
    /// Towards the last column.
    Right,
    /// Towards the last row.
    Bottom,
    /// Towards the first column.
    Left,
}

impl Side {
    /// The same side, seen from the neighbour.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Side::Top => Side::Bottom,
            Side::Right => Side::Left,
            Side::Bottom => Side::Top,
            Side::Left => Side::Right,
        }
    }
}

/// A wall or a sign at a side of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The cell, as an index.
    pub spot: usize,
    /// The side.
    pub side: Side,
    /// The sign; a wall has none.
    pub sign: Option<char>,
    /// The words of the rules for it.
    pub label: String,
}

/// One cell of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its name in the terms of the game.
    pub name: String,
    /// Its column, from the left.
    pub column: usize,
    /// Its row, from the top.
    pub row: usize,
    /// Its coordinates, from left to right and from top to bottom.
    pub at: (f32, f32),
    /// The values on it.
    pub labels: Vec<String>,
    /// Its symbol.
    pub symbol: String,
}

/// A line of text.
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
        /// The name of the counters.
        name: String,
        /// Keys and values.
        entries: Vec<(String, String)>,
        /// Whether the values are sizes of heaps.
        piles: bool,
    },
    /// A list of things.
    List {
        /// The name of the list.
        name: String,
        /// The things.
        items: Vec<String>,
    },
    /// Things in groups, such as the hand of each role, or stacks.
    Groups {
        /// The name of the groups.
        name: String,
        /// The name of each group, and its things; those of a stack from the bottom.
        groups: Vec<(String, Vec<String>)>,
        /// Whether the things of a group lie on each other.
        stacked: bool,
    },
    /// Things that are switched on or off.
    Flags {
        /// The names of the things, and whether each one is on.
        entries: Vec<(String, bool)>,
    },
}
