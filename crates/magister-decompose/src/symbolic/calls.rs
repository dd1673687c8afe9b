//! Call graphs: all atoms that a condition may depend on according to the rules.

use magister_engine::Program;
use magister_engine::program::{Depends, Goal, Literal, Relation};
use rustc_hash::FxHashSet;

use super::shape::Shape;

/// The maximum number of atoms of one call graph; beyond it nothing is concluded.
const MOST: usize = 50_000;

/// An atom that a rule calls.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Call {
    Relation(Relation, Box<[Shape]>),
    Fluent(Shape),
    Does(Shape, Shape),
}

/// The atom that a literal calls, under a binding of the variables; `None` if it calls no atom.
pub(super) fn call(literal: &Literal, bound: &[Option<Shape>]) -> Option<Call> {
    let shape = |pattern| Shape::of(pattern, bound);
    match &literal.goal {
        Goal::Relation(atom) | Goal::Aggregate(_, atom, _) => {
            Some(Call::Relation(atom.relation, atom.args.iter().map(shape).collect()))
        }
        Goal::Fluent(fluent) => Some(Call::Fluent(shape(fluent))),
        Goal::Does(role, choice) => Some(Call::Does(shape(role), shape(choice))),
        Goal::Distinct(..) | Goal::Builtin(..) => None,
    }
}

/// The call graph of some atoms; `None` if it is too large. With `legal`, `does` is replaced by
/// `legal`.
pub(super) fn graph(
    program: &Program,
    start: impl IntoIterator<Item = Call>,
    legal: Option<Relation>,
) -> Option<Vec<Call>> {
    let mut seen: FxHashSet<Call> = FxHashSet::default();
    let mut open: Vec<Call> = start.into_iter().collect();
    while let Some(call) = open.pop() {
        if !seen.insert(call.clone()) {
            continue;
        }
        if seen.len() > MOST {
            return None;
        }
        let (relation, args) = match call {
            Call::Relation(relation, args) => (relation, args),
            Call::Does(role, choice) => match legal {
                Some(legal) => (legal, Box::from([role, choice])),
                None => continue,
            },
            Call::Fluent(_) => continue,
        };
        let info = &program.relations[relation.index()];
        if info.depends == Depends::Nothing {
            continue;
        }
        for &number in &info.rules {
            let rule = &program.rules[number as usize];
            let mut bound = vec![None; rule.variables as usize];
            let fits = args
                .iter()
                .zip(&rule.head.args)
                .all(|(arg, pattern)| arg.bind(pattern, &mut bound, &program.terms));
            if fits {
                open.extend(rule.body.iter().filter_map(|literal| self::call(literal, &bound)));
            }
        }
    }
    let mut all: Vec<Call> = seen.into_iter().collect();
    all.sort_unstable();
    Some(all)
}
