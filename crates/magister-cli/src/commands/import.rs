//! `magister import`: matches from files into the store.

use anyhow::{Context as _, Result, bail};
use magister::Playable;
use magister_core::{MatchRecord, Stop};
use magister_store::{GgpMatch, Origin};
use serde_json::Value;

use super::matches::with_store;
use super::plural;
use crate::args::Import;
use crate::{CLEAN, FOUND, game};

pub(crate) fn run(args: &Import) -> Result<u8> {
    let mut opened: Vec<(String, Playable)> = Vec::new();
    let mut good: Vec<Good> = Vec::new();
    let mut wrong = 0;
    for file in &args.files {
        let input = game::file(file)?;
        for (number, text) in objects(&input.text).into_iter().enumerate() {
            let place = || format!("{file}, match {}", number + 1);
            let value: Value = match serde_json::from_str(&text) {
                Ok(value) => value,
                Err(_) if number == 0 => bail!("{file} is not a file of matches"),
                Err(error) => return Err(error).with_context(place),
            };
            // The summary at the end of a series, and the heading of a tournament.
            if value.get("moves").is_none() {
                continue;
            }
            let is_ggp = value.get("matchId").is_some();
            let name = match (&args.game, value.get("game").and_then(Value::as_str)) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => bail!("{} does not name its game; name it with --game", place()),
            };
            if !opened.iter().any(|(known, _)| *known == name) {
                let options = args.language.options();
                opened.push((name.clone(), game::open(&name, None, &options)?));
            }
            let found = opened.iter().find(|(known, _)| *known == name);
            let Some((_, playable)) = found else { continue };
            let info = playable.game.info();
            let (mut started_ms, mut tournament) = (None, None);
            let record: MatchRecord = if is_ggp {
                let chance = info.chance.map(|role| info.role_name(role));
                let read = GgpMatch::read(&text).with_context(place)?;
                started_ms = Some(read.start_time).filter(|&time| time > 0);
                tournament = read.tournament_name_from_host.clone().filter(|name| !name.is_empty());
                read.to_record(&name, &info.rules_hash, &info.roles, chance).with_context(place)?
            } else {
                serde_json::from_value(value).with_context(place)?
            };
            if let Err(error) = record.replay(&*playable.game, &Stop::never()) {
                anstream::eprintln!("magister: {}: {error}", place());
                wrong += 1;
                continue;
            }
            let rules = playable.rules().map(str::to_owned);
            good.push(Good { record, rules, started_ms, tournament });
        }
    }
    let total = good.len();
    let new = with_store(&args.store, |store| async move {
        let mut new = 0;
        for Good { record, rules, started_ms, tournament } in &good {
            let (rules, tournament) = (rules.as_deref(), tournament.as_deref());
            let origin = Origin { rules, started_ms: *started_ms, tournament };
            new += store.import(std::slice::from_ref(record), &origin).await?;
        }
        Ok(new)
    })?;
    let verb = if wrong == 1 { "does" } else { "do" };
    anstream::println!(
        "{new} of {} newly stored; {wrong} {verb} not agree with the rules",
        plural(total, "match")
    );
    Ok(if wrong > 0 { FOUND } else { CLEAN })
}

/// A match that agrees with its rules.
struct Good {
    record: MatchRecord,
    rules: Option<String>,
    started_ms: Option<i64>,
    tournament: Option<String>,
}

/// The JSON objects of a file: one per line, or a single one over many lines.
fn objects(text: &str) -> Vec<String> {
    let whole = text.trim();
    if serde_json::from_str::<Value>(whole).is_ok_and(|value| value.is_object()) {
        return vec![whole.to_owned()];
    }
    whole.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}
