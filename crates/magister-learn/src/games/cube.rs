//! Rubik's cube of two or three layers, for learners.
//!
//! A quarter turn costs 1, and the game ends when the cube is solved. A corner or an edge is
//! described by the place of one of its stickers, which determines its other stickers. A turn is
//! then a permutation of the 24 places of stickers of corners, and of the 24 of edges.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// The number of corners, and of corners and edges.
const CORNERS: usize = 8;
const PIECES: usize = 20;
/// The places of stickers of all corners, or of all edges.
const PLACES: usize = 24;

/// The cube, with the scrambles from which games begin.
#[derive(Clone, Debug)]
pub struct Cube {
    /// Whether it has three layers and therefore edges.
    large: bool,
    /// The fewest and the most random turns at the start of a game.
    scramble: (u32, u32),
    /// For each turn, the new place of each sticker of corners and of edges.
    turns: Vec<[[u8; PLACES]; 2]>,
}

/// For each piece, the place of its first sticker: corners before edges.
pub type Pieces = [u8; PIECES];

/// A sticker: its piece's position and the direction that it faces.
type Sticker = ([i8; 3], [i8; 3]);

/// The stickers of the corners or of the edges; those of a piece follow each other.
fn stickers(edges: bool) -> Vec<Sticker> {
    let mut out = Vec::new();
    for number in 0..27_i8 {
        let position = [number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1];
        let outer: Vec<usize> = (0..3).filter(|&axis| position[axis] != 0).collect();
        if outer.len() == if edges { 2 } else { 3 } {
            for axis in outer {
                let mut direction = [0; 3];
                direction[axis] = position[axis];
                out.push((position, direction));
            }
        }
    }
    out
}

/// A vector after a quarter turn around an axis.
fn turned(axis: usize, positive: bool, vector: [i8; 3]) -> [i8; 3] {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut out = vector;
    (out[b], out[c]) = if positive { (-vector[c], vector[b]) } else { (vector[c], -vector[b]) };
    out
}

/// Where a quarter turn of a face brings each sticker.
fn permutation(axis: usize, side: i8, positive: bool, edges: bool) -> [u8; PLACES] {
    let all = stickers(edges);
    std::array::from_fn(|from| {
        let (position, direction) = all[from];
        if position[axis] != side {
            return from as u8;
        }
        let new = (turned(axis, positive, position), turned(axis, positive, direction));
        all.iter().position(|&other| other == new).unwrap_or(from) as u8
    })
}

impl Cube {
    /// The cube of two layers. One corner never turns, which fixes how the cube is held.
    pub fn small(scramble: (u32, u32)) -> Self {
        Cube::of(false, scramble)
    }

    /// The cube of three layers.
    pub fn large(scramble: (u32, u32)) -> Self {
        Cube::of(true, scramble)
    }

    fn of(large: bool, scramble: (u32, u32)) -> Self {
        let mut turns = Vec::new();
        // The first corner has the lowest coordinates, so the small cube turns the other halves.
        let sides: &[i8] = if large { &[1, -1] } else { &[1] };
        for axis in 0..3 {
            for &side in sides {
                for positive in [false, true] {
                    turns.push([false, true].map(|e| permutation(axis, side, positive, e)));
                }
            }
        }
        Cube { large, scramble, turns }
    }

    /// The number of turns.
    pub fn turns(&self) -> u32 {
        self.turns.len() as u32
    }

    /// The solved cube.
    pub fn solved(&self) -> Pieces {
        std::array::from_fn(|piece| {
            if piece < CORNERS { 3 * piece as u8 } else { 2 * (piece - CORNERS) as u8 }
        })
    }

    /// The cube after a turn.
    pub fn turn(&self, pieces: &Pieces, turn: u32) -> Pieces {
        let [corners, edges] = &self.turns[turn as usize % self.turns.len()];
        let mut out = *pieces;
        let (first, rest) = out.split_at_mut(CORNERS);
        first.iter_mut().for_each(|place| *place = corners[usize::from(*place)]);
        if self.large {
            rest.iter_mut().for_each(|place| *place = edges[usize::from(*place)]);
        }
        out
    }

    /// The cube after some random turns, none of which takes back the one before.
    pub fn scrambled(&self, turns: u32, rng: &mut Rng) -> Pieces {
        let mut pieces = self.solved();
        let mut last = None;
        for _ in 0..turns {
            let mut turn = rng.below(u64::from(self.turns())) as u32;
            while last == Some(turn ^ 1) {
                turn = rng.below(u64::from(self.turns())) as u32;
            }
            pieces = self.turn(&pieces, turn);
            last = Some(turn);
        }
        pieces
    }
}

impl Environment for Cube {
    type State = Pieces;

    fn players(&self) -> usize {
        1
    }

    fn opposed(&self) -> bool {
        false
    }

    fn start(&mut self, rng: &mut Rng) -> Result<Pieces, Halt> {
        let (fewest, most) = self.scramble;
        loop {
            let turns = fewest + rng.below(u64::from(most.saturating_sub(fewest)) + 1) as u32;
            let pieces = self.scrambled(turns.max(1), rng);
            if !self.over(&pieces) {
                return Ok(pieces);
            }
        }
    }

    fn turn(&self, state: &Pieces) -> Option<usize> {
        (!self.over(state)).then_some(0)
    }

    fn choices(
        &mut self,
        state: &Pieces,
        _rng: &mut Rng,
        out: &mut Vec<Choice<Pieces>>,
    ) -> Result<(), Halt> {
        out.clear();
        out.extend((0..self.turns()).map(|id| {
            let after = Cube::turn(self, state, id);
            Choice { id, after, gain: -1.0 }
        }));
        Ok(())
    }

    fn over(&self, after: &Pieces) -> bool {
        *after == self.solved()
    }

    fn settle(&mut self, _after: &mut Pieces, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, _end: &Pieces, _player: usize) -> f32 {
        0.0
    }

    fn slot(&self, _after: &Pieces) -> usize {
        0
    }
}

impl Cells for Cube {
    /// A cell is a piece, and its value the place of its first sticker. Any two pieces are
    /// neighbours, because turns bring any two together.
    fn layout(&self) -> CellLayout {
        let (cells, values) = if self.large { (PIECES, PLACES) } else { (CORNERS - 1, PLACES - 3) };
        let all = 0..cells as u16;
        CellLayout {
            values: vec![values as u8; cells],
            neighbours: all.clone().map(|at| all.clone().filter(|&o| o != at).collect()).collect(),
            symmetries: Vec::new(),
        }
    }

    fn write(&self, state: &Pieces, out: &mut [u8]) {
        if self.large {
            out.copy_from_slice(state);
        } else {
            // The first corner and its places do not occur.
            for (value, place) in out.iter_mut().zip(&state[1..CORNERS]) {
                *value = place - 3;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn counts(cube: &Cube, levels: usize) -> Vec<usize> {
        let mut seen = BTreeSet::from([cube.solved()]);
        let mut level = vec![cube.solved()];
        let mut out = Vec::new();
        for _ in 0..levels {
            let mut next = Vec::new();
            for pieces in &level {
                for turn in 0..cube.turns() {
                    let after = Cube::turn(cube, pieces, turn);
                    if seen.insert(after) {
                        next.push(after);
                    }
                }
            }
            out.push(next.len());
            level = next;
        }
        out
    }

    /// The known numbers of positions at each distance from the solved cube, in quarter turns.
    #[test]
    fn positions_at_each_distance_are_as_published() {
        assert_eq!(counts(&Cube::small((1, 1)), 6), [6, 27, 120, 534, 2256, 8969]);
        assert_eq!(counts(&Cube::large((1, 1)), 4), [12, 114, 1068, 10011]);
    }

    #[test]
    fn four_quarter_turns_change_nothing() {
        for cube in [Cube::small((1, 1)), Cube::large((1, 1))] {
            for turn in 0..cube.turns() {
                let once = Cube::turn(&cube, &cube.solved(), turn);
                assert_ne!(once, cube.solved());
                assert_eq!(Cube::turn(&cube, &once, turn ^ 1), cube.solved());
                let four = (0..4).fold(cube.solved(), |now, _| Cube::turn(&cube, &now, turn));
                assert_eq!(four, cube.solved());
            }
        }
    }
}
