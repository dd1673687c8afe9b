//! A summary of the table.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::Row;

/// The heading of the table.
pub(super) const HEAD: &str = "game                           evaluator    prepare ms    cpu ms  peak MiB  \
                               states/s    prover     ratio";

/// Grounded games below this multiple of the prover's speed are listed.
const GROUNDED: f64 = 100.0;
/// The same for games without a network.
const FALLBACK: f64 = 20.0;
/// The target for the preparation time in milliseconds ...
const QUICK: f64 = 2_000.0;
/// ... the hard limit ...
const PATIENCE: f64 = 30_000.0;
/// ... and the target for memory.
const SMALL: u64 = 2 << 30;
/// The number of slowest preparations to list.
const SLOWEST: usize = 8;

/// One game as a line of the table.
pub(super) fn line(row: &Row) -> String {
    if let Some(error) = &row.error {
        return format!("{:<30} {error}", row.game);
    }
    let mib =
        row.peak_bytes.map_or_else(|| "?".to_owned(), |b| format!("{:.1}", b as f64 / 1_048_576.0));
    format!(
        "{:<30} {:<12} {:>10.1} {:>9.1}  {:>8}  {:>9.0} {:>8.1} {:>9.1}",
        row.game,
        row.evaluator.as_deref().unwrap_or("?"),
        row.prepare_ms.unwrap_or(f64::NAN),
        row.prepare_cpu_ms.unwrap_or(f64::NAN),
        mib,
        row.states_per_s.unwrap_or(f64::NAN),
        row.prover_states_per_s,
        row.ratio.unwrap_or(f64::NAN),
    )
}

#[derive(Serialize)]
pub(super) struct Summary {
    games: usize,
    /// The number of games on each evaluator.
    evaluators: BTreeMap<String, usize>,
    grounded: Ratios,
    fallback: Ratios,
    /// The number of games prepared within [`QUICK`] and [`SMALL`], by elapsed time and by
    /// processor time.
    prepared_quickly: usize,
    prepared_quickly_cpu: usize,
    /// Games that took longer than [`PATIENCE`].
    impatient: Vec<String>,
    /// Names and milliseconds.
    slowest: Vec<(String, f64)>,
    /// Games that could not be measured, and why.
    #[serde(rename = "troubles")]
    errors: Vec<(String, String)>,
}

/// The speed of a set of games as multiples of the prover's.
#[derive(Serialize)]
struct Ratios {
    games: usize,
    median: Option<f64>,
    smallest: Option<f64>,
    goal: f64,
    /// The games below the target, worst first.
    below: Vec<(String, f64)>,
}

impl Summary {
    pub(super) fn new(rows: &[Row]) -> Self {
        let measured = || rows.iter().filter(|row| row.error.is_none());
        let mut evaluators = BTreeMap::new();
        for row in measured() {
            *evaluators.entry(row.evaluator.clone().unwrap_or_default()).or_insert(0) += 1;
        }
        let quick = |time: fn(&Row) -> Option<f64>| {
            let small = |row: &Row| row.peak_bytes.is_none_or(|bytes| bytes < SMALL);
            measured().filter(|row| time(row).is_some_and(|ms| ms < QUICK) && small(row)).count()
        };
        let mut slowest: Vec<(String, f64)> =
            measured().filter_map(|row| Some((row.game.clone(), row.prepare_ms?))).collect();
        slowest.sort_by(|a, b| b.1.total_cmp(&a.1));
        let late = slowest.iter().filter(|(_, ms)| *ms > PATIENCE);
        Summary {
            games: rows.len(),
            evaluators,
            grounded: Ratios::new(measured().filter(|row| row.grounded()), GROUNDED),
            fallback: Ratios::new(measured().filter(|row| !row.grounded()), FALLBACK),
            prepared_quickly: quick(|row| row.prepare_ms),
            prepared_quickly_cpu: quick(|row| row.prepare_cpu_ms),
            impatient: late.map(|(game, _)| game.clone()).collect(),
            slowest: slowest.into_iter().take(SLOWEST).collect(),
            errors: rows
                .iter()
                .filter_map(|row| Some((row.game.clone(), row.error.clone()?)))
                .collect(),
        }
    }
}

impl Ratios {
    fn new<'a>(rows: impl Iterator<Item = &'a Row>, goal: f64) -> Self {
        let mut all: Vec<(String, f64)> =
            rows.filter_map(|row| Some((row.game.clone(), row.ratio?))).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        let middle = |all: &[(String, f64)]| match all.len() {
            0 => None,
            n => Some(f64::midpoint(all[(n - 1) / 2].1, all[n / 2].1)),
        };
        Ratios {
            games: all.len(),
            median: middle(&all),
            smallest: all.first().map(|(_, ratio)| *ratio),
            goal,
            below: all.into_iter().take_while(|(_, ratio)| *ratio < goal).collect(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let evaluators: Vec<String> =
            self.evaluators.iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(f, "games {}: {}", self.games, evaluators.join(", "))?;
        writeln!(f, "grounded: {}", self.grounded)?;
        writeln!(f, "fallback: {}", self.fallback)?;
        writeln!(
            f,
            "prepared under {:.0} s and {} GiB: {} of {} ({:.1} %), by processor time {}; over {:.0} s: {}",
            QUICK / 1e3,
            SMALL >> 30,
            self.prepared_quickly,
            self.games,
            self.prepared_quickly as f64 * 100.0 / self.games.max(1) as f64,
            self.prepared_quickly_cpu,
            PATIENCE / 1e3,
            if self.impatient.is_empty() { "none".to_owned() } else { self.impatient.join(", ") },
        )?;
        let slowest: Vec<String> =
            self.slowest.iter().map(|(game, ms)| format!("{game} {:.2} s", ms / 1e3)).collect();
        writeln!(f, "slowest preparations: {}", slowest.join(", "))?;
        for (game, error) in &self.errors {
            writeln!(f, "not measured: {game}: {error}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(median), Some(smallest)) = (self.median, self.smallest) else {
            return write!(f, "no games");
        };
        let below: Vec<String> =
            self.below.iter().map(|(game, ratio)| format!("{game} {ratio:.1}")).collect();
        write!(
            f,
            "{} games, median {median:.0} times the prover, smallest {smallest:.1}; {} under {:.0}{}{}",
            self.games,
            self.below.len(),
            self.goal,
            if below.is_empty() { "" } else { ": " },
            below.join(", ")
        )
    }
}
