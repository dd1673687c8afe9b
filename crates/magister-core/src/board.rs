//! Boards: cells with values, for drawing, clicking and learning.

use serde::Deserialize;

use crate::Move;

/// The geometry of the cells, as a hint for drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layout {
    /// Squares in rows and columns.
    Grid,
    /// Hexagons; the positions of the cells are their centres.
    Hexagons,
    /// Points joined by lines to their neighbours.
    Graph,
}

/// One cell of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its name in the words of the game, such as `2 3`.
    pub name: String,
    /// Its horizontal position.
    pub x: f32,
    /// Its vertical position, from the top.
    pub y: f32,
    /// Its board, as an index into [`Shape::boards`].
    pub board: u16,
}

/// The constant part of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The cells; everything else refers to them by index.
    pub cells: Vec<Cell>,
    /// The names of the values of a cell; value 0 is the empty cell.
    pub values: Vec<String>,
    /// For each cell, its neighbours in ascending order.
    pub neighbours: Vec<Vec<u32>>,
    /// The geometry of the cells.
    pub layout: Layout,
    /// The titles of the boards; most games have one board without a title.
    pub boards: Vec<String>,
}

impl Shape {
    /// A rectangular board. Cells are numbered row by row from the top left, named `row column`
    /// counted from 1, and are neighbours if they share a side.
    pub fn grid(columns: u32, rows: u32, values: &[&str]) -> Self {
        let mut shape = Shape {
            cells: Vec::new(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
            neighbours: Vec::new(),
            layout: Layout::Grid,
            boards: vec![String::new()],
        };
        for row in 0..rows {
            for column in 0..columns {
                let name = format!("{} {}", row + 1, column + 1);
                shape.cells.push(Cell { name, x: column as f32, y: row as f32, board: 0 });
                let here = row * columns + column;
                let mut next = Vec::new();
                if row > 0 {
                    next.push(here - columns);
                }
                if column > 0 {
                    next.push(here - 1);
                }
                if column + 1 < columns {
                    next.push(here + 1);
                }
                if row + 1 < rows {
                    next.push(here + columns);
                }
                shape.neighbours.push(next);
            }
        }
        shape
    }
}

/// The board of a game.
///
/// It shows a full state, so it is only for code that has one: the referee of a match, or a player
/// that has reconstructed or sampled a state.
pub trait Board: Send + Sync {
    /// The constant part of the board.
    fn shape(&self) -> &Shape;

    /// Writes the value of each cell in a state into `out`, which has one entry per cell. A worker
    /// of the game must have saved the state; for other words the values are meaningless.
    fn cells(&self, state: &[u64], out: &mut [u16]);

    /// The origin and the target cell of a move, for clicks and policies; they are equal for a move
    /// that places something. `None` for a move without a place on the board.
    fn target(&self, choice: Move) -> Option<(u32, u32)>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_neighbours_share_a_side() {
        let shape = Shape::grid(3, 2, &["b", "x"]);
        assert_eq!(shape.cells.len(), 6);
        assert_eq!(shape.cells[5].name, "2 3");
        assert_eq!(shape.neighbours[1], [0, 2, 4]);
        assert_eq!(shape.neighbours[3], [0, 4]);
    }
}
