//! Splits rules that join more than they need.
//!
//! A variable that is not in the head matters only where it occurs. The conditions with it become
//! a relation of their own over the variables they share with the rest, so that the rest is
//! joined once for each such tuple and not once for each value of the variable. That turns
//! products into sums, which is what badly written rules need.

use super::rules::{Condition, Rule, RuleSet, TableId};
use crate::program::Pattern;

/// Splits every rule as far as that helps.
pub(super) fn split(set: &mut RuleSet) {
    let mut done = Vec::new();
    let mut queue = std::mem::take(&mut set.rules);
    queue.reverse();
    while let Some(mut rule) = queue.pop() {
        while let Some(part) = split_once(&mut rule, set) {
            queue.push(part);
        }
        done.push(rule);
    }
    set.rules = done;
}

fn variables(condition: &Condition) -> Vec<u32> {
    let mut all = Vec::new();
    let mut visit = |p: &Pattern| {
        p.variables(&mut |v| {
            if !all.contains(&v) {
                all.push(v);
            }
        });
    };
    match condition {
        Condition::In(_, args) | Condition::NotIn(_, args) => args.iter().for_each(&mut visit),
        Condition::Differ(a, b, _) => {
            visit(a);
            visit(b);
        }
    }
    all
}

/// Takes the conditions with one variable out of a rule, if that makes it smaller.
fn split_once(rule: &mut Rule, set: &mut RuleSet) -> Option<Rule> {
    let body: Vec<Vec<u32>> = rule.body.iter().map(variables).collect();
    let mut head: Vec<u32> = Vec::new();
    for arg in &rule.args {
        arg.variables(&mut |v| head.push(v));
    }
    let mut all: Vec<u32> = body.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    if all.len() < 3 {
        return None;
    }
    let positive = |c: usize| matches!(rule.body[c], Condition::In(..));
    let (_, part, shared) = all
        .iter()
        .filter(|v| !head.contains(v))
        .filter_map(|&v| {
            let part: Vec<usize> = (0..body.len()).filter(|&c| body[c].contains(&v)).collect();
            let mut bound: Vec<u32> =
                part.iter().filter(|&&c| positive(c)).flat_map(|&c| body[c].clone()).collect();
            bound.sort_unstable();
            bound.dedup();
            // Every condition of the part must be decided by the part alone.
            let closed = part.iter().all(|&c| body[c].iter().all(|v| bound.contains(v)));
            let rest = (0..body.len()).filter(|c| !part.contains(c)).any(positive);
            // What the rest of the rule still has to do with.
            let shared: Vec<u32> = bound
                .iter()
                .copied()
                .filter(|&w| {
                    w != v
                        && (head.contains(&w)
                            || (0..body.len()).any(|c| !part.contains(&c) && body[c].contains(&w)))
                })
                .collect();
            let smaller = bound.len() < all.len();
            (closed && rest && smaller && bound.contains(&v)).then_some((bound.len(), part, shared))
        })
        .min_by_key(|(size, part, _)| (*size, part.len()))?;
    let dynamic = part.iter().any(|&c| match &rule.body[c] {
        Condition::In(t, _) | Condition::NotIn(t, _) => set.dynamic[t.index()],
        Condition::Differ(..) => false,
    });
    set.arities.push(shared.len());
    set.dynamic.push(dynamic);
    let made = TableId(set.arities.len() as u32 - 1);
    let columns: Box<[Pattern]> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for (c, condition) in rule.body.drain(..).enumerate() {
        if part.contains(&c) {
            taken.push(condition);
        } else {
            kept.push(condition);
        }
    }
    kept.push(Condition::In(made, columns.clone()));
    rule.body = kept;
    Some(Rule {
        head: made,
        args: columns,
        body: taken,
        variables: rule.variables,
        stratum: rule.stratum,
        line: rule.line,
    })
}
