//! Patterns, terms and bindings: matching, building, and matching heads with calls.

use crate::program::Pattern;
use crate::term::{Functor, TermId, Terms};

/// Marks an unbound variable in a list of bindings.
pub(crate) const UNBOUND: TermId = TermId(u32::MAX);

/// The value of a pattern that is a ground term or a bound variable.
pub(super) fn known(pattern: &Pattern, bindings: &[TermId]) -> Option<TermId> {
    match *pattern {
        Pattern::Ground(term) => Some(term),
        Pattern::Variable(variable) => {
            Some(bindings[variable as usize]).filter(|&term| term != UNBOUND)
        }
        Pattern::Compound(..) => None,
    }
}

/// The term of a pattern, if all its variables are bound.
pub(crate) fn value(pattern: &Pattern, bindings: &[TermId], terms: &mut Terms) -> Option<TermId> {
    let Pattern::Compound(symbol, args) = pattern else {
        return known(pattern, bindings);
    };
    let mut parts = [UNBOUND; 8];
    if args.len() <= parts.len() {
        for (part, arg) in parts.iter_mut().zip(args) {
            *part = value(arg, bindings, terms)?;
        }
        return Some(terms.compound(*symbol, &parts[..args.len()]));
    }
    let parts: Option<Vec<TermId>> = args.iter().map(|arg| value(arg, bindings, terms)).collect();
    Some(terms.compound(*symbol, &parts?))
}

/// Matches the pattern with the term by binding variables. After a failure, the bindings are
/// invalid.
pub(crate) fn matches(
    pattern: &Pattern,
    term: TermId,
    bindings: &mut [TermId],
    terms: &Terms,
) -> bool {
    match pattern {
        Pattern::Ground(ground) => *ground == term,
        Pattern::Variable(variable) => {
            let value = &mut bindings[*variable as usize];
            if *value == UNBOUND {
                *value = term;
            }
            *value == term
        }
        Pattern::Compound(symbol, args) => {
            terms.functor(term) == Functor { symbol: *symbol, arity: Some(args.len() as u32) }
                && match_all(args, terms.args(term), bindings, terms)
        }
    }
}

/// The same for lists of equal length.
pub(crate) fn match_all(
    patterns: &[Pattern],
    values: &[TermId],
    bindings: &mut [TermId],
    terms: &Terms,
) -> bool {
    patterns.iter().zip(values).all(|(p, &v)| matches(p, v, bindings, terms))
}

/// Binds the variables of a rule's head to the known parts of a call. Returns false if no instance
/// of the head answers the call. A variable that corresponds to a partly known argument stays
/// unbound: the rule then finds more answers than requested, and they are matched with the call
/// again.
pub(super) fn open(head: &Pattern, call: &Pattern, bindings: &mut [TermId], terms: &Terms) -> bool {
    match (head, call) {
        (_, Pattern::Variable(_)) | (Pattern::Variable(_), Pattern::Compound(..)) => true,
        (_, &Pattern::Ground(term)) => matches(head, term, bindings, terms),
        (Pattern::Ground(_), Pattern::Compound(..)) => head.may_meet(call, terms),
        (Pattern::Compound(a, xs), Pattern::Compound(b, ys)) => {
            a == b
                && xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(x, y)| open(x, y, bindings, terms))
        }
    }
}

/// The pattern with its bound variables substituted.
pub(crate) fn resolve(pattern: &Pattern, bindings: &[TermId], terms: &mut Terms) -> Pattern {
    if let Some(term) = value(pattern, bindings, terms) {
        return Pattern::Ground(term);
    }
    match pattern {
        Pattern::Compound(symbol, args) => {
            let args = args.iter().map(|arg| resolve(arg, bindings, terms)).collect();
            Pattern::Compound(*symbol, args)
        }
        _ => pattern.clone(),
    }
}

/// Renumbers the variables in order of occurrence, so that calls that differ only in the names of
/// variables are equal. `seen` contains the variables so far.
pub(crate) fn renumber(pattern: &mut Pattern, seen: &mut Vec<u32>) {
    match pattern {
        Pattern::Ground(_) => {}
        Pattern::Variable(variable) => {
            let number = seen.iter().position(|v| v == variable).unwrap_or_else(|| {
                seen.push(*variable);
                seen.len() - 1
            });
            *variable = number as u32;
        }
        Pattern::Compound(_, args) => args.iter_mut().for_each(|arg| renumber(arg, seen)),
    }
}
