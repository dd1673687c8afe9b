//! Relations that divide the cells of one board among them: `blank`, `ecks` and `oh`.
//!
//! The name of the relation is the contents of the cell. At the start, each cell is in exactly one
//! of the relations; later, in at most one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::classify::{Axis, Lie};
use super::domain::{Domain, Kind};
use super::graph::rectangle;
use super::material::Material;
use super::relation::{Forms, Relation};

/// The minimum number of cells, and the maximum number of rows with names.
const PLACES: usize = 6;
const NAMED_ROWS: usize = 8;

/// Relations that form one board together.
pub(super) struct Family {
    /// The numbers of the relations.
    pub(super) members: Vec<usize>,
    /// The geometry of their fluents.
    pub(super) lie: Lie,
}

type Keys<'a> = FxHashSet<&'a [Arc<str>]>;

/// The families of a game.
pub(super) fn families(
    relations: &[(String, Relation)],
    things: &FxHashSet<Arc<str>>,
    forms: &Forms,
    material: &Material,
) -> Vec<Family> {
    let mut found = Vec::new();
    for leaves in [1, 2] {
        let able = |(_, relation): &&(String, Relation)| {
            relation.domains.len() == leaves
                && !relation.constant
                && relation.per_role.is_none()
                && !relation.is_about(things)
        };
        if relations.iter().filter(able).count() < 2 {
            continue;
        }
        let numbers: FxHashMap<&str, usize> = relations
            .iter()
            .enumerate()
            .filter(|(_, one)| able(one))
            .map(|(number, (form, _))| (form.as_str(), number))
            .collect();
        let states: Vec<FxHashMap<usize, Vec<Vec<Arc<str>>>>> = material
            .states
            .iter()
            .map(|state| {
                let mut by: FxHashMap<usize, Vec<Vec<Arc<str>>>> = FxHashMap::default();
                for fluent in state {
                    let (form, leaves) = forms.parts(fluent);
                    if let Some(&number) = numbers.get(form.as_str()) {
                        by.entry(number).or_default().push(leaves);
                    }
                }
                by
            })
            .collect();
        let mut free: Vec<usize> = numbers.values().copied().collect();
        // The relation with all cells comes first: often it contains the empty ones.
        free.sort_by_key(|&number| (std::cmp::Reverse(relations[number].1.size), number));
        while let Some((&first, rest)) = free.split_first() {
            let mut members = vec![first];
            for &other in rest {
                if near(&relations[first].1, &relations[other].1) && apart(&members, other, &states)
                {
                    members.push(other);
                }
            }
            let rest: Vec<usize> =
                rest.iter().copied().filter(|number| !members.contains(number)).collect();
            free = rest;
            if let Some(lie) = board(&members, relations, &states, material) {
                found.push(Family { members, lie });
            }
        }
    }
    found
}

/// Whether two relations have the same values.
fn near(one: &Relation, other: &Relation) -> bool {
    one.domains.iter().zip(&other.domains).all(|(a, b)| {
        let both = a.names.iter().filter(|name| b.position(name).is_some()).count();
        both * 2 > a.names.len().max(b.names.len())
    })
}

/// Whether a relation never shares a cell with one of the others.
fn apart(members: &[usize], other: usize, states: &[FxHashMap<usize, Vec<Vec<Arc<str>>>>]) -> bool {
    states.iter().all(|state| {
        let own: Keys<'_> = state.get(&other).into_iter().flatten().map(Vec::as_slice).collect();
        let taken = members.iter().filter_map(|member| state.get(member)).flatten();
        !taken.into_iter().any(|leaves| own.contains(leaves.as_slice()))
    })
}

/// The geometry of a family, if its fluents fill a board together.
fn board(
    members: &[usize],
    relations: &[(String, Relation)],
    states: &[FxHashMap<usize, Vec<Vec<Arc<str>>>>],
    material: &Material,
) -> Option<Lie> {
    let all: Keys<'_> =
        members.iter().flat_map(|&m| &relations[m].1.members).map(Vec::as_slice).collect();
    // Every cell has contents in all examined states, and at least two of the relations are used.
    let filled = |state: &FxHashMap<usize, Vec<Vec<Arc<str>>>>| -> usize {
        members.iter().filter_map(|member| state.get(member)).map(Vec::len).sum()
    };
    let used = |member: &&usize| states.iter().any(|state| state.contains_key(member));
    let whole = states.iter().all(|state| filled(state) == all.len());
    if members.len() < 2 || all.len() < PLACES || !whole || members.iter().filter(used).count() < 2
    {
        return None;
    }
    let relation = &relations[members[0]].1;
    let joined = |leaf: usize| {
        let names = members.iter().flat_map(|&m| &relations[m].1.domains[leaf].names);
        Domain::new(names, material)
    };
    let row = |leaf: usize| Lie::points(leaf, Vec::new());
    match relation.domains.len() {
        1 if joined(0).kind == Kind::Squares => Some(relation.on_squares(0, vec![], vec![])),
        1 => Some(row(0)),
        _ => {
            let (a, b) = (joined(0), joined(1));
            let placed = |domain: &Domain| domain.is_ordered() && domain.is_dense();
            let named = |leaf: usize, other: usize| Lie { row: Axis::Leaf(other), ..row(leaf) };
            // Points in a rectangle, on several boards.
            let of = |point: &Domain, other: &Domain| {
                let word = matches!(point.kind, Kind::Letters | Kind::Series);
                word && other.names.len() <= NAMED_ROWS && rectangle(point, material).is_some()
            };
            if of(&a, &b) {
                return Some(Lie { split: vec![1], ..row(0) });
            }
            if of(&b, &a) {
                return Some(Lie { split: vec![0], ..row(1) });
            }
            match (placed(&a), placed(&b)) {
                (true, true) => Some(relation.lie(0, 1, &[], material)),
                (true, false) if b.names.len() <= NAMED_ROWS => Some(named(0, 1)),
                (false, true) if a.names.len() <= NAMED_ROWS => Some(named(1, 0)),
                _ => None,
            }
        }
    }
}
