//! Ground facts with indexes for matching.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::{self, UNBOUND};
use crate::program::Pattern;
use crate::term::{Functor, TermId, Terms};

/// A set of ground terms: the facts of the rules, or the fluents of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    all: Vec<TermId>,
    members: FxHashSet<TermId>,
    by_functor: FxHashMap<Functor, Vec<TermId>>,
    by_argument: FxHashMap<(Functor, u32, TermId), Vec<TermId>>,
}

impl Facts {
    pub(super) fn new(facts: impl IntoIterator<Item = TermId>, terms: &Terms) -> Self {
        let mut index = Facts::default();
        for fact in facts {
            if !index.members.insert(fact) {
                continue;
            }
            let functor = terms.functor(fact);
            index.all.push(fact);
            index.by_functor.entry(functor).or_default().push(fact);
            for (place, &arg) in terms.args(fact).iter().enumerate() {
                index.by_argument.entry((functor, place as u32, arg)).or_default().push(fact);
            }
        }
        index
    }

    pub(super) fn contains(&self, fact: TermId) -> bool {
        self.members.contains(&fact)
    }

    pub(super) fn all(&self) -> &[TermId] {
        &self.all
    }

    /// A list that contains all facts of this functor that match the arguments, and possibly
    /// others. It is the shortest of the lists for the known arguments.
    pub(super) fn candidates(
        &self,
        functor: Functor,
        args: &[Pattern],
        bindings: &[TermId],
    ) -> &[TermId] {
        let mut best = self.by_functor.get(&functor).map_or(&[][..], Vec::as_slice);
        for (place, arg) in args.iter().enumerate() {
            if best.len() <= 1 {
                break;
            }
            let known = match *arg {
                Pattern::Ground(term) => term,
                Pattern::Variable(variable) => bindings[variable as usize],
                Pattern::Compound(..) => UNBOUND,
            };
            if known == UNBOUND {
                continue;
            }
            let list = self.by_argument.get(&(functor, place as u32, known));
            let list = list.map_or(&[][..], Vec::as_slice);
            if list.len() < best.len() {
                best = list;
            }
        }
        best
    }

    /// The same for a fluent that is one pattern.
    pub(super) fn matching(&self, pattern: &Pattern, bindings: &[TermId]) -> &[TermId] {
        match pattern {
            Pattern::Compound(symbol, args) => {
                let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
                self.candidates(functor, args, bindings)
            }
            _ => match bind::known(pattern, bindings) {
                Some(term) => self.members.get(&term).map_or(&[], std::slice::from_ref),
                None => &self.all,
            },
        }
    }
}
