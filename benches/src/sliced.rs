//! Connect Four with a game in each of 512 bits: the speed that the engine's batches could reach if
//! they were hand-written for this game.
//!
//! A cell of the board is two rows of bits, one bit for each game: whether it is occupied, and by
//! which player. The owner of a free cell has no meaning, so that row is never cleared.
//!
//! The choice of a column is exactly uniform. Three random bits select one of eight columns; if
//! there is no such column or it is full, they are drawn a second time; if this fails too, the game
//! waits for the next sweep. A game that ends restarts in the same sweep.

#![allow(clippy::inline_always, reason = "everything is inlined into one loop")]
#![allow(clippy::needless_range_loop, reason = "loops walk several boards cell by cell")]

use magister_lanes::{Processor, Work, on_this_machine};

use crate::{Counts, Random};

const COLUMNS: usize = 7;
const ROWS: usize = 6;
/// The number of draws of a column per sweep. More draws would cost more than the waiting games do.
const DRAWS: usize = 2;

type Words = [u64; 8];
type Board<R> = [[R; ROWS]; COLUMNS];

/// 512 games in progress.
#[derive(Clone, Debug)]
pub struct Sliced(Games<Words>);

impl Sliced {
    /// Games in the initial position.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut seeds = || std::array::from_fn(|_| random.word());
        let empty = [[[0; 8]; ROWS]; COLUMNS];
        let generators = [seeds(), seeds()];
        Sliced(Games { taken: empty, whose: empty, over: [0; 8], turn: [!0; 8], generators })
    }

    /// Plays a number of sweeps. Counts the finished games and all moves, so in the long run the
    /// moves per playout are the mean length.
    pub fn sweeps(&mut self, count: u32) -> Counts {
        on_this_machine(Sweeps { games: self, count })
    }
}

struct Sweeps<'a> {
    games: &'a mut Sliced,
    count: u32,
}

impl Work for Sweeps<'_> {
    const ROWS: bool = true;
    type Output = Counts;

    #[inline(always)]
    fn run(self, machine: impl Processor) -> Counts {
        let zero = machine.row([0; 8]);
        let mut games = self.games.0.map(|words| machine.row(words));
        let mut sums = [zero; 4];
        for _ in 0..self.count {
            let found = games.sweep(machine);
            for at in 0..4 {
                sums[at] = machine.add(sums[at], machine.count(found[at]));
            }
        }
        self.games.0 = games.map(|row| machine.words(row));
        let [steps, playouts, won, first] = sums.map(|row| machine.words(row).iter().sum());
        Counts { playouts, steps, first, second: won - first }
    }
}

/// The games, as words or as rows of a machine.
#[derive(Clone, Debug)]
struct Games<R> {
    /// The occupied cells; in finished games, still those of the final position.
    taken: Board<R>,
    /// The owner of each cell: set for the first player.
    whose: Board<R>,
    /// The finished games.
    over: R,
    /// The player to move: set for the first player.
    turn: R,
    /// Xoroshiro128+, one for every word of a row.
    generators: [R; 2],
}

impl<R: Copy> Games<R> {
    fn map<S>(&self, to: impl Fn(R) -> S) -> Games<S> {
        Games {
            taken: self.taken.map(|column| column.map(&to)),
            whose: self.whose.map(|column| column.map(&to)),
            over: to(self.over),
            turn: to(self.turn),
            generators: self.generators.map(&to),
        }
    }

    /// A row of random bits.
    #[inline(always)]
    fn random<M: Processor<Row = R>>(&mut self, m: M) -> R {
        let [a, b] = self.generators;
        let mixed = xor(m, a, b);
        self.generators[0] = xor3(m, m.rotate::<24>(a), mixed, m.shift::<16>(mixed));
        self.generators[1] = m.rotate::<37>(mixed);
        m.add(a, b)
    }

    /// One move in every game whose draw succeeded. Returns the games that moved, those that ended,
    /// those that were won, and those that the first player won.
    #[inline(always)]
    fn sweep<M: Processor<Row = R>>(&mut self, m: M) -> [R; 4] {
        let none = m.row([0; 8]);
        let (over, turn) = (self.over, self.turn);
        // The column of the move, if one was found.
        let mut drop = [none; COLUMNS];
        let mut moved = none;
        let mut full = [none; COLUMNS];
        for column in 0..COLUMNS {
            full[column] = and_not(m, self.taken[column][ROWS - 1], over);
        }
        for _ in 0..DRAWS {
            let bits = [self.random(m), self.random(m), self.random(m)];
            let named = columns(m, bits);
            let before = moved;
            for column in 0..COLUMNS {
                let here = and_nor(m, named[column], full[column], before);
                drop[column] = or(m, drop[column], here);
                moved = or(m, moved, here);
            }
        }
        // No loop, so that the data of a cell stays in a register.
        let mine = [
            self.fall(m, 0, drop[0]),
            self.fall(m, 1, drop[1]),
            self.fall(m, 2, drop[2]),
            self.fall(m, 3, drop[3]),
            self.fall(m, 4, drop[4]),
            self.fall(m, 5, drop[5]),
            self.fall(m, 6, drop[6]),
        ];
        let mut filled = self.taken[0][ROWS - 1];
        for column in 1..COLUMNS {
            filled = and(m, filled, self.taken[column][ROWS - 1]);
        }
        let won = four(m, &mine);
        let over = or(m, won, filled);
        self.over = over;
        // The turn passes if a move was made, and is the first player's if a game restarts.
        self.turn = xor_or(m, turn, moved, over);
        [moved, over, won, and(m, won, turn)]
    }

    /// Drops pieces into a column. Returns the cells of the player to move. All free cells are
    /// marked with the player to move, which is correct for the cell that the piece falls into.
    #[inline(always)]
    fn fall<M: Processor<Row = R>>(&mut self, m: M, column: usize, drop: R) -> [R; ROWS] {
        let mut below = m.row([!0; 8]);
        let mut mine = [below; ROWS];
        for row in 0..ROWS {
            let taken = and_not(m, self.taken[column][row], self.over);
            let whose = either(m, taken, self.whose[column][row], self.turn);
            let now = or_and(m, taken, drop, below);
            below = taken;
            self.whose[column][row] = whose;
            self.taken[column][row] = now;
            mine[row] = and_same(m, now, whose, self.turn);
        }
        mine
    }
}

/// The three inputs of a table.
const A: i32 = 0xf0;
const B: i32 = 0xcc;
const C: i32 = 0xaa;

macro_rules! gates {
    ($($name:ident($($input:ident),+) = $table:expr;)+) => {$(
        #[inline(always)]
        fn $name<M: Processor>(m: M, $($input: M::Row),+) -> M::Row {
            gates!(m, $table, $($input),+)
        }
    )+};
    ($m:ident, $table:expr, $a:ident, $b:ident) => { $m.table::<{ $table & 0xff }>($a, $b, $b) };
    ($m:ident, $table:expr, $a:ident, $b:ident, $c:ident) => {
        $m.table::<{ $table & 0xff }>($a, $b, $c)
    };
}

gates! {
    and(a, b) = A & B;
    and_not(a, b) = A & !B;
    or(a, b) = A | B;
    xor(a, b) = A ^ B;
    and3(a, b, c) = A & B & C;
    xor3(a, b, c) = A ^ B ^ C;
    or_and(a, b, c) = A | (B & C);
    and_or(a, b, c) = A & (B | C);
    and_nor(a, b, c) = A & !(B | C);
    and_same(a, b, c) = A & !(B ^ C);
    xor_or(a, b, c) = (A ^ B) | C;
    either(a, b, c) = (A & B) | (!A & C);
}

/// The columns that three bits select; the eighth combination selects none.
#[inline(always)]
fn columns<M: Processor>(m: M, [a, b, c]: [M::Row; 3]) -> [M::Row; COLUMNS] {
    [
        m.table::<0x01>(a, b, c),
        m.table::<0x02>(a, b, c),
        m.table::<0x04>(a, b, c),
        m.table::<0x08>(a, b, c),
        m.table::<0x10>(a, b, c),
        m.table::<0x20>(a, b, c),
        m.table::<0x40>(a, b, c),
    ]
}

/// Games with four in a line.
#[inline(always)]
fn four<M: Processor>(m: M, mine: &Board<M::Row>) -> M::Row {
    let mut any = m.row([0; 8]);
    for column in mine {
        any = in_six(m, any, *column);
    }
    for row in 0..ROWS {
        any = in_seven(m, any, line(mine, 0, row, 0));
    }
    // Each diagonal begins at a column and a row, and goes up or down.
    any = in_four(m, any, line(mine, 0, 2, 1));
    any = in_five(m, any, line(mine, 0, 1, 1));
    any = in_six(m, any, line(mine, 0, 0, 1));
    any = in_six(m, any, line(mine, 1, 0, 1));
    any = in_five(m, any, line(mine, 2, 0, 1));
    any = in_four(m, any, line(mine, 3, 0, 1));
    any = in_four(m, any, line(mine, 0, 3, -1));
    any = in_five(m, any, line(mine, 0, 4, -1));
    any = in_six(m, any, line(mine, 0, 5, -1));
    any = in_six(m, any, line(mine, 1, 5, -1));
    any = in_five(m, any, line(mine, 2, 5, -1));
    in_four(m, any, line(mine, 3, 5, -1))
}

/// Consecutive cells, column by column, each a number of rows above the last.
#[inline(always)]
fn line<R: Copy, const N: usize>(
    mine: &Board<R>,
    column: usize,
    row: usize,
    rise: isize,
) -> [R; N] {
    let mut cells = [mine[column][row]; N];
    for (at, cell) in cells.iter_mut().enumerate() {
        *cell = mine[column + at][row.wrapping_add_signed(rise * at.cast_signed())];
    }
    cells
}

// Lines of four in four to seven cells: the middle cells are part of all of them.

#[inline(always)]
fn in_four<M: Processor>(m: M, any: M::Row, x: [M::Row; 4]) -> M::Row {
    or_and(m, any, and3(m, x[0], x[1], x[2]), x[3])
}

#[inline(always)]
fn in_five<M: Processor>(m: M, any: M::Row, x: [M::Row; 5]) -> M::Row {
    or_and(m, any, and3(m, x[1], x[2], x[3]), or(m, x[0], x[4]))
}

#[inline(always)]
fn in_six<M: Processor>(m: M, any: M::Row, x: [M::Row; 6]) -> M::Row {
    let ends = or_and(m, and_or(m, x[1], x[0], x[4]), x[4], x[5]);
    or_and(m, any, and(m, x[2], x[3]), ends)
}

#[inline(always)]
fn in_seven<M: Processor>(m: M, any: M::Row, x: [M::Row; 7]) -> M::Row {
    let right = and(m, x[4], x[5]);
    let ends = and_or(m, x[2], and_or(m, x[1], x[0], x[4]), right);
    or_and(m, any, x[3], or_and(m, ends, right, x[6]))
}
