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
    tables: Vec<Table>,
    /// The weights.
    pub weights: Adaptive,
}

/// Where the entries of a tuple are.
#[derive(Clone, Copy, Debug)]
struct Table {
    /// The place of its first entry.
    start: u32,
    /// Two runs of adjacent cells, each as a right shift and a mask.
    runs: [(u32, u64); 2],
    /// Where the digits of two cells begin that change often.
    varied: [u32; 2],
}

impl Table {
    /// The place of a tuple's tiles: their digits, with the low halves of two digits exchanged with
    /// the halves of the first digit. A cache line then has the entries of sixteen pairs of small
    /// tiles on two cells that change often.
    #[inline(always)]
    fn place(&self, digits: u32) -> u32 {
        let [one, two] = self.varied;
        self.start + exchanged(exchanged(digits, 0, one), 2, two)
    }

    /// The digits of a place.
    fn digits(&self, place: u32) -> u32 {
        let [one, two] = self.varied;
        exchanged(exchanged(place - self.start, 2, two), 0, one)
    }
}

/// A number with two pairs of bits exchanged.
#[inline(always)]
fn exchanged(number: u32, one: u32, two: u32) -> u32 {
    let differ = (number >> one ^ number >> two) & 3;
    number ^ (differ << one | differ << two)
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
        let (mut tables, mut size) = (Vec::new(), 0_u32);
        for tuple in &tuples {
            let distinct = tuple.windows(2).all(|pair| pair[0] < pair[1]);
            if tuple.is_empty() || tuple.len() > 6 || !distinct || tuple.iter().any(|&c| c > 15) {
                return Err("a tuple of 2048 has up to six cells from 0 to 15 in ascending order"
                    .to_owned());
            }
            let Ok(runs) = <[_; 2]>::try_from(runs_of(tuple)) else {
                return Err(
                    "a tuple of 2048 has at most two groups of neighbouring cells".to_owned()
                );
            };
            tables.push(Table { start: size, runs, varied: varied(tuple) });
            size += 1 << (4 * tuple.len());
        }
        let each = initial / (8 * tuples.len()) as f32;
        Ok(Nibbles { tuples, tables, weights: Adaptive::new(size as usize, each, steps) })
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
        for (entries, table) in out.iter_mut().zip(&self.tables) {
            let [(one, first), (two, second)] = table.runs;
            for (entry, image) in entries.iter_mut().zip(images) {
                let digits = ((image >> one & first) + (image >> two & second)) as u32;
                *entry = table.place(digits);
            }
        }
        (out, self.tables.len())
    }

    #[inline(always)]
    fn sum(&self, board: u64) -> f32 {
        let (entries, count) = self.entries(board);
        self.weights.sum(&entries[..count])
    }

    /// Numbers of all entries, `each` of every entry, from the order of the tables to that of the
    /// digits, which files have.
    pub(crate) fn by_digits(&self, numbers: &[f32], each: usize) -> Vec<f32> {
        self.reordered(numbers, each, Table::place)
    }

    /// The reverse of [`by_digits`](Nibbles::by_digits).
    pub(crate) fn by_place(&self, numbers: &[f32], each: usize) -> Vec<f32> {
        self.reordered(numbers, each, |table, at| table.start + table.digits(table.start + at))
    }

    /// Numbers whose new order takes the number at `from` for each digit or place of a table.
    fn reordered(&self, numbers: &[f32], each: usize, from: fn(&Table, u32) -> u32) -> Vec<f32> {
        let mut out = Vec::with_capacity(numbers.len());
        for (table, tuple) in self.tables.iter().zip(&self.tuples) {
            for at in 0..1_u32 << (4 * tuple.len()) {
                let start = from(table, at) as usize * each;
                let known = numbers.get(start..start + each);
                out.extend((0..each).map(|which| known.map_or(0.0, |known| known[which])));
            }
        }
        out
    }
}

/// Where the digits of the two cells of a tuple begin that change most often: cells inside the board
/// change more often than those at the edge, and large tiles stay in corners.
fn varied(tuple: &[u16]) -> [u32; 2] {
    let edges =
        |cell: u16| u32::from(matches!(cell % 4, 0 | 3)) + u32::from(matches!(cell / 4, 0 | 3));
    let mut digits: Vec<u32> = (0..tuple.len() as u32).collect();
    // The later of two equal ones, and of neighbours in a row only one.
    digits.sort_by_key(|&digit| (edges(tuple[digit as usize]), digit));
    let one = digits[0];
    let apart = |&&digit: &&u32| tuple[digit as usize].abs_diff(tuple[one as usize]) != 1;
    let least = digits.get(1).map(|&digit| edges(tuple[digit as usize]));
    let equal = digits[1..].iter().filter(|&&d| Some(edges(tuple[d as usize])) == least);
    let two = equal.clone().find(apart).or_else(|| digits.get(1)).copied().unwrap_or(one);
    [one.min(two) * 4, one.max(two) * 4]
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

/// What an actor has looked up: some afterstates, their entries, and the number of tuples.
#[derive(Debug, Default)]
pub struct Lookup {
    boards: [u64; 4],
    entries: [Entries; 4],
    count: usize,
}

impl Lookup {
    /// The entries of a board, if they were looked up.
    fn of(&self, board: u64) -> Option<&[[u32; 8]]> {
        let at = self.boards.iter().position(|&known| known == board)?;
        Some(&self.entries[at][..self.count])
    }
}

/// Looks some boards up, and begins to fetch their weights.
struct Expect<'a> {
    network: &'a Nibbles,
    choices: &'a [Choice<u64>],
    lookup: &'a mut Lookup,
}

impl Work for Expect<'_> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        let Lookup { boards, entries, count } = self.lookup;
        for (choice, (board, entries)) in self.choices.iter().zip(boards.iter_mut().zip(entries)) {
            *board = choice.after;
            (*entries, *count) = self.network.entries(choice.after);
            self.network.weights.fetch(&entries[..*count]);
        }
    }
}

/// Evaluates the boards that were looked up.
struct Rate<'a> {
    network: &'a Nibbles,
    lookup: &'a Lookup,
    out: &'a mut [f32],
}

impl Work for Rate<'_> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        for (value, entries) in self.out.iter_mut().zip(&self.lookup.entries) {
            *value = self.network.weights.sum(&entries[..self.lookup.count]);
        }
    }
}

/// Fetches the sums of entries that are going to be learned.
struct FetchSums<'a> {
    network: &'a Nibbles,
    entries: &'a [[u32; 8]],
}

impl Work for FetchSums<'_> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        self.network.weights.fetch_sums(self.entries);
    }
}

/// Changes the value of some entries by the step that a function computes from the value.
struct Adapt<'a, F> {
    network: &'a Nibbles,
    entries: &'a [[u32; 8]],
    step: F,
}

impl<F: FnOnce(f32) -> f32> Work for Adapt<'_, F> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        let step = (self.step)(self.network.weights.sum(self.entries));
        self.network.weights.learn_all(self.entries, step / (8 * self.entries.len()) as f32);
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
    /// The entries of an afterstate, eight for each tuple.
    type Code = Vec<[u32; 8]>;
    type Scratch = Lookup;

    fn scratch(&self) -> Lookup {
        Lookup::default()
    }

    fn rate(
        &self,
        _env: &Twenty48,
        _state: &u64,
        choices: &[Choice<u64>],
        _head: usize,
        lookup: &mut Lookup,
        out: &mut Vec<f32>,
    ) {
        let choices = &choices[..choices.len().min(4)];
        let known = lookup.boards.iter().zip(choices).all(|(&board, one)| board == one.after);
        if !known || lookup.count == 0 {
            on_this_machine(Expect { network: self, choices, lookup });
        }
        out.clear();
        out.resize(choices.len(), 0.0);
        on_this_machine(Rate { network: self, lookup, out });
    }

    const EXPECTS: bool = true;

    fn expect(&self, choices: &[Choice<u64>], lookup: &mut Lookup) {
        on_this_machine(Expect { network: self, choices, lookup });
    }

    /// The sums are needed when the next move is known, and are fetched until then.
    fn encode(
        &self,
        _env: &Twenty48,
        choice: &Choice<u64>,
        lookup: &mut Lookup,
        out: &mut Vec<[u32; 8]>,
    ) {
        out.clear();
        if let Some(entries) = lookup.of(choice.after) {
            out.extend_from_slice(entries);
        } else {
            let (entries, count) = self.entries(choice.after);
            out.extend_from_slice(&entries[..count]);
        }
        on_this_machine(FetchSums { network: self, entries: out });
    }

    fn value(&self, code: &Vec<[u32; 8]>, _head: usize) -> f32 {
        self.weights.sum(code)
    }

    fn learn(&self, code: &Vec<[u32; 8]>, head: usize, step: f32) {
        self.adapt(code, head, |_| step);
    }

    fn adapt(&self, code: &Vec<[u32; 8]>, _head: usize, step: impl FnOnce(f32) -> f32) {
        on_this_machine(Adapt { network: self, entries: code, step });
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
        assert_eq!(entries[2][0], network.tables[2].place(expected as u32));
    }

    #[test]
    fn every_tile_has_a_place_of_its_own() {
        let tuples = vec![vec![4, 5, 6], vec![0], vec![2, 3]];
        let network = Nibbles::new(tuples, 0.0, Steps::Plain).unwrap();
        let size = network.weights.len() as u32;
        assert_eq!(size, (1 << 12) + (1 << 4) + (1 << 8));
        let places = |table: &Table, count| (0..count).map(|digits| table.place(digits)).collect();
        let mut all: Vec<u32> = [(0, 1 << 12), (1, 1 << 4), (2, 1 << 8)]
            .iter()
            .flat_map(|&(at, count)| -> Vec<u32> { places(&network.tables[at], count) })
            .collect();
        assert!(network.tables.iter().all(|table| table.digits(table.place(9)) == 9));
        all.sort_unstable();
        assert!(all.into_iter().eq(0..size));
        let numbers: Vec<f32> = (0..2 * size).map(|number| number as f32).collect();
        assert_eq!(network.by_place(&network.by_digits(&numbers, 2), 2), numbers);
        assert_ne!(network.by_digits(&numbers, 2), numbers);
    }

    #[test]
    fn cells_inside_the_board_share_a_cache_line() {
        let digits = |tuple: &[u16]| varied(tuple).map(|digit| tuple[digit as usize / 4]);
        assert_eq!(FOUR_TUPLES.map(|tuple| digits(&tuple)), [[1, 5], [5, 9], [5, 6], [5, 9]]);
        assert_eq!(digits(&[3]), [3, 3]);
    }
}
