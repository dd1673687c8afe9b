//! Candidate invariants, guessed from the terms of fluents and from random play.

use rustc_hash::FxHashMap;

use super::graph::Edge;
use super::sample::Samples;
use super::{FluentId, NodeId};
use crate::grounder::Grounded;
use crate::term::{Functor, TermId};

/// Hints about fluents before anything is proven.
pub(crate) enum Hints<'a> {
    /// Their terms: fluents that differ only in some arguments may exclude each other.
    Terms(&'a Grounded),
    /// Sets of fluents that may exclude each other.
    Sets(&'a [Vec<FluentId>]),
}

impl Hints<'_> {
    /// Candidate invariants, in sets that are to be proven together.
    pub(super) fn guesses(&self, samples: &Samples) -> Vec<Vec<Claim>> {
        match self {
            Hints::Terms(ground) => guesses(ground, samples),
            Hints::Sets(sets) => {
                let mut all: Vec<Claim> =
                    sets.iter().flat_map(|set| exclusive(set, samples)).collect();
                all.sort_unstable();
                all.dedup();
                if all.is_empty() { Vec::new() } else { vec![all] }
            }
        }
    }

    /// Pairs of fluents, as nodes, the first of which may imply the second.
    pub(super) fn implications(&self, samples: &Samples) -> Vec<(NodeId, NodeId)> {
        match self {
            Hints::Terms(ground) => implications(ground, samples),
            Hints::Sets(_) => Vec::new(),
        }
    }
}

/// The claims about a set of mutually exclusive fluents that random play did not refute.
fn exclusive(set: &[FluentId], samples: &Samples) -> Vec<Claim> {
    let (exclusive, always) = samples.exclusive(set);
    let mut nodes: Vec<NodeId> = set.iter().map(|fluent| fluent.node()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut claims = Vec::new();
    if nodes.len() > MANY_MEMBERS {
        return claims;
    }
    if exclusive && nodes.len() > 1 {
        claims.push(Claim::AtMostOne(nodes.clone()));
    }
    if always && exclusive && !nodes.is_empty() {
        claims.push(Claim::AtLeastOne(nodes));
    }
    claims
}

/// Fluents with more arguments than this are compared in one argument at a time only.
const MANY_ARGUMENTS: usize = 5;

/// Sets of more fluents than this are not examined. A proof about thousands of fluents can take
/// minutes, and the SAT solver does not look at the stop flag while conflict follows conflict.
const MANY_MEMBERS: usize = 2_000;

/// The maximum number of implications to try.
const MANY_IMPLICATIONS: usize = 4_000;

/// A candidate invariant. Fluents are given by their nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Claim {
    /// At most one of these fluents is true.
    AtMostOne(Vec<NodeId>),
    /// At least one of these fluents is true.
    AtLeastOne(Vec<NodeId>),
    /// The first implies the second.
    Implies(NodeId, NodeId),
    /// The first wire, of a fluent, implies the second, which depends on no move.
    When(Edge, Edge),
}

/// Fluents that seem to exclude each other. All fluents of a functor are examined together: if the
/// last argument of `(cell 1 1 b)` depends on the first two, it does so in all cells; a property of
/// only some cells is a coincidence.
fn guesses(ground: &Grounded, samples: &Samples) -> Vec<Vec<Claim>> {
    let mut sets = Vec::new();
    for (functor, fluents) in by_functor(ground) {
        let arity = functor.arity.unwrap_or(0) as usize;
        let masks: Vec<u32> = if arity <= MANY_ARGUMENTS {
            (0..1 << arity).collect()
        } else {
            (0..arity.min(31)).map(|at| 1 << at).collect()
        };
        let mut claims = Vec::new();
        let mut open: Vec<Vec<Vec<FluentId>>> = Vec::new();
        for mask in masks {
            let sets = agreeing(ground, &fluents, mask);
            if sets.iter().all(|set| samples.exclusive(set).0) {
                open.push(sets);
            }
        }
        for set in open.into_iter().flatten().filter(|set| set.len() <= MANY_MEMBERS) {
            let nodes: Vec<NodeId> = set.iter().map(|fluent| fluent.node()).collect();
            if nodes.len() > 1 {
                claims.push(Claim::AtMostOne(nodes.clone()));
            }
            if samples.exclusive(&set).1 {
                claims.push(Claim::AtLeastOne(nodes));
            }
        }
        claims.sort_unstable();
        claims.dedup();
        if !claims.is_empty() {
            sets.push(claims);
        }
    }
    // Simple ones come first, because others may need them.
    sets.sort_by_key(Vec::len);
    sets
}

/// The fluents of each name and arity, in a fixed order.
fn by_functor(ground: &Grounded) -> Vec<(Functor, Vec<FluentId>)> {
    let mut sets: FxHashMap<Functor, Vec<FluentId>> = FxHashMap::default();
    for fluent in 0..ground.fluents as u32 {
        let functor = ground.terms.functor(ground.fluent(fluent));
        sets.entry(functor).or_default().push(FluentId(fluent));
    }
    let mut sets: Vec<(Functor, Vec<FluentId>)> = sets.into_iter().collect();
    sets.sort_by(|a, b| a.1.cmp(&b.1));
    sets
}

/// The sets of fluents that agree in all arguments except those of the mask.
fn agreeing(ground: &Grounded, fluents: &[FluentId], mask: u32) -> Vec<Vec<FluentId>> {
    let mut sets: FxHashMap<Vec<TermId>, Vec<FluentId>> = FxHashMap::default();
    for &fluent in fluents {
        let args = ground.terms.args(ground.fluent(fluent.0)).iter();
        let key = args.enumerate().filter(|(at, _)| mask >> at & 1 == 0).map(|(_, &t)| t);
        sets.entry(key.collect()).or_default().push(fluent);
    }
    sets.into_values().collect()
}

/// Pairs of fluents, as nodes, that differ in one argument; the first never occurred without the
/// second.
fn implications(ground: &Grounded, samples: &Samples) -> Vec<(NodeId, NodeId)> {
    let mut pairs = Vec::new();
    for (functor, fluents) in by_functor(ground) {
        for column in 0..functor.arity.unwrap_or(0).min(31) {
            for set in agreeing(ground, &fluents, 1 << column) {
                for &a in &set {
                    pairs.extend(set.iter().filter(|&&b| a != b).map(|&b| (a, b)));
                    if pairs.len() > 100 * MANY_IMPLICATIONS {
                        return Vec::new();
                    }
                }
            }
        }
    }
    pairs.retain(|&(a, b)| samples.implies(a, b));
    if pairs.len() > MANY_IMPLICATIONS {
        return Vec::new();
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(a, b)| (a.node(), b.node())).collect()
}
