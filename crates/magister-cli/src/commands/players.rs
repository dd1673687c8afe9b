//! `magister players`: who can play.

use std::io::Write;

use anyhow::{Result, bail};
use magister_players::{Entry, HUMAN, PLAYERS, Parameter};
use serde_json::{Value, json};

use crate::CLEAN;
use crate::args::Players;

pub(crate) fn run(args: &Players) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let wanted = |entry: &&Entry| args.player.as_ref().is_none_or(|name| entry.name == name);
    let entries: Vec<&Entry> = PLAYERS.iter().chain([&HUMAN]).filter(wanted).collect();
    if entries.is_empty() {
        let name = args.player.as_deref().unwrap_or_default();
        let Err(error) = name.parse::<magister_players::Spec>() else {
            bail!("name the player without its settings");
        };
        bail!("{error}");
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for entry in entries {
        if args.json {
            writeln!(out, "{}", as_json(entry))?;
            continue;
        }
        writeln!(out, "{:width$}  {}", entry.name, entry.about)?;
        if args.player.is_some() {
            writeln!(out, "{:width$}  iteration: {}", "", entry.iteration)?;
            let hidden = if entry.hidden { "yes" } else { "no" };
            writeln!(out, "{:width$}  plays games that hide information: {hidden}", "")?;
        }
        for parameter in entry.parameters {
            let Parameter { name, about, default, range: (low, high), player, names, .. } =
                parameter;
            let default = parameter.text(*default);
            if let Some(player) = player {
                writeln!(out, "{:width$}  {name}={player}: {about}", "")?;
            } else if names.is_empty() {
                writeln!(out, "{:width$}  {name}={default} ({low} to {high}): {about}", "")?;
            } else {
                let names = names.join(", ");
                writeln!(out, "{:width$}  {name}={default} (one of {names}): {about}", "")?;
            }
        }
    }
    Ok(CLEAN)
}

fn as_json(entry: &Entry) -> Value {
    let parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|p| match p.player {
            Some(player) => json!({"name": p.name, "about": p.about, "player": player}),
            None => json!({
                "name": p.name,
                "about": p.about,
                "default": p.default,
                "range": [p.range.0, p.range.1],
                "whole": p.whole,
                "names": p.names,
            }),
        })
        .collect();
    json!({
        "name": entry.name,
        "about": entry.about,
        "iteration": entry.iteration,
        "hidden": entry.hidden,
        "parameters": parameters,
    })
}
