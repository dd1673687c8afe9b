//! The symmetries of a compiled game, found from its board and proven on its network.

use std::collections::BTreeMap;

use magister_core::{Game, Information, Shape, Stop, Symmetry};
use rustc_hash::FxHashMap;

use crate::network::FluentId;

use super::{Compiled, FluentBoard};

/// The motions of a square, as the coefficients of `x` and `y` in the new coordinates: reflections
/// first, because they generate the turns.
const MOTIONS: [[i32; 4]; 7] = [
    [-1, 0, 0, 1],
    [1, 0, 0, -1],
    [0, 1, 1, 0],
    [0, -1, -1, 0],
    [-1, 0, 0, -1],
    [0, -1, 1, 0],
    [0, 1, -1, 0],
];

impl Compiled {
    /// The reflections and turns of the board that are symmetries of the game and fix all fluents
    /// that are not on the board, without the identity.
    pub(super) fn find_symmetries(&self, game: &dyn Game) -> Vec<Symmetry> {
        let Some(board) = self.board(game) else { return Vec::new() };
        if self.info.information != Information::Perfect {
            return Vec::new();
        }
        let mut group: Vec<Symmetry> = Vec::new();
        for motion in MOTIONS {
            let Some(cells) = moved(board.shape(), motion) else { continue };
            let identity = (0..).eq(cells.iter().copied());
            if identity || group.iter().any(|known| known.cells == cells) {
                continue;
            }
            if let Some(symmetry) = self.proven(board, cells) {
                let mut generators = group;
                generators.push(symmetry);
                group = Symmetry::close(&generators);
            }
        }
        group
    }

    /// The symmetry that permutes the cells like this, if it can be proven.
    fn proven(&self, board: &dyn FluentBoard, cells: Vec<u32>) -> Option<Symmetry> {
        let network = &self.network;
        let mut at: FxHashMap<(u32, u16), usize> = FxHashMap::default();
        for fluent in 0..network.fluents() {
            if let Some(place) = board.place(fluent)
                && at.insert(place, fluent).is_some()
            {
                return None;
            }
        }
        let image = |fluent: usize| match board.place(fluent) {
            Some((cell, value)) => at.get(&(cells[cell as usize], value)).copied(),
            None => Some(fluent),
        };
        let fluents: Option<Vec<FluentId>> =
            (0..network.fluents()).map(|fluent| image(fluent).map(FluentId::new)).collect();
        let target = |choice| board.target(choice);
        let related = |one, other| match (target(one), target(other)) {
            (Some((from, to)), Some(image)) => (cells[from as usize], cells[to as usize]) == image,
            (None, None) => true,
            _ => false,
        };
        let found = network.symmetry(fluents?, &related, &Stop::never())?;
        let roles = self.info.roles.len() as u8;
        let values = board.shape().values.len() as u16;
        let mut moves: Vec<Option<u32>> = vec![None; self.names.moves().len()];
        for (place, to) in network.moves.iter().zip(&found.moves) {
            let image = network.moves[to.index()].1.0;
            // A move of several roles has one image.
            if moves[place.1.index()].replace(image).is_some_and(|other| other != image) {
                return None;
            }
        }
        let moves = moves.into_iter().zip(0..).map(|(image, own)| image.unwrap_or(own)).collect();
        let symmetry = Symmetry { cells, moves, ..Symmetry::identity(0, values, 0, roles) };
        let counts = (board.shape().cells.len(), self.names.moves().len());
        symmetry.is_permutation(counts.0, values.into(), counts.1, roles.into()).then_some(symmetry)
    }
}

/// The cell that each cell of a board is moved to; `None` if a cell would leave its board.
fn moved(shape: &Shape, motion: [i32; 4]) -> Option<Vec<u32>> {
    // Positions are multiples of a small fraction; twice the distance from the middle is a sum.
    let scaled = |position: f32| (position * 1024.0).round() as i32;
    let place = |cell: &magister_core::Cell| (cell.board, scaled(cell.x), scaled(cell.y));
    let mut ends: BTreeMap<u16, [i32; 4]> = BTreeMap::new();
    for (board, x, y) in shape.cells.iter().map(place) {
        let end = ends.entry(board).or_insert([x, x, y, y]);
        *end = [end[0].min(x), end[1].max(x), end[2].min(y), end[3].max(y)];
    }
    let at: FxHashMap<(u16, i32, i32), u32> = shape.cells.iter().map(place).zip(0..).collect();
    let image = |cell| {
        let (board, x, y) = place(cell);
        let [left, right, top, bottom] = ends[&board];
        let [across, down] = [2 * x - left - right, 2 * y - top - bottom];
        let turned = |by: &[i32]| by[0] * across + by[1] * down;
        let (x, y) = (turned(&motion[..2]) + left + right, turned(&motion[2..]) + top + bottom);
        at.get(&(board, x.div_euclid(2), y.div_euclid(2))).copied()
    };
    let cells: Vec<u32> = shape.cells.iter().map(image).collect::<Option<_>>()?;
    let mut sorted = cells.clone();
    sorted.sort_unstable();
    (0..cells.len() as u32).eq(sorted).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_of_boards() {
        let wide = Shape::grid(3, 2, &["b"]);
        assert_eq!(moved(&wide, MOTIONS[0]), Some(vec![2, 1, 0, 5, 4, 3]));
        assert_eq!(moved(&wide, MOTIONS[1]), Some(vec![3, 4, 5, 0, 1, 2]));
        assert_eq!(moved(&wide, MOTIONS[2]), None);
        let square = Shape::grid(2, 2, &["b"]);
        assert_eq!(moved(&square, MOTIONS[2]), Some(vec![0, 2, 1, 3]));
        assert_eq!(moved(&square, MOTIONS[5]), Some(vec![1, 3, 0, 2]));
    }
}
