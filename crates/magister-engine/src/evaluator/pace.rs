//! Chooses the fastest batch method by measurements.
//!
//! All methods give the same results and differ only in time. Playing lanes one by one needs only a
//! worker. Vectors need a plan, and creating it takes as long as many playouts; so it is created
//! once the playouts requested so far have taken longer without it than its creation would. Then
//! its speed is measured once, for every useful width.

use std::time::Duration;

use magister_core::playout::LANES;
use magister_core::{Batch, Detail, Halt, Leaves, Results, Stop, Stream};
use magister_lanes::Width;

use crate::batch::{BatchError, BatchPlayer};
use crate::clock::Clock;

/// How batches of playouts are played. The results are always the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Playouts {
    /// One lane after the other, by single steps.
    OneByOne,
    /// On vectors with this many lanes.
    Lanes(Width),
    /// By the fastest measured method for the number of lanes and playouts.
    Measured,
}

/// The expected time for creating a plan, per gate.
pub(super) const PLAN_PER_GATE: Duration = Duration::from_micros(8);

/// The minimum number of busy lanes that justifies a plan.
pub(super) const FEW: usize = 8;

/// The number of playouts of each lane when a width is measured, and their maximum length.
const PLAYOUTS: u32 = 4;
const STEPS: [u32; 2] = [1, 6];
/// The number of measurements, and the time limit.
const ROUNDS: usize = 3;
const ENOUGH: Duration = Duration::from_millis(3);

/// The measurements so far, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// Playouts made one by one, their steps, and their time.
    playouts: u64,
    steps: u64,
    spent: f64,
    /// The part of that time in which lanes could have been batched.
    missed: f64,
    /// For each width, the startup time and the time of a sweep of all lanes. Vectors are not used
    /// before these have been measured.
    widths: Option<Vec<(Width, f64, f64)>>,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    streams: usize,
    playouts: u64,
    /// The number of busy lanes.
    lanes: usize,
}

impl Request {
    pub(super) fn of(batch: &Batch<'_>) -> Self {
        let busy = batch.streams.iter().map(|stream| stream.quota.min(LANES as u32) as usize);
        Self {
            streams: batch.streams.len(),
            playouts: batch.streams.iter().map(|stream| u64::from(stream.quota)).sum(),
            lanes: busy.sum(),
        }
    }

    /// A few playouts from each of many states.
    pub(super) fn of_leaves(leaves: &Leaves<'_>) -> Self {
        let lanes = leaves.starts.len() * leaves.playouts() as usize;
        Self { streams: lanes.div_ceil(LANES), playouts: lanes as u64, lanes }
    }

    /// A large number of playouts, so that only the speed of the lanes matters.
    pub(super) fn long(lanes: usize) -> Self {
        Self { streams: lanes.div_ceil(LANES), playouts: lanes as u64 * 10_000, lanes }
    }
}

impl Pace {
    /// Whether nothing is known about the time of a request.
    pub(super) fn needs_a_trial(&self, request: &Request) -> bool {
        self.playouts == 0 && request.lanes >= FEW
    }

    /// Records playouts that were made one by one.
    pub(super) fn note(&mut self, request: &Request, results: &Results, time: Duration) {
        for tally in &results.streams {
            self.playouts += u64::from(tally.finished) + u64::from(tally.truncated);
            self.steps += tally.steps;
        }
        self.spent += time.as_secs_f64();
        if request.lanes >= FEW {
            self.missed += time.as_secs_f64();
        }
    }

    /// Records the time of playouts that were made one by one with an unknown number of steps.
    pub(super) fn note_time(&mut self, request: &Request, time: Duration) {
        if request.lanes >= FEW {
            self.missed += time.as_secs_f64();
        }
    }

    /// The time in seconds that a request takes one by one.
    fn one_by_one(&self, request: &Request) -> f64 {
        request.playouts as f64 * self.spent / self.playouts.max(1) as f64
    }

    /// Whether a plan with this many gates would pay off if requests continued like this.
    pub(super) fn plan_pays(&self, request: &Request, gates: usize) -> bool {
        let plan = PLAN_PER_GATE.as_secs_f64() * gates as f64;
        request.lanes >= FEW && self.missed + self.one_by_one(request) > plan
    }

    /// Records the speed of the widths, each with its startup time and that of a sweep.
    pub(super) fn measured(&mut self, widths: Vec<(Width, f64, f64)>) {
        self.widths = Some(widths);
    }

    /// Whether the speed of the widths is known.
    pub(super) fn is_measured(&self) -> bool {
        self.widths.is_some()
    }

    /// The fastest method for a request: on vectors of a width, or one by one.
    pub(super) fn choose(&self, request: &Request) -> Option<Width> {
        let sweeps = (self.steps + self.playouts) as f64 / self.playouts.max(1) as f64;
        let mut best = (self.one_by_one(request), None);
        for &(width, begin, sweep) in self.widths.iter().flatten() {
            let rounds = request.streams.div_ceil(width.slots()).max(1) as f64;
            let side_by_side = request.lanes.clamp(1, width.lanes()) as f64;
            let time = rounds * begin + request.playouts as f64 * sweeps / side_by_side * sweep;
            if time < best.0 {
                best = (time, Some(width));
            }
        }
        best.1
    }
}

/// The startup time of a player, and the time of a sweep; `None` if the rules fail.
pub(super) fn measure(
    player: &mut BatchPlayer,
    start: &[u64],
    clock: &Clock,
    stop: &Stop,
) -> Result<Option<(Width, f64, f64)>, Halt> {
    let width = player.width();
    let quota = LANES as u32 * PLAYOUTS;
    let streams: Vec<Stream<'_>> =
        (0..width.slots() as u64).map(|id| Stream { id, start, quota }).collect();
    let mut results = Results::default();
    // The number of sweeps of each run, and its best time.
    let mut runs = [(0.0, f64::INFINITY); 2];
    let begun = clock.start();
    for _ in 0..ROUNDS {
        for (run, max_steps) in runs.iter_mut().zip(STEPS) {
            let batch = Batch { seed: 0, streams: &streams, max_steps, detail: Detail::Sums };
            let begun = clock.start();
            match player.play(&batch, &mut results, stop) {
                Ok(()) => {}
                Err(BatchError::Halt(halt)) => return Err(halt),
                // The error is reported when the game is played.
                Err(BatchError::State(_) | BatchError::Strange) => return Ok(None),
            }
            *run = (player.sweeps() as f64, run.1.min(begun.elapsed().as_secs_f64()));
        }
        if begun.elapsed() > ENOUGH {
            break;
        }
    }
    let [(few, short), (many, long)] = runs;
    // The two runs differ only in the number of sweeps, unless games end earlier.
    let sweep = if many > few { (long - short) / (many - few) } else { 0.0 };
    let sweep = sweep.max(long / many / 4.0);
    Ok(Some((width, (short - few * sweep).max(0.0), sweep)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Tally;

    /// Measurements of 1,000 playouts of nine steps per second, one by one.
    fn pace() -> Pace {
        let mut pace = Pace::default();
        let tally = Tally { finished: 1_000, steps: 9_000, ..Tally::default() };
        let results = Results { streams: vec![tally] };
        pace.note(&Request::long(1), &results, Duration::from_secs(1));
        pace
    }

    #[test]
    fn a_plan_is_created_when_it_pays() {
        let gates = 100_000; // 0.8 seconds
        let request = |lanes: usize, playouts: u64| Request { streams: 1, playouts, lanes };
        let mut pace = pace();
        assert!(!pace.needs_a_trial(&request(32, 10)));
        assert!(Pace::default().needs_a_trial(&request(32, 10)));
        assert!(!Pace::default().needs_a_trial(&request(1, 1)));
        assert!(!pace.plan_pays(&request(32, 500), gates));
        assert!(pace.plan_pays(&request(32, 900), gates));
        assert!(!pace.plan_pays(&request(1, 900), gates), "one lane does not fill a vector");
        // Earlier requests count as well, if they could have been batched.
        let half = Results { streams: vec![Tally { finished: 500, ..Tally::default() }] };
        pace.note(&request(32, 500), &half, Duration::from_millis(500));
        assert!(pace.plan_pays(&request(32, 500), gates));
    }

    #[test]
    fn the_fastest_method_depends_on_lanes_and_playouts() {
        let mut pace = pace();
        let long = |pace: &Pace, lanes: usize| pace.choose(&Request::long(lanes));
        assert_eq!(long(&pace, 512), None, "nothing else is known");
        // A step takes about 0.1 milliseconds one by one, a sweep as long as four or six of them.
        let (w256, w512) = (Width::W256, Width::W512);
        pace.measured(vec![(w256, 0.01, 0.000_4), (w512, 0.01, 0.000_6)]);
        assert_eq!(long(&pace, 3), None);
        assert_eq!(long(&pace, 8), Some(w256));
        assert_eq!(long(&pace, 256), Some(w256));
        assert_eq!(long(&pace, 300), Some(w256));
        assert_eq!(long(&pace, 500), Some(w512));
        // The startup takes as long as ten playouts.
        let few = Request { streams: 1, playouts: 8, lanes: 8 };
        assert_eq!(pace.choose(&few), None);
    }
}
