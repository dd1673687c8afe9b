//! Builds terms from variables, and decomposes terms into variables.

use super::code::{Build, Match};
use super::table::NONE;
use crate::term::{Functor, Symbol, TermId, Terms};

/// Builds a term from bound variables.
#[expect(clippy::inline_always, reason = "two thirds of all work goes through here")]
#[inline(always)]
pub(super) fn make(
    build: &Build,
    variables: &[TermId],
    scratch: &mut Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    match build {
        Build::Known(term) => *term,
        Build::Variable(variable) => variables[*variable as usize],
        Build::Compound(symbol, args) => compound(*symbol, args, variables, scratch, terms),
        Build::Any => TermId(NONE),
    }
}

fn compound(
    symbol: Symbol,
    args: &[Build],
    variables: &[TermId],
    scratch: &mut Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    let top = scratch.len();
    for arg in args {
        let term = make(arg, variables, scratch, terms);
        scratch.push(term);
    }
    let term = terms.compound(symbol, &scratch[top..]);
    scratch.truncate(top);
    term
}

/// Decomposes a term; false if it does not match. Variables that were bound stay bound.
#[expect(clippy::inline_always, reason = "two thirds of all work goes through here")]
#[inline(always)]
pub(super) fn fits(pattern: &Match, term: TermId, variables: &mut [TermId], terms: &Terms) -> bool {
    match pattern {
        Match::Any => true,
        Match::Bind(variable) => {
            variables[*variable as usize] = term;
            true
        }
        Match::Same(variable) => variables[*variable as usize] == term,
        Match::Known(known) => *known == term,
        Match::Compound(symbol, args) => part_fits(*symbol, args, term, variables, terms),
    }
}

fn part_fits(
    symbol: Symbol,
    args: &[Match],
    term: TermId,
    variables: &mut [TermId],
    terms: &Terms,
) -> bool {
    terms.functor(term) == Functor { symbol, arity: Some(args.len() as u32) }
        && args.iter().zip(terms.args(term)).all(|(arg, &part)| fits(arg, part, variables, terms))
}

/// Whether two partially known terms are equal or may be equal.
pub(super) fn meet(a: &Build, b: &Build, variables: &[TermId], terms: &Terms) -> bool {
    match (a, b) {
        (Build::Any, _) | (_, Build::Any) => true,
        (Build::Compound(f, xs), Build::Compound(g, ys)) => {
            f == g
                && xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(x, y)| meet(x, y, variables, terms))
        }
        (Build::Compound(symbol, args), other) | (other, Build::Compound(symbol, args)) => {
            let term = value(other, variables);
            terms.functor(term) == Functor { symbol: *symbol, arity: Some(args.len() as u32) }
                && args
                    .iter()
                    .zip(terms.args(term))
                    .all(|(arg, &part)| meet(arg, &Build::Known(part), variables, terms))
        }
        (a, b) => value(a, variables) == value(b, variables),
    }
}

fn value(build: &Build, variables: &[TermId]) -> TermId {
    match build {
        Build::Known(term) => *term,
        Build::Variable(variable) => variables[*variable as usize],
        _ => TermId(NONE),
    }
}
