//! The evaluation order of a rule's literals.
//!
//! Literals that enumerate are evaluated in written order. All others are filters: each is
//! evaluated as soon as all its variables that can be bound are bound.

use magister_gdl::Use;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Goal, Literal, Pattern, Rule};

/// The orders so far, by rule and by the bound variables of the head.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    index: FxHashMap<(u32, u64), u32>,
    plans: Vec<Box<[u32]>>,
}

impl Plans {
    /// The plan for a rule whose head variables in `bound` have values. `bound` is a bit set;
    /// variables above 63 count as unbound, which costs time but is still correct.
    pub(super) fn find(&mut self, number: u32, rule: &Rule, bound: u64) -> u32 {
        *self.index.entry((number, bound)).or_insert_with(|| {
            self.plans.push(order(rule, bound));
            self.plans.len() as u32 - 1
        })
    }

    /// The literal at a step of a plan; `None` at its end.
    pub(super) fn literal(&self, plan: u32, step: u32) -> Option<usize> {
        self.plans[plan as usize].get(step as usize).map(|&literal| literal as usize)
    }
}

/// The order of the literals of a rule whose head variables in `mask` are bound.
pub(super) fn order(rule: &Rule, mask: u64) -> Box<[u32]> {
    let mut bound: FxHashSet<u32> =
        (0..rule.variables.min(64)).filter(|v| mask >> v & 1 == 1).collect();
    let mut rest: Vec<u32> = (0..rule.body.len() as u32).collect();
    let mut order = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let literal = |place: &u32| &rule.body[*place as usize];
        let ready = rest.iter().position(|place| {
            !literal(place).binds() && is_ready(literal(place), *place, rule, &bound)
        });
        let next =
            ready.or_else(|| rest.iter().position(|place| literal(place).binds())).unwrap_or(0);
        let place = rest.remove(next);
        outputs(literal(&place), &mut |variable| {
            bound.insert(variable);
        });
        order.push(place);
    }
    order.into()
}

/// Whether no other literal would bind more of the variables that this one needs.
fn is_ready(literal: &Literal, place: u32, rule: &Rule, bound: &FxHashSet<u32>) -> bool {
    let obtainable = |variable: u32| {
        rule.body.iter().enumerate().any(|(other, literal)| {
            let mut found = false;
            if other as u32 != place {
                outputs(literal, &mut |output| found |= output == variable);
            }
            found
        })
    };
    let known = |pattern: &Pattern| {
        let mut known = true;
        pattern.variables(&mut |v| known &= bound.contains(&v) || !obtainable(v));
        known
    };
    match &literal.goal {
        Goal::Builtin(builtin, args) if !literal.negated => match (builtin.name, builtin.usage) {
            ("same", _) => args.iter().any(|arg| {
                let mut known = true;
                arg.variables(&mut |variable| known &= bound.contains(&variable));
                known
            }),
            ("member", _) => known(&args[1]),
            (_, Use::Value) => args[..args.len() - 1].iter().all(known),
            _ => args.iter().all(known),
        },
        Goal::Aggregate(_, atom, _) if !literal.negated => atom.args.iter().all(known),
        goal => {
            let mut all = true;
            goal.patterns(&mut |pattern| all &= known(pattern));
            all
        }
    }
}

/// Calls `visit` on the variables that are bound after the literal.
fn outputs(literal: &Literal, visit: &mut impl FnMut(u32)) {
    match &literal.goal {
        _ if literal.negated => {}
        Goal::Relation(_) | Goal::Fluent(_) | Goal::Does(..) => literal.goal.variables(visit),
        Goal::Builtin(builtin, args) => match (builtin.name, builtin.usage) {
            ("same", _) => args.iter().for_each(|arg| arg.variables(visit)),
            ("member", _) => args[0].variables(visit),
            (_, Use::Value) => args.iter().rev().take(1).for_each(|arg| arg.variables(visit)),
            _ => {}
        },
        Goal::Aggregate(_, _, result) => result.variables(visit),
        Goal::Distinct(..) => {}
    }
}
