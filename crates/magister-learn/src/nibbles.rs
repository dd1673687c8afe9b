//! N-tuple networks over boards that fit into one word, with four bits per cell: as fast as 2048
//! requires.

#![allow(clippy::inline_always, reason = "only inlined code is compiled for the instruction set")]

use magister_lanes::{Processor, Work, on_this_machine};

use crate::environment::Choice;
use crate::games::twenty48::{Twenty48, mirrored, transposed};
use crate::model::Model;
use crate::weights::{Adaptive, Steps};

/// The maximum number of tuples.
const TUPLES: usize = 8;

/// For each tuple, the table entries of the eight images of a board.
type Entries = [[u32; 8]; TUPLES];

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
        if tuples.is_empty() || tuples.len() > TUPLES {
            return Err(format!("2048 takes from 1 to {TUPLES} tuples"));
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
            // `near` exchanges digits of six bits.
            size += 1 << (4 * tuple.len()).max(6);
        }
        let each = initial / (8 * tuples.len()) as f32;
        Ok(Nibbles { tuples, runs, weights: Adaptive::new(size as usize, each, steps) })
    }

    /// The tuples.
    pub fn tuples(&self) -> &[Vec<u16>] {
        &self.tuples
    }

    /// The value of an afterstate.
    pub fn value_of(&self, board: u64) -> f32 {
        on_this_machine(Value { network: self, board })
    }

    /// The values of four afterstates, which are looked up together so that the fetches overlap.
    pub fn values_of(&self, boards: [u64; 4]) -> [f32; 4] {
        on_this_machine(Values { network: self, boards })
    }

    /// The table entries of a board, and how many tuples there are.
    #[inline(always)]
    fn entries(&self, board: u64) -> (Entries, usize) {
        let images = images(board);
        let mut out = [[0; 8]; TUPLES];
        for (entries, (table, runs)) in out.iter_mut().zip(&self.runs) {
            let [(one, first), (two, second)] = *runs;
            for (entry, image) in entries.iter_mut().zip(images) {
                let digits = ((image >> one & first) + (image >> two & second)) as u32;
                *entry = table + near(digits);
            }
        }
        (out, self.runs.len())
    }

    #[inline(always)]
    fn sum(&self, board: u64) -> f32 {
        let (entries, count) = self.entries(board);
        self.weights.sum(&entries[..count])
    }
}

/// The place of a tuple's tiles in its table: their digits, with the high half of the first digit
/// exchanged with the low half of the second. A cache line then has the entries of sixteen pairs of
/// small tiles, and small tiles are the ones that change.
#[inline(always)]
fn near(digits: u32) -> u32 {
    digits & !0x3c | digits >> 2 & 0x0c | digits << 2 & 0x30
}

/// Numbers of all entries, `each` of every entry, in the order of the digits if they are in the order
/// of the table, and the reverse. Files have the order of the digits.
pub(crate) fn reordered(numbers: &[f32], each: usize) -> Vec<f32> {
    // Tables begin at multiples of 64, so all of them are reordered at once.
    let place = |at: usize| near((at / each) as u32) as usize * each + at % each;
    (0..numbers.len()).map(|at| numbers.get(place(at)).copied().unwrap_or(0.0)).collect()
}

/// The images of a board under the eight symmetries of the square.
#[inline(always)]
fn images(board: u64) -> [u64; 8] {
    let turned = transposed(board);
    let (flipped, turned_flipped) = (mirrored(board), mirrored(turned));
    [
        board,
        flipped,
        upside_down(board),
        upside_down(flipped),
        turned,
        turned_flipped,
        upside_down(turned),
        upside_down(turned_flipped),
    ]
}

/// Evaluates a board.
struct Value<'a> {
    network: &'a Nibbles,
    board: u64,
}

impl Work for Value<'_> {
    const ROWS: bool = false;
    type Output = f32;

    #[inline(always)]
    fn run(self, _machine: impl Processor) -> f32 {
        self.network.sum(self.board)
    }
}

/// Evaluates four boards.
struct Values<'a> {
    network: &'a Nibbles,
    boards: [u64; 4],
}

impl Work for Values<'_> {
    const ROWS: bool = false;
    type Output = [f32; 4];

    #[inline(always)]
    fn run(self, _machine: impl Processor) -> [f32; 4] {
        // `map` would not be inlined, and so not be compiled for the instruction set.
        let mut values = [0.0; 4];
        for (value, board) in values.iter_mut().zip(self.boards) {
            *value = self.network.sum(board);
        }
        values
    }
}

/// Fetches the weights of some boards, or the sums of one that is going to be learned.
struct Fetch<'a> {
    network: &'a Nibbles,
    choices: &'a [Choice<u64>],
    sums: bool,
}

impl Work for Fetch<'_> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        for choice in self.choices {
            let (entries, count) = self.network.entries(choice.after);
            if self.sums {
                self.network.weights.fetch_sums(&entries[..count]);
            } else {
                self.network.weights.fetch(&entries[..count]);
            }
        }
    }
}

/// Changes the value of a board by the step that a function computes from the value.
struct Adapt<'a, F> {
    network: &'a Nibbles,
    board: u64,
    step: F,
}

impl<F: FnOnce(f32) -> f32> Work for Adapt<'_, F> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        let (entries, count) = self.network.entries(self.board);
        let entries = &entries[..count];
        let step = (self.step)(self.network.weights.sum(entries));
        self.network.weights.learn_all(entries, step / (8 * count) as f32);
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

impl Model<Twenty48> for Nibbles {
    /// The board: its entries are computed again more quickly than they are stored.
    type Code = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn rate(
        &self,
        _env: &Twenty48,
        state: &u64,
        choices: &[Choice<u64>],
        _head: usize,
        _scratch: &mut (),
        out: &mut Vec<f32>,
    ) {
        let mut boards = [*state; 4];
        for (board, choice) in boards.iter_mut().zip(choices) {
            *board = choice.after;
        }
        let values = self.values_of(boards);
        out.clear();
        out.extend_from_slice(&values[..choices.len().min(4)]);
    }

    const EXPECTS: bool = true;

    fn expect(&self, choices: &[Choice<u64>]) {
        on_this_machine(Fetch { network: self, choices, sums: false });
    }

    /// The sums are needed when the next move is known, and are fetched until then.
    fn encode(&self, _env: &Twenty48, choice: &Choice<u64>, _scratch: &mut (), out: &mut u64) {
        let choices = std::slice::from_ref(choice);
        on_this_machine(Fetch { network: self, choices, sums: true });
        *out = choice.after;
    }

    fn value(&self, code: &u64, _head: usize) -> f32 {
        self.value_of(*code)
    }

    fn learn(&self, code: &u64, _head: usize, step: f32) {
        self.adapt_board(*code, |_| step);
    }

    fn adapt(&self, code: &u64, _head: usize, step: impl FnOnce(f32) -> f32) {
        self.adapt_board(*code, step);
    }
}

impl Nibbles {
    fn adapt_board(&self, board: u64, step: impl FnOnce(f32) -> f32) {
        on_this_machine(Adapt { network: self, board, step });
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
        let (entries, count) = network.entries(board);
        assert_eq!(count, 4);
        // Tuple 2 of the board itself: cells 0, 1, 2, 4, 5, 6.
        let cell = |at: u64| board >> (4 * at) & 15;
        let expected: u64 =
            [0, 1, 2, 4, 5, 6].iter().enumerate().map(|(k, &at)| cell(at) << (4 * k)).sum();
        assert_eq!(entries[2][0], 2 * (1 << 24) + near(expected as u32));
        let numbers: Vec<f32> = (0..256_u16).map(f32::from).collect();
        assert_eq!(reordered(&reordered(&numbers, 2), 2), numbers);
        assert!((reordered(&numbers, 1)[4] - 16.0).abs() < 1e-6);
        assert_eq!((near(0x4), near(0x10), near(0x8f)), (0x10, 0x4, 0xb3));
    }
}
