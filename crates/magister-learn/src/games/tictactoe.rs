//! Tic-Tac-Toe for learners.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Tic-Tac-Toe. A state consists of the cells of x and those of o.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicTacToe;

fn won(marks: u16) -> bool {
    LINES.iter().any(|line| marks & line == *line)
}

fn turn([x, o]: [u16; 2]) -> usize {
    usize::from(x.count_ones() > o.count_ones())
}

impl Environment for TicTacToe {
    type State = [u16; 2];

    fn players(&self) -> usize {
        2
    }

    fn opposed(&self) -> bool {
        true
    }

    fn start(&mut self, _rng: &mut Rng) -> Result<[u16; 2], Halt> {
        Ok([0, 0])
    }

    fn turn(&self, state: &[u16; 2]) -> Option<usize> {
        (!self.over(state)).then(|| turn(*state))
    }

    fn choices(
        &mut self,
        state: &[u16; 2],
        _rng: &mut Rng,
        out: &mut Vec<Choice<[u16; 2]>>,
    ) -> Result<(), Halt> {
        let player = turn(*state);
        let free = !(state[0] | state[1]) & 0o777;
        out.clear();
        out.extend((0..9).filter(|cell| free >> cell & 1 == 1).map(|id| {
            let mut after = *state;
            after[player] |= 1 << id;
            Choice { id, after, gain: 0.0 }
        }));
        Ok(())
    }

    fn over(&self, &[x, o]: &[u16; 2]) -> bool {
        x | o == 0o777 || won(x) || won(o)
    }

    fn settle(&mut self, _after: &mut [u16; 2], _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, end: &[u16; 2], player: usize) -> f32 {
        f32::from(won(end[player])) - f32::from(won(end[1 - player]))
    }

    fn slot(&self, after: &[u16; 2]) -> usize {
        turn(*after)
    }
}

impl Cells for TicTacToe {
    fn layout(&self) -> CellLayout {
        let quarter = [2, 5, 8, 1, 4, 7, 0, 3, 6];
        let mirror = [2, 1, 0, 5, 4, 3, 8, 7, 6];
        let symmetries = crate::tuples::close(&[quarter.to_vec(), mirror.to_vec()]);
        CellLayout { symmetries, ..CellLayout::grid(3, 3, 3) }
    }

    fn changes(
        &self,
        _cells: &[u8],
        choice: &Choice<[u16; 2]>,
        _after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        // The slot is the player to move next, so the other player has just moved.
        out.clear();
        out.push((choice.id as u16, 2 - turn(choice.after) as u8));
    }

    fn write(&self, &[x, o]: &[u16; 2], out: &mut [u8]) {
        for (cell, value) in out.iter_mut().enumerate() {
            *value = (x >> cell & 1) as u8 + 2 * (o >> cell & 1) as u8;
        }
    }
}
