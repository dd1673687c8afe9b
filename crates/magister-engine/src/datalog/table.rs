//! Constant relations as tables that all workers share.

use rustc_hash::FxHashSet;

use crate::term::TermId;

/// The value that stands for `None`.
pub(super) const NONE: u32 = u32::MAX;

/// A hash of a list of terms.
#[inline]
pub(super) fn hash(terms: &[TermId]) -> usize {
    let mut state = 0_u64;
    for term in terms {
        state = (state.rotate_left(5) ^ u64::from(term.0)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (state >> 32 ^ state) as usize
}

/// The rows of a relation, grouped by the columns of lookups.
#[derive(Clone, Debug)]
pub(super) struct Index {
    columns: Box<[u32]>,
    /// Open addressing: the number of a key, or `NONE`. Its length is a power of two.
    slots: Vec<u32>,
    keys: Vec<TermId>,
    /// The start of the rows of each key, and the end of the last.
    starts: Vec<u32>,
    /// The rows in the order of their keys.
    cells: Vec<TermId>,
    /// For keys of one column with a small number: the range of their rows.
    direct: Vec<(u32, u32)>,
}

/// Terms below this number are found directly.
pub(super) const SMALL: u32 = 1 << 14;

/// A constant relation.
#[derive(Clone, Debug)]
pub(super) struct Table {
    arity: usize,
    cells: Vec<TermId>,
    count: u32,
    indexes: Vec<Index>,
}

impl Table {
    /// The table of distinct rows.
    pub(super) fn new(arity: usize, cells: Vec<TermId>, count: u32) -> Self {
        Table { arity, cells, count, indexes: Vec::new() }
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    fn cell(&self, row: u32, column: u32) -> TermId {
        self.cells[row as usize * self.arity + column as usize]
    }

    /// The number of distinct values in some columns, by their hashes.
    pub(super) fn distinct(&self, columns: &[u32]) -> u32 {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut key = Vec::new();
        for row in 0..self.count {
            key.clear();
            key.extend(columns.iter().map(|&column| self.cell(row, column)));
            seen.insert(hash(&key));
        }
        seen.len() as u32
    }

    /// The index by these columns, which is added if it is new.
    pub(super) fn index(&mut self, columns: &[u32]) -> u32 {
        let known = self.indexes.iter().position(|index| *index.columns == *columns);
        known.unwrap_or_else(|| {
            let index = self.build(columns);
            self.indexes.push(index);
            self.indexes.len() - 1
        }) as u32
    }

    fn build(&self, columns: &[u32]) -> Index {
        let size = (self.count as usize * 2).next_power_of_two().max(4);
        let mut slots = vec![NONE; size];
        let (mut keys, mut counts, mut key_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut key = Vec::new();
        for row in 0..self.count {
            key.clear();
            key.extend(columns.iter().map(|&column| self.cell(row, column)));
            let slot = find(&slots, &keys, &key);
            if slots[slot] == NONE {
                slots[slot] = counts.len() as u32;
                counts.push(0_u32);
                keys.extend_from_slice(&key);
            }
            counts[slots[slot] as usize] += 1;
            key_of.push(slots[slot]);
        }
        let mut starts = vec![0; counts.len() + 1];
        for (number, count) in counts.iter().enumerate() {
            starts[number + 1] = starts[number] + count;
        }
        let mut places = starts.clone();
        let mut cells = self.cells.clone();
        for row in 0..self.count {
            let place = &mut places[key_of[row as usize] as usize];
            let (from, to) = (row as usize * self.arity, *place as usize * self.arity);
            cells[to..to + self.arity].copy_from_slice(&self.cells[from..from + self.arity]);
            *place += 1;
        }
        let mut direct = Vec::new();
        if columns.len() == 1 {
            let small = keys.iter().filter(|key| key.0 < SMALL);
            direct.resize(small.map(|key| key.0 as usize + 1).max().unwrap_or(0), (0, 0));
            for (number, key) in keys.iter().enumerate().filter(|(_, key)| key.0 < SMALL) {
                direct[key.0 as usize] = (starts[number], starts[number + 1]);
            }
        }
        Index { columns: columns.into(), slots, keys, starts, cells, direct }
    }

    /// The range of the rows with this key in an index.
    #[inline]
    pub(super) fn lookup(&self, index: u32, key: &[TermId]) -> (u32, u32) {
        let index = &self.indexes[index as usize];
        match key {
            [] => return (0, self.count),
            [term] if term.0 < SMALL => {
                return index.direct.get(term.0 as usize).copied().unwrap_or((0, 0));
            }
            _ => {}
        }
        match index.slots[find(&index.slots, &index.keys, key)] {
            NONE => (0, 0),
            number => (index.starts[number as usize], index.starts[number as usize + 1]),
        }
    }

    /// A row of an index.
    #[inline]
    pub(super) fn row(&self, index: u32, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.indexes[index as usize].cells[start..start + self.arity]
    }
}

/// The slot of a key, or the free slot for it. At least one slot must be free.
#[inline]
pub(super) fn find(slots: &[u32], keys: &[TermId], key: &[TermId]) -> usize {
    let mask = slots.len() - 1;
    let mut slot = hash(key) & mask;
    loop {
        let number = slots[slot];
        if number == NONE {
            return slot;
        }
        let start = number as usize * key.len();
        if keys[start..start + key.len()] == *key {
            return slot;
        }
        slot = (slot + 1) & mask;
    }
}
