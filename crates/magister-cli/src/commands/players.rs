//! `magister players`: the list of players.

use std::io::Write;

use anyhow::{Result, bail};
use magister_core::Information;
use magister_players::{
    HUMAN, LEARNED, LEVELS, Level, PLAYERS, Parameter, ParameterKind, Registered,
};
use serde_json::{Value, json};

use super::plural;
use crate::CLEAN;
use crate::args::Players;
use crate::terminal::{hanging, prose, wrap};

pub(crate) fn run(args: &Players) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let wanted = |entry: &&Registered| args.player.as_ref().is_none_or(|name| entry.name == name);
    let entries: Vec<&Registered> =
        PLAYERS.iter().chain(LEARNED).chain([&HUMAN]).filter(wanted).collect();
    if let Some(level) = args.player.as_deref().and_then(Level::find) {
        return describe(&mut out, level, args.json);
    }
    if entries.is_empty() {
        let name = args.player.as_deref().unwrap_or_default();
        let Err(error) = name.parse::<magister_players::Spec>() else {
            bail!("name the player without its parameters");
        };
        bail!("{error}");
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for entry in entries {
        if args.json {
            writeln!(out, "{}", as_json(entry))?;
            continue;
        }
        let indent = width + 2;
        writeln!(out, "{}", hanging(&format!("{:width$}  {}", entry.name, entry.about), indent))?;
        let mut line =
            |text: &str| writeln!(out, "{}", hanging(&format!("{:indent$}{text}", ""), indent + 2));
        if args.player.is_some() {
            line(&format!("unit of --iterations: {}", entry.iteration))?;
            line(if entry.hidden {
                "plays games with hidden information"
            } else {
                "plays only games with perfect information"
            })?;
            for text in notes(entry.name).iter().flat_map(|text| wrap(text, prose() - indent)) {
                line(&text)?;
            }
        }
        for parameter in entry.parameters {
            let Parameter { name, about, kind } = parameter;
            let shown = match kind {
                // The largest number means that there is no limit.
                ParameterKind::Number { default, .. } if *default >= f64::from(u32::MAX) => {
                    "REWARD (off by default)".to_owned()
                }
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
            line(&format!("{name}={shown}: {about}"))?;
        }
    }
    if args.player.is_none() && !args.json {
        writeln!(out, "\nLevels for people, as in `magister play GAME --level NAME`:")?;
        for level in &LEVELS {
            let text = format!("{:width$}  {}", level.name, level.about);
            writeln!(out, "{}", hanging(&text, width + 2))?;
        }
        writeln!(out, "\n`magister players NAME` describes one player in detail.")?;
    } else if args.player.is_none() {
        for level in &LEVELS {
            writeln!(out, "{}", level_json(level))?;
        }
    }
    Ok(CLEAN)
}

/// A longer description of a player.
fn notes(name: &str) -> Option<&'static str> {
    Some(match name {
        "honest" => {
            "It knows what its role knows and nothing else: the rules, its own moves and its \
             percepts. From these it works out which positions are possible and how likely they \
             are, and chooses a method for the game: uct with perfect information; otherwise ao-tree \
             for one player, cfr+ for a small two-player constant-sum game, \
             paired for games with their own sampler of hidden states (such as card games), \
             hyperplay2 for other short games, and mo-ismcts for long ones."
        }
        "clairvoyant" => {
            "It sees the true state of the game, which no honest player does. Match records mark it as \
             clairvoyant. Its lead over an honest player is the value of the hidden information."
        }
        _ => return None,
    })
}

/// A level: its player and its budget.
fn describe(out: &mut impl Write, level: &Level, json: bool) -> Result<u8> {
    if json {
        writeln!(out, "{}", level_json(level))?;
        return Ok(CLEAN);
    }
    writeln!(out, "{}  {}", level.name, level.about)?;
    for (kind, information) in [("perfect", Information::Perfect), ("hidden", Information::Hidden)]
    {
        let strength = level.strength(information);
        writeln!(
            out,
            "  with {kind} information: {}, {} per move",
            strength.player,
            plural(strength.iterations, "iteration")
        )?;
    }
    Ok(CLEAN)
}

fn level_json(level: &Level) -> Value {
    let of = |strength: magister_players::Strength| {
        json!({
            "player": strength.player,
            "iterations": strength.iterations,
            "random_percent": strength.random,
        })
    };
    json!({
        "level": level.name,
        "about": level.about,
        "perfect": of(level.perfect),
        "hidden": of(level.hidden),
    })
}

fn as_json(entry: &Registered) -> Value {
    let parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|p| {
            let mut object = match p.kind {
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
            object["name"] = p.name.into();
            object["about"] = p.about.into();
            object
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
