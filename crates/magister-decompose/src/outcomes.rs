//! The joint results of the parts: `terminal` and the goals as a table over the concept vectors of
//! the parts.

use magister_engine::network::Network;
use rustc_hash::FxHashMap;

use crate::tops::{Tops, read};

/// The maximum number of combinations of vectors in a table.
const MOST: usize = 200_000;

/// The result of a combination of vectors.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) terminal: bool,
    /// The goal values of each role; empty if the state is not terminal.
    pub(crate) goals: Vec<Vec<f64>>,
}

/// A table of outcomes. Vectors with the same results in all combinations are one kind.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    /// For every part, followed by the context, the kind of each vector.
    pub(crate) kinds: Vec<FxHashMap<Box<[bool]>, u32>>,
    /// For every part, and the context, the number of its kinds.
    pub(crate) sizes: Vec<usize>,
    /// The outcome of each combination of kinds; the kind of the first part changes fastest.
    table: Vec<u32>,
    list: Vec<Outcome>,
}

impl Outcomes {
    /// The table of these vectors, if it is not too large.
    pub(crate) fn new(
        network: &Network,
        tops: &Tops,
        vectors: &[Vec<Box<[bool]>>],
        missing: Option<f64>,
    ) -> Option<Self> {
        let sizes: Vec<usize> = vectors.iter().map(Vec::len).collect();
        let size = sizes.iter().try_fold(1usize, |all, &n| all.checked_mul(n))?;
        if size > MOST || size == 0 {
            return None;
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut table = Vec::with_capacity(size);
        let mut at = vec![0usize; sizes.len()];
        let mut memory = Vec::new();
        for _ in 0..size {
            let values =
                tops.evaluate(|part, concept| vectors[part][at[part]][concept], &mut memory);
            let terminal = read(values, tops.terminal);
            let mut goals = vec![Vec::new(); network.roles()];
            if terminal {
                for (goal, &signal) in network.goals.iter().zip(&tops.goals) {
                    if let (Some(value), true) = (goal.value, read(values, signal)) {
                        goals[goal.role.index()].push(value);
                    }
                }
                for values in &mut goals {
                    values.extend(missing.filter(|_| values.is_empty()));
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                }
            }
            let outcome = Outcome { terminal, goals };
            let number = outcomes.iter().position(|other| *other == outcome).unwrap_or_else(|| {
                outcomes.push(outcome);
                outcomes.len() - 1
            });
            table.push(number as u32);
            for (place, &size) in at.iter_mut().zip(&sizes) {
                *place += 1;
                if *place < size {
                    break;
                }
                *place = 0;
            }
        }
        Some(Outcomes { kinds: Vec::new(), sizes, table, list: outcomes }.merged(vectors))
    }

    /// Merges vectors with equal rows into one kind, part by part.
    fn merged(mut self, vectors: &[Vec<Box<[bool]>>]) -> Self {
        for (part, own) in vectors.iter().enumerate() {
            let size = self.sizes[part];
            let step: usize = self.sizes[..part].iter().product();
            let mut rows: Vec<Vec<u32>> = vec![Vec::new(); size];
            for (place, &outcome) in self.table.iter().enumerate() {
                rows[place / step % size].push(outcome);
            }
            let mut known: FxHashMap<&[u32], u32> = FxHashMap::default();
            let mut kinds = FxHashMap::default();
            let mut first = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                let fresh = known.len() as u32;
                let kind = *known.entry(row).or_insert(fresh);
                if kind == fresh {
                    first.push(number);
                }
                kinds.insert(own[number].clone(), kind);
            }
            self.kinds.push(kinds);
            let table = std::mem::take(&mut self.table);
            self.table = (0..table.len() / size * first.len())
                .map(|place| {
                    let (low, rest) = (place % step, place / step);
                    let (kind, high) = (rest % first.len(), rest / first.len());
                    table[low + step * (first[kind] + size * high)]
                })
                .collect();
            self.sizes[part] = first.len();
        }
        self
    }

    /// The outcome of a combination of kinds, one for each part and for the context.
    pub(crate) fn get(&self, kinds: impl IntoIterator<Item = u32>) -> &Outcome {
        let (mut place, mut step) = (0, 1);
        for (kind, &size) in kinds.into_iter().zip(&self.sizes) {
            place += step * kind as usize;
            step *= size;
        }
        &self.list[self.table[place] as usize]
    }

    /// All combinations of kinds.
    pub(crate) fn combinations(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        (0..self.table.len()).map(|mut place| {
            let digit = |&size: &usize| {
                let kind = place % size;
                place /= size;
                kind as u32
            };
            self.sizes.iter().map(digit).collect()
        })
    }

    /// The least and the greatest goal value of the first role; `None` if the game has no terminal
    /// state.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        let values = || self.list.iter().filter_map(|o| o.goals.first()).flatten().copied();
        Some((values().reduce(f64::min)?, values().reduce(f64::max)?))
    }

    /// How the kinds of part `a` correspond to those of part `b`, if exchanging the parts changes
    /// nothing: for each kind of `a`, one of `b`.
    pub(crate) fn exchange(&self, a: usize, b: usize) -> Option<Vec<u32>> {
        let size = self.sizes[a];
        if size != self.sizes[b] || size > 6 {
            return None;
        }
        let mut order: Vec<u32> = (0..size as u32).collect();
        loop {
            let mut back = vec![0; size];
            order.iter().enumerate().for_each(|(one, &other)| back[other as usize] = one as u32);
            let same = self.combinations().all(|kinds| {
                let mut other = kinds.clone();
                other[b] = order[kinds[a] as usize];
                other[a] = back[kinds[b] as usize];
                self.get(kinds) == self.get(other)
            });
            if same {
                return Some(order);
            }
            if !next_permutation(&mut order) {
                return None;
            }
        }
    }

    /// Whether kind `high` of a part is at least as good for a role as kind `low`, whatever the
    /// results of the other parts are, and ends the game in the same cases.
    pub(crate) fn at_most(&self, part: usize, low: u32, high: u32, role: usize) -> bool {
        self.combinations().filter(|kinds| kinds[part] == low).all(|kinds| {
            let mut other = kinds.clone();
            other[part] = high;
            let (low, high) = (self.get(kinds), self.get(other));
            low.terminal == high.terminal
                && (!low.terminal
                    || matches!((&low.goals[role][..], &high.goals[role][..]),
                                ([low], [high]) if low <= high))
        })
    }

    /// Whether the goals of two roles have a constant sum in all terminal combinations, and are
    /// single values.
    pub(crate) fn opposite(&self) -> bool {
        let mut sum = None;
        self.combinations().all(|kinds| match self.get(kinds) {
            Outcome { terminal: false, .. } => true,
            Outcome { goals, .. } => match goals[..] {
                [ref a, ref b] if a.len() == 1 && b.len() == 1 => {
                    (*sum.get_or_insert(a[0] + b[0]) - a[0] - b[0]).abs() < 1e-9
                }
                _ => false,
            },
        })
    }
}

/// The next order of these numbers; false after the last.
fn next_permutation(order: &mut [u32]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let Some(with) = order.iter().rposition(|&other| other > order[at]) else { return false };
    order.swap(at, with);
    order[at + 1..].reverse();
    true
}
