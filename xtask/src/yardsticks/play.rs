//! Single measurements: playing in slices until the time is up.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use magister_benches::Counts;
use magister_benches::clock::thread_time;
use magister_core::{Batch, Detail, Game, Results, Stop, Stream, Worker};

use super::Rate;

/// The streams of a slice: as many lanes as the widest evaluator plays at once.
const STREAMS: u64 = 16;
/// The maximum share of the time for a slice.
const SLICE: f64 = 0.1;
/// The number of steps after which playouts are truncated; none of the four games is this long.
const MAX_STEPS: u32 = 1_000;

/// Plays the hand-written version, a number of games or sweeps at a time, and adds up the results.
pub(super) fn by_hand(
    seconds: f64,
    rate: &mut Rate,
    mut play: impl FnMut(u64) -> Counts,
) -> Result<()> {
    let (mut all, mut count) = (Counts::default(), 64);
    let (wall, from) = (Instant::now(), now()?);
    while wall.elapsed().as_secs_f64() < seconds {
        let begun = Instant::now();
        let found = play(count);
        all.playouts += found.playouts;
        all.steps += found.steps;
        count = next(count, begun.elapsed(), seconds);
    }
    rate.add(all, now()? - from);
    Ok(())
}

/// The number of playouts that fill a slice, with bounded growth.
fn next(count: u64, took: Duration, seconds: f64) -> u64 {
    let each = took.as_secs_f64().max(1e-9) / count as f64;
    ((seconds * SLICE / each) as u64).clamp(1, count * 8)
}

/// The processor time of this thread, in seconds.
fn now() -> Result<f64> {
    let time =
        thread_time().context("this system does not report the processor time of a thread")?;
    Ok(time.as_secs_f64())
}

/// A game on one of our evaluators.
pub(super) struct Player {
    game: Arc<dyn Game>,
    hand: Hand,
}

/// The data of one thread.
struct Hand {
    worker: Box<dyn Worker>,
    start: Vec<u64>,
    results: Results,
    /// The next stream.
    stream: u64,
    /// The number of playouts in a slice.
    count: u64,
}

impl Player {
    pub(super) fn new(game: Arc<dyn Game>) -> Self {
        let hand = Hand::new(game.as_ref(), 0);
        Player { game, hand }
    }

    /// Plays and adds up the results.
    pub(super) fn measure(&mut self, seconds: f64, rate: &mut Rate) -> Result<()> {
        // The preparation in the first playouts is not counted.
        self.hand.play()?;
        let mut all = Counts::default();
        let (wall, from) = (Instant::now(), now()?);
        while wall.elapsed().as_secs_f64() < seconds {
            let begun = Instant::now();
            let found = self.hand.play()?;
            all.playouts += found.playouts;
            all.steps += found.steps;
            self.hand.count = next(self.hand.count, begun.elapsed(), seconds);
        }
        rate.add(all, now()? - from);
        Ok(())
    }
}

impl Hand {
    fn new(game: &dyn Game, stream: u64) -> Self {
        let mut worker = game.worker();
        let mut start = Vec::new();
        worker.reset();
        worker.save(&mut start);
        Hand { worker, start, results: Results::default(), stream, count: STREAMS }
    }

    /// A slice of playouts.
    fn play(&mut self) -> Result<Counts> {
        let quota = self.count.div_ceil(STREAMS) as u32;
        let streams: Vec<Stream<'_>> = (0..STREAMS.min(self.count))
            .map(|n| Stream { id: self.stream + n, start: &self.start, quota })
            .collect();
        self.stream += STREAMS;
        let batch =
            Batch { seed: 1, streams: &streams, max_steps: MAX_STEPS, detail: Detail::Sums };
        self.worker.playouts(&batch, &mut self.results, &Stop::never())?;
        let mut counts = Counts::default();
        for tally in &self.results.streams {
            counts.playouts += u64::from(tally.finished + tally.truncated);
            counts.steps += tally.steps;
        }
        Ok(counts)
    }
}

/// Moves per second of several concurrent threads: by their own processor time, and by elapsed
/// time.
pub(super) fn together(player: &Player, threads: usize, seconds: f64) -> Result<[f64; 2]> {
    let ready = Barrier::new(threads);
    std::thread::scope(|scope| {
        let hands: Vec<_> = (1..=threads as u64)
            .map(|n| {
                let (ready, game, count) = (&ready, &player.game, player.hand.count);
                scope.spawn(move || -> Result<[f64; 2]> {
                    let mut hand = Hand::new(game.as_ref(), n << 40);
                    let warm = hand.play();
                    hand.count = count;
                    // All threads wait for each other, whether they can continue or not.
                    ready.wait();
                    warm?;
                    let (wall, from, mut steps) = (Instant::now(), now()?, 0);
                    while wall.elapsed().as_secs_f64() < seconds {
                        steps += hand.play()?.steps;
                    }
                    let times = [now()? - from, wall.elapsed().as_secs_f64()];
                    Ok(times.map(|time| steps as f64 / time))
                })
            })
            .collect();
        hands.into_iter().try_fold([0.0; 2], |[cpu, wall], hand| {
            let found = hand.join().map_err(|_| anyhow!("a thread panicked"))??;
            Ok([cpu + found[0], wall + found[1]])
        })
    })
}
