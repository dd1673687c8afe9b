//! The simulation order: which class of a part is at least as good as another in every sum.
//!
//! In a two-player constant-sum game, class `t` is at least as good for the first role as class `s`
//! if the outcome of `t` is at least as good whatever the results of the other parts are, the same
//! roles have options in both, every option of the first role in `s` is matched by one of `t` that
//! is at least as good, and every option of the second role in `t` is matched by one of `s` that is
//! at most as good. A player on `t` can then copy a strategy for `s`: the other parts and the turns
//! are untouched. The relation is the greatest one with this property, so cycles do not matter.

use rustc_hash::FxHashMap;

use crate::sum::Class;

/// The maximum number of pairs of classes; beyond it, nothing is pruned.
const MOST: usize = 30_000_000;

/// Prunes dominated options of both roles and merges classes that are then equal. Returns the new
/// class of each class.
pub(crate) fn prune(classes: &mut [Class], at_most: impl Fn(&Class, &Class) -> bool) -> Vec<u32> {
    let count = classes.len();
    if count.saturating_mul(count) > MOST {
        return (0..count as u32).collect();
    }
    let better = simulation(classes, at_most);
    let at_most = |low: u32, high: u32| better[low as usize * count + high as usize];
    for class in classes.iter_mut() {
        for (role, options) in class.options.iter_mut().enumerate() {
            // The first role drops an option that is at most as good as another, the second role
            // one that is at least as good.
            let dominated = |one: u32, other: u32| {
                if role == 0 { at_most(one, other) } else { at_most(other, one) }
            };
            let all = options.clone();
            options.retain(|&one| {
                !all.iter().any(|&other| {
                    other != one && dominated(one, other) && (!dominated(other, one) || other < one)
                })
            });
        }
    }
    merge(classes)
}

/// The simulation order: whether the second class is at least as good for the first role.
fn simulation(classes: &[Class], at_most: impl Fn(&Class, &Class) -> bool) -> Vec<bool> {
    let count = classes.len();
    let alike = |s: &Class, t: &Class| {
        (0..2).all(|role| s.options[role].is_empty() == t.options[role].is_empty())
    };
    let mut better: Vec<bool> = Vec::with_capacity(count * count);
    for s in classes {
        better.extend(classes.iter().map(|t| at_most(s, t) && alike(s, t)));
    }
    let mut pairs: Vec<u32> = (0..(count * count) as u32).filter(|&p| better[p as usize]).collect();
    loop {
        let before = pairs.len();
        pairs.retain(|&pair| {
            let (s, t) = (pair as usize / count, pair as usize % count);
            let first = classes[s].options[0].iter().all(|&a| {
                classes[t].options[0].iter().any(|&b| better[a as usize * count + b as usize])
            });
            let holds = first
                && classes[t].options[1].iter().all(|&b| {
                    classes[s].options[1].iter().any(|&a| better[a as usize * count + b as usize])
                });
            better[pair as usize] = holds;
            holds
        });
        if pairs.len() == before {
            return better;
        }
    }
}

/// Merges classes with the same outcome and the same options, to a fixpoint. Returns the new class
/// of each class; options refer to the new classes.
fn merge(classes: &mut [Class]) -> Vec<u32> {
    let mut colour: FxHashMap<(usize, u32), u32> = FxHashMap::default();
    let mut colours = Vec::new();
    for class in classes.iter() {
        let fresh = colour.len() as u32;
        colours.push(*colour.entry((class.family, class.kind)).or_insert(fresh));
    }
    let colours = crate::refine::refine(colours, |at, colours, out| {
        for options in &classes[at].options {
            let mut own: Vec<u64> =
                options.iter().map(|&option| u64::from(colours[option as usize])).collect();
            own.sort_unstable();
            own.dedup();
            out.push(u64::MAX);
            out.extend(own);
        }
    });
    // The first class of each colour represents all of them.
    let mut first: FxHashMap<u32, u32> = FxHashMap::default();
    let merged: Vec<u32> = colours
        .iter()
        .enumerate()
        .map(|(at, &colour)| *first.entry(colour).or_insert(at as u32))
        .collect();
    for class in classes.iter_mut() {
        for options in &mut class.options {
            options.iter_mut().for_each(|option| *option = merged[*option as usize]);
            options.sort_unstable();
            options.dedup();
        }
    }
    merged
}
