//! Connect Four for learners.

use magister_core::{Halt, Rng};

use crate::connect_four::board::{Position, four};
use crate::connect_four::{CELLS, COLUMNS, ROWS};
use crate::environment::{CellLayout, Cells, Choice, Environment};

/// Connect Four. A cell is empty and not yet playable (0), occupied by the first (1) or the second
/// player (2), or the next playable cell of its column (3). Cells are numbered column by column
/// from the bottom.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectFour;

/// A position, or a terminal state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Discs {
    /// The position, from the point of view of the player to move.
    pub position: Position,
    /// Whether the player who has just moved has four in a line.
    pub won: bool,
}

impl Discs {
    /// The state of these discs of the first and the second player.
    pub fn new(first: u64, second: u64) -> Self {
        let all = first | second;
        let even = first.count_ones() == second.count_ones();
        let (own, other) = if even { (first, second) } else { (second, first) };
        Discs { position: Position { own, all }, won: four(other) }
    }

    fn mover(&self) -> usize {
        self.position.plies() as usize % 2
    }
}

impl Environment for ConnectFour {
    type State = Discs;

    fn players(&self) -> usize {
        2
    }

    fn opposed(&self) -> bool {
        true
    }

    fn start(&mut self, _rng: &mut Rng) -> Result<Discs, Halt> {
        Ok(Discs::default())
    }

    fn turn(&self, state: &Discs) -> Option<usize> {
        (!self.over(state)).then(|| state.mover())
    }

    fn choices(
        &mut self,
        state: &Discs,
        _rng: &mut Rng,
        out: &mut Vec<Choice<Discs>>,
    ) -> Result<(), Halt> {
        out.clear();
        let position = &state.position;
        for id in (0..COLUMNS).filter(|&column| position.can_play(column)) {
            let after = Discs { position: position.play(id), won: position.wins(id) };
            out.push(Choice { id, after, gain: 0.0 });
        }
        Ok(())
    }

    fn over(&self, after: &Discs) -> bool {
        after.won || after.position.is_full()
    }

    fn settle(&mut self, _after: &mut Discs, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, end: &Discs, player: usize) -> f32 {
        let sign = if end.mover() == player { -1.0 } else { 1.0 };
        if end.won { sign } else { 0.0 }
    }

    fn slot(&self, after: &Discs) -> usize {
        after.mover()
    }
}

impl Cells for ConnectFour {
    fn layout(&self) -> CellLayout {
        // Transposed: the columns of the game are the rows of the grid.
        let grid = CellLayout::grid(ROWS as u16, COLUMNS as u16, 4);
        let (rows, columns) = (ROWS as u16, COLUMNS as u16);
        let mirror = (0..CELLS as u16).map(|cell| (columns - 1 - cell / rows) * rows + cell % rows);
        CellLayout { symmetries: vec![mirror.collect()], ..grid }
    }

    fn changes(
        &self,
        cells: &[u8],
        choice: &Choice<Discs>,
        _after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        let (rows, first) = (ROWS as usize, choice.id as usize * ROWS as usize);
        out.clear();
        // The disc occupies the next cell of its column, and the cell above becomes the next.
        if let Some(row) = cells[first..first + rows].iter().position(|&cell| cell == 3) {
            out.push(((first + row) as u16, 2 - choice.after.mover() as u8));
            if row + 1 < rows {
                out.push(((first + row + 1) as u16, 3));
            }
        }
    }

    fn write(&self, state: &Discs, out: &mut [u8]) {
        let [own, other] = state.position.discs();
        let (first, second) = if state.mover() == 0 { (own, other) } else { (other, own) };
        let next = state.position.playable();
        for (column, cells) in (0..).zip(out.chunks_mut(ROWS as usize)) {
            let shift = column * (ROWS + 1);
            let (one, two, free) = (first >> shift, second >> shift, next >> shift);
            for (row, cell) in cells.iter_mut().enumerate() {
                let bit = |discs: u64| (discs >> row & 1) as u8;
                *cell = bit(one) + 2 * bit(two) + 3 * bit(free);
            }
        }
    }
}
