//! Rows of words, and sets of them.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};

/// Many rows of words in one vector.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    words: Vec<u64>,
    ends: Vec<usize>,
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A row. Panics if the number is not below [`len`](Rows::len).
    pub fn get(&self, at: usize) -> &[u64] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[u64]) {
        self.words.extend_from_slice(row);
        self.ends.push(self.words.len());
    }

    /// Replaces a row.
    pub fn replace(&mut self, at: usize, row: &[u64]) {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let end = self.ends[at];
        if row.len() == end - start {
            self.words[start..end].copy_from_slice(row);
            return;
        }
        self.words.splice(start..end, row.iter().copied());
        let longer = row.len();
        for later in &mut self.ends[at..] {
            *later = *later + longer - (end - start);
        }
    }

    /// Removes all rows and keeps their memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        8 * (self.words.len() + self.ends.len())
    }
}

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// A set of rows, numbered in order of insertion.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    rows: Rows,
    /// The last row of each hash, and for each row the previous one with the same hash.
    heads: FxHashMap<u64, u32>,
    before: Vec<u32>,
}

impl Pool {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row by its number.
    pub fn get(&self, at: usize) -> &[u64] {
        self.rows.get(at)
    }

    /// The number of a row that is in the set.
    pub fn find(&self, row: &[u64]) -> Option<usize> {
        self.chain(hash(row)).find(|&at| self.rows.get(at) == row)
    }

    /// The number of a row, which is added if it is new, and whether it was new.
    pub fn insert(&mut self, row: &[u64]) -> (usize, bool) {
        let hash = hash(row);
        if let Some(at) = self.chain(hash).find(|&at| self.rows.get(at) == row) {
            return (at, false);
        }
        let at = self.rows.len();
        let before = self.heads.insert(hash, at as u32).unwrap_or(NONE);
        self.before.push(before);
        self.rows.push(row);
        (at, true)
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + 4 * self.before.len() + 16 * self.heads.capacity()
    }

    fn chain(&self, hash: u64) -> impl Iterator<Item = usize> {
        let first = self.heads.get(&hash).copied();
        let before = |&at: &u32| Some(self.before[at as usize]).filter(|&at| at != NONE);
        std::iter::successors(first, before).map(|at| at as usize)
    }
}

fn hash(row: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    row.iter().for_each(|&word| hasher.write_u64(word));
    hasher.write_usize(row.len());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hasher multiplies by this after every word, so these two rows have the same hash.
    #[test]
    fn rows_with_the_same_hash_are_distinct() {
        const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
        let (one, other) = ([1, 0], [0, FACTOR]);
        assert_eq!(hash(&one), hash(&other), "the hasher has changed: choose other rows");
        let mut pool = Pool::default();
        assert_eq!(pool.insert(&one), (0, true));
        assert_eq!(pool.find(&other), None);
        assert_eq!(pool.insert(&other), (1, true));
        assert_eq!((pool.find(&one), pool.find(&other)), (Some(0), Some(1)));
    }

    #[test]
    fn a_row_is_kept_once() {
        let mut pool = Pool::default();
        for number in 0..1000_u64 {
            assert_eq!(pool.insert(&[number, 7]), (number as usize, true));
        }
        assert_eq!(pool.insert(&[41, 7]), (41, false));
        assert_eq!(pool.insert(&[41]), (1000, true));
        assert_eq!((pool.find(&[3, 7]), pool.find(&[3])), (Some(3), None));
        assert_eq!(pool.get(999), [999, 7]);
    }
}
