//! The terms of a compiled game: its moves, percepts and fluents.
//!
//! Grounding finds every move that can be legal, every percept that a role can receive and every
//! fluent that can hold. They are sorted by term and numbered in that order. The numbers therefore
//! depend on the rules alone: not on the evaluator, the thread, the machine or the order of
//! discovery. If grounding exceeds its limits, there is no vocabulary.

use rustc_hash::FxHashMap;

use crate::ground::Ground;
use crate::grounder::Grounded;
use crate::term::TermId;

/// Distinct terms, sorted; the number of a term is its index.
#[derive(Clone, Debug, Default)]
pub struct TermList {
    terms: Vec<Ground>,
    numbers: FxHashMap<Ground, u32>,
}

impl TermList {
    fn new(ground: &Grounded, mut terms: Vec<TermId>) -> Self {
        ground.terms.sort(&mut terms);
        let terms: Vec<Ground> = terms.into_iter().map(|term| ground.terms.export(term)).collect();
        let numbers = terms.iter().enumerate().map(|(n, term)| (term.clone(), n as u32)).collect();
        Self { terms, numbers }
    }

    /// All terms, in the order of their numbers.
    pub fn terms(&self) -> &[Ground] {
        &self.terms
    }

    /// The number of a term; `None` if it is not in the list.
    pub fn number(&self, term: &Ground) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The terms that the rules determine before any match is played.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// The moves of all roles; a term that several roles share is one move.
    pub moves: TermList,
    /// The percepts of all roles.
    pub percepts: TermList,
    /// The fluents.
    pub fluents: TermList,
}

impl Vocabulary {
    /// The vocabulary of grounded rules.
    pub fn new(ground: &Grounded) -> Self {
        let moves = (0..ground.moves as u32).map(|number| ground.the_move(number).1).collect();
        let percepts = ground.percepts.iter().map(|&(_, term, _)| term).collect();
        let fluents = (0..ground.fluents as u32).map(|number| ground.fluent(number)).collect();
        Self {
            moves: TermList::new(ground, moves),
            percepts: TermList::new(ground, percepts),
            fluents: TermList::new(ground, fluents),
        }
    }
}
