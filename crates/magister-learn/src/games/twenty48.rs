//! 2048 for learners: a board in one word, with a table for sliding rows.

use std::sync::Arc;

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// The tile 2^15. Larger tiles are represented by it; no target of ours reaches them.
const LARGEST: u16 = 15;

/// The game 2048. A state has a tile, as its exponent, in each group of four bits; cell 0 is the
/// lowest group, the first row is the lowest 16 bits.
#[derive(Clone, Debug)]
pub struct Twenty48 {
    rows: Arc<Rows>,
}

/// The slides of each row of four tiles.
type Rows = [Row; 1 << 16];

/// A row slid to the lowest and to the highest cell, and the gain, which is the same.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    left: u16,
    right: u16,
    gain: f32,
}

fn slide(row: u16) -> (u16, f32) {
    let (mut out, mut count, mut joinable, mut gain) = ([0_u16; 4], 0, false, 0.0);
    for at in 0..4 {
        let tile = row >> (4 * at) & 15;
        if tile == 0 {
            continue;
        }
        if joinable && out[count - 1] == tile {
            out[count - 1] = (tile + 1).min(LARGEST);
            gain += f32::from(1_u16 << tile.min(14)) * if tile == 15 { 4.0 } else { 2.0 };
            joinable = false;
        } else {
            out[count] = tile;
            count += 1;
            joinable = true;
        }
    }
    (out[0] | out[1] << 4 | out[2] << 8 | out[3] << 12, gain)
}

fn reversed(row: u16) -> u16 {
    row >> 12 | (row >> 4 & 0x00f0) | (row << 4 & 0x0f00) | row << 12
}

/// Transposes rows and columns.
pub(crate) fn transposed(board: u64) -> u64 {
    let a = board & 0xf0f0_0f0f_f0f0_0f0f;
    let b = (board & 0x0000_f0f0_0000_f0f0) << 12;
    let c = (board & 0x0f0f_0000_0f0f_0000) >> 12;
    let d = a | b | c;
    (d & 0xff00_ff00_00ff_00ff)
        | (d & 0x00ff_00ff_0000_0000) >> 24
        | (d & 0x0000_0000_ff00_ff00) << 24
}

impl Default for Twenty48 {
    fn default() -> Self {
        let mut rows = vec![Row::default(); 1 << 16];
        for (row, slid) in (0..=u16::MAX).zip(&mut rows) {
            let (left, gain) = slide(row);
            *slid = Row { left, right: reversed(slide(reversed(row)).0), gain };
        }
        match <Box<Rows>>::try_from(rows) {
            Ok(rows) => Twenty48 { rows: rows.into() },
            Err(rows) => unreachable!("{} rows", rows.len()),
        }
    }
}

impl Twenty48 {
    /// The board after a slide, and the gain; `None` if nothing would change.
    pub fn slide(&self, board: u64, direction: u32) -> Option<(u64, f32)> {
        let (after, gain) = self.slides(board)[direction as usize % 4];
        (after != board).then_some((after, gain))
    }

    /// The board after each of the four slides, and its gain. A slide that changes nothing is not
    /// a move.
    #[inline]
    pub fn slides(&self, board: u64) -> [(u64, f32); 4] {
        let (left, right, across) = self.slid(board);
        let (up, down, along) = self.slid(transposed(board));
        [(left, across), (transposed(up), along), (right, across), (transposed(down), along)]
    }

    /// A board with its rows slid to the lowest and to the highest cells, and the gain.
    #[inline]
    fn slid(&self, board: u64) -> (u64, u64, f32) {
        let [a, b, c, d] =
            [0, 16, 32, 48].map(|shift| self.rows[usize::from((board >> shift) as u16)]);
        let joined = |rows: [u16; 4]| {
            let [a, b, c, d] = rows.map(u64::from);
            a | b << 16 | c << 32 | d << 48
        };
        (
            joined([a.left, b.left, c.left, d.left]),
            joined([a.right, b.right, c.right, d.right]),
            (a.gain + b.gain) + (c.gain + d.gain),
        )
    }
}

/// Puts a 2 (with probability 9/10) or a 4 on a random empty cell.
pub fn put(board: u64, rng: &mut Rng) -> u64 {
    let free = empty_cells(board);
    let count = free.count_ones();
    if count == 0 {
        return board;
    }
    // One draw for both the cell and the tile.
    let draw = rng.below(u64::from(count) * 10);
    let (which, four) = (draw / 10, draw.is_multiple_of(10));
    let mut rest = free;
    for _ in 0..which {
        rest &= rest - 1;
    }
    board | (1 + u64::from(four)) << rest.trailing_zeros()
}

/// The lowest bit of each empty cell.
pub(crate) fn empty_cells(board: u64) -> u64 {
    let any = board | board >> 1;
    let any = any | any >> 2;
    !any & 0x1111_1111_1111_1111
}

impl Environment for Twenty48 {
    type State = u64;

    fn players(&self) -> usize {
        1
    }

    fn opposed(&self) -> bool {
        false
    }

    fn start(&mut self, rng: &mut Rng) -> Result<u64, Halt> {
        let first = put(0, rng);
        Ok(put(first, rng))
    }

    fn turn(&self, state: &u64) -> Option<usize> {
        // A tile beside an empty cell can always slide into it.
        if empty_cells(*state) != 0 {
            return Some(0);
        }
        self.slides(*state).iter().any(|(after, _)| after != state).then_some(0)
    }

    fn choices(
        &mut self,
        state: &u64,
        _rng: &mut Rng,
        out: &mut Vec<Choice<u64>>,
    ) -> Result<(), Halt> {
        out.clear();
        for (id, (after, gain)) in (0..).zip(self.slides(*state)) {
            if after != *state {
                out.push(Choice { id, after, gain });
            }
        }
        Ok(())
    }

    /// After a slide, there is always an empty cell for chance.
    fn over(&self, _after: &u64) -> bool {
        false
    }

    fn settle(&mut self, after: &mut u64, rng: &mut Rng) -> Result<(), Halt> {
        *after = put(*after, rng);
        Ok(())
    }

    fn result(&self, _end: &u64, _player: usize) -> f32 {
        0.0
    }

    fn slot(&self, _after: &u64) -> usize {
        0
    }
}

impl Cells for Twenty48 {
    fn layout(&self) -> CellLayout {
        let quarter = (0..16).map(|i| 4 * (i % 4) + 3 - i / 4).collect::<Vec<u16>>();
        let mirror = (0..16).map(|i| 4 * (i / 4) + 3 - i % 4).collect::<Vec<u16>>();
        CellLayout {
            symmetries: crate::tuples::close(&[quarter, mirror]),
            ..CellLayout::grid(4, 4, 16)
        }
    }

    fn write(&self, state: &u64, out: &mut [u8]) {
        for (cell, value) in out.iter_mut().enumerate() {
            *value = (state >> (4 * cell) & 15) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    fn cells(board: u64) -> [u64; 16] {
        std::array::from_fn(|cell| board >> (4 * cell) & 15)
    }

    #[test]
    fn boards_turn_as_squares_do() {
        let mut rng = Seed::from(1).rng();
        for _ in 0..100 {
            let board = rng.next_u64();
            let (before, swapped) = (cells(board), cells(transposed(board)));
            for i in 0..16 {
                assert_eq!(swapped[4 * (i % 4) + i / 4], before[i]);
            }
        }
    }

    #[test]
    fn tiles_join_once_and_towards_the_edge() {
        let game = Twenty48::default();
        // 2 2 2 2 becomes 4 4, and 2 2 4 0 becomes 4 4.
        assert_eq!(game.slide(0x1111, 0), Some((0x0022, 8.0)));
        assert_eq!(game.slide(0x1111, 2), Some((0x2200, 8.0)));
        assert_eq!(game.slide(0x0211, 0), Some((0x0022, 4.0)));
        assert_eq!(game.slide(0x0012, 0), None);
        assert_eq!(game.slide(0x0001_0001, 1), Some((0x0002, 4.0)));
        assert_eq!(game.slide(0x0001_0001, 3), Some((0x0002_0000_0000_0000, 4.0)));
    }
}
