//! One measurement: playouts in slices until the time is up.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use magister::Playable;
use magister_core::playout::{LANES, Team};
use magister_core::{Batch, Detail, Halt, Results, Stop, Stream};

use super::process::{cpu_time, process_time};
use crate::args::Bench;

/// The maximum share of the time for a slice.
const SLICE: f64 = 0.05;
/// The number of streams of a slice: the lanes of the widest evaluator. With several threads, each
/// has a multiple of that, so that they end together.
const STREAMS: u32 = 16;
const SHARES: u32 = 4;
/// Playouts that take this many times the time are stopped.
const PATIENCE: f64 = 10.0;

#[derive(Clone)]
pub(super) struct Measured {
    pub(super) playouts: u64,
    /// The number of playouts that were truncated.
    pub(super) truncated: u64,
    pub(super) steps: u64,
    pub(super) seconds: f64,
    /// Whether the seconds are processor time.
    pub(super) cpu: bool,
    /// The processor time of all threads in seconds, if the system reports it.
    pub(super) processors: Option<f64>,
}

impl Measured {
    pub(super) fn states_per_s(&self) -> f64 {
        self.steps as f64 / self.seconds
    }

    pub(super) fn playouts_per_s(&self) -> f64 {
        self.playouts as f64 / self.seconds
    }

    /// The processor time per state in nanoseconds.
    pub(super) fn cpu_ns(&self) -> Option<f64> {
        self.processors.map(|seconds| seconds * 1e9 / self.steps as f64)
    }

    pub(super) fn mean_length(&self) -> f64 {
        self.steps as f64 / self.playouts as f64
    }
}

/// Plays from the initial state for this many seconds.
pub(super) fn measure(playable: &Playable, args: &Bench) -> Result<Measured> {
    let stop = Stop::new();
    let (over, ended) = mpsc::channel::<()>();
    let alarm = stop.clone();
    let patience = Duration::from_secs_f64(args.seconds * PATIENCE);
    thread::scope(|scope| {
        scope.spawn(move || {
            if ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                alarm.set();
            }
        });
        let measured = slices(playable, args, &stop);
        drop(over);
        measured
    })
}

fn slices(playable: &Playable, args: &Bench, stop: &Stop) -> Result<Measured> {
    let Bench { seconds, max_steps, threads, .. } = *args;
    let detail = if args.moves { Detail::Moves } else { Detail::Sums };
    let mut team = Team::new(&*playable.game, threads.into());
    let mut state = Vec::new();
    playable.game.worker().save(&mut state);
    let mut results = Results::default();
    let none =
        Measured { playouts: 0, truncated: 0, steps: 0, seconds: 0.0, cpu: true, processors: None };
    let mut measured = none.clone();
    // An evaluator with many lanes is measured with all of them.
    let side_by_side = playable.game.worker().side_by_side(STREAMS as usize) as u32;
    let least = if side_by_side > 1 { side_by_side * LANES as u32 * u32::from(threads) } else { 1 };
    let mut quota = 1_u32;
    let most = if threads == 1 { STREAMS } else { STREAMS * SHARES * u32::from(threads) };
    let used = || if threads == 1 { cpu_time() } else { process_time() };
    let (mut wall, mut cpu) = (Instant::now(), used());
    for round in 0.. {
        if round == 1 {
            // The preparation in the first playout is not counted.
            measured = none.clone();
            (wall, cpu) = (Instant::now(), used());
        }
        // Many streams, so that an evaluator that plays many games at once can use all its lanes.
        let count = (quota / LANES as u32).clamp(1, most);
        let streams: Vec<Stream<'_>> = (0..count)
            .map(|n| Stream {
                id: round * u64::from(most) + u64::from(n),
                start: &state,
                quota: quota / count + u32::from(n < quota % count),
            })
            .collect();
        let batch = Batch { seed: 0, streams: &streams, max_steps, detail };
        let begun = wall.elapsed().as_secs_f64();
        match team.playouts(&batch, &mut results, stop) {
            Ok(()) => {}
            Err(Halt::Stopped) if measured.playouts > 0 => break,
            Err(Halt::Stopped) => bail!(
                "no playout ended within {:.0} seconds; raise --seconds, or lower --max-steps",
                seconds * PATIENCE
            ),
            Err(halt) => return Err(halt.into()),
        }
        measured.playouts += u64::from(quota);
        for tally in &results.streams {
            measured.truncated += u64::from(tally.truncated);
            measured.steps += tally.steps;
        }
        let now = wall.elapsed().as_secs_f64();
        if now >= seconds && quota >= least {
            break;
        }
        // As many playouts as fit into a slice and into the remaining time, with bounded growth.
        let each = ((now - begun) / f64::from(quota)).max(1e-9);
        let room = (seconds * SLICE).min(seconds - now);
        let most = quota.saturating_mul(8).clamp(least, 1 << 24);
        quota = ((room / each) as u32).clamp(least, most);
    }
    let used = cpu.zip(used()).map(|(from, to)| to.saturating_sub(from).as_secs_f64());
    let clock = wall.elapsed().as_secs_f64();
    // Some systems report ticks, or nothing at all.
    measured.processors = used.filter(|&used| used > clock * 0.01);
    let own = measured.processors.filter(|_| threads == 1);
    measured.cpu = own.is_some();
    measured.seconds = own.unwrap_or(clock).max(1e-9);
    Ok(measured)
}
