//! N-tuple networks over boards that fit into one word, with four bits per cell: as fast as 2048
//! requires.

#![allow(clippy::inline_always, reason = "only inlined code is compiled for the instruction set")]

use magister_lanes::{Processor, Work, on_this_machine};

use crate::environment::Choice;
use crate::games::twenty48::Twenty48;
use crate::model::Model;
use crate::weights::{Adaptive, Steps};

/// The maximum number of tuples.
pub(crate) const TUPLES: usize = 8;
/// The number of symmetries of the board, each of which looks a tuple up once.
const IMAGES: usize = 8;

/// The table entries of four boards, in the lanes of one vector for each tuple and image.
type Quad = [[[u64; 4]; IMAGES]; TUPLES];

/// An n-tuple network for 2048. Each tuple is looked up in all eight symmetries of the board.
#[derive(Debug)]
pub struct Nibbles {
    tuples: Vec<Vec<u16>>,
    tables: Vec<Table>,
    /// The weights.
    pub weights: Adaptive,
}

/// Where the entries of a tuple are.
///
/// The place of an entry has the low halves of all its tiles below the high halves, so that a cache
/// line has the entries of sixteen pairs of small tiles on the first two cells. All images
/// of a tuple share its table, so the table uses the image whose first cells change most often.
#[derive(Clone, Debug)]
struct Table {
    /// The place of its first entry.
    start: u64,
    /// Two runs of adjacent cells of both planes, each as a right shift, a mask and a left shift.
    runs: [(u32, u64, u32); 2],
    /// The number of bits of one plane in a place.
    half: u32,
    /// The digit of the tuple, as it was given, for each cell in the order of the table.
    order: Vec<u32>,
}

impl Table {
    /// A table for this tuple that begins at this place; `None` if the tuple has more than two groups
    /// of adjacent cells.
    fn new(tuple: &[u16], start: u32) -> Option<Self> {
        // Cells inside the board change more often than those at the edge, and large tiles stay in
        // corners.
        let inner =
            |cell: u16| u32::from(matches!(cell % 4, 1 | 2)) + u32::from(matches!(cell / 4, 1 | 2));
        let mut best: Option<(u32, Vec<(u16, u32)>)> = None;
        for image in 0..IMAGES {
            let mut cells: Vec<(u16, u32)> =
                (0..).zip(tuple).map(|(digit, &cell)| (moved(cell, image), digit)).collect();
            cells.sort_unstable();
            for cells in [cells.clone(), second_run_first(&cells)] {
                let change = cells.iter().take(2).map(|&(cell, _)| inner(cell)).sum();
                let better = best.as_ref().is_none_or(|(most, _)| change > *most);
                if better && runs_of(&cells).is_some() {
                    best = Some((change, cells));
                }
            }
        }
        let cells = best?.1;
        let [one, two] = runs_of(&cells)?;
        let half = 2 * tuple.len() as u32;
        let order = cells.iter().map(|&(_, digit)| digit).collect();
        Some(Table { start: u64::from(start), runs: [one, two], half, order })
    }

    /// The places of an image of four boards.
    #[inline(always)]
    fn places(&self, planes: [u64; 4]) -> [u64; 4] {
        let [(right, mask, left), (second_right, second_mask, second_left)] = self.runs;
        let (join, all) = (32 - self.half, (1_u64 << (2 * self.half)) - 1);
        let mut out = [0; 4];
        for (out, planes) in out.iter_mut().zip(planes) {
            let both = (planes >> right & mask) << left
                | (planes >> second_right & second_mask) << second_left;
            *out = self.start + ((both | both >> join) & all);
        }
        out
    }

    /// The place of a tuple's tiles, given as digits in the order of the tuple.
    fn place(&self, digits: u32) -> u32 {
        let mut place = self.start as u32;
        for (at, digit) in (0..).zip(&self.order) {
            let tile = digits >> (4 * digit) & 15;
            place += (tile & 3) << (2 * at) | (tile >> 2) << (self.half + 2 * at);
        }
        place
    }

    /// The digits of a place.
    fn digits(&self, place: u32) -> u32 {
        let place = place - self.start as u32;
        let tile = |at: u32| place >> (2 * at) & 3 | (place >> (self.half + 2 * at) & 3) << 2;
        (0..).zip(&self.order).map(|(at, digit)| tile(at) << (4 * digit)).sum()
    }
}

/// The place of a cell in an image of the board, in the order of [`images`].
fn moved(cell: u16, image: usize) -> u16 {
    let board = planes_of([15 << (4 * cell); 4]);
    (images(board)[image][0].trailing_zeros() / 2) as u16
}

/// The cells of a tuple with its last run of adjacent cells first.
fn second_run_first(cells: &[(u16, u32)]) -> Vec<(u16, u32)> {
    let gap = cells.windows(2).position(|pair| pair[1].0 != pair[0].0 + 1).map_or(0, |at| at + 1);
    [&cells[gap..], &cells[..gap]].concat()
}

/// The two runs of adjacent cells in a tuple; the second may be empty. The cells of a run are
/// adjacent both on the board and in the table. `None` if there are more runs.
fn runs_of(cells: &[(u16, u32)]) -> Option<[(u32, u64, u32); 2]> {
    let mut runs: Vec<(u32, u64, u32)> = Vec::new();
    let mut last = None;
    for (place, &(cell, _)) in (0_u32..).zip(cells) {
        if last.is_some_and(|last| last + 1 == cell) {
            let run = runs.last_mut()?;
            run.1 = run.1 << 2 | 3;
        } else {
            runs.push((2 * u32::from(cell), 3, 2 * place));
        }
        last = Some(cell);
    }
    // The same cells of both planes.
    let both = |(right, mask, left): (u32, u64, u32)| (right, mask | mask << 32, left);
    match runs[..] {
        [one] => Some([both(one), (0, 0, 0)]),
        [one, two] => Some([both(one), both(two)]),
        _ => None,
    }
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
            let Some(table) = Table::new(tuple, size) else {
                return Err(
                    "a tuple of 2048 has at most two groups of neighbouring cells".to_owned()
                );
            };
            tables.push(table);
            size += 1 << (4 * tuple.len());
        }
        let each = initial / (IMAGES * tuples.len()) as f32;
        Ok(Nibbles { tuples, tables, weights: Adaptive::new(size as usize, each, steps) })
    }

    /// The tuples.
    pub fn tuples(&self) -> &[Vec<u16>] {
        &self.tuples
    }

    /// The value of an afterstate.
    pub fn value_of(&self, board: u64) -> f32 {
        self.values_of([board; 4])[0]
    }

    /// The values of four afterstates, which are looked up together so that the fetches overlap.
    pub fn values_of(&self, boards: [u64; 4]) -> [f32; 4] {
        let mut quad = [[[0; 4]; IMAGES]; TUPLES];
        on_this_machine(Values { network: self, boards, quad: &mut quad })
    }

    /// Looks four boards up.
    #[inline(always)]
    fn look_up(&self, boards: [u64; 4], quad: &mut Quad) {
        let images = images(planes_of(boards));
        for (table, places) in self.tables.iter().zip(quad) {
            for (places, image) in places.iter_mut().zip(images) {
                *places = table.places(image);
            }
        }
    }

    /// Numbers of all entries, `each` of every entry, from the order of the tables to that of the
    /// digits, which files have.
    pub(crate) fn by_digits(&self, numbers: &[f32], each: usize) -> Vec<f32> {
        self.reordered(numbers, each, Table::place)
    }

    /// The reverse of [`by_digits`](Nibbles::by_digits).
    pub(crate) fn by_place(&self, numbers: &[f32], each: usize) -> Vec<f32> {
        let from = |table: &Table, at| {
            let start = table.start as u32;
            start + table.digits(start + at)
        };
        self.reordered(numbers, each, from)
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

/// Four boards with the low halves of all tiles in the low half of a word, and the high halves in
/// the high half: two planes with two bits for each cell.
#[inline(always)]
fn planes_of(boards: [u64; 4]) -> [u64; 4] {
    let mut out = [0; 4];
    for (out, board) in out.iter_mut().zip(boards) {
        let joined = |half: u64| {
            let pairs = (half | half >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
            let bytes = (pairs | pairs >> 4) & 0x00ff_00ff_00ff_00ff;
            let words = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
            (words | words >> 16) & 0xffff_ffff
        };
        let low = joined(board & 0x3333_3333_3333_3333);
        *out = low | joined(board >> 2 & 0x3333_3333_3333_3333) << 32;
    }
    out
}

/// The images of four boards, given as planes, under the eight symmetries of the square.
#[inline(always)]
fn images(planes: [u64; 4]) -> [[u64; 4]; IMAGES] {
    let turned = each(planes, |planes| {
        // Exchanges the blocks of two by two cells, then the cells inside each block.
        let blocks = exchanged(planes, 12, 0x0000_f0f0_0000_f0f0);
        exchanged(blocks, 6, 0x00cc_00cc_00cc_00cc)
    });
    let (flipped, turned_flipped) = (each(planes, mirrored), each(turned, mirrored));
    [
        planes,
        flipped,
        each(planes, upside_down),
        each(flipped, upside_down),
        turned,
        turned_flipped,
        each(turned, upside_down),
        each(turned_flipped, upside_down),
    ]
}

/// `map` would not be inlined, and so not be compiled for the instruction set.
#[inline(always)]
fn each(planes: [u64; 4], change: impl Fn(u64) -> u64) -> [u64; 4] {
    let mut out = [0; 4];
    for (out, planes) in out.iter_mut().zip(planes) {
        *out = change(planes);
    }
    out
}

/// Exchanges the bits of a mask with those `by` places above.
#[inline(always)]
fn exchanged(word: u64, by: u32, mask: u64) -> u64 {
    let differ = (word ^ word >> by) & mask;
    word ^ differ ^ differ << by
}

/// Mirrors each row of both planes from left to right.
#[inline(always)]
fn mirrored(planes: u64) -> u64 {
    let pairs = (planes >> 2 & 0x3333_3333_3333_3333) | (planes & 0x3333_3333_3333_3333) << 2;
    (pairs >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (pairs & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// Reverses the order of the rows of both planes.
#[inline(always)]
fn upside_down(planes: u64) -> u64 {
    let pairs = (planes >> 8 & 0x00ff_00ff_00ff_00ff) | (planes & 0x00ff_00ff_00ff_00ff) << 8;
    (pairs >> 16 & 0x0000_ffff_0000_ffff) | (pairs & 0x0000_ffff_0000_ffff) << 16
}

/// Evaluates four boards.
struct Values<'a> {
    network: &'a Nibbles,
    boards: [u64; 4],
    quad: &'a mut Quad,
}

impl Work for Values<'_> {
    const ROWS: bool = false;
    type Output = [f32; 4];

    #[inline(always)]
    fn run(self, _machine: impl Processor) -> [f32; 4] {
        self.network.look_up(self.boards, self.quad);
        self.network.weights.sums_of(self.quad[..self.network.tables.len()].as_flattened())
    }
}

/// What an actor has looked up: some afterstates and their entries.
#[derive(Debug)]
pub struct Lookup {
    boards: [u64; 4],
    quad: Quad,
    known: bool,
}

/// The boards of some choices; unused places have the first board again.
fn boards_of(choices: &[Choice<u64>]) -> [u64; 4] {
    let first = choices.first().map_or(0, |choice| choice.after);
    std::array::from_fn(|at| choices.get(at).map_or(first, |choice| choice.after))
}

/// Looks some boards up, and begins to fetch their weights.
struct Expect<'a> {
    network: &'a Nibbles,
    lookup: &'a mut Lookup,
}

impl Work for Expect<'_> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        self.network.look_up(self.lookup.boards, &mut self.lookup.quad);
        let quad = self.lookup.quad[..self.network.tables.len()].as_flattened();
        self.network.weights.fetch(quad.as_flattened());
    }
}

/// Evaluates the boards that were looked up.
struct Rate<'a> {
    network: &'a Nibbles,
    lookup: &'a Lookup,
}

impl Work for Rate<'_> {
    const ROWS: bool = false;
    type Output = [f32; 4];

    #[inline(always)]
    fn run(self, _machine: impl Processor) -> [f32; 4] {
        let quad = self.lookup.quad[..self.network.tables.len()].as_flattened();
        self.network.weights.sums_of(quad)
    }
}

/// Fetches the sums of entries that are going to be learned.
struct FetchSums<'a> {
    network: &'a Nibbles,
    entries: &'a [[u32; IMAGES]],
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
    entries: &'a [[u32; IMAGES]],
    step: F,
}

impl<F: FnOnce(f32) -> f32> Work for Adapt<'_, F> {
    const ROWS: bool = false;
    type Output = ();

    #[inline(always)]
    fn run(self, _machine: impl Processor) {
        let step = (self.step)(self.network.weights.sum(self.entries));
        self.network.weights.learn_all(self.entries, step / (IMAGES * self.entries.len()) as f32);
    }
}

impl Model<Twenty48> for Nibbles {
    /// The entries of an afterstate, eight for each tuple.
    type Code = Vec<[u32; IMAGES]>;
    type Scratch = Lookup;

    fn scratch(&self) -> Lookup {
        Lookup { boards: [0; 4], quad: [[[0; 4]; IMAGES]; TUPLES], known: false }
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
        let boards = boards_of(choices);
        if !lookup.known || lookup.boards != boards {
            self.expect(choices, lookup);
        }
        let values = on_this_machine(Rate { network: self, lookup });
        out.clear();
        out.extend_from_slice(&values[..choices.len().min(4)]);
    }

    const EXPECTS: bool = true;

    fn expect(&self, choices: &[Choice<u64>], lookup: &mut Lookup) {
        (lookup.boards, lookup.known) = (boards_of(choices), true);
        on_this_machine(Expect { network: self, lookup });
    }

    /// The sums are needed when the next move is known, and are fetched until then.
    fn encode(
        &self,
        _env: &Twenty48,
        choice: &Choice<u64>,
        lookup: &mut Lookup,
        out: &mut Self::Code,
    ) {
        let at =
            lookup.boards.iter().position(|&known| known == choice.after).unwrap_or_else(|| {
                self.expect(std::slice::from_ref(choice), lookup);
                0
            });
        out.resize(self.tables.len(), [0; IMAGES]);
        for (entries, places) in out.iter_mut().zip(&lookup.quad) {
            for (entry, place) in entries.iter_mut().zip(places) {
                *entry = place[at] as u32;
            }
        }
        on_this_machine(FetchSums { network: self, entries: out });
    }

    fn weights(&self) -> Option<&Adaptive> {
        Some(&self.weights)
    }

    fn value(&self, code: &Self::Code, _head: usize) -> f32 {
        self.weights.sum(code)
    }

    fn learn(&self, code: &Self::Code, head: usize, step: f32) {
        self.adapt(code, head, |_| step);
    }

    fn adapt(&self, code: &Self::Code, _head: usize, step: impl FnOnce(f32) -> f32) {
        on_this_machine(Adapt { network: self, entries: code, step });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::transposed;
    use magister_core::Seed;

    fn four_tuples() -> Vec<Vec<u16>> {
        FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect()
    }

    #[test]
    fn entries_are_the_tuples_of_all_images() {
        let mut rng = Seed::from(9).rng();
        for tuples in [four_tuples(), vec![vec![0, 4], vec![3], vec![1, 2, 9, 10]]] {
            let network = Nibbles::new(tuples.clone(), 0.0, Steps::Plain).unwrap();
            for at in 0..network.weights.len() {
                network.weights.set(at, rng.f64() as f32);
            }
            let boards: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
            let values = network.values_of(boards);
            for (board, value) in boards.into_iter().zip(values) {
                // The eight images by turning the board step by step.
                let (mut image, mut sum) = (board, 0.0);
                for turn in 0..8 {
                    let by_hand = |tuple: &Vec<u16>| -> u64 {
                        let tiles = (0..).zip(tuple);
                        tiles.map(|(k, &cell)| (image >> (4 * cell) & 15) << (4 * k)).sum()
                    };
                    for (table, tuple) in network.tables.iter().zip(&tuples) {
                        let place = table.place(by_hand(tuple) as u32);
                        sum += network.weights.get(place as usize);
                    }
                    image = if turn % 2 == 0 { transposed(image) } else { reversed_rows(image) };
                }
                assert_eq!(image, board);
                assert!((sum - value).abs() < 1e-3, "{sum} {value}");
            }
        }
    }

    /// The board upside down.
    fn reversed_rows(board: u64) -> u64 {
        (0..4).map(|row| (board >> (16 * row) & 0xffff) << (16 * (3 - row))).sum()
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
        assert!(Nibbles::new(vec![vec![0, 5, 10]], 0.0, Steps::Plain).is_err());
    }

    #[test]
    fn cells_inside_the_board_share_a_cache_line() {
        let network = Nibbles::new(four_tuples(), 0.0, Steps::Plain).unwrap();
        let first = |at: usize| {
            let cells = network.tables[at].order[..2].iter();
            cells.map(|&digit| FOUR_TUPLES[at][digit as usize]).collect::<Vec<_>>()
        };
        assert_eq!([first(0), first(1)], [[5, 4], [4, 5]]);
        assert_eq!([first(2), first(3)], [[6, 5], [6, 5]]);
    }
}
