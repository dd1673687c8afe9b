//! The oracle's card games: our random games compared with those of CardStock.
//!
//! `speed` compares random games per processor second with the recorded speed. `distribution`
//! compares the means of decisions, options and scores with the recorded games.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, Subcommand};
use magister_core::Seed;
use magister_engine::trace;
use magister_recycle::{CardGame, conform, examine};

use crate::corpus;
use crate::fuzz::processor_time;

/// What to compare.
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Random games per processor second, compared with CardStock
    Speed {
        /// Only games whose name contains one of these texts
        games: Vec<String>,
        /// Processor seconds per game
        #[arg(long, default_value_t = 1.0)]
        seconds: f64,
        /// The required geometric mean of the ratios
        #[arg(long, default_value_t = 300.0)]
        bar: f64,
    },
    /// Decisions, options and scores of random games, compared with the recorded ones
    Distribution {
        /// Only games whose name contains one of these texts
        games: Vec<String>,
        /// The number of random games per game
        #[arg(long, default_value_t = 10_000)]
        count: u64,
        /// The seed of the random games
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// The number of decisions after which CardStock gave up.
const MOST_DECISIONS: u32 = 2_000;
/// The maximum deviation of a mean, in standard errors.
const STANDARD_ERRORS: f64 = 4.0;

pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.what {
        What::Speed { games, seconds, bar } => speed(games, *seconds, *bar),
        What::Distribution { games, count, seed } => distribution(games, *count, *seed),
    }
}

/// The requested games of the oracle, in compatible mode, by name.
fn games(wanted: &[String]) -> Result<Vec<(String, CardGame)>> {
    let folder = corpus::oracle().join("recycle/games");
    let mut games = Vec::new();
    for path in corpus::files(&folder, ".rcy") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !wanted.is_empty() && !wanted.iter().any(|text| name.contains(text.as_str())) {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let options = magister_recycle::Options { compat: true, ..Default::default() };
        let game = examine(&name, &text, &options).game;
        games.push((name.clone(), game.with_context(|| format!("{name} has errors"))?));
    }
    ensure!(!games.is_empty(), "there is no such game in {}", folder.display());
    Ok(games)
}

/// The processor time of this thread in seconds, or the time since `start` if the system does not
/// report it.
fn processor_seconds(start: Instant) -> f64 {
    processor_time().unwrap_or_else(|| start.elapsed()).as_secs_f64()
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn speed(wanted: &[String], seconds: f64, bar: f64) -> Result<()> {
    let recorded = recorded_speeds(&corpus::oracle().join("recycle/summary.tsv"))?;
    println!("{:<28} {:>12} {:>10} {:>8}", "game", "games/s", "CardStock", "ratio");
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for (name, game) in games(wanted)? {
        let Some((_, theirs)) = recorded.iter().find(|(known, _)| *known == name) else {
            println!("{name:<28} has no recorded speed");
            continue;
        };
        let clock = Instant::now();
        let begun = processor_seconds(clock);
        let mut played = 0_u64;
        while processor_seconds(clock) - begun < seconds {
            game.sample(20, Seed::from(played), MOST_DECISIONS, |_| played += 1);
        }
        let ours = played as f64 / (processor_seconds(clock) - begun);
        let ratio = ours / theirs;
        println!("{name:<28} {ours:>12.1} {theirs:>10.1} {ratio:>8.0}");
        ratios.push((ratio, name));
    }
    ensure!(!ratios.is_empty(), "nothing was measured");
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let logarithms: f64 = ratios.iter().map(|(ratio, _)| ratio.ln()).sum();
    let mean = (logarithms / ratios.len() as f64).exp();
    let (least, slowest) = &ratios[0];
    println!(
        "geometric mean of {} games: {mean:.0} times CardStock's speed; the least is {least:.0} in \
         {slowest}",
        ratios.len()
    );
    ensure!(mean >= bar, "the geometric mean {mean:.0} is below {bar}");
    Ok(())
}

/// The games per second of each game in CardStock's summary.
fn recorded_speeds(path: &Path) -> Result<Vec<(String, f64)>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        head.iter().position(|word| *word == name).with_context(|| format!("no column {name}"))
    };
    let (name, speed) = (column("name")?, column("games_per_s")?);
    let row = |line: &str| -> Option<(String, f64)> {
        let words: Vec<&str> = line.split('\t').collect();
        let speed: f64 = words.get(speed)?.parse().ok()?;
        (speed > 0.0).then(|| Some(((*words.get(name)?).to_owned(), speed)))?
    };
    Ok(lines.filter_map(row).collect())
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn distribution(wanted: &[String], count: u64, seed: u64) -> Result<()> {
    let (mut means, mut compared, mut worst) = (0, 0, 0.0_f64);
    let mut off = Vec::new();
    for (name, game) in games(wanted)? {
        let path = corpus::oracle().join(format!("recycle/traces/{name}.trace.gz"));
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let record = trace::unpack(&bytes).with_context(|| path.display().to_string())?;
        let quantities = conform::compare(&game, &record, count, Seed::from(seed));
        if quantities.iter().all(|quantity| quantity.recorded.2 == 0) {
            println!("{name}: no recorded game reached its end");
            continue;
        }
        compared += 1;
        let most = quantities.iter().map(conform::Quantity::errors).fold(0.0, f64::max);
        worst = worst.max(most);
        means += quantities.len();
        println!("{name}: {} means, at most {most:.2} standard errors off", quantities.len());
        for quantity in quantities.iter().filter(|quantity| quantity.errors() > STANDARD_ERRORS) {
            println!("  {quantity}");
            off.push(format!("{name}: {}", quantity.what));
        }
    }
    println!(
        "{means} means of {compared} games with {count} random games each: at most {worst:.2} \
         standard errors off"
    );
    if !off.is_empty() {
        bail!("{} means are more than {STANDARD_ERRORS} standard errors off: {}", off.len(), {
            off.join(", ")
        });
    }
    Ok(())
}
