//! The values that an argument can have, and their order.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::material::Material;
use crate::term::compare_names;

/// The order of the values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers.
    Numbers,
    /// The same word followed by a number, such as `p1` and `p2`.
    Series,
    /// Consecutive single letters of the alphabet.
    Letters,
    /// A successor relation of the rules.
    Chain,
    /// Names of squares such as `c3` or `33`: two coordinates in one.
    Squares,
    /// No order.
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
        names.sort_by(|a, b| natural(a, b));
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

    /// Whether the values can be positions along a line.
    pub(super) fn is_ordered(&self) -> bool {
        let ordered = !matches!(self.kind, Kind::Squares | Kind::None);
        ordered && !self.roles && self.names.len() > 1
    }

    /// Whether the numbers are consecutive, with few gaps.
    pub(super) fn is_dense(&self) -> bool {
        let number =
            |name: &Arc<str>| series(name).and_then(|(_, digits)| digits.parse::<u64>().ok());
        let (Some(first), Some(last)) = (self.names.first(), self.names.last()) else {
            return true;
        };
        match (number(first), number(last)) {
            (Some(a), Some(b)) => self.names.len() as u64 * 4 >= (b.saturating_sub(a) + 1) * 3,
            _ => true,
        }
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

    /// The values of both domains, in order.
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
        // b, o and x are not a range of letters, but a, b, c and d are.
        let (first, last) = (names[0].as_bytes()[0], names[names.len() - 1].as_bytes()[0]);
        let span = usize::from(last - first) + 1;
        return if span == names.len() && span > 1 { Kind::Letters } else { Kind::None };
    }
    if is_squares(names) {
        return Kind::Squares;
    }
    let prefix = common_prefix(names.iter().map(|name| &**name));
    if prefix.is_some_and(|prefix| !prefix.is_empty()) { Kind::Series } else { Kind::None }
}

/// The common prefix of all names, if only numbers follow.
pub(super) fn common_prefix<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let prefix = series(names.next()?)?.0;
    names.all(|name| series(name).is_some_and(|(other, _)| other == prefix)).then_some(prefix)
}

/// A name as a word and the number at its end.
fn series(name: &str) -> Option<(&str, &str)> {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (word.len() < name.len()).then(|| name.split_at(word.len()))
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

/// The names in the order of a successor relation.
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

/// Names in their natural order: numbers by value, also those at the end of a word.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    match (series(a), series(b)) {
        (Some((word, first)), Some((other, second))) if word == other => {
            compare_names(first, second).then_with(|| a.cmp(b))
        }
        _ => compare_names(a, b),
    }
}
