//! Sets of ground tuples with the indexes of joins.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::Pattern;
use crate::term::{Functor, TermId, Terms};

/// The path from a tuple to a part of one of its terms: the column, then argument positions.
pub(super) type Path = Box<[u8]>;

/// The shape of an index: the parts that form the key.
///
/// Tuples that lack one of the parts, because a term has another functor there, are not in the
/// index: no pattern with the part could match them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) functors: Box<[(Path, Functor)]>,
    pub(super) keys: Box<[Path]>,
}

#[derive(Debug)]
struct Index {
    shape: Shape,
    /// Rows by key, ascending.
    rows: FxHashMap<Key, Vec<u32>>,
    /// The number of rows that are indexed.
    upto: u32,
}

/// The number of rows with certain functors, and the number of distinct values of one part.
#[derive(Debug)]
struct Spread {
    functors: Box<[(Path, Functor)]>,
    path: Path,
    values: FxHashSet<TermId>,
    fitting: u32,
    upto: u32,
}

/// A set of tuples, numbered in order of insertion.
#[derive(Debug)]
pub(super) struct Table {
    arity: usize,
    cells: Vec<TermId>,
    count: u32,
    /// Open addressing: a row, or `EMPTY`. Its length is a power of two.
    slots: Vec<u32>,
    indexes: Vec<Index>,
    spreads: Vec<Spread>,
}

const EMPTY: u32 = u32::MAX;

impl Table {
    pub(super) fn new(arity: usize) -> Self {
        Self {
            arity,
            cells: Vec::new(),
            count: 0,
            slots: Vec::new(),
            indexes: Vec::new(),
            spreads: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    pub(super) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.cells[start..start + self.arity]
    }

    /// The row of a tuple, if it is in the set.
    pub(super) fn find(&self, tuple: &[TermId]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(tuple) & mask;
        while self.slots[slot] != EMPTY {
            if self.row(self.slots[slot]) == tuple {
                return Some(self.slots[slot]);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Adds a tuple; returns its row, and whether it is new.
    pub(super) fn insert(&mut self, tuple: &[TermId]) -> (u32, bool) {
        if (self.count as usize + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(tuple) & mask;
        while self.slots[slot] != EMPTY {
            if self.row(self.slots[slot]) == tuple {
                return (self.slots[slot], false);
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = self.count;
        self.cells.extend_from_slice(tuple);
        self.count += 1;
        (self.count - 1, true)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots = vec![EMPTY; size];
        for row in 0..self.count {
            let mut slot = hash(self.row(row)) & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = row;
        }
    }

    /// The index of a shape, which is created if it is new, and brought up to date.
    pub(super) fn index(&mut self, shape: &Shape, terms: &Terms) -> usize {
        let known = self.indexes.iter().position(|index| index.shape == *shape);
        let at = known.unwrap_or_else(|| {
            self.indexes.push(Index { shape: shape.clone(), rows: FxHashMap::default(), upto: 0 });
            self.indexes.len() - 1
        });
        self.refresh(at, terms);
        at
    }

    /// Brings an index up to date.
    pub(super) fn refresh(&mut self, at: usize, terms: &Terms) {
        let index = &mut self.indexes[at];
        for row in index.upto..self.count {
            let start = row as usize * self.arity;
            let tuple = &self.cells[start..start + self.arity];
            let shape = &index.shape;
            if !has_functors(tuple, &shape.functors, terms) {
                continue;
            }
            let mut key = Key::default();
            let complete = shape
                .keys
                .iter()
                .all(|path| part(tuple, path, terms).map(|t| key.push(t)).is_some());
            if complete {
                index.rows.entry(key).or_default().push(row);
            }
        }
        index.upto = self.count;
    }

    /// The rows with this key, ascending.
    pub(super) fn lookup(&self, index: usize, key: Key) -> &[u32] {
        self.indexes[index].rows.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The number of rows with these functors, and the number of distinct values of one part.
    pub(super) fn spread(
        &mut self,
        functors: &[(Path, Functor)],
        path: &[u8],
        terms: &Terms,
    ) -> (u32, usize) {
        let known = self.spreads.iter().position(|s| *s.path == *path && *s.functors == *functors);
        let at = known.unwrap_or_else(|| {
            self.spreads.push(Spread {
                functors: functors.into(),
                path: path.into(),
                values: FxHashSet::default(),
                fitting: 0,
                upto: 0,
            });
            self.spreads.len() - 1
        });
        let spread = &mut self.spreads[at];
        for row in spread.upto..self.count {
            let start = row as usize * self.arity;
            let tuple = &self.cells[start..start + self.arity];
            if has_functors(tuple, &spread.functors, terms) {
                spread.fitting += 1;
                spread.values.extend(part(tuple, path, terms));
            }
        }
        spread.upto = self.count;
        (spread.fitting, spread.values.len())
    }

    /// The approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let postings = self.indexes.len() * self.count as usize * 6;
        self.cells.len() * 4 + self.slots.len() * 4 + postings
    }
}

/// Terms hashed into a key. Collisions are possible, so candidates are matched in full.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Key(u64);

impl Key {
    pub(super) fn push(&mut self, term: TermId) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(term.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

fn has_functors(tuple: &[TermId], functors: &[(Path, Functor)], terms: &Terms) -> bool {
    functors.iter().all(|(path, functor)| {
        part(tuple, path, terms).is_some_and(|t| terms.functor(t) == *functor)
    })
}

/// The part of a tuple at a path, if its terms have it.
pub(super) fn part(tuple: &[TermId], path: &[u8], terms: &Terms) -> Option<TermId> {
    let (&column, rest) = path.split_first()?;
    let mut term = *tuple.get(usize::from(column))?;
    for &at in rest {
        term = *terms.args(term).get(usize::from(at))?;
    }
    Some(term)
}

/// Matches a pattern with a ground term. New bindings are added to `bindings` and to `trail`. On
/// failure the caller undoes the trail.
pub(super) fn matches(
    pattern: &Pattern,
    term: TermId,
    terms: &Terms,
    bindings: &mut [Option<TermId>],
    trail: &mut Vec<u32>,
) -> bool {
    match pattern {
        Pattern::Ground(wanted) => *wanted == term,
        Pattern::Variable(variable) => {
            let place = &mut bindings[*variable as usize];
            if let Some(known) = place {
                return *known == term;
            }
            *place = Some(term);
            trail.push(*variable);
            true
        }
        Pattern::Compound(symbol, args) => {
            let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
            terms.functor(term) == functor
                && args
                    .iter()
                    .enumerate()
                    .all(|(at, arg)| matches(arg, terms.args(term)[at], terms, bindings, trail))
        }
    }
}

fn hash(tuple: &[TermId]) -> usize {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for term in tuple {
        state = (state ^ u64::from(term.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
    }
    state as usize
}
