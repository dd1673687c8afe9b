//! Helper functions for terms and names.

use rustc_hash::FxHashSet;

use super::{Bound, Key};
use crate::ast::{Dialect, Formula, FormulaKind, Term, TermKind};
use crate::builtins::{Builtin, Use};
use crate::name::Name;
use crate::vocabulary;
use magister_diagnostic::Span;

pub(super) fn key(term: &Term) -> Option<Key> {
    Some((term.name()?.clone(), term.args().len()))
}

/// `name(args)`, or `name` without arguments.
pub(super) fn relation(name: Name, args: Vec<Term>, span: Span) -> Term {
    if args.is_empty() { Term::constant(name, span) } else { Term::compound(name, args, span) }
}

/// The variables `X1` to `Xn`.
pub(super) fn numbered(count: usize) -> Vec<Term> {
    let at = Span::default();
    (1..=count).map(|i| Term::variable(format!("X{i}").as_str(), at)).collect()
}

/// Whether a name means something in GDL that it does not mean in Gamemaster's dialect.
pub(super) fn is_foreign_keyword(name: &str) -> bool {
    vocabulary::keyword(Dialect::Gdl2, name).is_some()
        && vocabulary::keyword(Dialect::Operations, name).is_none()
        && name != "distinct"
}

/// The first candidate that is not in use, or a new name.
pub(super) fn fresh_name(taken: &mut FxHashSet<Name>, wishes: &[&str]) -> Name {
    let free = wishes.iter().find(|w| !taken.contains(**w)).map(|w| (*w).to_owned());
    let mut text = free.unwrap_or_else(|| wishes[0].to_owned());
    let mut number = 0;
    while taken.contains(text.as_str()) {
        number += 1;
        text = format!("{}_{number}", wishes[0]);
    }
    let name = Name::new(&text);
    taken.insert(name.clone());
    name
}

/// The variables that positive conditions bind.
pub(super) fn bound_by(body: &[Formula]) -> Bound {
    let mut bound = FxHashSet::default();
    for formula in body {
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                let test = atom
                    .name()
                    .and_then(|n| Builtin::find(n))
                    .is_some_and(|b| b.usage == Use::Test);
                if !test || atom.is("true", 1) {
                    atom.variables(&mut |v, _| {
                        bound.insert(v.clone());
                    });
                }
            }
            FormulaKind::And(all) => bound.extend(bound_by(all)),
            FormulaKind::Or(all) => {
                let mut members = all.iter().map(|f| bound_by(std::slice::from_ref(f)));
                if let Some(first) = members.next() {
                    let common = members.fold(first, |a, b| a.intersection(&b).cloned().collect());
                    bound.extend(common);
                }
            }
            FormulaKind::Not(_) => {}
        }
    }
    bound
}

pub(super) fn first_unbound(term: &Term, bound: &Bound) -> Option<(String, Span)> {
    let mut found = None;
    term.walk(&mut |t| match &t.kind {
        TermKind::Variable(name) if !bound.contains(name) => {
            found.get_or_insert((name.to_string(), t.span));
        }
        TermKind::Wildcard => {
            found.get_or_insert(("_".to_owned(), t.span));
        }
        _ => {}
    });
    found
}

/// Whether every instance of `term` matches the head `action` of an operation.
pub(super) fn covers(action: &Term, term: &Term) -> bool {
    let mut names = FxHashSet::default();
    action.name() == term.name()
        && action.args().len() == term.args().len()
        && action.args().iter().zip(term.args()).all(|(a, t)| match &a.kind {
            TermKind::Wildcard => true,
            TermKind::Variable(name) => names.insert(name),
            TermKind::Constant(x) => matches!(&t.kind, TermKind::Constant(y) if x == y),
            _ => false,
        })
}

/// Whether some instance of `term` may match the head `action`.
pub(super) fn may_match(action: &Term, term: &Term) -> bool {
    match (&action.kind, &term.kind) {
        (TermKind::Constant(x), TermKind::Constant(y)) => x == y,
        (TermKind::Compound(x, xs), TermKind::Compound(y, ys)) => {
            x == y && xs.len() == ys.len() && xs.iter().zip(ys).all(|(a, b)| may_match(a, b))
        }
        (TermKind::Constant(_), TermKind::Compound(..))
        | (TermKind::Compound(..), TermKind::Constant(_)) => false,
        _ => true,
    }
}
