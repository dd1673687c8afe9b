//! `magister matches`: what is stored.

use std::future::Future;
use std::io::Write;

use anyhow::Result;
use magister_store::{Archive as _, Filter, MatchLine, SqlStore, StoreError};
use serde_json::json;

use super::plural;
use crate::CLEAN;
use crate::args::{Matches, Stored};

pub(crate) fn run(args: &Matches) -> Result<u8> {
    let filter = Filter { limit: Some(args.limit), ..filter(&args.stored) };
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
        writeln!(out, "no matches; `magister import FILE` stores some")?;
    }
    Ok(CLEAN)
}

fn as_text(line: &MatchLine) -> String {
    let seat = |(player, reward, faults): &(String, Option<f64>, i64)| {
        let reward = reward.map_or("-".to_owned(), |reward| reward.to_string());
        let faults =
            if *faults > 0 { format!(" ({})", plural(*faults, "fault")) } else { String::new() };
        format!("{player} {reward}{faults}")
    };
    let seats: Vec<String> = line.seats.iter().map(seat).collect();
    format!("{}  {}  {}  {}", line.id, line.game, line.status.name(), seats.join(", "))
}

/// The matches that are wanted.
pub(crate) fn filter(stored: &Stored) -> Filter {
    Filter { game: stored.game.clone(), player: stored.player.clone(), ..Filter::default() }
}

/// Opens a store, does something with it and closes it.
pub(crate) fn with_store<T, F>(url: &str, work: impl FnOnce(SqlStore) -> F) -> Result<T>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let store = SqlStore::open(url).await?;
        let done = work(store.clone()).await;
        store.close().await;
        Ok(done?)
    })
}
