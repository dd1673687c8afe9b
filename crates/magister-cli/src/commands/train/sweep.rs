//! `magister train --sweep`: the strength of agents that were trained with different parameters.

mod parameter;
mod table;

use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use magister_core::Game;
use magister_players::Spec;
use serde::{Deserialize, Serialize};

use super::super::measure::Bout;
use super::popular::limits;
use super::{one, replace};
use crate::args::Train;
use crate::{CLEAN, interrupt};
use parameter::Swept;

/// The number of matches of an agent against each opponent, unless --matches sets it.
const MATCHES: u64 = 100;
/// The largest number of agents.
const MOST: usize = 10_000;

/// An agent that was trained and measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    /// Identifies the rules and all options.
    key: String,
    values: Vec<String>,
    seed: u64,
    against: Option<String>,
    games: u64,
    /// The result of each match.
    results: Vec<f64>,
}

pub(super) fn run(args: &Train, game: &Arc<dyn Game>) -> Result<u8> {
    if args.resume.is_some() {
        bail!("--sweep trains new agents: leave out --resume");
    }
    let swept = args.sweep.iter().map(|text| Swept::read(text)).collect::<Result<Vec<_>>>()?;
    let runs = combinations(args, &swept)?;
    let folder = &args.out;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let journal = folder.join("results.jsonl");
    let known = read(&journal)?;
    interrupt::catch();
    let alone = game.info().players().count() == 1;
    let opponents: Vec<Option<Spec>> = if alone {
        vec![None]
    } else if let Some(given) = &args.against {
        given.iter().cloned().map(Some).collect()
    } else {
        vec![Some("random".parse()?)]
    };
    let mut rows: Vec<Row> = Vec::new();
    for (number, (values, run)) in runs.iter().enumerate() {
        let wanted: Vec<String> =
            opponents.iter().map(|opponent| key(run, game, opponent.as_ref())).collect();
        let old: Vec<Row> = wanted
            .iter()
            .filter_map(|key| known.iter().find(|row| row.key == *key))
            .cloned()
            .collect();
        let named = named(&swept, values, run.seed);
        let count = format!("{}/{}", number + 1, runs.len());
        if old.len() == wanted.len() {
            anstream::eprintln!("{count} {named}: known from {}", journal.display());
            rows.extend(old);
            continue;
        }
        let trained = one(run, game, false);
        if interrupt::pressed() {
            // The table shows the agents so far.
            break;
        }
        let learner = trained.with_context(|| named.clone())?;
        let agent: Spec = format!("{}:file={}", learner.player(), run.out.display()).parse()?;
        let bout = Bout {
            game,
            limits: limits(args),
            opening: 2,
            games: args.matches.unwrap_or(MATCHES),
            seed: run.seed,
        };
        let mut means = Vec::new();
        for (opponent, key) in opponents.iter().zip(wanted) {
            let results = bout.play(&agent, opponent.as_ref())?.results;
            if interrupt::pressed() {
                break;
            }
            means.push(format!("{:.3}", results.mean()));
            let row = Row {
                key,
                values: values.clone(),
                seed: run.seed,
                against: opponent.as_ref().map(ToString::to_string),
                games: learner.counts().0,
                results: results.values,
            };
            append(&journal, &row)?;
            rows.push(row);
        }
        anstream::eprintln!("{count} {named}: {}", means.join(", "));
        if interrupt::pressed() {
            break;
        }
    }
    let names: Vec<&str> = swept.iter().map(|one| one.name.as_str()).collect();
    let table = table::Table::new(&names, &rows, alone);
    if let Some(csv) = &args.csv {
        replace(csv, table.csv().as_bytes())?;
    }
    let mut out = anstream::stdout();
    if args.json {
        for line in table.json() {
            writeln!(out, "{line}")?;
        }
    } else {
        write!(out, "{table}")?;
    }
    if interrupt::pressed() {
        anstream::eprintln!(
            "magister: interrupted; the same command continues after the agents in {}",
            journal.display()
        );
    }
    Ok(CLEAN)
}

/// All combinations of values, with the arguments of each.
fn combinations(args: &Train, swept: &[Swept]) -> Result<Vec<(Vec<String>, Train)>> {
    let plain = Train { sweep: Vec::new(), svg: None, ..args.clone() };
    let mut all = vec![(Vec::new(), plain)];
    for one in swept {
        let mut next = Vec::new();
        for (values, args) in &all {
            for value in &one.values {
                let (mut values, mut args) = (values.clone(), args.clone());
                one.set(&mut args, value)?;
                values.push(value.clone());
                next.push((values, args));
            }
        }
        all = next;
        if all.len() > MOST {
            bail!("these are more than {MOST} combinations; give fewer values");
        }
    }
    let mut runs = Vec::new();
    for (values, run) in all {
        for seed in 0..args.seeds.unwrap_or(1) {
            let seed = args.seed + seed;
            let out = args.out.join(file_name(swept, &values, seed));
            runs.push((values.clone(), Train { out, seed, ..run.clone() }));
        }
    }
    Ok(runs)
}

/// The name of the file of an agent, without characters that have a meaning in the names of players.
fn file_name(swept: &[Swept], values: &[String], seed: u64) -> PathBuf {
    let parts = swept.iter().zip(values).map(|(one, value)| format!("{}-{value}_", one.name));
    format!("{}seed-{seed}.agent", parts.collect::<String>()).into()
}

fn named(swept: &[Swept], values: &[String], seed: u64) -> String {
    let parts = swept.iter().zip(values).map(|(one, value)| format!("{}={value} ", one.name));
    format!("{}seed={seed}", parts.collect::<String>())
}

/// Identifies the rules, the opponent and all options that change the result.
fn key(run: &Train, game: &Arc<dyn Game>, opponent: Option<&Spec>) -> String {
    let same = Train {
        out: PathBuf::new(),
        csv: None,
        seeds: None,
        json: false,
        against: None,
        matches: Some(run.matches.unwrap_or(MATCHES)),
        checkpoint: None,
        ..run.clone()
    };
    let mut hasher = DefaultHasher::new();
    format!("{same:?}").hash(&mut hasher);
    opponent.map(ToString::to_string).hash(&mut hasher);
    game.info().rules_hash.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The rows of an earlier run. A line that was not written completely is left out.
fn read(journal: &Path) -> Result<Vec<Row>> {
    match std::fs::read_to_string(journal) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", journal.display())),
    }
}

fn append(journal: &Path, row: &Row) -> Result<()> {
    let open = OpenOptions::new().create(true).append(true).open(journal);
    // The line break in front ends a line that an earlier run did not complete.
    let line = format!("\n{}", serde_json::to_string(row)?);
    open.and_then(|mut file| file.write_all(line.as_bytes()))
        .with_context(|| format!("cannot write {}", journal.display()))
}
