//! The numbers that all workers of a game share.
//!
//! If the rules fix a vocabulary, its terms have their numbers before play begins. Otherwise a term
//! gets the next number when a worker first encounters it, and the number is valid for this game in
//! this process only. Parsing a move or a percept never assigns a number. Parsing a state does so
//! only without a vocabulary, and only for fluents that consist of names in the rules.

use rustc_hash::FxHashMap;

use crate::ground::Ground;
use crate::term::{TermId, Terms};
use crate::vocabulary::{TermList, Vocabulary};

/// A list of terms with dense numbers in order of first appearance.
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

    /// The number of a term, if it has one.
    pub(crate) fn find(&self, term: TermId) -> Option<u32> {
        self.index.get(&term).copied()
    }

    pub(crate) fn get(&self, number: u32) -> Option<TermId> {
        self.list.get(number as usize).copied()
    }
}

/// The known fluents, moves and percepts. Workers compute with their own term numbers and use this
/// only for results.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    pub(crate) terms: Terms,
    pub(crate) fluents: Numbered,
    pub(crate) moves: Numbered,
    pub(crate) percepts: Numbered,
}

impl Numbering {
    /// The numbers of a vocabulary; without one, there are no numbers yet.
    pub(crate) fn new(vocabulary: Option<&Vocabulary>) -> Self {
        let mut numbering = Numbering::default();
        if let Some(vocabulary) = vocabulary {
            let Numbering { terms, fluents, moves, percepts } = &mut numbering;
            let mut fill = |list: &TermList, numbers: &mut Numbered| {
                for term in list.terms() {
                    numbers.number(terms.import(term));
                }
            };
            fill(&vocabulary.fluents, fluents);
            fill(&vocabulary.moves, moves);
            fill(&vocabulary.percepts, percepts);
        }
        numbering
    }

    /// The number of a move, if it has one.
    pub(crate) fn find_move(&self, term: &Ground) -> Option<u32> {
        self.moves.find(self.terms.find(term)?)
    }

    /// The number of a percept, if it has one.
    pub(crate) fn find_percept(&self, term: &Ground) -> Option<u32> {
        self.percepts.find(self.terms.find(term)?)
    }

    /// The words of a state: the numbers of its fluents, in the order of the fluents.
    pub(crate) fn words(&mut self, state: &[Ground]) -> Vec<u64> {
        let mut fluents: Vec<TermId> =
            state.iter().map(|fluent| self.terms.import(fluent)).collect();
        self.terms.sort(&mut fluents);
        fluents.into_iter().map(|fluent| u64::from(self.fluents.number(fluent))).collect()
    }

    /// The fluents of a state; `None` if the words are invalid or not in order.
    pub(crate) fn state(&self, words: &[u64]) -> Option<Vec<TermId>> {
        let fluent = |&word: &u64| self.fluents.get(u32::try_from(word).ok()?);
        let state: Vec<TermId> = words.iter().map(fluent).collect::<Option<_>>()?;
        let sorted = state.is_sorted_by(|&a, &b| self.terms.compare(a, b).is_lt());
        sorted.then_some(state)
    }
}
