//! Positions of Connect Four as two bitboards.
//!
//! A column has seven bits: six cells from the bottom up and one that stays free, so that lines
//! do not run over the edge. The layout is that of the game in `magister-games`.

/// The number of columns.
pub const COLUMNS: u32 = 7;
/// The number of rows.
pub const ROWS: u32 = 6;
/// The number of cells.
pub const CELLS: u32 = COLUMNS * ROWS;
pub(crate) const BITS: u32 = ROWS + 1;

/// The lowest cell of every column.
pub(crate) const BOTTOM: u64 = {
    let (mut bottom, mut column) = (0, 0);
    while column < COLUMNS {
        bottom |= 1 << (column * BITS);
        column += 1;
    }
    bottom
};
/// All cells.
pub(crate) const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);

/// A position in which no player has four in a line yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// The discs of the player to move.
    pub(crate) own: u64,
    /// All discs.
    pub(crate) all: u64,
}

/// The cells of a column.
pub(crate) const fn column_cells(column: u32) -> u64 {
    ((1 << ROWS) - 1) << (column * BITS)
}

/// Whether these discs contain four in a line.
pub(crate) fn four(discs: u64) -> bool {
    [1, BITS, BITS - 1, BITS + 1].into_iter().any(|step| {
        let pairs = discs & (discs >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

/// The free cells that would complete four in a line with these discs.
pub(crate) fn threats(discs: u64, all: u64) -> u64 {
    // Upwards: three discs below the cell.
    let mut found = (discs << 1) & (discs << 2) & (discs << 3);
    for step in [BITS, BITS - 1, BITS + 1] {
        let above = (discs << step) & (discs << (2 * step));
        // Three below the cell, or two below and one above.
        found |= above & (discs << (3 * step));
        found |= above & (discs >> step);
        let below = (discs >> step) & (discs >> (2 * step));
        found |= below & (discs << step);
        found |= below & (discs >> (3 * step));
    }
    found & (BOARD ^ all)
}

impl Position {
    /// The empty board.
    pub fn new() -> Self {
        Position::default()
    }

    /// The position of these discs; `None` if they are not a valid non-terminal position. The first
    /// player is to move if both have the same number of discs.
    pub fn from_discs(first: u64, second: u64) -> Option<Self> {
        let all = first | second;
        let lead = first.count_ones().wrapping_sub(second.count_ones());
        let no_gaps = (0..COLUMNS).all(|column| {
            let discs = all >> (column * BITS) & ((1 << BITS) - 1);
            discs & (discs + 1) == 0
        });
        let sound = all & !BOARD == 0 && first & second == 0 && lead <= 1 && no_gaps;
        if !sound || four(first) || four(second) {
            return None;
        }
        Some(Position { own: if lead == 0 { first } else { second }, all })
    }

    /// The discs of the player to move and of the other player.
    pub fn discs(&self) -> [u64; 2] {
        [self.own, self.own ^ self.all]
    }

    /// The position after these columns, counted from 0, were played one after the other. `None` if
    /// a column is full or does not exist, or if the game is over.
    pub fn of_columns(columns: &[u32]) -> Option<Self> {
        let mut position = Position::new();
        for &column in columns {
            if !position.can_play(column) || position.wins(column) {
                return None;
            }
            position = position.play(column);
        }
        Some(position)
    }

    /// The number of discs.
    pub fn plies(&self) -> u32 {
        self.all.count_ones()
    }

    /// Whether the board is full.
    pub fn is_full(&self) -> bool {
        self.all == BOARD
    }

    /// Whether a column exists and has a free cell.
    pub fn can_play(&self, column: u32) -> bool {
        column < COLUMNS && self.all & column_cells(column) != column_cells(column)
    }

    /// Whether the player to move completes four in a line in this column.
    pub fn wins(&self, column: u32) -> bool {
        threats(self.own, self.all) & self.playable() & column_cells(column) != 0
    }

    /// The position after a disc in this column, which must have a free cell.
    #[must_use]
    pub fn play(&self, column: u32) -> Self {
        self.put(self.playable() & column_cells(column))
    }

    /// The position after a disc in this cell.
    pub(crate) fn put(&self, cell: u64) -> Self {
        Position { own: self.own ^ self.all, all: self.all | cell }
    }

    /// The positions one disc earlier.
    pub(crate) fn predecessors(&self) -> impl Iterator<Item = Position> {
        let other = self.own ^ self.all;
        // A disc that the other player put last lies on top of its column.
        let mut tops = other & !(self.all >> 1);
        let all = self.all;
        std::iter::from_fn(move || {
            let cell = tops & tops.wrapping_neg();
            tops ^= cell;
            (cell != 0).then_some(Position { own: other ^ cell, all: all ^ cell })
        })
    }

    /// The lowest free cell of every column that is not full.
    pub(crate) fn playable(&self) -> u64 {
        (self.all + BOTTOM) & BOARD
    }

    /// Whether the player to move wins at once.
    pub fn can_win(&self) -> bool {
        threats(self.own, self.all) & self.playable() != 0
    }

    /// The cells that do not lose at once, if the player to move cannot win at once: blocks where
    /// the other player threatens to win, and never the cell below such a threat. Zero if every
    /// move loses.
    pub(crate) fn safe(&self) -> u64 {
        let mut playable = self.playable();
        let hostile = threats(self.own ^ self.all, self.all);
        let forced = playable & hostile;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return 0;
            }
            playable = forced;
        }
        playable & !(hostile >> 1)
    }

    /// How many threats the player to move would have after a disc in this cell.
    pub(crate) fn threats_after(&self, cell: u64) -> u32 {
        // There are few threats, and not every processor that we compile for counts bits.
        let (mut rest, mut count) = (threats(self.own | cell, self.all), 0);
        while rest != 0 {
            rest &= rest - 1;
            count += 1;
        }
        count
    }

    /// A column near the middle that wins at once, or, if there is none, at least does not lose at
    /// once if possible; `None` if the board is full.
    pub(crate) fn hint(&self) -> Option<u32> {
        let order = [3, 2, 4, 1, 5, 0, 6];
        let safe = self.safe();
        let first = |good: &dyn Fn(u32) -> bool| order.into_iter().find(|&column| good(column));
        first(&|column| self.wins(column))
            .or_else(|| first(&|column| safe & column_cells(column) != 0))
            .or_else(|| first(&|column| self.can_play(column)))
    }

    /// A unique number of the position: the discs of the player to move, with a one above the
    /// highest disc of each column.
    pub fn key(&self) -> u64 {
        self.own + self.all + BOTTOM
    }

    /// The mirror image of the position.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Position { own: mirror(self.own), all: mirror(self.all) }
    }

    /// The smaller of the keys of the position and of its mirror image.
    pub fn canonical_key(&self) -> u64 {
        self.key().min(self.mirrored().key())
    }
}

/// Mirrors the columns from left to right.
fn mirror(discs: u64) -> u64 {
    const COLUMN: u64 = (1 << BITS) - 1;
    let mut out = discs & (COLUMN << (3 * BITS));
    for column in 0..3 {
        let (left, right) = (column * BITS, (COLUMNS - 1 - column) * BITS);
        out |= (discs >> left & COLUMN) << right | (discs >> right & COLUMN) << left;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    /// Threats and wins, computed cell by cell.
    fn slow_threats(discs: u64, all: u64) -> u64 {
        let there = |column: i32, row: i32| {
            (0..7).contains(&column)
                && (0..6).contains(&row)
                && discs >> (column * 7 + row) & 1 == 1
        };
        let mut found = 0;
        for column in 0..7 {
            for row in 0..6 {
                let bit = 1_u64 << (column * 7 + row);
                if all & bit != 0 {
                    continue;
                }
                for (right, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let run = |sign: i32| {
                        (1..4)
                            .take_while(|k| there(column + sign * k * right, row + sign * k * up))
                            .count()
                    };
                    if run(1) + run(-1) >= 3 {
                        found |= bit;
                    }
                }
            }
        }
        found
    }

    #[test]
    fn threats_agree_with_a_slow_count() {
        let mut rng = Seed::from(1).rng();
        for _ in 0..3_000 {
            let mut position = Position::new();
            loop {
                assert_eq!(
                    threats(position.own, position.all),
                    slow_threats(position.own, position.all)
                );
                let column = rng.below(7) as u32;
                if position.is_full() || !position.can_play(column) || position.wins(column) {
                    break;
                }
                position = position.play(column);
                assert!(!four(position.own) && !four(position.own ^ position.all));
                assert_eq!(position.mirrored().mirrored(), position);
                let [own, other] = position.discs();
                let (first, second) =
                    if position.plies().is_multiple_of(2) { (own, other) } else { (other, own) };
                assert_eq!(Position::from_discs(first, second), Some(position));
            }
        }
    }

    #[test]
    fn discs_in_the_air_and_finished_games_are_refused() {
        assert_eq!(Position::from_discs(2, 0), None);
        assert_eq!(Position::from_discs(1, 2), Position::of_columns(&[0, 0]));
        assert_eq!(Position::of_columns(&[0, 1, 0, 1, 0, 1, 0]), None);
        assert_eq!(Position::of_columns(&[7]), None);
        assert_eq!(Position::from_discs(0, 1), None);
    }
}
