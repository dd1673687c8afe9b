//! The values that an argument can have, and their order.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::material::Material;
use crate::term::compare_names;

/// What orders the values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers.
    Numbers,
    /// Single letters one after the other, as in the alphabet.
    Letters,
    /// A relation of the rules that leads from each to the next.
    Chain,
    /// Names of squares such as `c3` or `33`: two coordinates in one.
    Squares,
    /// Nothing.
    None,
}

/// The values of an argument, in order.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub(super) names: Vec<Arc<str>>,
    pub(super) kind: Kind,
    /// Whether all of them are roles.
    pub(super) roles: bool,
}

impl Domain {
    pub(super) fn new<'a>(
        names: impl Iterator<Item = &'a Arc<str>>,
        material: &Material,
    ) -> Domain {
        let mut seen: FxHashSet<&Arc<str>> = FxHashSet::default();
        let mut names: Vec<Arc<str>> = names.filter(|name| seen.insert(name)).cloned().collect();
        let roles = names.iter().all(|name| material.roles.iter().any(|role| **role == **name));
        names.sort_by(|a, b| compare_names(a, b));
        let kind = kind(&names);
        let mut domain = Domain { names, kind, roles };
        if kind == Kind::None {
            if let Some(chain) = chain(&domain.names, material) {
                domain.names = chain;
                domain.kind = Kind::Chain;
            } else if roles {
                let place = |name: &Arc<str>| material.roles.iter().position(|r| **r == **name);
                domain.names.sort_by_key(place);
            }
        }
        domain
    }

    /// Whether the values can be places along a line.
    pub(super) fn is_ordered(&self) -> bool {
        let ordered = matches!(self.kind, Kind::Numbers | Kind::Letters | Kind::Chain);
        ordered && !self.roles && self.names.len() > 1
    }

    pub(super) fn is_numeric(&self) -> bool {
        self.kind == Kind::Numbers
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| **other == *name)
    }

    pub(super) fn contains(&self, other: &Domain) -> bool {
        other.names.iter().all(|name| self.position(name).is_some())
    }

    /// The values of both, in order.
    pub(super) fn join(&self, other: &Domain, material: &Material) -> Domain {
        Domain::new(self.names.iter().chain(&other.names), material)
    }
}

fn kind(names: &[Arc<str>]) -> Kind {
    let all = |test: fn(&str) -> bool| names.iter().all(|name| test(name));
    if all(|name| name.parse::<i64>().is_ok()) {
        return if is_squares(names) { Kind::Squares } else { Kind::Numbers };
    }
    if all(|name| name.len() == 1 && name.as_bytes()[0].is_ascii_lowercase()) {
        // b, o and x are no range of letters, but a, b, c and d are.
        let (first, last) = (names[0].as_bytes()[0], names[names.len() - 1].as_bytes()[0]);
        let span = usize::from(last - first) + 1;
        return if span == names.len() && span > 1 { Kind::Letters } else { Kind::None };
    }
    if is_squares(names) { Kind::Squares } else { Kind::None }
}

/// The column and the row of a square such as `c3`, `c10` or `33`.
pub(super) fn square(name: &str) -> Option<(&str, &str)> {
    let first = name.chars().next()?;
    let (column, row) = name.split_at(first.len_utf8());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let fine = if first.is_ascii_digit() { name.len() == 2 && digits(name) } else { digits(row) };
    (fine && first.is_ascii_alphanumeric()).then_some((column, row))
}

/// Whether the names are squares that fill a good part of a board.
fn is_squares(names: &[Arc<str>]) -> bool {
    let squares: Option<Vec<(&str, &str)>> = names.iter().map(|name| square(name)).collect();
    let Some(squares) = squares else { return false };
    let columns: FxHashSet<&str> = squares.iter().map(|&(column, _)| column).collect();
    let rows: FxHashSet<&str> = squares.iter().map(|&(_, row)| row).collect();
    // 10 to 99 are numbers; 11 to 88 without 19 are squares.
    let digits = squares[0].0.as_bytes()[0].is_ascii_digit();
    let gaps = !(digits && rows.contains("0"));
    columns.len() > 1 && rows.len() > 1 && gaps && names.len() * 3 > columns.len() * rows.len()
}

/// The names in the order of a relation that leads from one to the next.
fn chain(names: &[Arc<str>], material: &Material) -> Option<Vec<Arc<str>>> {
    if names.len() < 3 {
        return None;
    }
    let wanted: FxHashSet<&str> = names.iter().map(|name| &**name).collect();
    for facts in material.facts.values() {
        let mut next: FxHashMap<&str, &str> = FxHashMap::default();
        let mut before: FxHashMap<&str, &str> = FxHashMap::default();
        let mut single = true;
        for fact in facts {
            let [from, to] = &fact[..] else { continue };
            if wanted.contains(&*from.name) && wanted.contains(&*to.name) && from != to {
                single &= next.insert(&from.name, &to.name).is_none();
                single &= before.insert(&to.name, &from.name).is_none();
            }
        }
        if !single || next.len() + 1 != names.len() {
            continue;
        }
        let Some(mut at) = names.iter().map(|name| &**name).find(|n| !before.contains_key(n))
        else {
            continue;
        };
        let mut order: Vec<Arc<str>> = vec![Arc::from(at)];
        while let Some(&following) = next.get(at) {
            order.push(Arc::from(following));
            at = following;
        }
        if order.len() == names.len() {
            return Some(order);
        }
    }
    None
}

/// Names in their natural order: numbers by value, then letters.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    compare_names(a, b)
}
