//! `magister games`: the catalogue.

use std::io::Write;

use anyhow::{Result, bail};
use magister_games::catalogue::{self, Entry};
use serde_json::json;

use crate::CLEAN;
use crate::args::Games;

pub(crate) fn run(args: &Games) -> Result<u8> {
    let wanted: Vec<&Entry> = catalogue::all()
        .iter()
        .filter(|e| args.tag.as_ref().is_none_or(|tag| e.card.tags.contains(tag)))
        .collect();
    if wanted.is_empty() {
        let mut tags: Vec<&str> =
            catalogue::all().iter().flat_map(|e| &e.card.tags).map(String::as_str).collect();
        tags.sort_unstable();
        tags.dedup();
        bail!("no game has this tag; the tags are: {}", tags.join(", "));
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        for entry in wanted {
            writeln!(
                out,
                "{}",
                json!({
                    "name": entry.name,
                    "title": entry.card.title,
                    "summary": entry.card.summary,
                    "tags": entry.card.tags,
                    "author": entry.card.author,
                    "rulesheet": entry.sheet.map(|s| s.path),
                    "rust": entry.native,
                })
            )?;
        }
        return Ok(CLEAN);
    }
    let width = wanted.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for entry in wanted {
        writeln!(out, "{:width$}  {:9}  {}", entry.name, languages(entry), entry.card.summary)?;
    }
    Ok(CLEAN)
}

/// The languages a game is written in.
pub(super) fn languages(entry: &Entry) -> String {
    let sheet = entry.sheet.and_then(|s| s.path.rsplit('.').next());
    let rust = entry.native.then_some("rust");
    sheet.into_iter().chain(rust).collect::<Vec<_>>().join(", ")
}
