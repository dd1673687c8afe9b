//! Nim for two or more players, for learners.
//!
//! Each player takes some objects from one heap. With two players, the one who takes the last
//! object wins. With more, the player after the one who takes the last object gets 1 and the others
//! get 0, as in H. Luckhardt and K. Irani, "An algorithmic solution of n-person games", 1986.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// The maximum number of heaps.
pub const MAX_HEAPS: usize = 8;

/// Nim, with heaps of the same size.
#[derive(Clone, Copy, Debug)]
pub struct Nim {
    players: usize,
    heaps: usize,
    size: u8,
    most: u8,
}

/// The heaps, and the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heaps {
    /// The objects in each heap.
    pub left: [u8; MAX_HEAPS],
    /// The player to move.
    pub turn: u8,
}

impl Nim {
    /// Nim for some players, with a number of heaps of a size, of which a player takes at most
    /// `most` objects; `None` if a number is out of range.
    pub fn new(players: usize, heaps: usize, size: u8, most: u8) -> Option<Self> {
        let sound = (2..=8).contains(&players)
            && (1..=MAX_HEAPS).contains(&heaps)
            && (1..200).contains(&size)
            && most > 0;
        sound.then_some(Nim { players, heaps, size, most })
    }

    /// The initial state.
    pub fn initial(&self) -> Heaps {
        let mut left = [0; MAX_HEAPS];
        left[..self.heaps].fill(self.size);
        Heaps { left, turn: 0 }
    }
}

impl Environment for Nim {
    type State = Heaps;

    fn players(&self) -> usize {
        self.players
    }

    fn opposed(&self) -> bool {
        self.players == 2
    }

    fn start(&mut self, _rng: &mut Rng) -> Result<Heaps, Halt> {
        Ok(self.initial())
    }

    fn turn(&self, state: &Heaps) -> Option<usize> {
        (!self.over(state)).then_some(usize::from(state.turn))
    }

    fn choices(
        &mut self,
        state: &Heaps,
        _rng: &mut Rng,
        out: &mut Vec<Choice<Heaps>>,
    ) -> Result<(), Halt> {
        out.clear();
        let turn = (state.turn + 1) % self.players as u8;
        for (heap, &objects) in state.left.iter().enumerate() {
            for taken in 1..=objects.min(self.most) {
                let mut left = state.left;
                left[heap] -= taken;
                let id = heap as u32 * u32::from(self.size) + u32::from(taken) - 1;
                out.push(Choice { id, after: Heaps { left, turn }, gain: 0.0 });
            }
        }
        Ok(())
    }

    fn over(&self, after: &Heaps) -> bool {
        after.left.iter().all(|&left| left == 0)
    }

    fn settle(&mut self, _after: &mut Heaps, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    /// At the end, it is the turn of the player after the one who took the last object.
    fn result(&self, end: &Heaps, player: usize) -> f32 {
        let next = player == usize::from(end.turn);
        if self.players == 2 {
            return if next { -1.0 } else { 1.0 };
        }
        f32::from(next)
    }

    fn slot(&self, after: &Heaps) -> usize {
        usize::from(after.turn)
    }
}

impl Cells for Nim {
    /// Heaps are neighbours of each other, and may be exchanged.
    fn layout(&self) -> CellLayout {
        let heaps = self.heaps as u16;
        let swap = |at: u16| {
            let mut order: Vec<u16> = (0..heaps).collect();
            order.swap(usize::from(at), usize::from(at) + 1);
            order
        };
        let swaps: Vec<Vec<u16>> = (0..heaps - 1).map(swap).collect();
        CellLayout {
            values: vec![self.size + 1; self.heaps],
            neighbours: (0..heaps).map(|at| (0..heaps).filter(|&o| o != at).collect()).collect(),
            symmetries: crate::tuples::close(&swaps),
        }
    }

    fn write(&self, state: &Heaps, out: &mut [u8]) {
        out.copy_from_slice(&state.left[..self.heaps]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Chain, Plan, Settings, train};
    use crate::measure::mistakes;
    use crate::ntuple::{NTuple, Shape};
    use crate::weights::Steps;
    use magister_core::Seed;
    use std::ops::ControlFlow;

    /// Bouton's solution: the player to move loses if the heaps cancel out in binary.
    #[test]
    fn two_players_learn_what_bouton_knew() {
        let nim = Nim::new(2, 3, 4, 4).unwrap();
        let shape = Shape::new(&nim.layout(), vec![vec![0, 1, 2]], true).unwrap();
        let network = NTuple::new(shape, 2, 1, 0.0, Steps::Coherent);
        let settings = Settings { epsilon: (0.3, 0.1), random_start: 3, ..Settings::default() };
        let plan = Plan {
            games: Some(20_000),
            before: 0,
            done: 0.0,
            actors: 1,
            report: 1_000,
            seed: Seed::from(1),
        };
        train(&|| nim, &network, &settings, &plan, &|_| ControlFlow::Continue(0.0)).unwrap();
        assert_eq!(mistakes(&nim, &network, Chain::Every, 1), 0);
        for state in [[1, 2, 3], [2, 2, 0], [4, 4, 0]] {
            let mut cells = Vec::new();
            network.shape.indices(&state, &mut cells);
            assert!(network.value_of(&cells, 0, 0) < 0.0, "{state:?}");
        }
    }
}
