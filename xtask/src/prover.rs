//! Our speed compared with the published speed of ggp-base's prover, on the oracle's GDL games.
//! Every game is measured by `magister bench` in a separate process, so that its memory is separate
//! and a hanging game costs no more than its time limit.

pub(crate) mod child;
mod summary;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::{binary, corpus};
use child::Ended;

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Only games whose name contains one of these texts
    games: Vec<String>,
    /// Seconds of play per game
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// The time in seconds after which a game is abandoned
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Force an evaluator
    #[arg(long)]
    evaluator: Option<String>,
    /// Print one JSON object per game and one for the summary
    #[arg(long)]
    json: bool,
}

/// The measurements of a game.
#[derive(Serialize)]
struct Row {
    game: String,
    /// Why it was not measured.
    #[serde(rename = "trouble", skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    evaluator: Option<String>,
    prepare_ms: Option<f64>,
    /// The same in processor time, which is more meaningful on a busy machine.
    prepare_cpu_ms: Option<f64>,
    /// The peak memory of the whole process.
    peak_bytes: Option<u64>,
    gates: Option<u64>,
    states_per_s: Option<f64>,
    prover_states_per_s: f64,
    ratio: Option<f64>,
}

impl Row {
    fn grounded(&self) -> bool {
        self.gates.is_some()
    }
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = corpus::oracle().join("gdl");
    let published = published(&folder.join("ggpbase_speed.tsv"))?;
    let magister = binary::magister()?;
    let wanted = |game: &str| {
        options.games.is_empty() || options.games.iter().any(|text| game.contains(text))
    };
    let mut rows = Vec::new();
    for (game, prover) in published.iter().filter(|(game, _)| wanted(game)) {
        let rules = folder.join("games").join(format!("{game}.kif"));
        let row = measure(&magister, &rules, game, *prover, options)?;
        if options.json {
            println!("{}", serde_json::to_string(&row)?);
        } else {
            if rows.is_empty() {
                println!("{}", summary::HEAD);
            }
            println!("{}", summary::line(&row));
        }
        rows.push(row);
    }
    ensure!(!rows.is_empty(), "no game of ggpbase_speed.tsv has such a name");
    let summary = summary::Summary::new(&rows);
    if options.json {
        println!("{}", serde_json::to_string(&summary)?);
    } else {
        println!("\n{summary}");
    }
    Ok(())
}

/// The prover's states per second of processor time, by game.
fn published(file: &Path) -> Result<BTreeMap<String, f64>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} (set MAGISTER_ORACLE)", file.display()))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name| {
        let place = names.iter().position(|&n| n == name);
        place.with_context(|| format!("{} has no column {name}", file.display()))
    };
    let (key, speed) = (column("key")?, column("states_per_cpu_s")?);
    let mut published = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let (Some(key), Some(speed)) = (fields.get(key), fields.get(speed)) else {
            bail!("{}: a line is too short: {line}", file.display());
        };
        if let Some(speed) = speed.parse().ok().filter(|&speed: &f64| speed > 0.0) {
            published.insert((*key).to_owned(), speed);
        }
    }
    Ok(published)
}

/// Measures one game. If no playout ends in time, the rate is that of the first steps of a playout.
fn measure(
    magister: &Path,
    rules: &Path,
    game: &str,
    prover: f64,
    options: &Options,
) -> Result<Row> {
    let mut row = Row {
        game: game.to_owned(),
        error: None,
        evaluator: None,
        prepare_ms: None,
        prepare_cpu_ms: None,
        peak_bytes: None,
        gates: None,
        states_per_s: None,
        prover_states_per_s: prover,
        ratio: None,
    };
    for max_steps in [None, Some("3")] {
        let mut arguments = vec!["bench".to_owned(), "--json".to_owned()];
        arguments.extend(["--seconds".to_owned(), options.seconds.to_string()]);
        // The prover makes one step at a time, so it is compared with single steps.
        let evaluator = options.evaluator.as_deref().unwrap_or("steps");
        arguments.extend(["--evaluator".to_owned(), evaluator.to_owned()]);
        if let Some(max_steps) = max_steps {
            arguments.extend(["--max-steps".to_owned(), max_steps.to_owned()]);
        }
        arguments.push(rules.display().to_string());
        let (ended, seen) = child::run(magister, &arguments, Duration::from_secs(options.timeout))?;
        row.peak_bytes = seen.peak;
        match ended {
            Ended::Well(text) => {
                let found: Value = serde_json::from_str(&text).context("magister bench --json")?;
                row.error = None;
                row.evaluator = found["evaluator"].as_str().map(str::to_owned);
                row.prepare_ms = found["prepare_ms"].as_f64();
                row.peak_bytes = found["peak_bytes"].as_u64().or(seen.peak);
                let played = found["seconds"].as_f64().filter(|_| found["clock"] == "cpu");
                row.prepare_cpu_ms =
                    seen.cpu.zip(played).map(|(all, played)| (all - played).max(0.0) * 1e3);
                row.gates = found["gates"].as_u64();
                row.states_per_s = found["states_per_s"].as_f64();
                row.ratio = row.states_per_s.map(|speed| speed / prover);
                break;
            }
            Ended::Badly(complaint) => row.error = Some(complaint),
            Ended::Late => row.error = Some(format!("not done in {} s", options.timeout)),
        }
    }
    Ok(row)
}
