//! `magister show` for a card game in RECYCLE.

use std::io::Write;

use anyhow::Result;
use magister::{Input, Reading};
use magister_games::catalogue::Entry;
use magister_gdl::Severity;
use serde_json::json;

use super::super::tally;
use super::{about, as_json, beginning, shapes};
use crate::args::Show;
use crate::terminal::hanging;
use crate::{CLEAN, FOUND, game};

pub(super) fn run(
    args: &Show,
    entry: Option<&Entry>,
    input: &Input,
    reading: &Reading,
) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let found = magister::check(input, reading);
    let counts = [Severity::Error, Severity::Warning].map(|s| (s, found.count(s)));
    // Standard input cannot be read twice.
    let playable = if found.has_errors() || args.game == "-" {
        None
    } else {
        Some(game::find(&args.game, reading)?.prepare(None)?)
    };
    if args.json {
        let mut object = as_json(entry, None);
        object["rulesheet"] = json!(input.name);
        object["language"] = json!("RECYCLE");
        object["errors"] = json!(counts[0].1);
        object["warnings"] = json!(counts[1].1);
        if let Some(playable) = &playable {
            shapes::add(&mut object, &playable.game);
        }
        writeln!(out, "{object}")?;
        return Ok(CLEAN);
    }
    if let Some(entry) = entry {
        out.write_all(about(entry).as_bytes())?;
    }
    writeln!(out, "rules:      {}, RECYCLE", input.name)?;
    if let Some(playable) = &playable {
        writeln!(out, "roles:      {}", playable.game.info().roles.join(", "))?;
    }
    if let Some(game) = playable.as_ref().and_then(|playable| playable.source.card_game()) {
        writeln!(out, "cards:      {}", game.cards())?;
        let goal = if game.most_wins() { "highest" } else { "lowest" };
        writeln!(out, "goal:       the {goal} score")?;
    }
    let verdict = match tally(&counts) {
        text if text.is_empty() => "no errors or warnings".to_owned(),
        text => format!("{text} (see `magister check`)"),
    };
    writeln!(out, "check:      {verdict}")?;
    if let Some(first) = found.first_error() {
        writeln!(out, "{}", hanging(&format!("            {first}"), 12))?;
        return Ok(FOUND);
    }
    if let Some(playable) = &playable {
        out.write_all(beginning(playable)?.as_bytes())?;
    }
    Ok(CLEAN)
}
