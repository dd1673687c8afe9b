//! Measures how much faster batches are than single states, for every game with a network.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::binary;
use crate::prover::child::{Ended, run as child};
use crate::sheets::{Sheet, oracle};

/// The games and times of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// Only games whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// The time per game and evaluator in seconds
    #[arg(long, default_value_t = 0.3)]
    seconds: f64,
    /// The time in seconds after which a game is abandoned
    #[arg(long, default_value_t = 40)]
    timeout: u64,
    /// Discard earlier results
    #[arg(long)]
    fresh: bool,
}

/// The compared evaluators.
const EVALUATORS: [&str; 2] = ["batch", "sweep"];

/// The measurements by game; `None` if the game does not have a network in time.
#[derive(Default, Serialize, Deserialize)]
struct Measured {
    seconds: f64,
    games: BTreeMap<String, Option<Row>>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Row {
    gates: u64,
    length: f64,
    batch: f64,
    sweep: f64,
    batch_form_ms: f64,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let magister = binary::magister()?;
    let path = binary::target().join("batch.json");
    let mut measured: Measured = match fs::read_to_string(&path) {
        Ok(text) if !options.fresh => serde_json::from_str(&text).context("target/batch.json")?,
        _ => Measured::default(),
    };
    if measured.seconds.total_cmp(&options.seconds).is_ne() {
        measured = Measured { seconds: options.seconds, ..Measured::default() };
    }
    for sheet in oracle().iter().filter(|sheet| sheet.name.contains(&options.only)) {
        if measured.games.contains_key(&sheet.name) {
            continue;
        }
        let row = measure(&magister, sheet, options)?;
        match &row {
            Some(row) => println!("{}: {:.0} times", sheet.name, row.batch / row.sweep),
            None => println!("{}: no network in time", sheet.name),
        }
        measured.games.insert(sheet.name.clone(), row);
        fs::write(&path, serde_json::to_string_pretty(&measured)?)?;
    }
    let table = table(&measured);
    let to = binary::root().join("docs/batch.md");
    fs::write(&to, &table)?;
    println!("{}", to.display());
    Ok(())
}

/// One game on both evaluators, in separate processes.
fn measure(magister: &Path, sheet: &Sheet, options: &Options) -> Result<Option<Row>> {
    let mut found: Vec<Value> = Vec::new();
    for evaluator in EVALUATORS {
        match rate(magister, sheet, evaluator, options)? {
            Some(value) => found.push(value),
            None => return Ok(None),
        }
    }
    let number = |at: usize, field: &str| found[at][field].as_f64().unwrap_or(0.0);
    Ok(Some(Row {
        gates: found[0]["gates"].as_u64().unwrap_or(0),
        length: number(0, "mean_length"),
        batch: number(0, "states_per_s"),
        sweep: number(1, "states_per_s"),
        batch_form_ms: number(0, "batch_form_ms"),
    }))
}

/// The result of `magister bench` for an evaluator. If not even one batch finishes in time, the
/// time is increased.
fn rate(
    magister: &Path,
    sheet: &Sheet,
    evaluator: &str,
    options: &Options,
) -> Result<Option<Value>> {
    let path = sheet.file()?;
    for seconds in [options.seconds, options.seconds * 10.0] {
        let arguments = [
            "bench",
            "--json",
            "--max-steps",
            "500",
            "--evaluator",
            evaluator,
            "--seconds",
            &seconds.to_string(),
            &path.to_string_lossy(),
        ]
        .map(str::to_owned);
        match child(magister, &arguments, Duration::from_secs(options.timeout))?.0 {
            Ended::Well(text) => {
                return serde_json::from_str(&text).context("magister bench --json").map(Some);
            }
            Ended::Late => return Ok(None),
            Ended::Badly(_) => {}
        }
    }
    Ok(None)
}

/// The table, as Markdown.
fn table(measured: &Measured) -> String {
    let mut rows: Vec<(&String, &Row)> =
        measured.games.iter().filter_map(|(name, row)| Some((name, row.as_ref()?))).collect();
    rows.sort_by(|a, b| (b.1.batch / b.1.sweep).total_cmp(&(a.1.batch / a.1.sweep)));
    let logs: f64 = rows.iter().map(|(_, row)| (row.batch / row.sweep).ln()).sum();
    let mean = (logs / rows.len().max(1) as f64).exp();
    let mut text = String::new();
    let _ = write!(
        text,
        "# Batches against one state at a time\n\n\
         Made by `cargo xtask batch`: random matches of at most 500 steps by the batch evaluator \
         and by the sweep evaluator of the same network, {} seconds each.\n\
         Rates are states per second of processor time, one thread.\n\
         Games: {} of the oracle's {} become a network in time.\n\
         **The geometric mean of the gain is {mean:.0}.**\n\n\
         | game | gates | steps | batch, states/s | sweep, states/s | gain | batch form, ms |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
        measured.seconds,
        rows.len(),
        measured.games.len(),
    );
    for (name, row) in rows {
        let _ = writeln!(
            text,
            "| {name} | {} | {:.1} | {} | {} | {:.0} | {:.0} |",
            row.gates,
            row.length,
            short(row.batch),
            short(row.sweep),
            row.batch / row.sweep,
            row.batch_form_ms,
        );
    }
    let without: Vec<&str> = measured
        .games
        .iter()
        .filter(|(_, row)| row.is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    if !without.is_empty() {
        let _ = write!(text, "\nWithout a network in time: {}.\n", without.join(", "));
    }
    text
}

/// A rate with three digits.
fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e8 => format!("{:.0} M", r / 1e6),
        r if r >= 1e7 => format!("{:.1} M", r / 1e6),
        r if r >= 1e6 => format!("{:.2} M", r / 1e6),
        r if r >= 1e5 => format!("{:.0} k", r / 1e3),
        r if r >= 1e4 => format!("{:.1} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}
