//! Matches with faults: in the simulation, and with a real process that is killed.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use magister_core::Seed;
use magister_manager::sim::{Verdict, World};
use magister_manager::wire;

#[path = "../../crates/magister-manager/tests/killed/mod.rs"]
mod killed;
#[path = "../../crates/magister-store/tests/postgres/mod.rs"]
mod postgres;

use killed::{POINTS, Task, torment, work};

/// The number and kind of faults.
#[derive(Args)]
pub(crate) struct Options {
    /// Simulated matches
    #[arg(long, default_value_t = 100_000)]
    matches: u64,
    /// Seed of the first world
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The number of messages of 1000 that are lost, late or garbled
    #[arg(long, default_value_t = 40)]
    failures: u64,
    /// Run only the world of this seed, and print all its events
    #[arg(long)]
    world: Option<u64>,
    /// How often a real manager is killed at a random moment, on each database; it is also killed
    /// at named points about as often
    #[arg(long, default_value_t = 200)]
    kills: u64,
}

/// The number of matches of one world, and of one store.
const MATCHES: usize = 20;

pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(seed) = options.world {
        return replay(options, seed);
    }
    simulate(options)?;
    if options.kills == 0 {
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("magister-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = |round| format!("sqlite:{}", folder.join(format!("{round}.db")).display());
    kill(options, &folder, &file)?;
    match postgres::PrivatePostgres::start() {
        Some(server) => kill(options, &folder, &|round| {
            // Each round has its own schema.
            format!("{}?options=-csearch_path%3Dround{round}", server.url())
        })?,
        None => println!("SKIPPED: PostgreSQL is not installed"),
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The games of the worlds, in turn.
const GAMES: [&str; 2] = ["tictactoe", "blind-tictactoe"];

/// The worlds with even and with odd seeds.
fn worlds(options: &Options) -> Result<Vec<World>> {
    let world = |name: &str| -> Result<World> {
        let (playable, wire) = wire::open(&magister::Options::default().find(name)?)?;
        Ok(World {
            seed: 0,
            matches: MATCHES,
            failures: options.failures,
            crashes: 3,
            game: playable.game,
            wire: Arc::new(wire),
        })
    };
    GAMES.into_iter().map(world).collect()
}

/// Runs one world again, with a log of all its events.
fn replay(options: &Options, seed: u64) -> Result<()> {
    let at = (seed % 2) as usize;
    let world = World { seed, ..worlds(options)?.swap_remove(at) };
    let (verdict, log) = world.run_logged();
    log.iter().for_each(|line| println!("{line}"));
    println!("{}, world {seed}: {verdict:?}", GAMES[at]);
    verdict.map(drop).map_err(|what| anyhow!(what))
}

fn simulate(options: &Options) -> Result<()> {
    let begun = Instant::now();
    let mut sum = Verdict::default();
    let worlds = worlds(options)?;
    let mut seed = options.seed;
    while sum.matches < options.matches {
        let at = (seed % 2) as usize;
        let (name, world) = (GAMES[at], World { seed, ..worlds[at].clone() });
        let verdict = world.run().map_err(|what| {
            anyhow!(
                "{name}, world {seed}: {what}\nreplay: cargo xtask faults --world {seed} --failures {}",
                options.failures
            )
        })?;
        sum = sum.and(verdict);
        seed += 1;
    }
    println!(
        "simulation: {} matches in {} worlds, {} crashes, {} resumed, {} aborted, {} faults of \
         players, {:.1} s; no invariant broken",
        sum.matches,
        seed - options.seed,
        sum.crashes,
        sum.resumed,
        sum.aborted,
        sum.faults,
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

fn kill(options: &Options, folder: &Path, store: &dyn Fn(u64) -> String) -> Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    let begun = Instant::now();
    let program = std::env::current_exe()?;
    let mut rng = Seed::from(options.seed).derive("kills").rng();
    let mut points = [0; POINTS.len()];
    let (mut kills, mut terminal, mut aborted, mut sent, mut shown) = (0, 0, 0, 0, 0);
    let kind = store(0).split(':').next().unwrap_or_default().to_owned();
    let mut round = 0;
    while kills < options.kills {
        let games = ["tictactoe", "blind-tictactoe"];
        let task = Task {
            store: store(round),
            port: 0,
            matches: MATCHES,
            game: games[(round % 2) as usize].to_owned(),
            point: None,
            shown: folder.join(format!("{kind}-{round}.shown")).display().to_string(),
        };
        if kind == "postgres" {
            schema(&runtime, &store(round), round)?;
        }
        let spawn = |task: &Task| {
            tokio::process::Command::new(&program)
                .args(["victim", &task.words()])
                .stdout(Stdio::null())
                // A process that fails by itself reports why.
                .stderr(Stdio::inherit())
                .kill_on_drop(true)
                .spawn()
        };
        let wanted = (options.kills - kills).min(8);
        let tally = runtime.block_on(torment(task, wanted, &mut rng, spawn));
        let tally = tally.map_err(|what| anyhow!("{kind}, round {round}: {what}"))?;
        kills += tally.kills;
        points.iter_mut().zip(tally.points).for_each(|(all, one)| *all += one);
        terminal += tally.terminal;
        aborted += tally.aborted;
        sent += tally.sent;
        shown += tally.shown;
        round += 1;
        if round > options.kills + 10 {
            bail!("the matches end before they can be killed");
        }
    }
    println!(
        "{kind}: killed {kills} times at random moments, {} times before a commit, {} times between a \
         commit and the sending, {} times during recovery; {terminal} matches came to their end, {aborted} were \
         aborted; of {sent} turns that players were sent and {shown} steps that spectators were \
         shown, none is lost; {:.1} s",
        points[0],
        points[1],
        points[2],
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Creates the schema of a round.
fn schema(runtime: &tokio::runtime::Runtime, url: &str, round: u64) -> Result<()> {
    let plain = url.split('?').next().unwrap_or(url).to_owned();
    let done = runtime.block_on(async {
        tokio::process::Command::new("psql")
            .args([&plain, "-c", &format!("CREATE SCHEMA round{round}")])
            .stdout(Stdio::null())
            .status()
            .await
    })?;
    if !done.success() {
        bail!("the schema of round {round} could not be made");
    }
    Ok(())
}

/// The process that is killed.
pub(crate) fn victim(words: &str) -> Result<()> {
    let task = Task::parse(words).ok_or_else(|| anyhow!("not a task: {words}"))?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    runtime.block_on(work(&task)).map_err(|what| anyhow!(what))
}
