//! The transposition table.

pub(crate) use magister_solve::Key;

/// The meaning of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The entry is empty.
    #[default]
    Empty,
    /// The exact value.
    Exact,
    /// A lower bound.
    Least,
    /// An upper bound.
    Most,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) value: f64,
    /// The best profile.
    pub(crate) best: u32,
    /// The search depth.
    pub(crate) depth: u16,
    pub(crate) bound: Bound,
    /// Whether the search reached terminal states everywhere, so that more depth would change
    /// nothing.
    pub(crate) solved: bool,
    pub(crate) key: Key,
}

/// A table that grows to a limit; from then on, new entries replace old ones.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Known>,
    filled: usize,
    limit: usize,
}

/// The initial number of entries.
const FIRST: usize = 1 << 10;

impl Table {
    /// A table of at most this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let limit = (bytes / size_of::<Known>()).max(2);
        // The greatest power of two not above the limit.
        let limit = 1_usize << (usize::BITS - 1 - limit.leading_zeros());
        Table { entries: vec![Known::default(); limit.min(FIRST)], filled: 0, limit }
    }

    fn place(&self, key: Key) -> usize {
        key.0 as usize & (self.entries.len() - 1)
    }

    fn grow(&mut self) {
        let more = vec![Known::default(); 2 * self.entries.len()];
        let old = std::mem::replace(&mut self.entries, more);
        self.filled = 0;
        for known in old.into_iter().filter(|known| known.bound != Bound::Empty) {
            self.filled += 1;
            let place = self.place(known.key);
            self.entries[place] = known;
        }
    }

    /// The entry of a position.
    pub(crate) fn get(&self, key: Key) -> Option<Known> {
        let known = *self.entries.get(self.place(key))?;
        (known.bound != Bound::Empty && known.key == key).then_some(known)
    }

    /// Stores the entry of a position, unless its slot holds a more expensive entry of another
    /// position.
    pub(crate) fn put(&mut self, key: Key, known: Known) {
        if 2 * self.filled > self.entries.len() && self.entries.len() < self.limit {
            self.grow();
        }
        let place = self.place(key);
        let Some(old) = self.entries.get_mut(place) else { return };
        let dearer = old.bound != Bound::Empty && old.key != key && old.depth > known.depth + 2;
        if !dearer {
            self.filled += usize::from(old.bound == Bound::Empty);
            *old = Known { key, ..known };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found() {
        let mut table = Table::new(1 << 16);
        let known = Known { value: 3.5, bound: Bound::Exact, depth: 4, ..Known::default() };
        table.put(Key(7, 9), known);
        assert_eq!(table.get(Key(7, 9)).map(|known| known.value), Some(3.5));
        assert!(table.get(Key(7, 8)).is_none() && table.get(Key(8, 9)).is_none());
    }
}
