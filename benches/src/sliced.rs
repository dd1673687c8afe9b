//! Connect Four with a game in every bit of 512: what the engine's batches could come to, if
//! somebody wrote them by hand for this one game.
//!
//! A cell of the board is two rows of bits, one bit for each game: whether it is taken, and whose
//! it is. Where it is not taken, whose it is means nothing, so that row is never cleared.
//!
//! The choice of a column is exactly uniform. Three random bits name one of eight columns; if
//! there is no such column or it is full, they are drawn a second time; a game that has no luck
//! with that either waits for the next sweep. A game that ends begins anew in the same sweep.

use magister_lanes::{Machine, Work, on_this_machine};

use crate::{Counts, Random};

const WORDS: usize = 8;
const COLUMNS: usize = 7;
const ROWS: usize = 6;
/// How often a column is drawn in a sweep. More often costs more than the games that wait.
const DRAWS: usize = 2;

/// One bit for each game.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([u64; WORDS]);

const NONE: Row = Row([0; WORDS]);
const EVERY: Row = Row([!0; WORDS]);

/// A row of words that are worked out one by one; they become one vector.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn each(word: impl Fn(usize) -> u64) -> Row {
    let mut row = NONE;
    for (at, place) in row.0.iter_mut().enumerate() {
        *place = word(at);
    }
    row
}

macro_rules! gates {
    ($($name:ident($($input:ident),+) = $value:expr;)+) => {$(
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
        fn $name($($input: Row),+) -> Row {
            each(|i| {
                $(let $input = $input.0[i];)+
                $value
            })
        }
    )+};
}

// Functions of up to three inputs, which are one instruction of AVX-512.
gates! {
    and(a, b) = a & b;
    and3(a, b, c) = a & b & c;
    and_not(a, b) = a & !b;
    or(a, b) = a | b;
    or_and(a, b, c) = a | (b & c);
    and_or(a, b, c) = a & (b | c);
    // `b` where `a`, otherwise `c`.
    either(a, b, c) = (a & b) | (!a & c);
    // Where `a` holds, and `b` and `c` are alike.
    and_same(a, b, c) = a & !(b ^ c);
    // The turn passes where there was a move, and is the first player's where a game begins.
    pass(turn, moved, over) = (turn ^ moved) | over;
}

/// Three bits that are a given number.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn is(number: usize, bits: &[Row; 3]) -> Row {
    let [low, middle, high] = bits;
    let flip = |bit: usize| if number >> bit & 1 == 1 { 0 } else { !0u64 };
    each(|i| (low.0[i] ^ flip(0)) & (middle.0[i] ^ flip(1)) & (high.0[i] ^ flip(2)))
}

/// Xoroshiro128+, a generator of its own for every word of a row.
#[derive(Clone, Copy, Debug)]
struct Generators(Row, Row);

impl Generators {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
    fn next(&mut self) -> Row {
        let Generators(a, b) = *self;
        let mixed = each(|i| a.0[i] ^ b.0[i]);
        self.0 = each(|i| a.0[i].rotate_left(24) ^ mixed.0[i] ^ (mixed.0[i] << 16));
        self.1 = each(|i| mixed.0[i].rotate_left(37));
        each(|i| a.0[i].wrapping_add(b.0[i]))
    }
}

/// 512 games in play.
#[derive(Clone, Debug)]
pub struct Sliced {
    taken: [[Row; ROWS]; COLUMNS],
    /// Whose a cell is: set for the first player.
    whose: [[Row; ROWS]; COLUMNS],
    /// Whose turn it is: set for the first player.
    turn: Row,
    generators: Generators,
}

impl Sliced {
    /// Games that begin.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut seeds = || {
            let mut row = NONE;
            row.0.iter_mut().for_each(|word| *word = random.next());
            row
        };
        Sliced {
            taken: [[NONE; ROWS]; COLUMNS],
            whose: [[NONE; ROWS]; COLUMNS],
            turn: EVERY,
            generators: Generators(seeds(), seeds()),
        }
    }

    /// Plays so many sweeps. What is counted are the games that ended, and all moves; so in the
    /// long run the moves for each playout are the mean length.
    pub fn sweeps(&mut self, count: u32) -> Counts {
        on_this_machine(Sweeps { games: self, count })
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
    fn sweep(&mut self, tally: &mut Tally) {
        // The column to drop a piece into, if one was found.
        let mut drop = [NONE; COLUMNS];
        let mut moved = NONE;
        for _ in 0..DRAWS {
            let bits = [self.generators.next(), self.generators.next(), self.generators.next()];
            let before = moved;
            for (column, drop) in drop.iter_mut().enumerate() {
                let open = each(|i| !(before.0[i] | self.taken[column][ROWS - 1].0[i]));
                let here = and(is(column, &bits), open);
                *drop = or(*drop, here);
                moved = or(moved, here);
            }
        }
        // The piece falls onto what is taken below. All cells that are still free are marked
        // with whose turn it is, which is right for the one that the piece falls into.
        let turn = self.turn;
        let mut mine = [[NONE; ROWS]; COLUMNS];
        let mut full = EVERY;
        for column in 0..COLUMNS {
            let mut below = EVERY;
            for row in 0..ROWS {
                let taken = self.taken[column][row];
                let whose = either(taken, self.whose[column][row], turn);
                let now = or_and(taken, drop[column], below);
                below = taken;
                self.whose[column][row] = whose;
                self.taken[column][row] = now;
                mine[column][row] = and_same(now, whose, turn);
            }
            full = and(full, self.taken[column][ROWS - 1]);
        }
        let won = four(&mine);
        let over = or(won, full);
        for cell in self.taken.as_flattened_mut() {
            *cell = and_not(*cell, over);
        }
        self.turn = pass(turn, moved, over);
        tally.add([moved, over, won, and(won, turn)]);
    }
}

/// Where there are four in a line.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn four(mine: &[[Row; ROWS]; COLUMNS]) -> Row {
    let mut any = NONE;
    for column in mine {
        any = in_six(any, *column);
    }
    for row in 0..ROWS {
        any = in_seven(any, std::array::from_fn(|at| mine[at][row]));
    }
    // A diagonal begins at a column and a row, and goes up or down.
    macro_rules! diagonals {
        ($($four:ident($column:literal, $low:literal));+ $(;)?) => {$(
            any = $four(any, std::array::from_fn(|at| mine[$column + at][$low + at]));
            any = $four(any, std::array::from_fn(|at| mine[$column + at][ROWS - 1 - $low - at]));
        )+};
    }
    diagonals! {
        in_four(0, 2); in_five(0, 1); in_six(0, 0);
        in_six(1, 0); in_five(2, 0); in_four(3, 0);
    }
    any
}

// Lines of four in what is four to seven long: the cells in the middle are part of all of them.

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn in_four(any: Row, x: [Row; 4]) -> Row {
    or_and(any, and3(x[0], x[1], x[2]), x[3])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn in_five(any: Row, x: [Row; 5]) -> Row {
    or_and(any, and3(x[1], x[2], x[3]), or(x[0], x[4]))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn in_six(any: Row, x: [Row; 6]) -> Row {
    let ends = or_and(and_or(x[1], x[0], x[4]), x[4], x[5]);
    or_and(any, and(x[2], x[3]), ends)
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
fn in_seven(any: Row, x: [Row; 7]) -> Row {
    let right = and(x[4], x[5]);
    let ends = and_or(x[2], and_or(x[1], x[0], x[4]), right);
    or_and(any, x[3], or_and(ends, right, x[6]))
}

/// Moves, ends, wins, and wins of the first player, summed for every word.
struct Tally([Row; 4]);

impl Tally {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
    fn add(&mut self, found: [Row; 4]) {
        for (sum, row) in self.0.iter_mut().zip(found) {
            *sum = each(|i| sum.0[i] + u64::from(row.0[i].count_ones()));
        }
    }
}

struct Sweeps<'a> {
    games: &'a mut Sliced,
    count: u32,
}

impl Work for Sweeps<'_> {
    type Output = Counts;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is compiled for several instruction sets")]
    fn run(self, _: impl Machine) -> Counts {
        let mut tally = Tally([NONE; 4]);
        for _ in 0..self.count {
            self.games.sweep(&mut tally);
        }
        let [steps, playouts, won, first] = tally.0.map(|row| row.0.iter().sum());
        Counts { playouts, steps, first, second: won - first }
    }
}
