//! Names and ground terms as small numbers. Two numbers are equal if and only if the names or terms
//! are equal.

use std::cmp::Ordering;
use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::ground::Ground;

/// A name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub(crate) u32);

/// A ground term. The numbers have a meaning only in the [`Terms`] that assigned them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(crate) u32);

/// The head of a term: its name and its number of arguments. A constant `p` has no argument list;
/// the compound `(p)` has an empty one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Functor {
    /// The name.
    pub symbol: Symbol,
    /// The number of arguments; `None` for a constant.
    pub arity: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Functor,
    /// Where its arguments begin in `args`.
    start: u32,
    /// 1 for a constant.
    depth: u32,
}

/// A store of names and ground terms. Each of them is stored once.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    names: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
    nodes: Vec<Node>,
    args: Vec<TermId>,
    /// Open addressing: the index of a node, or `EMPTY`. Its length is a power of two.
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl Terms {
    /// The number of this name. A new name is added.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        let name: Arc<str> = Arc::from(name);
        self.names.push(Arc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }

    /// The number of this name, if the store contains it.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The constant of this name.
    pub fn constant(&mut self, symbol: Symbol) -> TermId {
        self.intern(Functor { symbol, arity: None }, &[])
    }

    /// The constant of this name, if the store contains it.
    pub fn find_constant(&self, symbol: Symbol) -> Option<TermId> {
        let functor = Functor { symbol, arity: None };
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(functor, &[]) & mask;
        while self.slots[slot] != EMPTY {
            if self.functor(TermId(self.slots[slot])) == functor {
                return Some(TermId(self.slots[slot]));
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The constant with this text.
    pub fn constant_named(&mut self, name: &str) -> TermId {
        let symbol = self.symbol(name);
        self.constant(symbol)
    }

    /// A name applied to a list of arguments, which may be empty.
    pub fn compound(&mut self, symbol: Symbol, args: &[TermId]) -> TermId {
        self.intern(Functor { symbol, arity: Some(args.len() as u32) }, args)
    }

    /// The number of a compound, if the store contains it.
    pub fn find_compound(&self, symbol: Symbol, args: &[TermId]) -> Option<TermId> {
        let functor = Functor { symbol, arity: Some(args.len() as u32) };
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(functor, args) & mask;
        while self.slots[slot] != EMPTY {
            let found = TermId(self.slots[slot]);
            if self.functor(found) == functor && self.args(found) == args {
                return Some(found);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The head of a term.
    pub fn functor(&self, term: TermId) -> Functor {
        self.nodes[term.0 as usize].functor
    }

    /// The arguments of a term; an empty list for a constant.
    pub fn args(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term.0 as usize];
        let start = node.start as usize;
        &self.args[start..start + node.functor.arity.unwrap_or(0) as usize]
    }

    /// The text of a constant; `None` for a compound.
    pub fn constant_text(&self, term: TermId) -> Option<&str> {
        let functor = self.functor(term);
        functor.arity.is_none().then(|| self.name(functor.symbol))
    }

    /// The nesting depth of a term; 1 for a constant.
    pub fn depth(&self, term: TermId) -> u32 {
        self.nodes[term.0 as usize].depth
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the store contains no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The term with this number, if it exists.
    pub fn get(&self, number: u64) -> Option<TermId> {
        (number < self.nodes.len() as u64).then_some(TermId(number as u32))
    }

    fn intern(&mut self, functor: Functor, args: &[TermId]) -> TermId {
        if self.nodes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(functor, args) & mask;
        while self.slots[slot] != EMPTY {
            let found = TermId(self.slots[slot]);
            if self.functor(found) == functor && self.args(found) == args {
                return found;
            }
            slot = (slot + 1) & mask;
        }
        let term = TermId(self.nodes.len() as u32);
        let depth = 1 + args.iter().map(|&arg| self.depth(arg)).max().unwrap_or(0);
        self.nodes.push(Node { functor, start: self.args.len() as u32, depth });
        self.args.extend_from_slice(args);
        self.slots[slot] = term.0;
        term
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![EMPTY; size];
        for number in 0..self.nodes.len() as u32 {
            let term = TermId(number);
            let mut slot = hash(self.functor(term), self.args(term)) & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number;
        }
    }

    /// An order that depends on the content of the terms, not on the order of insertion: constants
    /// before compounds, integers by value and before other names.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (fa, fb) = (self.functor(a), self.functor(b));
        fa.arity
            .is_some()
            .cmp(&fb.arity.is_some())
            .then_with(|| compare_names(self.name(fa.symbol), self.name(fb.symbol)))
            .then_with(|| fa.arity.cmp(&fb.arity))
            .then_with(|| {
                let pairs = self.args(a).iter().zip(self.args(b));
                pairs
                    .map(|(&x, &y)| self.compare(x, y))
                    .find(|o| o.is_ne())
                    .unwrap_or(Ordering::Equal)
            })
    }

    /// Sorts by [`compare`](Terms::compare) and removes duplicates.
    pub fn sort(&self, terms: &mut Vec<TermId>) {
        terms.sort_by(|&a, &b| self.compare(a, b));
        terms.dedup();
    }

    /// The number of an external term, if the store contains it.
    pub fn find(&self, term: &Ground) -> Option<TermId> {
        let symbol = self.find_symbol(&term.name)?;
        match &term.args {
            None => self.find_constant(symbol),
            Some(args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.find(arg)).collect();
                self.find_compound(symbol, &args?)
            }
        }
    }

    /// The number of an external term.
    pub fn import(&mut self, term: &Ground) -> TermId {
        let symbol = self.symbol(&term.name);
        match &term.args {
            None => self.constant(symbol),
            Some(args) => {
                let args: Vec<TermId> = args.iter().map(|arg| self.import(arg)).collect();
                self.compound(symbol, &args)
            }
        }
    }

    /// A term as a tree, for use outside of the store.
    pub fn export(&self, term: TermId) -> Ground {
        let functor = self.functor(term);
        Ground {
            name: Arc::clone(&self.names[functor.symbol.0 as usize]),
            args: functor
                .arity
                .map(|_| self.args(term).iter().map(|&arg| self.export(arg)).collect()),
        }
    }

    /// The number that a term of `from` has in this store.
    pub fn copy(&mut self, from: &Terms, term: TermId) -> TermId {
        let functor = from.functor(term);
        let symbol = self.symbol(from.name(functor.symbol));
        if functor.arity.is_none() {
            return self.constant(symbol);
        }
        let args: Vec<TermId> = from.args(term).iter().map(|&arg| self.copy(from, arg)).collect();
        self.compound(symbol, &args)
    }
}

fn hash(functor: Functor, args: &[TermId]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write_u32(functor.symbol.0);
    hasher.write_u32(functor.arity.map_or(0, |arity| arity + 1));
    for arg in args {
        hasher.write_u32(arg.0);
    }
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as usize
}

/// Integers by value and before all other names, which are compared as strings.
pub(crate) fn compare_names(a: &str, b: &str) -> Ordering {
    match (whole(a), whole(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn whole(name: &str) -> Option<i64> {
    // `parse` alone would be slow: most names fail at the first character.
    if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        name.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_numbers() {
        let mut terms = Terms::default();
        let cell = terms.symbol("cell");
        let numbers: Vec<TermId> = (0..500).map(|n| terms.constant_named(&n.to_string())).collect();
        let atoms: Vec<TermId> = numbers.iter().map(|&n| terms.compound(cell, &[n, n])).collect();
        for (&n, &atom) in numbers.iter().zip(&atoms) {
            assert_eq!(terms.compound(cell, &[n, n]), atom);
        }
        assert_eq!(terms.len(), 1000);
        assert_eq!(terms.depth(atoms[0]), 2);
    }

    #[test]
    fn a_constant_is_not_a_compound_without_arguments() {
        let mut terms = Terms::default();
        let p = terms.symbol("p");
        let (constant, compound) = (terms.constant(p), terms.compound(p, &[]));
        assert_ne!(constant, compound);
        assert_eq!(terms.export(constant).to_string(), "p");
        assert_eq!(terms.export(compound).to_string(), "(p)");
    }

    #[test]
    fn the_order_is_that_of_the_terms_not_of_their_numbers() {
        let mut terms = Terms::default();
        let texts = ["b", "10", "(f 2)", "a", "9", "(f 10)", "(e z)", "-1"];
        let mut ids: Vec<TermId> =
            texts.iter().map(|t| terms.import(&t.parse().expect("a term"))).collect();
        terms.sort(&mut ids);
        let sorted: Vec<String> = ids.iter().map(|&t| terms.export(t).to_string()).collect();
        assert_eq!(sorted, ["-1", "9", "10", "a", "b", "(e z)", "(f 2)", "(f 10)"]);
    }

    #[test]
    fn terms_move_between_stores() {
        let (mut here, mut there) = (Terms::default(), Terms::default());
        there.constant_named("x");
        let term = here.import(&"(f (g a) b)".parse().expect("a term"));
        let moved = there.copy(&here, term);
        assert_eq!(there.export(moved), here.export(term));
    }
}
