//! Counts the paths of one game in several languages.

use std::sync::Arc;

use magister_core::{Game, Stop};
use magister_engine::inspect::Counter;
use magister_engine::prepare;
use magister_gdl::{Options, read};

use crate::catalogue::Entry;

/// Numbers of paths of 1, 2, ... steps in one version of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The version, such as `breakthrough/infix`.
    pub version: String,
    /// The numbers of paths; fewer than requested if the game ends earlier.
    pub nodes: Vec<u128>,
}

/// Counts the paths of all versions of a game down to a depth, with a limit on distinct positions.
/// Twins agree in all of them. A version in RECYCLE is excluded: it shuffles whole decks, so its
/// paths differ.
pub fn paths(
    entry: &'static Entry,
    depth: usize,
    positions: u32,
    stop: &Stop,
) -> Result<Vec<Paths>, String> {
    let mut versions: Vec<(String, Arc<dyn Game>)> = Vec::new();
    for (name, sheet) in entry.gdl_sheets() {
        let rules = read(sheet.text, &Options::default()).rules;
        let prepared = prepare(&rules, sheet.text, &name, None, stop);
        versions.push((name, prepared.map_err(|error| error.to_string())?.game));
    }
    versions.extend(entry.native().map(|game| (format!("{}/rust", entry.name), game)));
    let count = |(version, game): (String, Arc<dyn Game>)| {
        let mut counter = Counter::new(&*game, positions, stop.clone());
        let mut nodes = Vec::new();
        while nodes.len() < depth && !counter.closed() {
            counter.advance().map_err(|failure| format!("{version}: {failure:?}"))?;
            nodes.push(counter.level().nodes);
        }
        Ok(Paths { version, nodes })
    };
    versions.into_iter().map(count).collect()
}
