//! `magister matches`: the stored matches.

use std::future::Future;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use magister_store::{Archive as _, Filter, MatchLine, SqlStore, StoreError};
use serde_json::json;

use super::plural;
use crate::CLEAN;
use crate::args::{Matches, Stored};

pub(crate) fn run(args: &Matches) -> Result<u8> {
    let filter = Filter { limit: Some(args.limit), ..filter(&args.stored) };
    // Listing matches must not create a store.
    existing(&args.stored.store)?;
    let lines = with_store(&args.stored.store, |store| async move { store.list(&filter).await })?;
    let mut out = anstream::stdout().lock();
    for line in &lines {
        if args.json {
            let seats: Vec<_> = line.seats.iter().map(|(player, reward, faults)| {
                json!({"player": player, "reward": reward, "faults": faults})
            }).collect();
            let object = json!({
                "id": line.id, "game": line.game, "rules_hash": line.rules_hash,
                "status": line.status.name(), "started_ms": line.started_ms,
                "ended_ms": line.ended_ms, "tournament": line.tournament, "seats": seats,
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{}", as_text(line))?;
        }
    }
    if lines.is_empty() && !args.json {
        writeln!(out, "the store has no matches; `magister import FILE` adds some")?;
    }
    Ok(CLEAN)
}

fn as_text(line: &MatchLine) -> String {
    let seat = |(player, reward, faults): &(String, Option<f64>, i64)| {
        let reward = reward.map_or("without a result".to_owned(), |reward| reward.to_string());
        let faults =
            if *faults > 0 { format!(" ({})", plural(*faults, "fault")) } else { String::new() };
        format!("{player} {reward}{faults}")
    };
    let seats: Vec<String> = line.seats.iter().map(seat).collect();
    format!("{}  {}  {}  {}", line.id, line.game, line.status.name(), seats.join(", "))
}

/// The filter of the requested matches.
pub(crate) fn filter(stored: &Stored) -> Filter {
    Filter { game: stored.game.clone(), player: stored.player.clone(), ..Filter::default() }
}

/// Whether a store is a file that does not exist.
pub(crate) fn is_missing(url: &str) -> bool {
    let file = match url.strip_prefix("sqlite:") {
        Some(rest) => Some(rest.split('?').next().unwrap_or(rest)),
        // A plain path is a file, too.
        None => Some(url).filter(|url| !url.contains("://")),
    };
    file.map(|file| file.trim_start_matches("//")).is_some_and(|file| {
        !file.is_empty() && !file.contains(":memory:") && !Path::new(file).exists()
    })
}

/// Fails if a store is a file that does not exist.
pub(crate) fn existing(url: &str) -> Result<()> {
    if is_missing(url) {
        bail!("there is no store {url}; `magister import FILE` creates one");
    }
    Ok(())
}

/// The host of a database, without names and passwords.
fn host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"))?;
    let place = rest.split(['/', '?']).next().unwrap_or(rest);
    Some(place.rsplit('@').next().unwrap_or(place)).filter(|place| !place.is_empty())
}

/// Opens a store, applies a function to it and closes it.
pub(crate) fn with_store<T, F>(url: &str, work: impl FnOnce(SqlStore) -> F) -> Result<T>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let store = SqlStore::open(url).await.map_err(|error| match host(url) {
            Some(host) if !matches!(error, StoreError::Address(_)) => {
                anyhow!("no answer from {host}; is the database running? ({error})")
            }
            _ => anyhow::Error::from(error),
        })?;
        let done = work(store.clone()).await;
        store.close().await;
        Ok(done?)
    })
}
