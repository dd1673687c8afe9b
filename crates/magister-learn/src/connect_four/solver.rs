//! A solver for Connect Four: negamax with null windows, a transposition table, and moves ordered
//! by the threats that they create.

use magister_core::{Budget, Halt, Stop};

use super::board::{CELLS, COLUMNS, Position, column_cells};
use super::book::Book;
use super::pairing;
use super::table::Table;

/// The value of a position for the player to move, which also encodes the number of plies until the
/// end.
///
/// A score is positive for a win and negative for a loss. Its absolute value is the number of discs
/// that the winner has left after the winning disc, plus one, so faster wins have larger scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    pub fn class(self) -> i32 {
        self.0.signum()
    }

    /// The number of plies until the end of the game from a position with this number of discs, if
    /// the winner wins as fast and the loser loses as late as possible.
    pub fn distance(self, discs: u32) -> u32 {
        let (size, discs) = (self.0.unsigned_abs(), discs.min(CELLS));
        match self.class() {
            0 => CELLS - discs,
            1 => wins_at(size, discs) - discs,
            _ => wins_at(size, discs + 1) - discs,
        }
    }
}

/// The number of discs after a win of this size by the player to move, with `discs` discs on the
/// board.
fn wins_at(size: u32, discs: u32) -> u32 {
    // The winning disc is put on a board with 43 - 2 size or 42 - 2 size discs, of the parity of
    // the winner.
    let before = (CELLS + 1).saturating_sub(2 * size);
    let before = if before % 2 == discs % 2 { before } else { before.saturating_sub(1) };
    before.max(discs) + 1
}

/// The lowest score that a table entry can stand for is `-LIMIT`.
const LIMIT: i32 = CELLS.cast_signed() / 2 + 1;
/// Entries up to this are upper bounds, above it lower bounds.
const UPPER: i32 = 2 * LIMIT + 1;
/// Up to this number of discs, a position and its mirror image share their entry.
const MIRRORED: i32 = 12;
/// Up to this number of discs, all children are looked up in the table before any is searched.
const PROBED: i32 = 36;

/// The bits of the table for positions with at least [`FAR`] discs. It has a megabyte, so it fits
/// into the cache of a processor. Most positions have that many discs, and waiting for a large table
/// would take more time than solving some of them again.
const NEAR_BITS: u32 = 16;
const FAR: i32 = 20;

/// The number of nodes between two looks at the limits.
const CHECKED: u64 = 4096;

/// Columns from the middle outwards.
pub(crate) const ORDER: [u32; COLUMNS as usize] = [3, 2, 4, 1, 5, 0, 6];

/// Solves positions. It keeps its results, so one solver for many positions is much faster than
/// many solvers.
#[derive(Debug)]
pub struct Solver {
    table: Table,
    /// The table of positions with many discs.
    near: Table,
    book: Book,
    nodes: u64,
    stop: Stop,
    /// What limits the search besides the stop flag.
    budget: Budget,
}

impl Solver {
    /// A solver with a table of `2^bits` buckets, 16 bytes each. 22 is enough for all but the
    /// first plies.
    pub fn new(bits: u32) -> Self {
        Solver {
            table: Table::new(bits),
            near: Table::new(NEAR_BITS.min(bits)),
            book: Book::default(),
            nodes: 0,
            stop: Stop::never(),
            budget: Budget::until(Stop::never()),
        }
    }

    /// The same solver, which first looks up positions in a book.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        Solver { book, ..self }
    }

    /// Limits all searches from now on by a budget of time and of nodes, besides their stop flags.
    pub fn limit(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The book in which it looks up positions.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The number of positions searched so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Clears all results except for the book.
    pub fn forget(&mut self) {
        self.table.clear();
        self.near.clear();
    }

    /// The exact score of a position.
    pub fn score(&mut self, position: &Position, stop: &Stop) -> Result<Score, Halt> {
        if position.is_full() {
            return Ok(Score(0));
        }
        if position.can_win() {
            return Ok(Score(at_once(position)));
        }
        if let Some(score) = self.book.get(position) {
            return Ok(score);
        }
        // Often the last move was the best one, so that the score is that of the position before.
        let least = self.book.at_least(position);
        if let Some(least) = least
            && !self.exceeds(position, least, stop)?
        {
            return Ok(least);
        }
        // First the class, which has the smallest window, then the exact score within it.
        let class = self.class(position, stop)?;
        let discs = position.plies().cast_signed();
        let (mut low, mut high) = match class {
            0 => return Ok(Score(0)),
            1 => (1, (CELLS.cast_signed() - 1 - discs) / 2),
            _ => (-(CELLS.cast_signed() - discs) / 2, -1),
        };
        low = least.map_or(low, |least| low.max(least.0 + 1));
        self.stop = stop.clone();
        while low < high {
            let middle = low + (high - low) / 2;
            // Most wins and losses are distant, so the search probes near zero first.
            let middle = if middle <= 0 && low / 2 < middle {
                low / 2
            } else if middle >= 0 && high / 2 > middle {
                high / 2
            } else {
                middle
            };
            let found = self.search(position, discs, middle, middle + 1)?;
            if found <= middle { high = found } else { low = found }
        }
        Ok(Score(low))
    }

    /// Whether the player to move wins (1), draws (0) or loses (-1). This is much faster than the
    /// score.
    pub fn class(&mut self, position: &Position, stop: &Stop) -> Result<i32, Halt> {
        if position.is_full() {
            return Ok(0);
        }
        if position.can_win() {
            return Ok(1);
        }
        if let Some(score) = self.book.get(position) {
            return Ok(score.class());
        }
        self.stop = stop.clone();
        let discs = position.plies().cast_signed();
        Ok(if self.search(position, discs, 0, 1)? > 0 {
            1
        } else if self.search(position, discs, -1, 0)? < 0 {
            -1
        } else {
            0
        })
    }

    /// Whether the score of a position is higher than a bound. This is much faster than the score.
    pub fn exceeds(
        &mut self,
        position: &Position,
        bound: Score,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let known = if position.is_full() {
            Some(Score(0))
        } else if position.can_win() {
            Some(Score(at_once(position)))
        } else {
            self.book.get(position)
        };
        if let Some(score) = known {
            return Ok(score > bound);
        }
        self.stop = stop.clone();
        let discs = position.plies().cast_signed();
        Ok(self.search(position, discs, bound.0, bound.0 + 1)? > bound.0)
    }

    /// The score of each column for the player to move; `None` for full columns.
    pub fn scores(
        &mut self,
        position: &Position,
        stop: &Stop,
    ) -> Result<[Option<Score>; COLUMNS as usize], Halt> {
        let mut out = [None; COLUMNS as usize];
        for column in 0..COLUMNS {
            if position.can_play(column) {
                out[column as usize] = Some(if position.wins(column) {
                    Score(at_once(position))
                } else {
                    Score(-self.score(&position.play(column), stop)?.0)
                });
            }
        }
        Ok(out)
    }

    /// The class of each column for the player to move; `None` for full columns.
    pub fn classes(
        &mut self,
        position: &Position,
        stop: &Stop,
    ) -> Result<[Option<i32>; COLUMNS as usize], Halt> {
        let mut out = [None; COLUMNS as usize];
        for column in 0..COLUMNS {
            if position.can_play(column) {
                out[column as usize] = Some(if position.wins(column) {
                    1
                } else {
                    -self.class(&position.play(column), stop)?
                });
            }
        }
        Ok(out)
    }

    #[inline]
    fn table_of(&self, discs: i32) -> &Table {
        if discs < FAR { &self.table } else { &self.near }
    }

    #[inline]
    fn table_mut(&mut self, discs: i32) -> &mut Table {
        if discs < FAR { &mut self.table } else { &mut self.near }
    }

    /// A bound of the score of a position in which the player to move cannot win at once: at most
    /// `alpha` if the score is at most `alpha`, at least `beta` if it is at least `beta`.
    fn search(
        &mut self,
        position: &Position,
        discs: i32,
        mut alpha: i32,
        mut beta: i32,
    ) -> Result<i32, Halt> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CHECKED) {
            self.stop.check()?;
            if !self.budget.spend(CHECKED) {
                return Err(Halt::Stopped);
            }
        }
        let before = self.nodes;
        let safe = position.safe();
        let cells = CELLS.cast_signed();
        if safe == 0 {
            return Ok(-(cells - discs) / 2);
        }
        if discs >= cells - 2 {
            return Ok(0);
        }
        // The other player cannot win with the next disc, and we cannot win with this one.
        let least = -(cells - 2 - discs) / 2;
        if alpha < least {
            alpha = least;
            if alpha >= beta {
                return Ok(alpha);
            }
        }
        let most = (cells - 1 - discs) / 2;
        if beta > most {
            beta = most;
            if alpha >= beta {
                return Ok(beta);
            }
        }
        if let Some(bound) = pairing::bound(position)
            && beta > bound
        {
            beta = bound;
            if alpha >= beta {
                return Ok(beta);
            }
        }
        let key = table_key(position, discs);
        let entry = i32::from(self.table_of(discs).get(key));
        if entry > UPPER {
            let bound = entry - UPPER - 1 - LIMIT;
            if alpha < bound {
                alpha = bound;
                if alpha >= beta {
                    return Ok(alpha);
                }
            }
        } else if entry > 0 {
            let bound = entry - 1 - LIMIT;
            if beta > bound {
                beta = bound;
                if alpha >= beta {
                    return Ok(beta);
                }
            }
        }
        if discs <= self.book.plies().cast_signed()
            && let Some(Score(score)) = self.book.get(position)
        {
            return Ok(score);
        }
        let mut moves = [(0_u32, 0_u64); COLUMNS as usize];
        let mut count = 0;
        // Insertion sort, best last; among equals, columns near the middle come first.
        for &column in ORDER.iter().rev() {
            let cell = safe & column_cells(column);
            if cell == 0 {
                continue;
            }
            if discs < PROBED {
                self.table_of(discs + 1).fetch(table_key(&position.put(cell), discs + 1));
            }
            let threats = position.threats_after(cell);
            let mut place = count;
            while place > 0 && moves[place - 1].0 > threats {
                moves[place] = moves[place - 1];
                place -= 1;
            }
            moves[place] = (threats, cell);
            count += 1;
        }
        if discs < PROBED && count > 1 {
            for &(_, cell) in &moves[..count] {
                let next = position.put(cell);
                if let Some(bound) = pairing::bound(&next)
                    && -bound >= beta
                {
                    return Ok(-bound);
                }
            }
            for &(_, cell) in &moves[..count] {
                let entry = i32::from(
                    self.table_of(discs + 1).get(table_key(&position.put(cell), discs + 1)),
                );
                if entry > 0 && entry <= UPPER && -(entry - 1 - LIMIT) >= beta {
                    return Ok(-(entry - 1 - LIMIT));
                }
            }
        }
        for &(_, cell) in moves[..count].iter().rev() {
            let score = -self.search(&position.put(cell), discs + 1, -beta, -alpha)?;
            if score >= beta {
                let entry = (score + LIMIT + 1 + UPPER) as u8;
                let cost = self.nodes - before;
                self.table_mut(discs).put(key, entry, cost);
                return Ok(score);
            }
            alpha = alpha.max(score);
        }
        let cost = self.nodes - before;
        self.table_mut(discs).put(key, (alpha + LIMIT + 1) as u8, cost);
        Ok(alpha)
    }
}

fn table_key(position: &Position, discs: i32) -> u64 {
    if discs <= MIRRORED { position.canonical_key() } else { position.key() }
}

/// The score of a win with the next disc.
fn at_once(position: &Position) -> i32 {
    (CELLS.cast_signed() + 1 - position.plies().cast_signed()) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Seed;

    /// Plain negamax.
    fn slow(position: &Position) -> i32 {
        if position.can_win() {
            return at_once(position);
        }
        let columns = (0..COLUMNS).filter(|&column| position.can_play(column));
        columns.map(|column| -slow(&position.play(column))).max().unwrap_or(0)
    }

    #[test]
    fn late_positions_agree_with_plain_negamax() {
        let mut rng = Seed::from(3).rng();
        let mut solver = Solver::new(16);
        let mut seen = 0;
        while seen < 200 {
            let mut position = Position::new();
            while position.plies() < 30 {
                let column = rng.below(7) as u32;
                if !position.can_play(column) || position.wins(column) {
                    break;
                }
                position = position.play(column);
            }
            if position.plies() < 30 {
                continue;
            }
            seen += 1;
            let score = solver.score(&position, &Stop::never()).unwrap();
            assert_eq!(score.0, slow(&position), "{position:?}");
            assert_eq!(solver.class(&position, &Stop::never()), Ok(score.class()));
            let mirrored = solver.score(&position.mirrored(), &Stop::never()).unwrap();
            assert_eq!(mirrored, score);
            assert_eq!(score.distance(position.plies()), slow_distance(&position));
        }
    }

    /// The number of plies under optimal play, found by following the best scores.
    fn slow_distance(position: &Position) -> u32 {
        if position.can_win() {
            return 1;
        }
        let columns = (0..COLUMNS).filter(|&column| position.can_play(column));
        let best = columns.max_by_key(|&column| -slow(&position.play(column)));
        best.map_or(0, |column| 1 + slow_distance(&position.play(column)))
    }

    #[test]
    fn a_stopped_search_says_so() {
        let stop = Stop::new();
        stop.set();
        assert_eq!(Solver::new(16).class(&Position::new(), &stop), Err(Halt::Stopped));
        let mut limited = Solver::new(16);
        limited.limit(Budget::iterations(100_000));
        assert_eq!(limited.class(&Position::new(), &Stop::never()), Err(Halt::Stopped));
        assert!(limited.nodes() < 110_000, "{}", limited.nodes());
    }
}
