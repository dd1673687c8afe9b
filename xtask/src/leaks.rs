//! Whether the messages of the manager reveal more to a role than its information state.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use magister::Options as Reading;
use magister_core::Information;
use magister_manager::wire;

use crate::sheets::sheets;

#[path = "../../crates/magister-manager/tests/leak/mod.rs"]
mod leak;

/// The games, and the number of matches.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all bundled rulesheets and the oracle's
    games: Vec<String>,
    /// The number of matches of each role
    #[arg(long, default_value_t = 100)]
    matches: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut games, mut twins, mut without, mut leaks) = (0, 0, Vec::new(), Vec::new());
    for sheet in sheets(&options.games)? {
        let name = &sheet.name;
        let Ok(source) = Reading::default().read_text(name, &sheet.text) else { continue };
        if source.rulesheet().is_none_or(|sheet| sheet.dialect != magister_gdl::Dialect::Gdl2) {
            continue;
        }
        let Ok((playable, wire)) = wire::open(&source) else { continue };
        if playable.game.info().information != Information::Hidden {
            continue;
        }
        let found = runtime.block_on(leak::listen(&playable, &Arc::new(wire), options.matches));
        println!("{name}: {} matches, {} twins", found.matches, found.twins);
        games += 1;
        twins += found.twins;
        if found.twins == 0 {
            without.push(name.clone());
        }
        if let Some(leak) = found.leak {
            leaks.push(format!("{name}: {leak}"));
        }
    }
    println!("{games} games, {twins} twins, {} leaks", leaks.len());
    if !without.is_empty() {
        println!("no twin was found for: {}", without.join(", "));
    }
    if !leaks.is_empty() {
        bail!("messages reveal more than they should:\n{}", leaks.join("\n"));
    }
    Ok(())
}
