//! Compares evaluators with each other on long random walks, game by game.

mod result;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use magister_core::{Game, Stop};
use magister_engine::agree::{Extent, agree};
use magister_engine::within;

use crate::ledger::Ledger;
use crate::sheets::{Sheet, sheets};
use result::{Outcome, Totals};

/// The extent of the walks.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all bundled rulesheets and the oracle's
    games: Vec<String>,
    /// The number of positions per game
    #[arg(long, default_value_t = 100_000)]
    positions: u64,
    /// The seed of the walks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The time limit of each evaluator per game in seconds; then the others continue without it
    #[arg(long, default_value_t = 30)]
    seconds_per_game: u64,
    /// The maximum length of a walk in steps
    #[arg(long, default_value_t = 1_000)]
    steps: u32,
    /// The number of games that run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            games: Vec::new(),
            positions: 100_000,
            seed: 1,
            seconds_per_game: 30,
            steps: 1_000,
            threads: 2,
        }
    }
}

/// The time beyond the evaluators' limits after which the rest is stopped.
const GRACE: Duration = Duration::from_mins(1);

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options, ledger: &mut Ledger) -> Result<()> {
    let mut sheets = sheets(&options.games)?;
    let part = |sheet: &Sheet| {
        let Options { positions, seed, seconds_per_game, .. } = options;
        format!("agree {}, {positions} positions, seed {seed}, {seconds_per_game} s", sheet.name)
    };
    let all = sheets.len();
    sheets.retain(|sheet| !ledger.has(&part(sheet)));
    if sheets.len() < all {
        println!("{} games were compared before", all - sheets.len());
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Totals::default(), ledger));
    thread::scope(|scope| {
        let worker = || -> Result<()> {
            while let Some(sheet) = sheets.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = compare(sheet, options);
                println!("{}: {outcome}", sheet.name);
                let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                done.0.add(&sheet.name, &outcome);
                if outcome.agrees() {
                    done.1.note(&part(sheet), outcome.to_string())?;
                }
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => bail!("an evaluator panicked"),
        })
    })?;
    let (totals, _) = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!("\n{totals}");
    if totals.mismatches > 0 {
        bail!("evaluators disagree");
    }
    Ok(())
}

/// One game on every evaluator that supports it.
fn compare(sheet: &Sheet, options: &Options) -> Outcome {
    let time = Duration::from_secs(options.seconds_per_game);
    let taken = match sheet.open_each(time + GRACE) {
        Ok(taken) => taken,
        Err(why) => return Outcome::Refused(why),
    };
    let games: Vec<&dyn Game> = taken.iter().map(|playable| playable.game.as_ref()).collect();
    let extent =
        Extent { positions: options.positions, steps: options.steps, seed: options.seed, time };
    let limit = time * games.len() as u32 + GRACE;
    let agreement = within(limit, &Stop::never(), |stop| agree(&games, &extent, stop));
    Outcome::Walked {
        evaluators: taken.iter().map(|playable| playable.evaluator).collect(),
        agreement: Box::new(agreement),
    }
}
