//! Arguments of fluents that the other arguments determine in every reachable state.

use magister_core::Stop;
use rustc_hash::FxHashMap;

use super::build::Builder;
use super::gdl::Numbered;
use super::guess::Hints;
use super::{Invariants, NetworkLimits, invariant};
use crate::Error;
use crate::grounder::{Functional, Grounded};
use crate::term::{Symbol, TermId};

/// The work of the proofs. All claims at once may be too hard; this is enough to try them one by
/// one.
const EFFORT: u64 = 10 * invariant::EFFORT;

/// The arguments for which it is proven that fluents that differ only in them exclude each other.
pub(crate) fn functional(
    ground: &Grounded,
    limits: &NetworkLimits,
    stop: &Stop,
) -> Result<Vec<Functional>, Error> {
    let numbered = Numbered::new(ground);
    let plain = Builder::new(ground, *limits, Invariants::default(), stop).network(&numbered)?;
    let proven = invariant::prove_within(&plain, &Hints::Terms(ground), EFFORT, stop)?;
    // The groups of each fluent.
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); ground.fluents];
    for (number, group) in proven.groups.iter().enumerate() {
        group.members.iter().for_each(|node| groups[node.fluent().index()].push(number));
    }
    let mut kinds: Vec<(Symbol, usize)> = Vec::new();
    for fluent in 0..ground.fluents as u32 {
        let term = ground.fluent(fluent);
        let kind = (ground.terms.functor(term).symbol, ground.terms.args(term).len());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut found = Vec::new();
    for (symbol, arity) in kinds {
        for place in 0..arity {
            let functional = Functional { symbol, arity, place };
            if is_functional(ground, functional, &groups) {
                found.push(functional);
            }
        }
    }
    Ok(found)
}

fn is_functional(ground: &Grounded, functional: Functional, groups: &[Vec<usize>]) -> bool {
    let Functional { symbol, arity, place } = functional;
    // The groups that all fluents with the same other arguments belong to.
    let mut common: FxHashMap<Vec<TermId>, (usize, Vec<usize>)> = FxHashMap::default();
    for (number, own) in groups.iter().enumerate() {
        let term = ground.fluent(number as u32);
        let args = ground.terms.args(term);
        if ground.terms.functor(term).symbol != symbol || args.len() != arity {
            continue;
        }
        let mut key = args.to_vec();
        key.remove(place);
        let (count, shared) = common.entry(key).or_insert_with(|| (0, own.clone()));
        *count += 1;
        shared.retain(|group| own.contains(group));
    }
    let several = common.values().any(|&(count, _)| count > 1);
    several && common.values().all(|(count, shared)| *count < 2 || !shared.is_empty())
}
