//! Whether two rulesheets are equal up to the renaming of variables.

use rustc_hash::FxHashMap;

use crate::ast::{
    Effect, EffectKind, Formula, FormulaKind, Rulesheet, Statement, StatementKind, Term, TermKind,
};
use crate::name::Name;

/// Whether two rulesheets have the same statements in the same order, up to the names of variables,
/// the notation of lists, and the nesting of conjunctions.
pub fn same_rules(a: &Rulesheet, b: &Rulesheet) -> bool {
    a.statements.len() == b.statements.len()
        && a.statements.iter().zip(&b.statements).all(|(a, b)| same_statement(a, b))
}

/// Whether two statements are equal in the sense of [`same_rules`].
pub fn same_statement(a: &Statement, b: &Statement) -> bool {
    let mut matching = Matching::default();
    match (&a.kind, &b.kind) {
        (StatementKind::Rule(a), StatementKind::Rule(b)) => {
            matching.terms(&a.head, &b.head) && matching.conjunctions(&a.body, &b.body)
        }
        (StatementKind::Operation(a), StatementKind::Operation(b)) => {
            matching.terms(&a.action, &b.action) && matching.effects(&a.effects, &b.effects)
        }
        (StatementKind::Definition(a, x), StatementKind::Definition(b, y)) => {
            matching.terms(a, b) && matching.terms(x, y)
        }
        (StatementKind::Stray(a), StatementKind::Stray(b)) => matching.formulas(a, b),
        _ => false,
    }
}

/// A one-to-one renaming, extended during the comparison.
#[derive(Default)]
struct Matching<'a> {
    forth: FxHashMap<&'a Name, &'a Name>,
    back: FxHashMap<&'a Name, Option<&'a Name>>,
}

impl<'a> Matching<'a> {
    fn terms(&mut self, a: &'a Term, b: &'a Term) -> bool {
        match (&a.kind, &b.kind) {
            (TermKind::Variable(x), TermKind::Variable(y)) => {
                *self.forth.entry(x).or_insert(y) == y
                    && *self.back.entry(y).or_insert(Some(x)) == Some(x)
            }
            (TermKind::Wildcard, TermKind::Wildcard) => true,
            // An anonymous variable equals a named one that occurs nowhere else.
            (TermKind::Wildcard, TermKind::Variable(x))
            | (TermKind::Variable(x), TermKind::Wildcard) => self.back.insert(x, None).is_none(),
            (TermKind::Constant(x), TermKind::Constant(y)) => x == y,
            (TermKind::Compound(x, xs), TermKind::Compound(y, ys))
                if x == y && xs.len() == ys.len() =>
            {
                xs.iter().zip(ys).all(|(a, b)| self.terms(a, b))
            }
            (TermKind::List(..), _) | (_, TermKind::List(..)) => self.lists(a, b),
            _ => false,
        }
    }

    /// Compares lists item by item, in any notation.
    fn lists(&mut self, a: &'a Term, b: &'a Term) -> bool {
        let (xs, x_tail) = flatten(a);
        let (ys, y_tail) = flatten(b);
        let tails = match (x_tail, y_tail) {
            (None, None) => true,
            (Some(x), Some(y)) => !matches!(x.kind, TermKind::List(..)) && self.terms(x, y),
            _ => false,
        };
        tails && xs.len() == ys.len() && xs.iter().zip(&ys).all(|(a, b)| self.terms(a, b))
    }

    fn conjunctions(&mut self, a: &'a [Formula], b: &'a [Formula]) -> bool {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        members(a, true, &mut xs);
        members(b, true, &mut ys);
        xs.len() == ys.len() && xs.into_iter().zip(ys).all(|(x, y)| self.formulas(x, y))
    }

    fn formulas(&mut self, a: &'a Formula, b: &'a Formula) -> bool {
        match (&a.kind, &b.kind) {
            (FormulaKind::Or(xs), FormulaKind::Or(ys)) if xs.is_empty() || ys.is_empty() => {
                xs.len() == ys.len()
            }
            (FormulaKind::Or(none), other) | (other, FormulaKind::Or(none)) if none.is_empty() => {
                // A conjunction with one member may still match.
                matches!(other, FormulaKind::And(one) if one.len() == 1)
                    && self.conjunctions(std::slice::from_ref(a), std::slice::from_ref(b))
            }
            (FormulaKind::And(_), _) | (_, FormulaKind::And(_)) => {
                self.conjunctions(std::slice::from_ref(a), std::slice::from_ref(b))
            }
            (FormulaKind::Or(_), _) | (_, FormulaKind::Or(_)) => {
                let (mut xs, mut ys) = (Vec::new(), Vec::new());
                members(std::slice::from_ref(a), false, &mut xs);
                members(std::slice::from_ref(b), false, &mut ys);
                xs.len() == ys.len() && xs.into_iter().zip(ys).all(|(x, y)| self.formulas(x, y))
            }
            (FormulaKind::Atom(a), FormulaKind::Atom(b)) => self.terms(a, b),
            (FormulaKind::Not(a), FormulaKind::Not(b)) => self.formulas(a, b),
            _ => false,
        }
    }

    fn effects(&mut self, a: &'a [Effect], b: &'a [Effect]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| match (&a.kind, &b.kind) {
                (EffectKind::Add(a), EffectKind::Add(b))
                | (EffectKind::Delete(a), EffectKind::Delete(b)) => self.terms(a, b),
                (EffectKind::When(c, a), EffectKind::When(d, b)) => {
                    self.conjunctions(c, d) && self.effects(a, b)
                }
                _ => false,
            })
    }
}

/// The members of nested conjunctions (or disjunctions); one with a single member is that member.
fn members<'a>(all: &'a [Formula], and: bool, out: &mut Vec<&'a Formula>) {
    for formula in all {
        match &formula.kind {
            FormulaKind::And(inner) if and || inner.len() == 1 => members(inner, and, out),
            FormulaKind::Or(inner) if (!and && !inner.is_empty()) || inner.len() == 1 => {
                members(inner, and, out);
            }
            _ => out.push(formula),
        }
    }
}

/// The items of a list and its tail, `None` for nil.
fn flatten(term: &Term) -> (Vec<&Term>, Option<&Term>) {
    let mut items = Vec::new();
    let mut rest = term;
    loop {
        match &rest.kind {
            TermKind::List(more, tail) => {
                items.extend(more);
                match tail {
                    Some(tail) => rest = tail,
                    None => return (items, None),
                }
            }
            TermKind::Compound(name, args) if name == "cons" && args.len() == 2 => {
                items.push(&args[0]);
                rest = &args[1];
            }
            TermKind::Constant(name) if name == "nil" => return (items, None),
            _ => return (items, Some(rest)),
        }
    }
}
