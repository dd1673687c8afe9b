//! One measurement: playouts in slices until the time is over.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use magister_core::playout::LANES;
use magister_core::{Batch, Detail, Halt, Results, Stop, Stream};

use super::process::cpu_time;
use crate::game::Playable;

/// A slice takes at most this part of the time.
const SLICE: f64 = 0.05;
/// Streams of a slice: as many lanes as the widest evaluator plays at once.
const STREAMS: u32 = 16;
/// Playouts that take so many times the time are given up.
const PATIENCE: f64 = 10.0;

pub(super) struct Measured {
    pub(super) playouts: u64,
    /// Those of them that were broken off.
    pub(super) truncated: u64,
    pub(super) steps: u64,
    pub(super) seconds: f64,
    /// Whether the seconds are those of the processor.
    pub(super) cpu: bool,
}

impl Measured {
    pub(super) fn states_per_s(&self) -> f64 {
        self.steps as f64 / self.seconds
    }

    pub(super) fn playouts_per_s(&self) -> f64 {
        self.playouts as f64 / self.seconds
    }

    pub(super) fn mean_length(&self) -> f64 {
        self.steps as f64 / self.playouts as f64
    }
}

/// Plays from the initial state until so many seconds are over.
pub(super) fn measure(playable: &Playable, seconds: f64, max_steps: u32) -> Result<Measured> {
    let stop = Stop::new();
    let (over, ended) = mpsc::channel::<()>();
    let alarm = stop.clone();
    let patience = Duration::from_secs_f64(seconds * PATIENCE);
    thread::scope(|scope| {
        scope.spawn(move || {
            if ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                alarm.set();
            }
        });
        let measured = slices(playable, seconds, max_steps, &stop);
        drop(over);
        measured
    })
}

fn slices(playable: &Playable, seconds: f64, max_steps: u32, stop: &Stop) -> Result<Measured> {
    let mut worker = playable.game.worker();
    let mut state = Vec::new();
    worker.reset();
    worker.save(&mut state);
    let mut results = Results::default();
    let mut measured = Measured { playouts: 0, truncated: 0, steps: 0, seconds: 0.0, cpu: true };
    let mut quota = 1_u32;
    let (mut wall, mut cpu) = (Instant::now(), cpu_time());
    for round in 0.. {
        if round == 1 {
            // What the first playout had to prepare is no part of the speed.
            measured = Measured { playouts: 0, truncated: 0, steps: 0, seconds: 0.0, cpu: true };
            (wall, cpu) = (Instant::now(), cpu_time());
        }
        // Many streams, so that an evaluator that plays many games at once can.
        let count = (quota / LANES as u32).clamp(1, STREAMS);
        let streams: Vec<Stream<'_>> = (0..count)
            .map(|n| Stream {
                id: round * u64::from(STREAMS) + u64::from(n),
                start: &state,
                quota: quota / count + u32::from(n < quota % count),
            })
            .collect();
        let batch = Batch { seed: 0, streams: &streams, max_steps, detail: Detail::Sums };
        let begun = wall.elapsed().as_secs_f64();
        match worker.playouts(&batch, &mut results, stop) {
            Ok(()) => {}
            Err(Halt::Stopped) if measured.playouts > 0 => break,
            Err(Halt::Stopped) => bail!(
                "no playout came to its end in {:.0} seconds; raise --seconds, or lower --max-steps",
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
        if now >= seconds {
            break;
        }
        // As many as fit into a slice, and into what is left; never suddenly far more.
        let each = ((now - begun) / f64::from(quota)).max(1e-9);
        let room = (seconds * SLICE).min(seconds - now);
        quota = ((room / each) as u32).clamp(1, quota.saturating_mul(8).min(1 << 24));
    }
    let used = cpu.zip(cpu_time()).map(|(from, to)| to.saturating_sub(from).as_secs_f64());
    let clock = wall.elapsed().as_secs_f64();
    // Some systems count in ticks, or not at all.
    let cpu = used.filter(|&used| used > clock * 0.01);
    measured.cpu = cpu.is_some();
    measured.seconds = cpu.unwrap_or(clock).max(1e-9);
    Ok(measured)
}
