//! `magister players`: who can play.

use std::io::Write;

use anyhow::{Result, bail};
use magister_players::{HUMAN, LEARNED, PLAYERS, Parameter, ParameterKind, Registered};
use serde_json::{Value, json};

use crate::CLEAN;
use crate::args::Players;

pub(crate) fn run(args: &Players) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let wanted = |entry: &&Registered| args.player.as_ref().is_none_or(|name| entry.name == name);
    let entries: Vec<&Registered> =
        PLAYERS.iter().chain(LEARNED).chain([&HUMAN]).filter(wanted).collect();
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
            let Parameter { name, about, kind } = parameter;
            let told = match kind {
                ParameterKind::Number { default, range: (low, high) } => {
                    format!("{default} ({low} to {high})")
                }
                ParameterKind::Whole { default, range: (low, high) } => {
                    format!("{default} ({low} to {high})")
                }
                ParameterKind::Choice { names } => {
                    let default = names.first().copied().unwrap_or_default();
                    format!("{default} (one of {})", names.join(", "))
                }
                ParameterKind::File { default } => default.unwrap_or("FILE").to_owned(),
                ParameterKind::Text { default } | ParameterKind::Player { default } => {
                    (*default).to_owned()
                }
                _ => "?".to_owned(),
            };
            writeln!(out, "{:width$}  {name}={told}: {about}", "")?;
        }
    }
    Ok(CLEAN)
}

fn as_json(entry: &Registered) -> Value {
    let parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|p| {
            let mut told = match p.kind {
                ParameterKind::Number { default, range: (low, high) } => {
                    json!({"kind": "number", "default": default, "range": [low, high]})
                }
                ParameterKind::Whole { default, range: (low, high) } => {
                    json!({"kind": "whole", "default": default, "range": [low, high]})
                }
                ParameterKind::Choice { names } => {
                    json!({"kind": "choice", "default": names.first(), "names": names})
                }
                ParameterKind::Text { default } => json!({"kind": "text", "default": default}),
                ParameterKind::File { default } => json!({"kind": "file", "default": default}),
                ParameterKind::Player { default } => json!({"kind": "player", "default": default}),
                _ => json!({}),
            };
            told["name"] = p.name.into();
            told["about"] = p.about.into();
            told
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
