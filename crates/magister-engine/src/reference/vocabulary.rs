//! The numbers that all workers of a game share.

use rustc_hash::FxHashMap;

use crate::ground::Ground;
use crate::term::{TermId, Terms};

/// A list of terms with dense numbers in the order of first sight.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    list: Vec<TermId>,
    index: FxHashMap<TermId, u32>,
}

impl Numbered {
    pub(crate) fn number(&mut self, term: TermId) -> u32 {
        *self.index.entry(term).or_insert_with(|| {
            self.list.push(term);
            self.list.len() as u32 - 1
        })
    }

    pub(crate) fn get(&self, number: u32) -> Option<TermId> {
        self.list.get(number as usize).copied()
    }
}

/// Fluents, moves and percepts that somebody has seen. Workers compute with terms of their own
/// and come here only for what they hand out.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) terms: Terms,
    pub(crate) fluents: Numbered,
    pub(crate) moves: Numbered,
    pub(crate) percepts: Numbered,
}

impl Vocabulary {
    /// The words of a state: the numbers of its fluents, in the order of the fluents.
    pub(crate) fn words(&mut self, state: &[Ground]) -> Vec<u64> {
        let mut fluents: Vec<TermId> =
            state.iter().map(|fluent| self.terms.import(fluent)).collect();
        self.terms.sort(&mut fluents);
        fluents.into_iter().map(|fluent| u64::from(self.fluents.number(fluent))).collect()
    }

    /// The fluents of a state; `None` if the words are no state or not in order.
    pub(crate) fn state(&self, words: &[u64]) -> Option<Vec<TermId>> {
        let fluent = |&word: &u64| self.fluents.get(u32::try_from(word).ok()?);
        let state: Vec<TermId> = words.iter().map(fluent).collect::<Option<_>>()?;
        let sorted = state.is_sorted_by(|&a, &b| self.terms.compare(a, b).is_lt());
        sorted.then_some(state)
    }
}
