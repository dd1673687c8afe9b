//! Which failures to show first.
//!
//! Every rule that could derive an atom fails for some reason, and most of these reasons are
//! useless: a bishop's move fails the rule for pawns, because there is no pawn. The failure that
//! explains most is the one nearest to success, so each is measured down to the facts and fluents
//! that are missing.

use std::ops::Add;

use magister_core::Halt;
use rustc_hash::FxHashSet;

use super::build::Build;
use super::join::{Bounds, Instance, Instances, nearest_misses};
use super::near::alike;
use crate::program::{Depends, Goal, Literal, Names, Pattern, Rule};
use crate::term::{TermId, Terms};

/// The limits of the search for the nearest misses of one rule when they are only measured.
const BOUNDS: Bounds = Bounds { found: 24, asked: 400 };
/// The maximum number of relations that are measured for one explanation.
const MEASURED: u32 = 100;
/// The maximum number of instances of a rule that are measured.
const INSTANCES: usize = 12;
/// The maximum depth to which failures are measured.
pub(super) const DEPTH: u32 = 5;

/// How far a failing condition is from holding. The first field that differs decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Distance {
    /// The number of fluents that are missing because another one is at the origin of the move: the
    /// condition is about another piece.
    other: u32,
    /// The number of failing conditions that cannot change during play.
    fixed: u32,
    /// The number of failing conditions on the state or the moves.
    state: u32,
    /// The number of failing conditions on the relation itself: the reason is elsewhere.
    again: u32,
    /// The number of conditions that could not be evaluated.
    open: u32,
    /// The number of rules between the condition and its last reason.
    depth: u32,
}

impl Distance {
    const FIXED: Distance = Distance { other: 0, fixed: 1, state: 0, again: 0, open: 0, depth: 0 };
    const STATE: Distance = Distance { other: 0, fixed: 0, state: 1, again: 0, open: 0, depth: 0 };
    const OTHER: Distance = Distance { other: 1, fixed: 0, state: 0, again: 0, open: 0, depth: 0 };
    /// A condition that was not measured.
    const UNKNOWN: Distance =
        Distance { other: 0, fixed: 1, state: 0, again: 0, open: 1, depth: 0 };
    /// A condition that depends on itself.
    const CIRCLE: Distance =
        Distance { other: 1 << 20, fixed: 0, state: 0, again: 0, open: 0, depth: 0 };
}

impl Add for Distance {
    type Output = Distance;

    fn add(self, other: Distance) -> Distance {
        Distance {
            other: self.other.saturating_add(other.other),
            fixed: self.fixed.saturating_add(other.fixed),
            state: self.state.saturating_add(other.state),
            again: self.again.saturating_add(other.again),
            open: self.open.saturating_add(other.open),
            depth: self.depth.max(other.depth),
        }
    }
}

/// The constants in a move, in order.
pub(super) fn constants(term: TermId, terms: &Terms) -> Vec<TermId> {
    let (mut found, mut rest) = (Vec::new(), vec![term]);
    while let Some(term) = rest.pop() {
        match terms.args(term) {
            [] => found.push(term),
            args => rest.extend(args.iter().rev()),
        }
    }
    found
}

impl Build<'_> {
    /// Sorts the instances of a rule, the nearest first, and measures the first.
    pub(super) fn rank(
        &mut self,
        rule: u32,
        found: &mut Instances,
        depth: u32,
    ) -> Result<Distance, Halt> {
        let info = self.reference.program().rules[rule as usize].clone();
        let mut seen: FxHashSet<Vec<String>> = FxHashSet::default();
        let mut ranked = Vec::with_capacity(found.found.len());
        for instance in std::mem::take(&mut found.found) {
            let failing = self.failing(&info, &instance);
            let key = failing.iter().map(|literal| self.written(literal, &info.names)).collect();
            let distance = if seen.len() >= INSTANCES && !seen.contains(&key) {
                Distance::CIRCLE
            } else {
                seen.insert(key);
                self.instance(&info, &instance, &failing, depth)?
            };
            ranked.push((distance, instance));
        }
        ranked.sort_by_key(|(distance, _)| *distance);
        let best = ranked.first().map_or(Distance::CIRCLE, |(distance, _)| *distance);
        found.found = ranked.into_iter().map(|(_, instance)| instance).collect();
        Ok(best)
    }

    /// The failing conditions of an instance, with its bindings substituted.
    pub(super) fn failing(&mut self, info: &Rule, instance: &Instance) -> Vec<Literal> {
        let places = instance.failing.iter();
        places.map(|&place| self.under(&info.body[place as usize], &instance.bindings)).collect()
    }

    fn instance(
        &mut self,
        info: &Rule,
        instance: &Instance,
        failing: &[Literal],
        depth: u32,
    ) -> Result<Distance, Halt> {
        let mut sum = Distance { open: instance.open.len() as u32, ..Distance::default() };
        for literal in failing {
            sum = sum + self.distance(literal, &info.names, depth)?;
            let asked = literal.goal.atom().map(|atom| atom.relation);
            sum.again += u32::from(asked == Some(info.head.relation));
        }
        sum.depth += 1;
        Ok(sum)
    }

    /// How far a failing condition is from holding.
    fn distance(&mut self, literal: &Literal, names: &Names, depth: u32) -> Result<Distance, Halt> {
        let depends = literal
            .goal
            .atom()
            .map(|atom| self.reference.program().relations[atom.relation.index()].depends);
        Ok(match &literal.goal {
            Goal::Relation(_) | Goal::Aggregate(..) if depends == Some(Depends::Nothing) => {
                Distance::FIXED
            }
            Goal::Fluent(pattern) if !literal.negated && self.is_other(pattern) => Distance::OTHER,
            Goal::Fluent(_) | Goal::Does(..) | Goal::Aggregate(..) => Distance::STATE,
            Goal::Relation(_) if literal.negated => Distance::STATE,
            Goal::Relation(atom) => {
                let atom = atom.clone();
                let key = (self.at, self.written(literal, names));
                if let Some(&known) = self.distances.get(&key) {
                    return Ok(known);
                }
                if depth == 0 || self.distances.len() as u32 >= MEASURED {
                    return Ok(Distance::UNKNOWN);
                }
                self.distances.insert(key.clone(), Distance::CIRCLE);
                let rules = self.reference.program().relations[atom.relation.index()].rules.clone();
                let mut best = None;
                for rule in rules {
                    let Some(bindings) = self.reference.open_head(rule, &atom.args) else {
                        continue;
                    };
                    let near = nearest_misses(
                        self.reference,
                        rule,
                        &bindings,
                        &atom.args,
                        BOUNDS,
                        self.stop,
                    );
                    let this = match near {
                        Ok(mut near) => self.rank(rule, &mut near, depth - 1)?,
                        Err(Halt::Limit(_) | Halt::Rules(_)) => Distance::UNKNOWN,
                        Err(halt) => return Err(halt),
                    };
                    best = Some(best.map_or(this, |best: Distance| best.min(this)));
                }
                // No rule can derive it in any state.
                let best = best.unwrap_or(Distance::FIXED);
                self.distances.insert(key, best);
                best
            }
            Goal::Distinct(..) | Goal::Builtin(..) => Distance::FIXED,
        })
    }

    /// Whether a fluent is missing because the state has another one at the origin of the move.
    ///
    /// The origin of `(move c 1 e 3)` is `c 1`. If `(cell c 1 knight)` is missing and the state has
    /// `(cell c 1 bishop)`, then the condition is not about the piece that is to move.
    fn is_other(&self, pattern: &Pattern) -> bool {
        let Pattern::Ground(fluent) = pattern else { return false };
        let terms = self.reference.terms();
        let near = alike(pattern, self.reference.state(), terms);
        let Some(&near) = near.first() else { return false };
        let pairs = terms.args(*fluent).iter().zip(terms.args(near));
        let shared: Vec<TermId> = pairs.filter(|(a, b)| a == b).map(|(a, _)| *a).collect();
        let length = shared.len();
        if length == 0 || length + 1 != terms.args(*fluent).len() {
            return false;
        }
        // The target of a move follows its origin, with the same number of constants.
        let begin = self.named.len().saturating_sub(length);
        self.named[..begin].windows(length).any(|place| place == shared)
    }
}
