//! Terms that resemble one that does not exist.

use magister_gdl::nearest;

use super::question::fluents;
use super::tree::Hint;
use crate::program::{Pattern, Program};
use crate::term::{Functor, TermId, Terms};

/// The number of similar terms to show.
const TOLD: usize = 3;
/// The number of terms to compare.
const LOOKED_AT: usize = 100_000;

/// The terms with the same name that share the most arguments with a pattern. If no term shares
/// any, the first ones.
pub(super) fn alike(pattern: &Pattern, among: &[TermId], terms: &Terms) -> Vec<TermId> {
    let (functor, args): (Functor, Vec<Option<TermId>>) = match pattern {
        Pattern::Variable(_) => return Vec::new(),
        Pattern::Ground(term) => {
            (terms.functor(*term), terms.args(*term).iter().copied().map(Some).collect())
        }
        Pattern::Compound(symbol, args) => {
            let known = |arg: &Pattern| match arg {
                Pattern::Ground(term) => Some(*term),
                _ => None,
            };
            let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
            (functor, args.iter().map(known).collect())
        }
    };
    let mut scored: Vec<(Likeness, TermId)> = among
        .iter()
        .take(LOOKED_AT)
        .filter(|&&term| terms.functor(term) == functor)
        .map(|&term| {
            let same = args.iter().zip(terms.args(term)).map(|(a, b)| *a == Some(*b));
            let same: Vec<bool> = same.collect();
            ((same.iter().filter(|same| **same).count(), same), term)
        })
        .collect();
    // Among ties, the first arguments count more: they are usually positions, the last ones
    // contents.
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| terms.compare(a.1, b.1)));
    if let Some((best, _)) = scored.first().cloned() {
        scored.retain(|(score, _)| *score == best);
    }
    scored.into_iter().take(TOLD).map(|(_, term)| term).collect()
}

/// The number of equal arguments, and which ones are equal.
type Likeness = (usize, Vec<bool>);

/// The probable intention, if the rules have no fluent with this name.
pub(super) fn unknown(program: &Program, functor: Functor) -> Option<Hint> {
    (!fluents(program).contains(&functor)).then(|| hint(program, functor))
}

/// The probable intention behind an undefined name.
pub(super) fn hint(program: &Program, functor: Functor) -> Hint {
    let name = program.terms.name(functor.symbol);
    let arity = |functor: &Functor| functor.arity.unwrap_or(0);
    let defined = program
        .relations
        .iter()
        .filter(|info| !info.hidden && (!info.rules.is_empty() || !info.facts.is_empty()));
    let known: Vec<Functor> = defined.map(|info| info.functor).collect();
    let fluents = fluents(program);
    let mut arities: Vec<u32> =
        known.iter().filter(|f| f.symbol == functor.symbol).map(arity).collect();
    let fluent = arities.is_empty() && fluents.iter().any(|f| f.symbol == functor.symbol);
    if fluent {
        arities.extend(fluents.iter().filter(|f| f.symbol == functor.symbol).map(arity));
    }
    arities.sort_unstable();
    arities.dedup();
    let names = known.iter().chain(&fluents).map(|f| program.terms.name(f.symbol));
    let near = if arities.is_empty() { nearest(name, names) } else { None };
    Hint { name: near.map(str::to_owned), arities, fluent }
}
