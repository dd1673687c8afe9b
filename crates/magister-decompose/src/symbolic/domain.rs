//! The possible terms of the arguments of fluents and moves, found by following variables through
//! the rules.

use std::collections::BTreeSet;

use magister_engine::Program;
use magister_engine::program::{Goal, Pattern, Relation, Rule};
use magister_engine::term::{Functor, TermId};
use rustc_hash::FxHashMap;

/// The maximum number of rounds of following variables.
const ROUNDS: usize = 400;
/// The maximum number of terms of one argument.
const MOST: usize = 2_000;

/// A place for a term: an argument of a relation, of a fluent or of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    Relation(Relation, usize),
    Fluent(Functor, usize),
    Move(Functor, usize),
}

/// The terms of each place; `None` if they are not known.
#[derive(Debug, Default)]
pub(super) struct Domains {
    terms: FxHashMap<Place, Option<BTreeSet<TermId>>>,
}

impl Domains {
    pub(super) fn new(program: &Program, roots: &super::Roots) -> Self {
        let mut domains = Domains::default();
        for (number, info) in program.relations.iter().enumerate() {
            let relation = Relation(number as u32);
            for &fact in &info.facts {
                let args = program.terms.args(fact);
                for (at, &arg) in args.iter().enumerate() {
                    domains.add(Place::Relation(relation, at), Some([arg].into()));
                }
                let inner = match args {
                    [fluent] if roots.gives_fluent(relation) => Some((fluent, true)),
                    [_, choice] if Some(relation) == roots.legal => Some((choice, false)),
                    _ => None,
                };
                if let Some((&term, is_fluent)) = inner {
                    let functor = program.terms.functor(term);
                    for (at, &arg) in program.terms.args(term).iter().enumerate() {
                        domains.add(place(functor, at, is_fluent), Some([arg].into()));
                    }
                }
            }
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            for rule in &program.rules {
                changed |= domains.follow(roots, rule);
            }
            if !changed {
                break;
            }
        }
        domains
    }

    /// The terms of a place, if they are known.
    pub(super) fn get(&self, place: Place) -> Option<&BTreeSet<TermId>> {
        self.terms.get(&place)?.as_ref()
    }

    fn add(&mut self, place: Place, terms: Option<BTreeSet<TermId>>) -> bool {
        let known = self.terms.entry(place).or_insert_with(|| Some(BTreeSet::new()));
        match (&mut *known, terms) {
            (None, _) => false,
            (_, None) => {
                *known = None;
                true
            }
            (Some(own), Some(terms)) => {
                let before = own.len();
                own.extend(terms);
                let now = own.len();
                if now > MOST {
                    *known = None;
                }
                now > before
            }
        }
    }

    /// Adds the terms that a rule derives to the places of its head.
    fn follow(&mut self, roots: &super::Roots, rule: &Rule) -> bool {
        let mut changed = false;
        let mut heads: Vec<(Place, &Pattern)> = Vec::new();
        for (at, arg) in rule.head.args.iter().enumerate() {
            heads.push((Place::Relation(rule.head.relation, at), arg));
        }
        match &rule.head.args[..] {
            [fluent] if roots.gives_fluent(rule.head.relation) => inner(fluent, true, &mut heads),
            [_, choice] if Some(rule.head.relation) == roots.legal => {
                inner(choice, false, &mut heads);
            }
            _ => {}
        }
        for (place, pattern) in heads {
            let terms = match pattern {
                Pattern::Ground(term) => Some([*term].into()),
                Pattern::Variable(variable) => self.variable(rule, *variable),
                Pattern::Compound(..) => None,
            };
            changed |= self.add(place, terms);
        }
        changed
    }

    /// The possible values of a variable of a rule: the intersection over all places that bind it.
    fn variable(&self, rule: &Rule, variable: u32) -> Option<BTreeSet<TermId>> {
        let mut found: Option<BTreeSet<TermId>> = None;
        let mut seen = false;
        for literal in rule.body.iter().filter(|literal| !literal.negated) {
            let mut places: Vec<(Place, &Pattern)> = Vec::new();
            match &literal.goal {
                Goal::Relation(atom) => places.extend(
                    atom.args
                        .iter()
                        .enumerate()
                        .map(|(at, a)| (Place::Relation(atom.relation, at), a)),
                ),
                Goal::Fluent(fluent) => inner(fluent, true, &mut places),
                Goal::Does(_, choice) => inner(choice, false, &mut places),
                _ => {}
            }
            for (place, pattern) in places {
                if *pattern != Pattern::Variable(variable) {
                    continue;
                }
                seen = true;
                let nothing = BTreeSet::new();
                let own = match self.terms.get(&place) {
                    Some(None) => continue,
                    Some(Some(terms)) => terms,
                    None => &nothing,
                };
                found = Some(match found {
                    None => own.clone(),
                    Some(before) => before.intersection(own).copied().collect(),
                });
            }
        }
        if seen { found } else { None }
    }
}

fn place(functor: Functor, at: usize, is_fluent: bool) -> Place {
    if is_fluent { Place::Fluent(functor, at) } else { Place::Move(functor, at) }
}

/// The places of the arguments of a fluent or a move.
fn inner<'p>(pattern: &'p Pattern, is_fluent: bool, out: &mut Vec<(Place, &'p Pattern)>) {
    if let Pattern::Compound(symbol, args) = pattern {
        let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
        out.extend(args.iter().enumerate().map(|(at, arg)| (place(functor, at, is_fluent), arg)));
    }
}
