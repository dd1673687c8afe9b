//! Which way of playing a batch is the fastest, by what was measured.
//!
//! Results are the same whichever is taken, so all of this is about time only. One lane after the
//! other needs nothing but a worker. Vectors need a plan, which takes as long to make as many
//! playouts; so it is made when the playouts asked for so far, and those asked for now, would take
//! longer without it. Then its speed is measured once, for every width that has its use.

use std::time::Duration;

use magister_core::playout::LANES;
use magister_core::{Batch, Detail, Halt, Leaves, Results, Stop, Stream};
use magister_lanes::Width;

use crate::batch::{BatchError, BatchPlayer};
use crate::clock::Clock;

/// How batches of playouts are played. The results are the same in every way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Playouts {
    /// One lane after the other, by single steps.
    OneByOne,
    /// On vectors of so many lanes.
    Lanes(Width),
    /// In the way that is measured to be the fastest for the number of lanes and playouts.
    Measured,
}

/// What a plan is expected to take for every gate. It is counted in gates and not known before.
pub(super) const PLAN_PER_GATE: Duration = Duration::from_micros(8);

/// A request that keeps fewer lanes busy is no reason to make a plan.
pub(super) const FEW: usize = 8;

/// Playouts of each lane in the runs by which a width is measured, and the steps of those.
const PLAYOUTS: u32 = 4;
const STEPS: [u32; 2] = [1, 6];
/// How often that is done, and after which time no more.
const ROUNDS: usize = 3;
const ENOUGH: Duration = Duration::from_millis(3);

/// What was measured so far, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// Playouts that were made one by one, their steps, and their time.
    playouts: u64,
    steps: u64,
    spent: f64,
    /// The part of that time in which lanes could have been played side by side.
    missed: f64,
    /// For each width, the time to begin and the time of a sweep of all lanes, once they are
    /// measured. Vectors are not used before.
    widths: Option<Vec<(Width, f64, f64)>>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    streams: usize,
    playouts: u64,
    /// Lanes that have anything to do.
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

    /// So many lanes, with so many playouts that nothing else counts.
    pub(super) fn long(lanes: usize) -> Self {
        Self { streams: lanes.div_ceil(LANES), playouts: lanes as u64 * 10_000, lanes }
    }
}

impl Pace {
    /// Whether nothing is known yet of what a request might take.
    pub(super) fn needs_a_trial(&self, request: &Request) -> bool {
        self.playouts == 0 && request.lanes >= FEW
    }

    /// Notes playouts that were made one by one.
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

    /// Notes the time of playouts that were made one by one, of whose steps nobody knows.
    pub(super) fn note_time(&mut self, request: &Request, time: Duration) {
        if request.lanes >= FEW {
            self.missed += time.as_secs_f64();
        }
    }

    /// The seconds that a request would take one by one.
    fn one_by_one(&self, request: &Request) -> f64 {
        request.playouts as f64 * self.spent / self.playouts.max(1) as f64
    }

    /// Whether a plan of so many gates would have paid, if all requests went on like this.
    pub(super) fn plan_pays(&self, request: &Request, gates: usize) -> bool {
        let plan = PLAN_PER_GATE.as_secs_f64() * gates as f64;
        request.lanes >= FEW && self.missed + self.one_by_one(request) > plan
    }

    /// Notes how fast the widths are, each with the time to begin and that of a sweep.
    pub(super) fn measured(&mut self, widths: Vec<(Width, f64, f64)>) {
        self.widths = Some(widths);
    }

    /// Whether it is known how fast the widths are.
    pub(super) fn is_measured(&self) -> bool {
        self.widths.is_some()
    }

    /// The fastest way to play a request: on vectors of a width, or one lane after the other.
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

/// The time that a player takes to begin, and for a sweep; none if the rules are at fault.
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
                // Who plays will be told.
                Err(BatchError::State(_) | BatchError::Strange) => return Ok(None),
            }
            *run = (player.sweeps() as f64, run.1.min(begun.elapsed().as_secs_f64()));
        }
        if begun.elapsed() > ENOUGH {
            break;
        }
    }
    let [(few, short), (many, long)] = runs;
    // Between the two runs there is nothing but sweeps, if games do not end before.
    let sweep = if many > few { (long - short) / (many - few) } else { 0.0 };
    let sweep = sweep.max(long / many / 4.0);
    Ok(Some((width, (short - few * sweep).max(0.0), sweep)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::Tally;

    /// A thousand playouts of nine steps in a second, one by one.
    fn pace() -> Pace {
        let mut pace = Pace::default();
        let tally = Tally { finished: 1_000, steps: 9_000, ..Tally::default() };
        let results = Results { streams: vec![tally] };
        pace.note(&Request::long(1), &results, Duration::from_secs(1));
        pace
    }

    #[test]
    fn a_plan_is_made_when_it_pays() {
        let gates = 100_000; // 0.8 seconds
        let request = |lanes: usize, playouts: u64| Request { streams: 1, playouts, lanes };
        let mut pace = pace();
        assert!(!pace.needs_a_trial(&request(32, 10)));
        assert!(Pace::default().needs_a_trial(&request(32, 10)));
        assert!(!Pace::default().needs_a_trial(&request(1, 1)));
        assert!(!pace.plan_pays(&request(32, 500), gates));
        assert!(pace.plan_pays(&request(32, 900), gates));
        assert!(!pace.plan_pays(&request(1, 900), gates), "one lane fills no vector");
        // What was asked for before counts as well, if it could have been played side by side.
        let half = Results { streams: vec![Tally { finished: 500, ..Tally::default() }] };
        pace.note(&request(32, 500), &half, Duration::from_millis(500));
        assert!(pace.plan_pays(&request(32, 500), gates));
    }

    #[test]
    fn the_fastest_way_is_chosen_by_lanes_and_playouts() {
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
        // To begin takes as long as ten playouts.
        let few = Request { streams: 1, playouts: 8, lanes: 8 };
        assert_eq!(pace.choose(&few), None);
    }
}
