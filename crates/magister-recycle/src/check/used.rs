//! Warnings about point maps and places that are used but never set or filled.

use magister_diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::code::Code;

/// The names that were used, and the names that were filled or set.
#[derive(Default)]
pub(super) struct Uses {
    /// Point maps that are read, with their first position in the text.
    pub maps: FxHashMap<u32, Span>,
    pub maps_set: FxHashSet<u32>,
    /// Places that are read, by family.
    pub places: FxHashMap<u32, Span>,
    pub places_filled: FxHashSet<u32>,
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
    }
}

fn sorted(map: &FxHashMap<u32, Span>) -> Vec<(&u32, &Span)> {
    let mut list: Vec<_> = map.iter().collect();
    list.sort();
    list
}
