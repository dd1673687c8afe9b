//! Groups of arguments that are guarded together, and their conditions.

use super::rules::{Condition, variables_of};
use crate::program::Pattern;

/// The number of each argument's source; `None` for a ground argument.
pub(super) fn partition(args: &[Pattern], sources: &[Vec<u32>]) -> Vec<Option<usize>> {
    let needs: Vec<Vec<u32>> = args.iter().map(|a| variables_of(std::slice::from_ref(a))).collect();
    let mut from: Vec<Option<usize>> = vec![None; args.len()];
    let mut left: Vec<usize> = (0..args.len()).filter(|&at| !needs[at].is_empty()).collect();
    while !left.is_empty() {
        let gives = |source: &[u32], at: usize| needs[at].iter().all(|v| source.contains(v));
        let count = |s: usize| left.iter().filter(|&&at| gives(&sources[s], at)).count();
        let best = (0..sources.len()).rev().max_by_key(|&s| count(s)).filter(|&s| count(s) > 0);
        let Some(best) = best else {
            // Each argument without a single source forms its own group.
            left.drain(..).for_each(|at| from[at] = Some(sources.len() + at));
            break;
        };
        left.retain(|&at| {
            let given = gives(&sources[best], at);
            if given {
                from[at] = Some(best);
            }
            !given
        });
    }
    from
}

/// Splits groups whose members have different sources.
pub(super) fn separate(groups: &mut [Option<usize>], from: &[Option<usize>]) {
    let mut seen: Vec<(usize, usize)> = Vec::new();
    let old = groups.to_vec();
    let place = |key: (usize, usize), seen: &mut Vec<(usize, usize)>| {
        seen.iter().position(|&k| k == key).unwrap_or_else(|| {
            seen.push(key);
            seen.len() - 1
        })
    };
    for at in 0..groups.len() {
        if let (Some(group), Some(source)) = (old[at], from[at]) {
            groups[at] = Some(place((group, source), &mut seen));
        }
    }
    for at in 0..groups.len() {
        if let (Some(group), None) = (old[at], from[at]) {
            // A ground argument fits any part of its group.
            let part = seen.iter().find(|(g, _)| *g == group).copied();
            groups[at] = Some(place(part.unwrap_or((group, usize::MAX)), &mut seen));
        }
    }
    // Parts are numbered by first appearance, so that equal partitions compare equal.
    let mut names: Vec<usize> = Vec::new();
    for group in groups.iter_mut().flatten() {
        let name = names.iter().position(|n| n == group).unwrap_or_else(|| {
            names.push(*group);
            names.len() - 1
        });
        *group = name;
    }
}

/// A small set of conditions that binds these variables, including all of the first `own` that
/// mention them.
pub(super) fn covering(wanted: &[u32], context: &[Condition], own: usize) -> Vec<Condition> {
    let mut body: Vec<Condition> = Vec::new();
    let mut left = wanted.to_vec();
    for condition in &context[..own] {
        let variables = condition.variables();
        if variables.iter().any(|v| wanted.contains(v)) {
            left.retain(|v| !variables.contains(v));
            body.push(condition.clone());
        }
    }
    while !left.is_empty() {
        let gives = |c: &Condition| c.variables().iter().filter(|v| left.contains(v)).count();
        let Some(best) = context.iter().rev().max_by_key(|c| gives(c)) else { break };
        let variables = best.variables();
        if !left.iter().any(|v| variables.contains(v)) {
            break;
        }
        left.retain(|v| !variables.contains(v));
        body.push(best.clone());
    }
    body
}

/// All conditions connected with these variables, directly or not.
pub(super) fn connected(wanted: &[u32], context: &[Condition]) -> Vec<Condition> {
    let mut reached = wanted.to_vec();
    let mut taken = vec![false; context.len()];
    loop {
        let next = (0..context.len())
            .find(|&c| !taken[c] && context[c].variables().iter().any(|v| reached.contains(v)));
        let Some(next) = next else { break };
        taken[next] = true;
        reached.extend(context[next].variables());
    }
    context.iter().zip(taken).filter(|(_, taken)| *taken).map(|(c, _)| c.clone()).collect()
}
