//! Matches that go wrong: in the simulation, and with a real process that is killed.

#![expect(clippy::print_stdout, reason = "this is the output of the command")]

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

use killed::{Task, torment, work};

/// How much goes wrong.
#[derive(Args)]
pub(crate) struct Options {
    /// Simulated matches
    #[arg(long, default_value_t = 100_000)]
    matches: u64,
    /// Seed of the first world
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Messages of 1000 that are lost, late or garbled
    #[arg(long, default_value_t = 40)]
    trouble: u64,
    /// How often a real manager is killed, on each database
    #[arg(long, default_value_t = 200)]
    kills: u64,
}

/// Matches of one world, and of one store.
const MATCHES: usize = 20;

pub(crate) fn run(options: &Options) -> Result<()> {
    simulate(options)?;
    if options.kills == 0 {
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("magister-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    kill(options, &|round| format!("sqlite:{}", folder.join(format!("{round}.db")).display()))?;
    std::fs::remove_dir_all(&folder)?;
    match postgres::PrivatePostgres::start() {
        Some(server) => kill(options, &|round| {
            // Each round has a schema of its own.
            format!("{}?options=-csearch_path%3Dround{round}", server.url())
        })?,
        None => println!("SKIPPED: PostgreSQL is not installed"),
    }
    Ok(())
}

fn simulate(options: &Options) -> Result<()> {
    let begun = Instant::now();
    let mut sum = Verdict::default();
    let games = ["tictactoe", "blind-tictactoe"].map(|name| -> Result<_> {
        let (playable, wire) = wire::open(&magister::Options::default().find(name)?)?;
        Ok((name, playable.game, Arc::new(wire)))
    });
    let games: Vec<_> = games.into_iter().collect::<Result<_>>()?;
    let mut seed = options.seed;
    while sum.matches < options.matches {
        let (name, game, wire) = &games[(seed % 2) as usize];
        let world = World {
            seed,
            matches: MATCHES,
            trouble: options.trouble,
            crashes: 3,
            game: Arc::clone(game),
            wire: Arc::clone(wire),
        };
        let verdict = world.run().map_err(|what| anyhow!("{name}, world {seed}: {what}"))?;
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

fn kill(options: &Options, store: &dyn Fn(u64) -> String) -> Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    let program = std::env::current_exe()?;
    let mut rng = Seed::from(options.seed).derive("kills").rng();
    let (mut kills, mut terminal, mut aborted, mut sent) = (0, 0, 0, 0);
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
        };
        if kind == "postgres" {
            schema(&runtime, &store(round), round)?;
        }
        let spawn = |task: &Task| {
            tokio::process::Command::new(&program)
                .args(["victim", &task.words()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
        };
        let wanted = (options.kills - kills).min(15);
        let tally = runtime.block_on(torment(task, wanted, &mut rng, spawn));
        let tally = tally.map_err(|what| anyhow!("{kind}, round {round}: {what}"))?;
        kills += tally.kills;
        terminal += tally.terminal;
        aborted += tally.aborted;
        sent += tally.sent;
        round += 1;
        if round > options.kills + 10 {
            bail!("the matches end before they can be killed");
        }
    }
    println!(
        "{kind}: killed {kills} times; {terminal} matches came to their end, {aborted} were \
         aborted; of {sent} turns that players were sent of, none is lost"
    );
    Ok(())
}

/// Makes the schema of a round.
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
