//! Warnings about point maps, places and storages that are used but never set, filled or written.

use magister_diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::code::{Code, Diagnostic};

/// The maximum number of pairs of names that are compared: a warning must not cost more than the
/// check.
const COMPARISONS: usize = 200_000;
/// Longer names are not compared.
const LONGEST: usize = 64;

/// The names that were used, and the names that were filled or set.
#[derive(Default)]
pub(super) struct Uses {
    /// Point maps that are read, with their first position in the text.
    pub maps: FxHashMap<u32, Span>,
    pub maps_set: FxHashSet<u32>,
    /// Places that are read, by family.
    pub places: FxHashMap<u32, Span>,
    pub places_filled: FxHashSet<u32>,
    /// Storages that are read, and those that are written: integers, then strings.
    pub stores: [FxHashMap<u32, Span>; 2],
    pub stores_written: [FxHashSet<u32>; 2],
    /// Whether storages with computed names are written.
    pub any_store_written: [bool; 2],
    /// Whether places or point maps with computed names are filled or set.
    pub any_map_set: bool,
    pub any_place_filled: bool,
}

impl Checker<'_> {
    pub(super) fn warn_unused(&mut self) {
        let mut found: Vec<(Span, Code, String)> = Vec::new();
        if !self.used.any_map_set {
            for (map, &span) in sorted(&self.used.maps) {
                if !self.used.maps_set.contains(map) {
                    let name = &self.strings[self.out.maps[*map as usize] as usize];
                    found.push((
                        span,
                        Code::NeverSet,
                        format!("the point map `{name}` is never set"),
                    ));
                }
            }
        }
        if !self.used.any_place_filled {
            for (family, &span) in sorted(&self.used.places) {
                if !self.used.places_filled.contains(family) {
                    let place = &self.out.places[*family as usize];
                    let name = &self.strings[place.name as usize];
                    let vis = place.vis.keyword();
                    found.push((
                        span,
                        Code::NeverFilled,
                        format!("no card is ever put into the place `{vis} {name}`"),
                    ));
                }
            }
        }
        for (span, code, message) in found {
            self.report(code, span, message);
        }
        self.warn_misspelt();
    }

    /// A storage begins as 0 or as the empty string, so reading one that is never written may be
    /// intended. It is reported only if the name of another storage differs by one letter.
    fn warn_misspelt(&mut self) {
        let mut found = Vec::new();
        let mut left = COMPARISONS;
        for (kind, what) in ["integer storage", "string storage"].into_iter().enumerate() {
            if self.used.any_store_written[kind] {
                continue;
            }
            let written = &self.used.stores_written[kind];
            let names = if kind == 0 { &self.out.ints } else { &self.out.strs };
            let name = |store: u32| self.strings[names[store as usize] as usize].as_str();
            let mut others: Vec<&str> = written.iter().map(|&store| name(store)).collect();
            others.sort_unstable();
            for (&store, &span) in sorted(&self.used.stores[kind]) {
                if written.contains(&store) || left < others.len() {
                    continue;
                }
                left -= others.len();
                let own = name(store);
                if let Some(other) = others.iter().find(|other| is_one_edit(own, other)) {
                    let message = format!("the {what} `{own}` is read but never written");
                    found.push((span, message, format!("is `{other}` meant?")));
                }
            }
        }
        for (span, message, help) in found {
            self.push(Diagnostic::new(Code::NeverWritten, span, message).help(help));
        }
    }
}

fn sorted(map: &FxHashMap<u32, Span>) -> Vec<(&u32, &Span)> {
    let mut list: Vec<_> = map.iter().collect();
    list.sort();
    list
}

/// Whether two names differ by one letter: added, left out, replaced, or exchanged with the next.
/// Names of one letter are different on purpose.
fn is_one_edit(one: &str, other: &str) -> bool {
    let longest = one.len().max(other.len());
    (2..=LONGEST).contains(&longest)
        && one.len().min(other.len()) > 1
        && one.len().abs_diff(other.len()) <= 1
        && strsim::osa_distance(one, other) == 1
}
