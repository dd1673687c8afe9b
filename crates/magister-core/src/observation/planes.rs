//! A board as planes of bits.

use super::{Element, Tensor};
use crate::{Layout, Shape};

/// The index of the bit for "this cell has this value" in the tensor of a board.
///
/// A board with rows and columns has the shape `[values, rows, columns]`, and
/// `[boards, values, rows, columns]` if there are several boards. Places without a cell stay zero.
/// Any other board, and one that would be mostly empty, has the shape `[cells, values]`.
#[derive(Clone, Debug)]
pub struct Planes {
    shape: Vec<usize>,
    /// The index of value 0 of each cell.
    cells: Vec<usize>,
    /// The distance between two consecutive values of a cell.
    stride: usize,
}

/// The maximum ratio of grid positions to cells.
const SPARSE: usize = 4;

impl Planes {
    /// The planes of a board.
    pub fn new(shape: &Shape) -> Self {
        in_rows_and_columns(shape).unwrap_or_else(|| {
            let (cells, values) = (shape.cells.len(), shape.values.len());
            Planes {
                shape: vec![cells, values],
                cells: (0..cells).map(|cell| cell * values).collect(),
                stride: 1,
            }
        })
    }

    /// The specification of the tensor.
    pub fn tensor(&self) -> Tensor {
        Tensor::new("board", Element::Bit, &self.shape)
    }

    /// The number of elements.
    pub(crate) fn tensor_len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The index of a value of a cell; the board must have both.
    pub fn place(&self, cell: usize, value: usize) -> usize {
        self.cells[cell] + value * self.stride
    }
}

/// Whole numbers from zero.
fn whole(number: f32) -> Option<usize> {
    let fits = (0.0..65536.0).contains(&number) && number.fract() == 0.0;
    fits.then_some(number as usize)
}

fn in_rows_and_columns(shape: &Shape) -> Option<Planes> {
    if shape.layout == Layout::Graph || shape.cells.is_empty() {
        return None;
    }
    let mut places = Vec::with_capacity(shape.cells.len());
    for cell in &shape.cells {
        places.push((usize::from(cell.board), whole(cell.y)?, whole(cell.x)?));
    }
    let boards = places.iter().map(|place| place.0).max()? + 1;
    let rows = places.iter().map(|place| place.1).max()? + 1;
    let columns = places.iter().map(|place| place.2).max()? + 1;
    if boards * rows * columns > SPARSE * shape.cells.len() {
        return None;
    }
    let mut sorted = places.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < places.len() {
        return None;
    }
    let (plane, values) = (rows * columns, shape.values.len());
    let place = |&(board, row, column): &(usize, usize, usize)| {
        board * values * plane + row * columns + column
    };
    let several = (boards > 1).then_some(boards);
    Some(Planes {
        shape: several.into_iter().chain([values, rows, columns]).collect(),
        cells: places.iter().map(place).collect(),
        stride: plane,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_a_plane_for_each_value() {
        let planes = Planes::new(&Shape::grid(3, 2, &["b", "x", "o"]));
        assert_eq!(planes.tensor().shape, [3, 2, 3]);
        // Row 1, column 2 of the plane of `o`.
        assert_eq!(planes.place(5, 2), 2 * 6 + 5);
    }

    #[test]
    fn several_boards_are_an_axis_of_their_own() {
        let mut shape = Shape::grid(2, 2, &["b", "x"]);
        let second: Vec<_> =
            shape.cells.iter().map(|cell| crate::Cell { board: 1, ..cell.clone() }).collect();
        shape.cells.extend(second);
        let planes = Planes::new(&shape);
        assert_eq!(planes.tensor().shape, [2, 2, 2, 2]);
        assert_eq!(planes.place(7, 1), 15);
    }

    #[test]
    fn boards_without_rows_are_lists_of_cells() {
        let grid = Shape::grid(3, 2, &["b", "x"]);
        let graph = Shape { layout: Layout::Graph, ..grid.clone() };
        assert_eq!(Planes::new(&graph).tensor().shape, [6, 2]);
        assert_eq!(Planes::new(&graph).place(5, 1), 11);
        let mut apart = grid.clone();
        apart.cells[5].x = 40.0;
        assert_eq!(Planes::new(&apart).tensor().shape, [6, 2]);
        let mut between = grid.clone();
        between.cells[5].x = 0.5;
        assert_eq!(Planes::new(&between).tensor().shape, [6, 2]);
        let mut twice = grid;
        twice.cells[5].x = 1.0;
        assert_eq!(Planes::new(&twice).tensor().shape, [6, 2]);
    }
}
