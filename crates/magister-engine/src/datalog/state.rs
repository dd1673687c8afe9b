//! The fluents of a state, with the indexes of the plans.
//!
//! The state-independent data of a fluent, its group and its place in every index, is computed
//! once. A change of state touches only the groups that change.

use rustc_hash::FxHashMap;

use super::code::Group;
use super::table::{NONE, SMALL, find};
use crate::term::{Functor, TermId, Terms};

/// Fluents of one group by some of their columns.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[u32]>,
    slots: Vec<u32>,
    keys: Vec<TermId>,
    /// The fluents of the state, by the number of their key.
    buckets: Vec<Vec<TermId>>,
    /// For keys of one column whose term has a small number: their bucket, or `NONE`.
    direct: Vec<u32>,
}

impl Index {
    /// The bucket of a fluent, which is added if it is new.
    fn bucket(&mut self, args: &[TermId], key: &mut Vec<TermId>) -> u32 {
        key.clear();
        key.extend(self.columns.iter().map(|&column| args[column as usize]));
        if (self.buckets.len() + 1) * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(16);
            self.slots = vec![NONE; size];
            for number in 0..self.buckets.len() {
                let width = key.len();
                let known = &self.keys[number * width..(number + 1) * width];
                let slot = find(&self.slots, &self.keys, known);
                self.slots[slot] = number as u32;
            }
        }
        let slot = find(&self.slots, &self.keys, key);
        if self.slots[slot] == NONE {
            self.slots[slot] = self.buckets.len() as u32;
            self.keys.extend_from_slice(key);
            self.buckets.push(Vec::new());
            if let &[term] = key.as_slice()
                && term.0 < SMALL
            {
                let place = term.0 as usize;
                self.direct.resize(self.direct.len().max(place + 1), NONE);
                self.direct[place] = self.slots[slot];
            }
        }
        self.slots[slot]
    }
}

#[derive(Clone, Debug)]
struct Members {
    all: Vec<TermId>,
    indexes: Vec<Index>,
    changed: bool,
}

/// The data of a term that has been a fluent.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Its group; `NONE` if no rule uses its functor.
    group: u32,
    /// The start of its buckets in `buckets`.
    buckets: u32,
    /// The number of the last state in which it held.
    held: u64,
}

const UNKNOWN: Known = Known { group: NONE, buckets: NONE, held: 0 };

/// A set of fluents.
#[derive(Clone, Debug)]
pub(super) struct State {
    fluents: Vec<TermId>,
    /// By term.
    known: Vec<Known>,
    buckets: Vec<u32>,
    group_of: FxHashMap<Functor, u32>,
    groups: Vec<Members>,
    /// The number of this state, counted from one.
    number: u64,
    key: Vec<TermId>,
}

impl State {
    /// The empty state.
    pub(super) fn new(groups: &[Group]) -> Self {
        let members = |group: &Group| Members {
            all: Vec::new(),
            indexes: group
                .indexes
                .iter()
                .map(|columns| Index {
                    columns: columns.clone(),
                    slots: vec![NONE; 16],
                    keys: Vec::new(),
                    buckets: Vec::new(),
                    direct: Vec::new(),
                })
                .collect(),
            changed: false,
        };
        State {
            fluents: Vec::new(),
            known: Vec::new(),
            buckets: Vec::new(),
            group_of: groups.iter().enumerate().map(|(n, g)| (g.functor, n as u32)).collect(),
            groups: groups.iter().map(members).collect(),
            number: 1,
            key: Vec::new(),
        }
    }

    /// All fluents, without duplicates.
    pub(super) fn fluents(&self) -> &[TermId] {
        &self.fluents
    }

    /// Whether a fluent holds.
    #[inline]
    pub(super) fn holds(&self, fluent: TermId) -> bool {
        self.known.get(fluent.0 as usize).is_some_and(|known| known.held == self.number)
    }

    /// The bucket of a key; `NONE` if no fluent ever had it.
    #[inline]
    pub(super) fn bucket(&self, group: u32, index: u32, key: &[TermId]) -> u32 {
        let index = &self.groups[group as usize].indexes[index as usize];
        if let &[term] = key
            && term.0 < SMALL
        {
            return index.direct.get(term.0 as usize).copied().unwrap_or(NONE);
        }
        index.slots[find(&index.slots, &index.keys, key)]
    }

    /// The fluents in a bucket, or of a whole group.
    #[inline]
    pub(super) fn members(&self, group: u32, index: u32, bucket: u32) -> &[TermId] {
        let group = &self.groups[group as usize];
        if index == NONE {
            &group.all
        } else {
            &group.indexes[index as usize].buckets[bucket as usize]
        }
    }

    /// Replaces the fluents. Sets the bits of the groups that change, and returns whether there are
    /// any.
    pub(super) fn set(&mut self, fluents: &[TermId], terms: &Terms, changed: &mut [u64]) -> bool {
        let (before, now) = (self.number, self.number + 1);
        self.number = now;
        self.groups.iter_mut().for_each(|group| group.changed = false);
        let mut any = false;
        let mut kept = 0;
        for &fluent in fluents {
            if fluent.0 as usize >= self.known.len() {
                self.known.resize(terms.len(), UNKNOWN);
            }
            let was = self.known[fluent.0 as usize].held;
            if was == now {
                continue;
            }
            if self.known[fluent.0 as usize].buckets == NONE {
                self.learn(fluent, terms);
            }
            self.known[fluent.0 as usize].held = now;
            if was == before {
                kept += 1;
            } else {
                any = true;
                self.touch(fluent);
            }
        }
        any |= kept != self.fluents.len();
        if !any {
            return false;
        }
        for place in 0..self.fluents.len() {
            let fluent = self.fluents[place];
            if self.known[fluent.0 as usize].held != now {
                self.touch(fluent);
            }
        }
        for place in 0..self.fluents.len() {
            self.each_bucket(self.fluents[place], |bucket, _| bucket.clear());
        }
        for (number, group) in self.groups.iter_mut().enumerate() {
            if group.changed {
                group.all.clear();
                changed[number / 64] |= 1 << (number % 64);
            }
        }
        self.fluents.clear();
        for &fluent in fluents {
            // The number is incremented temporarily, so that each fluent is counted once.
            let known = &mut self.known[fluent.0 as usize];
            if known.held == now {
                known.held = now + 1;
                self.fluents.push(fluent);
                let group = known.group;
                if group != NONE && self.groups[group as usize].changed {
                    self.groups[group as usize].all.push(fluent);
                    self.each_bucket(fluent, Vec::push);
                }
            }
        }
        self.number = now + 1;
        true
    }

    fn touch(&mut self, fluent: TermId) {
        let group = self.known[fluent.0 as usize].group;
        if group != NONE {
            self.groups[group as usize].changed = true;
        }
    }

    fn each_bucket(&mut self, fluent: TermId, act: impl Fn(&mut Vec<TermId>, TermId)) {
        let known = self.known[fluent.0 as usize];
        if known.group == NONE || !self.groups[known.group as usize].changed {
            return;
        }
        let indexes = &mut self.groups[known.group as usize].indexes;
        let places = &self.buckets[known.buckets as usize..];
        for (index, &bucket) in indexes.iter_mut().zip(places) {
            act(&mut index.buckets[bucket as usize], fluent);
        }
    }

    fn learn(&mut self, fluent: TermId, terms: &Terms) {
        let group = self.group_of.get(&terms.functor(fluent)).copied().unwrap_or(NONE);
        let known = &mut self.known[fluent.0 as usize];
        known.group = group;
        known.buckets = self.buckets.len() as u32;
        if group != NONE {
            for index in &mut self.groups[group as usize].indexes {
                self.buckets.push(index.bucket(terms.args(fluent), &mut self.key));
            }
        }
    }
}
