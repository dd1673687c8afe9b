//! The result of grounding: atoms, and the instances of rules over them.

use crate::term::{TermId, Terms};

/// An atom that may change during play: an index into [`Grounded::atoms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signed(u32);

impl Signed {
    /// The atom, negated or not.
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Signed(atom.0 << 1 | u32::from(negated))
    }

    /// The atom.
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// Whether it is negated.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The kind of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// A fluent in the state.
    Fluent(TermId),
    /// A role, by its number, does a move.
    Does(u32, TermId),
    /// An atom that rules derive.
    Derived,
}

/// The relation that an atom belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// A relation of the rulesheet, by its number.
    Written(u32),
    /// A relation that the grounder made to split a rule, or to count.
    Made,
}

/// The instances of a program's rules.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// All terms.
    pub terms: Terms,
    /// All atoms: the fluents, then the moves, then the derived atoms.
    pub atoms: Vec<AtomKind>,
    /// The relations in the order of the numbers of their atoms, each with its first atom.
    pub(super) relations: Vec<(u32, Relation)>,
    /// The number of fluents.
    pub fluents: usize,
    /// The number of moves of all roles together.
    pub moves: usize,
    /// Whether a role without a legal move is idle, as in the operations dialect.
    pub idling: bool,
    /// The number of roles.
    pub roles: usize,
    /// The heads of instances.
    pub(super) heads: Vec<AtomId>,
    /// The end of the body of each instance in `literals`.
    pub(super) ends: Vec<u32>,
    pub(super) literals: Vec<Signed>,
    /// The fluents of the initial state.
    pub initial: Vec<AtomId>,
    /// For every fluent, the atom of its next value.
    pub next: Vec<Option<AtomId>>,
    /// For every move, the atoms that must all hold to make it legal; `None` if it is never legal.
    pub legal: Vec<Option<Vec<AtomId>>>,
    /// The terminal condition; `None` if no state is terminal.
    pub terminal: Option<Truth>,
    /// Goal values: the role, the value, the condition.
    pub goals: Vec<(u32, TermId, Truth)>,
    /// Percepts: the role, the percept, the condition.
    pub percepts: Vec<(u32, TermId, Truth)>,
}

/// When something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// In every state.
    Always,
    /// When an atom holds.
    When(AtomId),
}

impl Grounded {
    /// The term of a fluent.
    pub fn fluent(&self, fluent: u32) -> TermId {
        match self.atoms[fluent as usize] {
            AtomKind::Fluent(term) | AtomKind::Does(_, term) => term,
            AtomKind::Derived => unreachable!("fluents come first"),
        }
    }

    /// A move, by its number among the moves: the role and the term.
    pub fn the_move(&self, number: u32) -> (u32, TermId) {
        match self.atoms[self.fluents + number as usize] {
            AtomKind::Does(role, term) => (role, term),
            _ => unreachable!("moves come after the fluents"),
        }
    }

    /// The role that makes a move.
    pub fn role_of(&self, number: u32) -> u32 {
        self.the_move(number).0
    }

    /// The relation of a derived atom.
    pub fn relation(&self, atom: AtomId) -> Relation {
        let after = self.relations.partition_point(|&(first, _)| first <= atom.0);
        after.checked_sub(1).map_or(Relation::Made, |at| self.relations[at].1)
    }

    /// The number of instances.
    pub fn instances(&self) -> usize {
        self.heads.len()
    }

    /// An instance: its head and its conditions.
    pub fn instance(&self, number: usize) -> (AtomId, &[Signed]) {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        (self.heads[number], &self.literals[start..self.ends[number] as usize])
    }
}
