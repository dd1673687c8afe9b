//! Games in several languages, counted six moves deep in each.

use anyhow::{Result, anyhow, bail};
use magister_core::Stop;
use magister_games::catalogue;
use magister_games::proof::paths;

use crate::ledger::Ledger;

/// The depth of the comparison.
const DEPTH: usize = 6;
/// The maximum number of distinct positions; Breakthrough has 4,526,089 of them.
const POSITIONS: u32 = 20_000_000;

pub(crate) fn run(ledger: &mut Ledger) -> Result<()> {
    for entry in catalogue::all() {
        let versions = entry.gdl_sheets().count() + usize::from(entry.native);
        let part = format!("{versions} versions of {}, {DEPTH} moves deep", entry.name);
        if versions < 2 || ledger.has(&part) {
            continue;
        }
        let counted = paths(entry, DEPTH, POSITIONS, &Stop::never()).map_err(|e| anyhow!(e))?;
        let [main, twins @ ..] = &counted[..] else { continue };
        for twin in twins {
            if twin.nodes != main.nodes {
                bail!(
                    "{} has {:?} paths, {} has {:?}",
                    main.version,
                    main.nodes,
                    twin.version,
                    twin.nodes
                );
            }
        }
        let last = main.nodes.last().copied().unwrap_or(0);
        ledger.note(&part, format!("{last} paths in each"))?;
    }
    Ok(())
}
