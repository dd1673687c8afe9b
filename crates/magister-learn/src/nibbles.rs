//! N-tuple networks over boards that fit into one word, with four bits per cell: as fast as 2048
//! requires.

use crate::environment::Choice;
use crate::games::twenty48::{Twenty48, mirrored, transposed};
use crate::model::Model;
use crate::weights::{Adaptive, Steps};

/// The maximum number of images of tuples, over all eight symmetries.
const IMAGES: usize = 64;

/// An n-tuple network for 2048. Each tuple is looked up in all eight symmetries of the board.
#[derive(Debug)]
pub struct Nibbles {
    tuples: Vec<Vec<u16>>,
    /// For each tuple: where its table begins, and two runs of adjacent cells, each as a right
    /// shift and a mask.
    runs: Vec<(u32, [(u32, u64); 2])>,
    /// The weights.
    pub weights: Adaptive,
}

/// The four tuples of six cells from K.-H. Yeh et al., 2017: two straight ones with a bend and two
/// rectangles.
pub const FOUR_TUPLES: [[u16; 6]; 4] =
    [[0, 1, 2, 3, 4, 5], [4, 5, 6, 7, 8, 9], [0, 1, 2, 4, 5, 6], [4, 5, 6, 8, 9, 10]];

impl Nibbles {
    /// A network whose values are all `initial`.
    pub fn new(tuples: Vec<Vec<u16>>, initial: f32, steps: Steps) -> Result<Self, String> {
        if tuples.is_empty() || tuples.len() * 8 > IMAGES {
            return Err(format!("2048 takes from 1 to {} tuples", IMAGES / 8));
        }
        let (mut runs, mut size) = (Vec::new(), 0_u32);
        for tuple in &tuples {
            let distinct = tuple.windows(2).all(|pair| pair[0] < pair[1]);
            if tuple.is_empty() || tuple.len() > 6 || !distinct || tuple.iter().any(|&c| c > 15) {
                return Err("a tuple of 2048 has up to six cells from 0 to 15 in ascending order"
                    .to_owned());
            }
            let Ok(two) = <[_; 2]>::try_from(runs_of(tuple)) else {
                return Err(
                    "a tuple of 2048 has at most two groups of neighbouring cells".to_owned()
                );
            };
            runs.push((size, two));
            size += 1 << (4 * tuple.len());
        }
        let each = initial / (8 * tuples.len()) as f32;
        Ok(Nibbles { tuples, runs, weights: Adaptive::new(size as usize, each, steps) })
    }

    /// The tuples.
    pub fn tuples(&self) -> &[Vec<u16>] {
        &self.tuples
    }

    fn active(&self) -> usize {
        8 * self.tuples.len()
    }

    /// Writes the table entries of a board.
    fn indices(&self, board: u64, out: &mut [u32; IMAGES]) {
        let turned = transposed(board);
        let boards = [board, turned];
        let mut at = 0;
        for board in boards {
            let flipped = mirrored(board);
            // The remaining symmetry is upside down: the rows in reverse order.
            let images = [board, flipped, upside_down(board), upside_down(flipped)];
            for image in images {
                for (table, runs) in &self.runs {
                    let [(one, first), (two, second)] = *runs;
                    out[at] = table + ((image >> one & first) + (image >> two & second)) as u32;
                    at += 1;
                }
            }
        }
    }

    fn sum(&self, indices: &[u32; IMAGES]) -> f32 {
        let active = self.active();
        indices[..active].iter().map(|&at| self.weights.get(at as usize)).sum()
    }

    /// The value of an afterstate.
    pub fn value_of(&self, board: u64) -> f32 {
        let mut indices = [0; IMAGES];
        self.indices(board, &mut indices);
        self.sum(&indices)
    }
}

/// The runs of a tuple: the cells of a run are adjacent both on the board and in the index.
fn runs_of(tuple: &[u16]) -> Vec<(u32, u64)> {
    let mut runs: Vec<(u32, u64)> = Vec::new();
    for (place, &cell) in (0..).zip(tuple) {
        let (shift, mask) = (4 * (u32::from(cell) - place), 15_u64 << (4 * place));
        match runs.last_mut() {
            Some(last) if last.0 == shift => last.1 |= mask,
            _ => runs.push((shift, mask)),
        }
    }
    // A tuple with only one run gets an empty second run.
    if runs.len() == 1 {
        runs.push((0, 0));
    }
    runs
}

fn upside_down(board: u64) -> u64 {
    board >> 48 | (board >> 16 & 0xffff_0000) | (board << 16 & 0xffff_0000_0000) | board << 48
}

/// The table entries of an afterstate.
#[derive(Clone, Debug)]
pub struct Code([u32; IMAGES]);

impl Default for Code {
    fn default() -> Self {
        Code([0; IMAGES])
    }
}

impl Model<Twenty48> for Nibbles {
    type Code = Code;
    /// The codes of the slides.
    type Scratch = [Code; 4];

    fn scratch(&self) -> [Code; 4] {
        std::array::from_fn(|_| Code::default())
    }

    fn rate(
        &self,
        _env: &Twenty48,
        _state: &u64,
        choices: &[Choice<u64>],
        _head: usize,
        scratch: &mut [Code; 4],
        out: &mut Vec<f32>,
    ) {
        out.clear();
        // All entries are computed before any is fetched, so that the fetches overlap.
        for choice in choices {
            self.indices(choice.after, &mut scratch[choice.id as usize % 4].0);
        }
        out.extend(choices.iter().map(|choice| self.sum(&scratch[choice.id as usize % 4].0)));
    }

    fn encode(
        &self,
        _env: &Twenty48,
        choice: &Choice<u64>,
        scratch: &mut [Code; 4],
        out: &mut Code,
    ) {
        out.clone_from(&scratch[choice.id as usize % 4]);
    }

    fn value(&self, code: &Code, _head: usize) -> f32 {
        self.sum(&code.0)
    }

    fn learn(&self, code: &Code, _head: usize, step: f32) {
        let active = self.active();
        let each = step / active as f32;
        for &index in &code.0[..active] {
            self.weights.learn(index as usize, each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    #[test]
    fn entries_are_the_tuples_of_all_images() {
        let tuples: Vec<Vec<u16>> = FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect();
        let network = Nibbles::new(tuples, 0.0, Steps::Plain).unwrap();
        let mut rng = Seed::from(9).rng();
        for at in 0..network.weights.len() {
            network.weights.set(at, rng.f64() as f32);
        }
        let board = rng.next_u64();
        let value = network.value_of(board);
        for image in [transposed(board), mirrored(board), upside_down(board)] {
            assert!((network.value_of(image) - value).abs() < 1e-3);
        }
        let mut indices = [0; IMAGES];
        network.indices(board, &mut indices);
        // Tuple 2 of the board itself: cells 0, 1, 2, 4, 5, 6.
        let cell = |at: u64| board >> (4 * at) & 15;
        let expected: u64 =
            [0, 1, 2, 4, 5, 6].iter().enumerate().map(|(k, &at)| cell(at) << (4 * k)).sum();
        assert_eq!(u64::from(indices[2]), 2 * (1 << 24) + expected);
    }
}
