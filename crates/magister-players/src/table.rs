//! A table of positions that were searched before.

pub(crate) use magister_solve::Key;

/// What a value says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing is kept here.
    #[default]
    Empty,
    /// It is the value.
    Exact,
    /// The value is at least this.
    Least,
    /// The value is at most this.
    Most,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) value: f64,
    /// The profile that was best.
    pub(crate) best: u32,
    /// How deep it was searched.
    pub(crate) depth: u16,
    pub(crate) bound: Bound,
    /// Whether the search came to the end of the game everywhere, so that more depth would
    /// change nothing.
    pub(crate) solved: bool,
    pub(crate) key: Key,
}

/// A table that grows to a limit; from then on, what is new replaces what is old.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Known>,
    filled: usize,
    limit: usize,
}

/// The entries at first.
const FIRST: usize = 1 << 10;

impl Table {
    /// A table of at most so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let limit = (bytes / size_of::<Known>()).max(2);
        // The greatest power of two that is not above.
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

    /// What is known of a position.
    pub(crate) fn get(&self, key: Key) -> Option<Known> {
        let known = *self.entries.get(self.place(key))?;
        (known.bound != Bound::Empty && known.key == key).then_some(known)
    }

    /// Keeps what is known of a position, unless the place holds something of another position
    /// that cost more.
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
    fn what_is_put_is_found() {
        let mut table = Table::new(1 << 16);
        let known = Known { value: 3.5, bound: Bound::Exact, depth: 4, ..Known::default() };
        table.put(Key(7, 9), known);
        assert_eq!(table.get(Key(7, 9)).map(|known| known.value), Some(3.5));
        assert!(table.get(Key(7, 8)).is_none() && table.get(Key(8, 9)).is_none());
    }
}
