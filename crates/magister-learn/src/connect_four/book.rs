//! Opening books: exact scores of all positions with a few discs.

use std::fmt;
use std::sync::OnceLock;

use magister_core::{Halt, Stop};

use super::board::{COLUMNS, Position};
use super::solver::{Score, Solver};

/// The first bytes of the file of a book, with the version in the last byte.
const MAGIC: &[u8; 8] = b"mgc4book";
const VERSION: u8 = 1;
/// The maximum number of discs of a position in a book, so that books stay small.
pub const DEEPEST: u32 = 12;
/// The scores of positions with few discs are between -21 and 21.
const BIAS: i32 = 32;

/// Positions of seven discs, made by `cargo xtask learn book`, which continues the file. A search
/// takes less than a second for nearly any position with more discs.
const OPENING: &[u8] = include_bytes!("opening.book");

/// The scores of positions up to a number of discs; a position and its mirror image are stored
/// once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    plies: u32,
    /// Canonical keys in ascending order.
    keys: Vec<u64>,
    scores: Vec<i8>,
}

/// Why bytes are not a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BookError {
    /// The bytes do not begin like a book.
    Foreign,
    /// The version is not one that this program reads.
    Version(u8),
    /// The book is truncated or damaged.
    Damaged,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Foreign => f.write_str("this file is not an opening book of Connect Four"),
            BookError::Version(version) => {
                write!(f, "this opening book has version {version}; this program reads {VERSION}")
            }
            BookError::Damaged => f.write_str("this opening book is damaged; make it again"),
        }
    }
}

impl std::error::Error for BookError {}

impl Book {
    /// The book that is part of the program.
    pub fn opening() -> Self {
        static BOOK: OnceLock<Book> = OnceLock::new();
        // A test reads it.
        BOOK.get_or_init(|| Book::from_bytes(OPENING).unwrap_or_default()).clone()
    }

    /// The maximum number of discs of a position in the book; 0 if it is empty.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The number of positions, where a position and its mirror image count as one.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The score of a position, if it is in the book.
    pub fn get(&self, position: &Position) -> Option<Score> {
        if self.keys.is_empty() || position.plies() > self.plies {
            return None;
        }
        let at = self.keys.binary_search(&position.canonical_key()).ok()?;
        Some(Score(i32::from(self.scores[at])))
    }

    /// The highest score that a position has at least, because a position before it has no better
    /// move than the one that leads here.
    pub(crate) fn at_least(&self, position: &Position) -> Option<Score> {
        if position.plies() > self.plies + 1 {
            return None;
        }
        position.predecessors().filter_map(|before| self.get(&before)).map(|s| Score(-s.0)).max()
    }

    /// Solves all positions of up to `plies` discs in which the player to move cannot win at once.
    /// `known` is a book of fewer discs or an unfinished one; its scores are reused. `progress`
    /// gets the number of solved positions of the deepest level and the total; if it returns false,
    /// the work ends, and the book so far is returned, with all that was known.
    pub fn make(
        plies: u32,
        known: &Book,
        solver: &mut Solver,
        stop: &Stop,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Book, Halt> {
        let plies = plies.min(DEEPEST);
        let levels = levels(plies);
        let mut found: Vec<(u64, i8)> = Vec::new();
        // The deepest level is solved by search, the others from their children.
        let deepest = &levels[plies as usize];
        for (done, position) in deepest.iter().enumerate() {
            if !progress(done, deepest.len()) {
                found.extend(known.keys.iter().copied().zip(known.scores.iter().copied()));
                found.sort_unstable();
                found.dedup_by_key(|one| one.0);
                return Ok(Book::of(plies, &found));
            }
            let score = match known.get(position) {
                Some(score) => score,
                None => solver.score(position, stop)?,
            };
            found.push((position.canonical_key(), score.0 as i8));
        }
        found.sort_unstable();
        let mut book = Book::of(plies, &found);
        for level in levels[..plies as usize].iter().rev() {
            for position in level {
                let scores =
                    (0..COLUMNS).filter(|&column| position.can_play(column)).map(|column| {
                        let next = position.play(column);
                        if next.can_win() {
                            let at_once = (43 - next.plies().cast_signed()) / 2;
                            return Some(-at_once);
                        }
                        book.get(&next).map(|score| -score.0)
                    });
                let best =
                    scores.collect::<Option<Vec<i32>>>().and_then(|all| all.into_iter().max());
                let best = best.ok_or_else(|| Halt::Rules("a book has a gap".to_owned()))?;
                found.push((position.canonical_key(), best as i8));
            }
            found.sort_unstable();
            book = Book::of(plies, &found);
        }
        Ok(book)
    }

    fn of(plies: u32, found: &[(u64, i8)]) -> Book {
        Book {
            plies,
            keys: found.iter().map(|one| one.0).collect(),
            scores: found.iter().map(|one| one.1).collect(),
        }
    }

    /// The book as bytes: a heading, the differences of the keys in groups of seven bits, and the
    /// scores, one byte each.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([VERSION, self.plies as u8]);
        out.extend((self.keys.len() as u32).to_le_bytes());
        let mut before = 0;
        for &key in &self.keys {
            let mut rest = key - before;
            before = key;
            while rest > 127 {
                out.push(rest as u8 & 127 | 128);
                rest >>= 7;
            }
            out.push(rest as u8);
        }
        out.extend(self.scores.iter().map(|&score| (i32::from(score) + BIAS) as u8));
        let sum = checksum(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Reads the output of [`Book::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::Foreign)?;
        let (&version, _) = rest.split_first().ok_or(BookError::Damaged)?;
        if version != VERSION {
            return Err(BookError::Version(version));
        }
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(BookError::Damaged)?;
        if checksum(body) != u32::from_le_bytes(*sum) {
            return Err(BookError::Damaged);
        }
        Book::parse(&body[MAGIC.len() + 1..]).ok_or(BookError::Damaged)
    }

    fn parse(bytes: &[u8]) -> Option<Book> {
        let (&plies, rest) = bytes.split_first()?;
        let (count, mut rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        // Every position takes at least two bytes, so a hostile count cannot request much memory.
        if u32::from(plies) > DEEPEST || count > rest.len() / 2 {
            return None;
        }
        let mut book = Book {
            plies: u32::from(plies),
            keys: Vec::with_capacity(count),
            scores: Vec::with_capacity(count),
        };
        let mut key = 0_u64;
        for _ in 0..count {
            let (mut step, mut shift) = (0_u64, 0);
            loop {
                let (&byte, after) = rest.split_first()?;
                rest = after;
                step |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    break;
                }
                if shift > 56 {
                    return None;
                }
            }
            key = key.checked_add(step)?;
            book.keys.push(key);
        }
        let ascending = book.keys.windows(2).all(|pair| pair[0] < pair[1]);
        if rest.len() != count || !ascending {
            return None;
        }
        book.scores = rest.iter().map(|&score| (i32::from(score) - BIAS) as i8).collect();
        Some(book)
    }
}

/// For each number of discs up to this, the reachable positions in which the player to move cannot
/// win at once; a position and its mirror image are listed once.
pub fn levels(plies: u32) -> Vec<Vec<Position>> {
    let mut levels = vec![vec![Position::new()]];
    for _ in 0..plies {
        let last = levels.last().map_or(&[][..], Vec::as_slice);
        let mut next: Vec<(u64, Position)> = Vec::new();
        for position in last {
            for column in (0..COLUMNS).filter(|&column| position.can_play(column)) {
                let after = position.play(column);
                if !after.can_win() {
                    next.push((after.canonical_key(), after));
                }
            }
        }
        next.sort_unstable_by_key(|one| one.0);
        next.dedup_by_key(|one| one.0);
        levels.push(next.into_iter().map(|one| one.1).collect());
    }
    levels
}

/// FNV-1a with 32 bits: detects files that were truncated or changed by accident.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Book {
        Book { plies: 3, keys: vec![5, 6, 1000, 1 << 40], scores: vec![-3, 0, 21, 1] }
    }

    #[test]
    fn a_book_is_read_back_as_it_was_written() {
        let book = small();
        assert_eq!(Book::from_bytes(&book.to_bytes()), Ok(book));
        assert_eq!(Book::from_bytes(&Book::default().to_bytes()), Ok(Book::default()));
    }

    #[test]
    fn broken_and_foreign_books_are_refused() {
        let bytes = small().to_bytes();
        assert_eq!(Book::from_bytes(b"something else"), Err(BookError::Foreign));
        for cut in 9..bytes.len() {
            assert_eq!(Book::from_bytes(&bytes[..cut]), Err(BookError::Damaged), "{cut}");
        }
        for at in 9..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(Book::from_bytes(&changed), Err(BookError::Damaged), "{at}");
        }
        let mut newer = bytes;
        newer[8] = 9;
        assert_eq!(Book::from_bytes(&newer), Err(BookError::Version(9)));
    }

    /// The book has the scores that a search without it finds.
    #[test]
    fn the_opening_book_is_right() {
        let book = Book::opening();
        assert!(OPENING.len() < 2_000_000, "{} bytes", OPENING.len());
        assert!(!book.is_empty());
        let levels = levels(book.plies());
        let known: Vec<&Position> = levels[book.plies() as usize]
            .iter()
            .filter(|position| book.get(position).is_some())
            .collect();
        let mut solver = Solver::new(20);
        for position in known.iter().step_by(known.len().div_ceil(10)) {
            let found = solver.score(position, &Stop::never());
            assert_eq!(found.ok(), book.get(position), "{position:?}");
        }
    }

    #[test]
    fn positions_before_bound_the_score() {
        let book = Book::opening();
        let levels = levels(book.plies() + 1);
        let bounded: Vec<(&Position, Score)> = levels[book.plies() as usize + 1]
            .iter()
            .filter_map(|position| Some((position, book.at_least(position)?)))
            .collect();
        let (mut plain, mut quick) = (Solver::new(20), Solver::new(20).with_book(book));
        let mut equal = 0;
        for (position, least) in bounded.iter().step_by(bounded.len().div_ceil(10)) {
            let score = plain.score(position, &Stop::never()).unwrap();
            assert!(*least <= score, "{position:?}");
            assert_eq!(quick.score(position, &Stop::never()), Ok(score), "{position:?}");
            equal += u32::from(*least == score);
        }
        assert!((1..10).contains(&equal), "{equal}");
    }

    /// The numbers of positions with up to four discs. Other programs report 7, 49, 238 and 1,120
    /// for all positions; here each mirrored pair counts once.
    #[test]
    fn levels_hold_each_mirrored_pair_once() {
        let counts: Vec<usize> = levels(4).iter().map(Vec::len).collect();
        let all: Vec<usize> = levels(4)
            .iter()
            .map(|level| level.iter().map(|p| 1 + usize::from(p.mirrored() != *p)).sum())
            .collect();
        assert_eq!(all, [1, 7, 49, 238, 1120]);
        assert_eq!(counts, [1, 4, 25, 121, 568]);
    }
}
