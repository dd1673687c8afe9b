//! Playouts as an evaluator.

use std::fmt;
use std::sync::Arc;

use magister_core::playout::{LANES, shares_lanes};
use magister_core::{
    Batch, Detail, Evaluate, Evaluations, Game, Halt, LeafResults, Leaves, Positions, Results,
    Role, Stop, Stream, Worker,
};

use crate::playing::{MAX_STEPS, mean};
use crate::rewards::Scale;
use crate::table::Key;

/// The number of lanes that a request may fill. It is the same on every machine, because search
/// results depend on it.
const SIDE_BY_SIDE: usize = 512;

/// Evaluates positions by the mean of random playouts. It has no policies.
///
/// With 32 playouts or more, or a number that is not a power of two, the playouts depend on the
/// state alone. With fewer, the states of a request share random numbers, so that all lanes of the
/// engine are used; then the value of a position depends on its place in the request.
pub struct Playouts {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    each: u32,
    scale: Scale,
    results: Results,
    leaf_results: LeafResults,
}

impl Playouts {
    /// Evaluates positions of a game by `each` playouts.
    pub fn new(game: &Arc<dyn Game>, each: u32) -> Self {
        Playouts {
            game: Arc::clone(game),
            worker: game.worker(),
            each: each.max(1),
            scale: Scale::of(game.info()),
            results: Results::default(),
            leaf_results: LeafResults::default(),
        }
    }

    /// Whether it evaluates positions of exactly this game.
    pub(crate) fn is_of(&self, game: &Arc<dyn Game>) -> bool {
        Arc::ptr_eq(&self.game, game)
    }

    /// Whether the states of a request share streams.
    fn sharing(&self) -> bool {
        (self.each as usize) < LANES && shares_lanes(self.each)
    }

    fn leaves(
        &mut self,
        starts: &[&[u64]],
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        // Ids are consecutive, so there must be room for them above the first.
        let first = starts.first().map_or(0, |start| Key::of(start).0 >> 16);
        let leaves = Leaves { seed: 0, first, starts, each: self.each, max_steps: MAX_STEPS };
        self.worker.leaves(&leaves, &mut self.leaf_results, stop)?;
        let LeafResults { roles, finished, paid, sum } = &self.leaf_results;
        for (number, &finished) in finished.iter().enumerate() {
            let counts = (finished, self.each - finished.min(self.each));
            for (role, value) in out.values_mut(number).iter_mut().enumerate() {
                let at = number * roles + role;
                *value = mean(counts, paid[at], sum[at], self.scale);
            }
        }
        Ok(())
    }

    fn streams<'a>(
        &mut self,
        starts: &[&'a [u64]],
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let each = self.each;
        let stream = |&start: &&'a [u64]| Stream { id: Key::of(start).0, start, quota: each };
        let streams: Vec<Stream<'a>> = starts.iter().map(stream).collect();
        let batch =
            Batch { seed: 0, streams: &streams, max_steps: MAX_STEPS, detail: Detail::Sums };
        self.worker.playouts(&batch, &mut self.results, stop)?;
        for (number, tally) in self.results.streams.iter().enumerate() {
            let means = crate::playing::Means::of(tally, self.scale);
            for (role, value) in out.values_mut(number).iter_mut().enumerate() {
                *value = means.role(Role(role as u8));
            }
        }
        Ok(())
    }
}

impl Evaluate for Playouts {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let starts: Vec<&[u64]> = positions.iter().map(|position| position.state()).collect();
        if self.sharing() {
            self.leaves(&starts, out, stop)
        } else {
            self.streams(&starts, out, stop)
        }
    }

    /// As many as fill the lanes of a batch engine.
    fn batch(&self) -> usize {
        if self.worker.lanes() > 1 { (SIDE_BY_SIDE / self.each as usize).max(1) } else { 1 }
    }
}

impl fmt::Debug for Playouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playouts")
            .field("game", &self.game.info().name)
            .field("each", &self.each)
            .finish_non_exhaustive()
    }
}
