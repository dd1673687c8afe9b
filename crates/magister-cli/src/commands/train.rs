//! `magister train`: trains agents by self-play.

mod agent;
mod clock;
mod curve;
mod popular;
mod report;
mod sweep;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use magister_core::{Game, Seed};
use magister_learn::driver::{Plan, Progress};

use self::agent::Trainee;
use self::report::Report;
use crate::args::Train;
use crate::{CLEAN, game, interrupt};

/// The number of games between two readings of the clock.
const REPORT: u64 = 32;

pub(crate) fn run(args: &Train) -> Result<u8> {
    if args.seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
        bail!("--seconds is a number above 0");
    }
    if args.games.is_none() && args.seconds.is_none() {
        bail!("give --games or --seconds");
    }
    if args.popular {
        return popular::run(args);
    }
    let Some(name) = &args.game else { bail!("give a game, or --popular") };
    let playable = game::open(name, None, &args.language.options())?;
    if !args.sweep.is_empty() {
        return sweep::run(args, &playable.game);
    }
    if args.csv.is_some() || args.seeds.is_some() || args.against.is_some() {
        bail!("--csv, --seeds and --against are for --sweep, such as --sweep alpha=0.1,0.3");
    }
    one(args, &playable.game, true)?;
    Ok(CLEAN)
}

/// Trains one agent and writes its file.
fn one(args: &Train, game: &Arc<dyn Game>, shown: bool) -> Result<Trainee> {
    let mut learner = if let Some(path) = &args.resume {
        Trainee::open(game, path)?
    } else {
        Trainee::new(game, args)?
    };
    if args.checkpoint.is_some() && learner.averages() {
        bail!(
            "this run averages its weights and would continue from the mean after a checkpoint: leave \
             out --checkpoint"
        );
    }
    // Training should not run for an hour before it turns out that a file cannot be written.
    try_to_write(&args.out)?;
    if let Some(svg) = &args.svg {
        try_to_write(svg)?;
    }
    interrupt::catch();
    let before = learner.counts();
    let report = Mutex::new(Report::new(args, before, shown));
    let locked = || report.lock().unwrap_or_else(PoisonError::into_inner);
    let spent = || locked().clock.seconds();
    let mut done = 0.0;
    loop {
        let slice = args.checkpoint.map(|seconds| Instant::now() + from_secs(seconds));
        let ended = Mutex::new(false);
        let earlier = learner.counts().1 - before.1;
        let share = |now: &Progress| {
            let mut report = locked();
            report.note(&after(earlier, now));
            let share = args.seconds.map_or(0.0, |seconds| report.clock.seconds() / seconds);
            if share >= 1.0 || report.reached || interrupt::pressed() {
                *ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
                return ControlFlow::Break(());
            }
            if slice.is_some_and(|end| Instant::now() >= end) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(share)
        };
        let plan = Plan {
            games: args.games.map(|games| before.0 + games),
            before: 0,
            done,
            actors: usize::from(args.threads),
            report: REPORT,
            seed: Seed::from(args.seed),
        };
        let progress = learner.train(&plan, &share)?;
        locked().clock.stop();
        if interrupt::pressed() && learner.counts().0 == before.0 {
            bail!("interrupted before the first game ended; nothing was written");
        }
        save(&learner, args)?;
        let all = plan.games.is_some_and(|games| progress.games >= games);
        let ended = ended.into_inner().unwrap_or(true);
        if all || ended || args.checkpoint.is_none() {
            locked().finish(learner.counts());
            if interrupt::pressed() && shown {
                let file = args.out.display();
                anstream::eprintln!(
                    "magister: interrupted; what was learned is in {file}, and `--resume {file}` \
                     continues the training"
                );
            }
            return Ok(learner);
        }
        locked().clock.go_on();
        done = args.seconds.map_or(0.0, |seconds| spent() / seconds);
    }
}

fn from_secs(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The temporary file of an agent.
fn beside(out: &Path) -> PathBuf {
    let mut beside = out.to_owned().into_os_string();
    beside.push(".new");
    PathBuf::from(beside)
}

/// Checks that a file can be written, without changing it.
fn try_to_write(out: &Path) -> Result<()> {
    let name = out.display();
    if out.is_dir() {
        bail!("cannot write {name}: it is a directory");
    }
    let beside = beside(out);
    std::fs::write(&beside, [])
        .and_then(|()| std::fs::remove_file(&beside))
        .with_context(|| format!("cannot write {name}"))
}

/// Writes a temporary file first, so that an interruption leaves the old file intact.
fn save(learner: &Trainee, args: &Train) -> Result<()> {
    replace(&args.out, &learner.bytes(!args.slim))
}

fn replace(out: &Path, bytes: &[u8]) -> Result<()> {
    let beside = beside(out);
    std::fs::write(&beside, bytes)
        .and_then(|()| std::fs::rename(&beside, out))
        .with_context(|| format!("cannot write {}", out.display()))
}

/// The progress of a run after an earlier part, such as the time before a checkpoint. The driver
/// counts the moves of each part from 0.
fn after(earlier: u64, now: &Progress) -> Progress {
    Progress { moves: earlier + now.moves, ..*now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_before_a_checkpoint_count() {
        let now = Progress { games: 7, moves: 30, ..Progress::default() };
        let whole = after(100, &now);
        assert_eq!((whole.games, whole.moves), (7, 130));
    }
}
