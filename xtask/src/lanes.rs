//! Plays the same streams with every batch method, in every game with a network.
//!
//! One process plays them in all widths, on one and on two threads, and one by one. Others do the
//! same with fewer instructions or without emitted code, and must have the same signature.

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use magister_core::{Batch, Detail, Game as _, Halt, Results, Stop, Stream};
use magister_engine::agree::{Amount, lanes};
use magister_engine::evaluator::{NetworkGame, Playouts};
use magister_engine::{Evaluator, within};

use crate::ledger::Ledger;
use crate::sheets::{Sheet, sheets};

/// The amount of play.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all bundled rulesheets and the oracle's
    games: Vec<String>,
    /// Skip games with more gates
    #[arg(long, default_value_t = 60_000)]
    gates: usize,
    /// The time limit for building a network in seconds
    #[arg(long, default_value_t = 20)]
    prepare: u64,
    /// The approximate time per game for playing one by one, in seconds
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// The number of games that run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Compare only within this process: not with fewer instructions or without code
    #[arg(long)]
    alone: bool,
    /// The maximum number of playouts per stream; print only a signature, for a child process
    #[arg(long, hide = true)]
    quota: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            games: Vec::new(),
            gates: 60_000,
            prepare: 20,
            seconds: 1.0,
            threads: 2,
            alone: false,
            quota: None,
        }
    }
}

/// The instruction sets and code settings of the other processes.
const SETTINGS: &[(&str, &str)] =
    &[("portable", "on"), ("avx2", "on"), ("avx2", "off"), ("best", "off")];

/// The numbers of steps after which playouts are truncated.
const MAX_STEPS: [u32; 2] = [500, 7];
const STREAMS: usize = 21;
/// The approximate number of full playouts of a workload per unit of a stream's quota.
const PLAYOUTS: f64 = STREAMS as f64 * 2.0;
/// The time limit of a game, per second of playing one by one.
const PATIENCE: u64 = 120;

/// The text for a game that is not compared.
const LEFT: &str = "left out";

/// The result of a game.
enum Outcome {
    Left(String),
    Same(String),
    Different(String),
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options, ledger: &mut Ledger) -> Result<()> {
    let sheets = sheets(&options.games)?;
    if let Some(quota) = options.quota {
        sign(&sheets, quota, options);
        return Ok(());
    }
    let alone = if options.alone { ", in one process" } else { "" };
    let part = |sheet: &Sheet| format!("lanes {}, {} s{alone}", sheet.name, options.seconds);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(([0usize; 3], ledger));
    thread::scope(|scope| {
        let worker = || -> Result<()> {
            while let Some(sheet) = sheets.get(next.fetch_add(1, Ordering::Relaxed)) {
                let lock = || done.lock().unwrap_or_else(PoisonError::into_inner);
                if lock().1.has(&part(sheet)) {
                    lock().0[0] += 1;
                    continue;
                }
                let outcome = compare(sheet, options)?;
                let (place, text) = match &outcome {
                    Outcome::Same(text) => (0, text),
                    Outcome::Left(text) => (1, text),
                    Outcome::Different(text) => (2, text),
                };
                println!("{}: {text}", sheet.name);
                let mut done = lock();
                done.0[place] += 1;
                if place == 0 {
                    done.1.note(&part(sheet), text.clone())?;
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
    let ([same, left, different], _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("\ngames {same}, left out {left}, different {different}");
    if different > 0 {
        bail!("batch methods give different results");
    }
    Ok(())
}

/// The game on its network, or why it is skipped.
fn network(sheet: &Sheet, options: &Options) -> Result<Arc<NetworkGame>, String> {
    let time = Duration::from_secs(options.prepare);
    let prepared = sheet.open(Some(Evaluator::Batch), time)?.prepared;
    let prepared = prepared.ok_or("it has no rules as text")?;
    let gates = prepared.gates.map_or(0, |gates| gates.legal + gates.next + gates.goals);
    if gates > options.gates {
        return Err(format!("{gates} gates are more than --gates"));
    }
    prepared.network.ok_or_else(|| "it has no network".to_owned())
}

/// The time of a single playout.
fn playout(game: &NetworkGame) -> Result<f64, Halt> {
    let mut start = Vec::new();
    let mut worker = game.playing(Playouts::OneByOne).worker();
    worker.save(&mut start);
    let streams = [Stream { id: 0, start: &start, quota: 4 }];
    let (max_steps, detail) = (MAX_STEPS[0], Detail::Sums);
    let batch = Batch { seed: 0, streams: &streams, max_steps, detail };
    let begun = Instant::now();
    worker.playouts(&batch, &mut Results::default(), &Stop::never())?;
    Ok(begun.elapsed().as_secs_f64() / 4.0)
}

fn amount(quota: u32) -> Amount {
    Amount { streams: STREAMS, quota, max_steps: MAX_STEPS }
}

/// One game in this process and in others.
fn compare(sheet: &Sheet, options: &Options) -> Result<Outcome> {
    let game = match network(sheet, options) {
        Ok(game) => game,
        Err(why) => return Ok(Outcome::Left(format!("{LEFT}: {why}"))),
    };
    let quota = match playout(&game) {
        Ok(time) => (options.seconds / PLAYOUTS / time).clamp(1.0, 100.0) as u32,
        Err(halt) => return Ok(Outcome::Left(format!("{LEFT}: {halt}"))),
    };
    let patience = Duration::from_secs_f64(options.seconds * PATIENCE as f64);
    let found = match within(patience, &Stop::never(), |stop| lanes(&game, amount(quota), stop)) {
        Ok(found) => found,
        Err(halt) => return Ok(Outcome::Left(format!("{LEFT}: {halt}"))),
    };
    let mut different = found.different;
    let settings = if options.alone { &[] } else { SETTINGS };
    for &(vectors, code) in settings {
        let output = Command::new(std::env::current_exe()?)
            .args(["lanes", "--quota", &quota.to_string()])
            .args(["--gates", &options.gates.to_string(), "--prepare", "600"])
            .arg(sheet.file()?)
            .env("MAGISTER_VECTORS", vectors)
            .env("MAGISTER_CODE", code)
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.starts_with(LEFT) {
            // On a busy machine, building the network may take too long in another process.
            return Ok(Outcome::Left(format!("{vectors} with code {code}: {}", text.trim())));
        }
        if text.trim() != found.signature.to_string() {
            different.push(format!("{vectors} with code {code}: {}", text.trim()));
        }
    }
    Ok(if different.is_empty() {
        Outcome::Same(format!("the same, up to {quota} playouts a stream"))
    } else {
        Outcome::Different(format!("DIFFERENT: {}", different.join("; ")))
    })
}

/// The signature of each game, if all methods in this process agree.
#[expect(clippy::print_stdout, reason = "this is what the other process reads")]
fn sign(sheets: &[Sheet], quota: u32, options: &Options) {
    for sheet in sheets {
        match network(sheet, options) {
            Err(why) => println!("{LEFT}: {why}"),
            Ok(game) => match lanes(&game, amount(quota), &Stop::never()) {
                Ok(found) if found.different.is_empty() => println!("{}", found.signature),
                Ok(found) => println!("{}", found.different.join("; ")),
                Err(halt) => println!("{halt}"),
            },
        }
    }
}
