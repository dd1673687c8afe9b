//! Fluents of one form, and their arguments.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::domain::Domain;
use super::marks::words;
use super::material::Material;
use crate::Ground;

/// The maximum number of variants of a decomposed form; lists, for example, have more.
const VARIANTS: usize = 8;

/// The maximum number of leaves of a relation in which three leaves may be determined.
const TRIPLES: usize = 6;

/// The share of the keys, as one in N, that may have several values if the first state has one
/// value for each key. Cells may have more: things that fade leave traces.
const EXCEPTIONS: usize = 3;
const CELL_EXCEPTIONS: usize = 1;

/// Fluents that differ only in the names at certain positions, which are called leaves. Nested
/// terms are decomposed: `(at (square 1 2) x)` has three leaves.
#[derive(Debug)]
pub(super) struct Relation {
    /// The name at the top.
    pub(super) name: String,
    /// The values of each leaf, in their natural order.
    pub(super) domains: Vec<Domain>,
    /// The argument that contains each leaf.
    pub(super) places: Vec<usize>,
    /// The leaves that are determined by the others.
    pub(super) determined: Vec<usize>,
    /// The leaves that are always the next value after the leaf before them: `(wall a b 1 2 black)`
    /// lies between two columns and between two rows.
    pub(super) spare: Vec<usize>,
    /// Whether the first state has a fluent for each combination of the other leaves.
    pub(super) full: bool,
    /// Whether it was the same in all examined states.
    pub(super) constant: bool,
    /// The number of its fluents.
    pub(super) size: usize,
    /// The leaves of its fluents.
    pub(super) members: Vec<Vec<Arc<str>>>,
    /// The leaf of the value, besides the leaf of the role, if every role has a value in all
    /// examined states.
    pub(super) per_role: Option<usize>,
}

/// How fluents are decomposed.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// Names of fluents whose arguments are kept whole.
    whole: FxHashSet<Arc<str>>,
    /// Arguments that are kept whole, by the names of fluents and their places: terms of different
    /// kinds, such as `(pawn white)` and `(rook white)`, are things and not coordinates.
    things: FxHashSet<(Arc<str>, usize)>,
}

/// The form of a fluent and its leaves.
pub(super) type Parts = (String, Vec<Arc<str>>);

impl Forms {
    pub(super) fn new(fluents: &[Ground]) -> Self {
        let forms = Forms { things: things(fluents), ..Forms::default() };
        let mut variants: FxHashMap<&Arc<str>, FxHashSet<String>> = FxHashMap::default();
        for fluent in fluents {
            let known = variants.entry(&fluent.name).or_default();
            if known.len() <= VARIANTS {
                known.insert(forms.parts(fluent).0);
            }
        }
        let many = variants.into_iter().filter(|(_, known)| known.len() > VARIANTS);
        let whole = many.map(|(name, _)| Arc::clone(name)).collect();
        Forms { whole, ..forms }
    }

    pub(super) fn parts(&self, fluent: &Ground) -> Parts {
        let (mut form, mut leaves) = (fluent.name.to_string(), Vec::new());
        for (place, arg) in fluent.args.iter().flatten().enumerate() {
            if self.whole.contains(&fluent.name) {
                form.push_str(" _");
                leaves.push(Arc::from(arg.to_string()));
            } else if arg.args.is_some() && self.is_thing(fluent, place) {
                form.push_str(" _");
                leaves.push(Arc::from(arg.to_string().replace(['(', ')'], "")));
            } else {
                take_apart(arg, &mut form, &mut leaves);
            }
        }
        (form, leaves)
    }
}

impl Forms {
    /// The argument that contains each leaf.
    fn places(&self, fluent: &Ground) -> Vec<usize> {
        fn leaves(term: &Ground) -> usize {
            term.args.as_ref().map_or(1, |args| args.iter().map(leaves).sum())
        }
        let args = fluent.args.as_deref().unwrap_or_default();
        let whole = |place| self.whole.contains(&fluent.name) || self.is_thing(fluent, place);
        let of = |(place, arg)| vec![place; if whole(place) { 1 } else { leaves(arg) }];
        args.iter().enumerate().flat_map(of).collect()
    }

    fn is_thing(&self, fluent: &Ground, place: usize) -> bool {
        !self.things.is_empty() && self.things.contains(&(Arc::clone(&fluent.name), place))
    }
}

/// The arguments of fluents that have terms of several kinds which occur nowhere else.
fn things(fluents: &[Ground]) -> FxHashSet<(Arc<str>, usize)> {
    type Kind<'a> = (&'a Arc<str>, usize);
    let mut kinds: FxHashMap<(&Arc<str>, usize), FxHashSet<Kind<'_>>> = FxHashMap::default();
    for fluent in fluents {
        for (place, arg) in fluent.args.iter().flatten().enumerate() {
            if let Some(args) = &arg.args {
                let known = kinds.entry((&fluent.name, place)).or_default();
                known.insert((&arg.name, args.len()));
            }
        }
    }
    let mut places: FxHashMap<Kind<'_>, usize> = FxHashMap::default();
    for kind in kinds.values().flatten() {
        *places.entry(*kind).or_default() += 1;
    }
    let several = |own: &FxHashSet<Kind<'_>>| own.len() > 1 && own.iter().all(|k| places[k] == 1);
    let found = kinds.iter().filter(|(_, own)| several(own));
    found.map(|(&(name, place), _)| (Arc::clone(name), place)).collect()
}

fn take_apart(term: &Ground, form: &mut String, leaves: &mut Vec<Arc<str>>) {
    form.push(' ');
    let Some(args) = &term.args else {
        form.push('_');
        leaves.push(Arc::clone(&term.name));
        return;
    };
    form.push('(');
    form.push_str(&term.name);
    args.iter().for_each(|arg| take_apart(arg, form, leaves));
    form.push(')');
}

/// A fluent of a relation, as its number among all fluents, and its leaves.
type Member = (usize, Vec<Arc<str>>);

/// The relations of a game by their form, in the order of the first fluent of each.
pub(super) fn relations(material: &Material, forms: &Forms) -> Vec<(String, Relation)> {
    let mut order: Vec<String> = Vec::new();
    let mut members: FxHashMap<String, Vec<Member>> = FxHashMap::default();
    for (number, fluent) in material.fluents.iter().enumerate() {
        let (form, leaves) = forms.parts(fluent);
        let list = members.entry(form).or_insert_with_key(|form| {
            order.push(form.clone());
            Vec::new()
        });
        list.push((number, leaves));
    }
    let relation = |form: String| {
        let members = members.remove(&form).unwrap_or_default();
        let relation = Relation::new(&form, &members, material, forms);
        (form, relation)
    };
    order.into_iter().map(relation).collect()
}

impl Relation {
    fn new(form: &str, members: &[Member], material: &Material, forms: &Forms) -> Self {
        let count = members.first().map_or(0, |(_, leaves)| leaves.len());
        let domain = |leaf: usize| {
            let names = members.iter().map(|(_, leaves)| &leaves[leaf]);
            Domain::new(names, material)
        };
        let first = members.first().map(|&(number, _)| &material.fluents[number]);
        let mut relation = Relation {
            name: first.map_or(String::new(), |fluent| fluent.name.to_string()),
            domains: (0..count).map(domain).collect(),
            places: first.map_or_else(Vec::new, |fluent| forms.places(fluent)),
            determined: Vec::new(),
            spare: Vec::new(),
            full: false,
            constant: false,
            size: members.len(),
            members: members.iter().map(|(_, leaves)| leaves.clone()).collect(),
            per_role: None,
        };
        let states: Vec<Vec<Vec<Arc<str>>>> = material
            .states
            .iter()
            .map(|state| {
                let parts = state.iter().filter(|fluent| *fluent.name == relation.name);
                let parts = parts.map(|fluent| forms.parts(fluent));
                parts.filter(|(other, _)| other == form).map(|(_, leaves)| leaves).collect()
            })
            .collect();
        let observed = relation.observed(&states);
        let two = relation.two_cells().filter(|four| observed.contains(four));
        let observed = strongest(observed, &relation.domains);
        let proven = strongest(proven(members, material), &relation.domains);
        // The observed leaves may go beyond the proven ones.
        relation.determined = match (proven, observed) {
            (Some(proven), Some(observed)) if within(&proven, &observed) => observed,
            (proven, observed) => proven.or(observed).unwrap_or_default(),
        };
        if relation.determined.is_empty() {
            relation.determined = relation.nearly(&states).unwrap_or_default();
        }
        relation.determined = two.unwrap_or(relation.determined);
        relation.spare = relation.gaps(material);
        if !relation.spare.is_empty() {
            relation.determined.retain(|leaf| !relation.spare.contains(leaf));
        }
        relation.per_role = relation.value_of_role(&states);
        let key = |leaves: &Vec<Arc<str>>| -> Vec<Arc<str>> {
            let keys = (0..count).filter(|leaf| !relation.determined.contains(leaf));
            keys.map(|leaf| Arc::clone(&leaves[leaf])).collect()
        };
        let keys: FxHashSet<Vec<Arc<str>>> =
            members.iter().map(|(_, leaves)| key(leaves)).collect();
        relation.full = (1..count).contains(&relation.determined.len())
            && states.first().is_some_and(|state| {
                let there: FxHashSet<_> = state.iter().map(key).collect();
                there.len() == keys.len()
            });
        let first = states.first();
        let same = |state: &Vec<Vec<Arc<str>>>| Some(state) == first;
        // In every examined state, without alternatives.
        relation.constant = states.len() > 2
            && first.is_some_and(|first| !first.is_empty() && first.len() == members.len())
            && states.iter().all(same);
        relation
    }

    /// Leaves that were determined by the others in all examined states: one, two, three, or all
    /// together.
    fn observed(&self, states: &[Vec<Vec<Arc<str>>>]) -> Vec<Vec<usize>> {
        let count = self.domains.len();
        let different: FxHashSet<&Vec<Arc<str>>> = states.iter().flatten().collect();
        if count == 0 || different.len() < 2 {
            return Vec::new();
        }
        let singles = (0..count).map(|leaf| vec![leaf]);
        let pairs = (0..count).flat_map(|b| (0..b).map(move |a| vec![a, b]));
        // The contents of a cell may consist of a side, a piece and its number.
        let most = if (4..=TRIPLES).contains(&count) { count } else { 0 };
        let triples =
            (0..most).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| vec![a, b, c])));
        let mut candidates: Vec<Vec<usize>> = singles.chain(pairs).chain(triples).collect();
        candidates.extend(self.two_cells());
        candidates.push((0..count).collect());
        candidates.retain(|candidate| {
            states.iter().all(|state| {
                let mut seen: FxHashSet<Vec<&Arc<str>>> = FxHashSet::default();
                state.iter().all(|leaves| {
                    let keys = (0..count).filter(|leaf| !candidate.contains(leaf));
                    seen.insert(keys.map(|leaf| &leaves[leaf]).collect())
                })
            })
        });
        candidates
    }

    /// The second leaves of two gaps: between neighbouring columns, and between neighbouring rows.
    fn gaps(&self, material: &Material) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for second in 1..self.domains.len() {
            let (a, b) = (&self.domains[second - 1], &self.domains[second]);
            if found.contains(&(second - 1)) || a.names.len() < 2 || !a.is_ordered() {
                continue;
            }
            let both = a.join(b, material);
            let next = |leaves: &Vec<Arc<str>>| {
                let at = both.position(&leaves[second - 1]).map(|at| at + 1);
                at.is_some() && at == both.position(&leaves[second])
            };
            if both.is_ordered() && self.members.iter().all(next) {
                found.push(second);
            }
        }
        if found.len() == 2 && self.domains.len() > 4 { found } else { Vec::new() }
    }

    /// The leaves of two cells, if the only other leaf names a thing that may lie on both, such as a
    /// ship.
    fn two_cells(&self) -> Option<Vec<usize>> {
        let mut things = (0..self.domains.len()).filter(|&leaf| !self.domains[leaf].is_ordered());
        let thing = things.next().filter(|_| things.next().is_none())?;
        let four: Vec<usize> = (0..self.domains.len()).filter(|&leaf| leaf != thing).collect();
        let &[a, b, c, d] = &four[..] else { return None };
        let same = |a: usize, b: usize| self.domains[a].names == self.domains[b].names;
        (same(a, c) && same(b, d)).then_some(four)
    }

    /// The last leaf, if it gives one value for every combination of the others at the start, and
    /// for most of them later. Rules may forget to remove a value.
    fn nearly(&self, states: &[Vec<Vec<Arc<str>>>]) -> Option<Vec<usize>> {
        let last = self.domains.len().checked_sub(1).filter(|&last| last > 1)?;
        let keys = |state: &[Vec<Arc<str>>]| -> usize {
            state.iter().map(|leaves| &leaves[..last]).collect::<FxHashSet<_>>().len()
        };
        let all: FxHashSet<&[Arc<str>]> =
            self.members.iter().map(|leaves| &leaves[..last]).collect();
        let first = states.first()?;
        let exact = first.len() == all.len() && keys(first) == all.len();
        let (mut fluents, mut different) = (0, 0);
        for state in states {
            fluents += state.len();
            different += keys(state);
        }
        let cells = words(&self.name).iter().any(|word| word == "cell" || word == "square");
        let exceptions = if cells { CELL_EXCEPTIONS } else { EXCEPTIONS };
        (exact && (fluents - different) * exceptions <= different).then(|| vec![last])
    }

    /// The leaf beside the roles, if every role has exactly one value in every state.
    fn value_of_role(&self, states: &[Vec<Vec<Arc<str>>>]) -> Option<usize> {
        let [first, second] = &self.domains[..] else { return None };
        let (role, value) = match (first.roles, second.roles) {
            (true, false) => (0, 1),
            (false, true) => (1, 0),
            _ => return None,
        };
        let count = self.domains[role].names.len();
        let each = |state: &Vec<Vec<Arc<str>>>| {
            let owners: FxHashSet<&Arc<str>> = state.iter().map(|leaves| &leaves[role]).collect();
            state.len() == count && owners.len() == count
        };
        (count > 1 && states.iter().all(each)).then_some(value)
    }
}

/// Leaves in which the members of proven groups differ, if most fluents are in such groups.
fn proven(members: &[Member], material: &Material) -> Vec<Vec<usize>> {
    let own: FxHashMap<usize, &Vec<Arc<str>>> =
        members.iter().map(|(number, leaves)| (*number, leaves)).collect();
    let mut counts: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    for group in &material.groups {
        let inside: Vec<&Vec<Arc<str>>> =
            group.iter().filter_map(|number| own.get(number).copied()).collect();
        let [first, others @ ..] = &inside[..] else { continue };
        let differs = |&leaf: &usize| others.iter().any(|leaves| leaves[leaf] != first[leaf]);
        let leaves: Vec<usize> = (0..first.len()).filter(differs).collect();
        if !leaves.is_empty() {
            *counts.entry(leaves).or_default() += inside.len();
        }
    }
    let enough = members.len() - members.len() / 4;
    counts.into_iter().filter(|&(_, count)| count >= enough).map(|(leaves, _)| leaves).collect()
}

fn within(a: &[usize], b: &[usize]) -> bool {
    a.len() < b.len() && a.iter().all(|leaf| b.contains(leaf))
}

/// The leaves to treat as determined: more are better, but coordinates are worse than others.
fn strongest(mut found: Vec<Vec<usize>>, domains: &[Domain]) -> Option<Vec<usize>> {
    found.sort();
    let largest = found.iter().filter(|a| !found.iter().any(|b| within(a, b)));
    let places =
        |leaves: &[usize]| leaves.iter().filter(|&&leaf| domains[leaf].is_ordered()).count();
    // If all are alike, the last leaf is preferred.
    let last = |leaves: &[usize]| std::cmp::Reverse(leaves.iter().sum::<usize>());
    largest.min_by_key(|leaves| (places(leaves), last(leaves))).cloned()
}
