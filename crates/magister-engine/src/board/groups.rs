//! Things in groups: what each role holds, and stacks of things that stand on each other.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::marks::words;
use super::picture::Line;
use super::relation::Relation;

/// Names that rules use for the relation between a role and its things.
const HOLDING: [&str; 16] = [
    "hand", "hands", "hold", "holds", "holding", "has", "have", "card", "cards", "dealt", "owns",
    "die", "dice", "rolled", "tiles", "deck",
];
/// Names that rules use for the places of a board, which may hold things too.
const PLACES: [&str; 8] =
    ["cell", "cells", "square", "squares", "board", "field", "location", "position"];
/// Names that rules use for the relation of a thing to the one below it.
const STANDING: [&str; 5] = ["on", "above", "atop", "over", "ontop"];

/// The things of a stack relation, in order.
pub(super) type Things = Vec<Arc<str>>;

impl Relation {
    /// The leaf of the role, if this relation lists the things of roles.
    pub(super) fn held_by(&self) -> Option<usize> {
        let owner = self.owner()?;
        let named = |list: &[&str]| words(&self.name).iter().any(|word| list.contains(&&**word));
        // `cellHolds` says what is in a cell.
        let held = named(&HOLDING) && !named(&PLACES);
        (held && self.domains.len() > 1).then_some(owner)
    }

    /// The only leaf with roles.
    pub(super) fn owner(&self) -> Option<usize> {
        let mut roles = (0..self.domains.len()).filter(|&leaf| self.domains[leaf].roles);
        roles.next().filter(|_| roles.next().is_none())
    }

    /// Whether all of its values are among these things.
    pub(super) fn is_about(&self, things: &FxHashSet<Arc<str>>) -> bool {
        let all = |domain: &super::domain::Domain| domain.names.iter().all(|n| things.contains(n));
        !self.domains.is_empty() && self.domains.iter().all(all)
    }

    /// The things, if every fluent says that one thing stands on another.
    pub(super) fn stacked(&self) -> Option<Things> {
        let [things, below] = &self.domains[..] else { return None };
        let named = words(&self.name).iter().any(|word| STANDING.contains(&word.as_str()));
        let both = below.names.iter().filter(|name| things.position(name).is_some()).count();
        (named && both > 1 && !things.is_numeric()).then(|| things.names.clone())
    }
}

/// Things by owner, in the order of the roles.
pub(super) fn grouped(
    name: String,
    owner: usize,
    owners: &[Arc<str>],
    list: &[Vec<Arc<str>>],
) -> Line {
    let group = |role: &Arc<str>| {
        let own = list.iter().filter(|leaves| leaves.get(owner) == Some(role));
        let thing = |leaves: &Vec<Arc<str>>| {
            let rest = leaves.iter().enumerate().filter(|(leaf, _)| *leaf != owner);
            rest.map(|(_, word)| &**word).collect::<Vec<_>>().join(" ")
        };
        (role.to_string(), own.map(thing).collect::<Vec<_>>())
    };
    let groups = owners.iter().map(group).filter(|(_, things)| !things.is_empty()).collect();
    Line::Groups { name, groups, stacked: false }
}

/// Stacks from the bottom. Each pair is a thing and the one below it.
pub(super) fn stacks(name: String, things: &[Arc<str>], pairs: &[Vec<Arc<str>>]) -> Line {
    let mut above: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    let mut below: FxHashMap<&str, &str> = FxHashMap::default();
    for pair in pairs {
        let [thing, under] = &pair[..] else { continue };
        above.entry(under).or_default().push(thing);
        below.insert(thing, under);
    }
    let is_thing = |name: &str| things.iter().any(|thing| **thing == *name);
    let mut grounds: Vec<&str> =
        pairs.iter().filter_map(|pair| pair.get(1)).map(|name| &**name).collect();
    grounds.retain(|name| !is_thing(name));
    grounds.sort_unstable();
    grounds.dedup();
    let mut groups = Vec::new();
    let mut done: FxHashSet<&str> = FxHashSet::default();
    let climb = |base: &str, first: &'_ str, groups: &mut Vec<(String, Vec<String>)>| {
        let mut stack = Vec::new();
        let mut at = Some(first);
        while let Some(thing) = at {
            // Rules may let things stand on each other in a cycle.
            if stack.iter().any(|known| known == thing) {
                at = None;
            } else {
                stack.push(thing.to_owned());
                at = above.get(thing).and_then(|list| list.first().copied());
            }
        }
        groups.push((base.to_owned(), stack));
    };
    for &ground in &grounds {
        for &first in above.get(ground).into_iter().flatten() {
            climb(ground, first, &mut groups);
        }
    }
    for thing in things {
        let under = below.get(&**thing);
        // A second thing on the same one begins a new stack.
        let second = under.is_some_and(|&under| {
            is_thing(under) && above.get(under).is_some_and(|list| list.first() != Some(&&**thing))
        });
        if under.is_none() {
            climb("", thing, &mut groups);
        } else if second && done.insert(thing) {
            climb(under.copied().unwrap_or_default(), thing, &mut groups);
        }
    }
    Line::Groups { name, groups, stacked: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<Arc<str>> {
        list.iter().map(|&name| Arc::from(name)).collect()
    }

    fn built(things: &[&str], pairs: &[[&str; 2]]) -> Vec<(String, String)> {
        let pairs: Vec<Vec<Arc<str>>> = pairs.iter().map(|pair| names(pair)).collect();
        let Line::Groups { groups, stacked: true, .. } =
            stacks("on".to_owned(), &names(things), &pairs)
        else {
            unreachable!("stacks are groups")
        };
        groups.into_iter().map(|(base, things)| (base, things.join(" "))).collect()
    }

    #[test]
    fn stacks_of_blocks_and_discs() {
        let own = |base: &str, things: &str| (base.to_owned(), things.to_owned());
        assert_eq!(
            built(&["a", "b", "c"], &[["c", "a"], ["a", "table"], ["b", "table"]]),
            [own("table", "a c"), own("table", "b")]
        );
        assert_eq!(built(&["a", "b", "c"], &[["c", "a"]]), [own("", "a c"), own("", "b")]);
        assert_eq!(
            built(&["d1", "d2", "d3"], &[["d1", "d2"], ["d2", "left"], ["d3", "right"]]),
            [own("left", "d2 d1"), own("right", "d3")]
        );
        // Two things on one, and a cycle.
        assert_eq!(built(&["a", "b", "c"], &[["a", "c"], ["b", "c"]]).len(), 2);
        assert!(built(&["a", "b"], &[["a", "b"], ["b", "a"]]).is_empty());
    }
}
