//! Flat Monte Carlo: playouts after each legal move; the best mean wins.

use std::sync::Arc;

use magister_core::playout::LANES;
use magister_core::{
    Agent, Batch, Budget, Decision, Detail, Evaluate, Evaluations, Game, Halt, Move, Positions,
    Results, Rng, Step, Stop, Stream, Thought, View,
};

use crate::choices::Choices;
use crate::follow::Follower;
use crate::playing::{MAX_STEPS, Means};
use crate::playouts::Playouts;
use crate::registry::{Arguments, Made};
use crate::rewards::Scale;

/// Plays random games after each of its moves, the same number for each.
pub(crate) struct Flat {
    name: String,
    /// The number of playouts for the value of a position.
    playouts: u32,
    follower: Follower,
    /// The batch evaluator of the last game.
    evaluator: Option<Playouts>,
}

impl Flat {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let (name, playouts) = (settings.text().to_owned(), settings.whole("playouts")?);
        Ok(Box::new(Flat { name, playouts, follower: Follower::new(), evaluator: None }))
    }
}

impl Agent for Flat {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let me = view.role();
        let worker = self.follower.follow(view, budget.stop())?;
        let choices = Choices::of(worker);
        let moves = choices.moves(me).to_vec();
        if moves.len() < 2 {
            return Ok(moves.first().copied().unwrap_or(Move::IDLE).into());
        }
        let scale = Scale::of(worker.info());
        let place = choices.actors().iter().position(|&actor| actor == me).unwrap_or(0);
        let mut root = Vec::new();
        worker.save(&mut root);
        let stop = budget.stop().clone();
        // For a batch engine, a stream costs as much as one playout.
        let quota = if worker.lanes() > 1 { LANES as u64 } else { 1 };
        let mut sums = vec![(0.0, 0_u64); moves.len()];
        let (mut step, mut results) = (Step::new(), Results::default());
        let mut starts = vec![Vec::new(); moves.len()];
        let mut gains = vec![0.0; moves.len()];
        let fallback = moves[rng.below(moves.len() as u64) as usize];
        for round in 0_u64.. {
            // The last rounds of a small budget are smaller.
            let share = budget.left().map_or(quota, |left| quota.min(left / moves.len() as u64));
            if share == 0 || !budget.spend(share * moves.len() as u64) {
                break;
            }
            // The others and chance move at random, simultaneously with my move.
            let mut started = Ok(());
            for (at, start) in starts.iter_mut().enumerate() {
                let mut picks: Vec<usize> = choices
                    .actors()
                    .iter()
                    .map(|&actor| rng.below(choices.moves(actor).len() as u64) as usize)
                    .collect();
                picks[place] = at;
                let outcome = crate::playing::outcome(choices.probabilities(), rng);
                let joint = choices.joint(choices.profile(&picks), outcome);
                started =
                    worker.load(&root, &stop).and_then(|()| worker.step(&joint, &mut step, &stop));
                if started.is_err() {
                    break;
                }
                worker.save(start);
                gains[at] = step.gains.get(me.index()).copied().unwrap_or(0.0);
            }
            let streams: Vec<Stream<'_>> = starts
                .iter()
                .enumerate()
                .map(|(at, start)| {
                    let id = round * moves.len() as u64 + at as u64;
                    Stream { id, start, quota: share as u32 }
                })
                .collect();
            let seed = rng.next_u64();
            let batch =
                Batch { seed, streams: &streams, max_steps: MAX_STEPS, detail: Detail::Sums };
            // If the rules fail in a later position, the player still has to move here.
            if started.and_then(|()| worker.playouts(&batch, &mut results, &stop)).is_err() {
                break;
            }
            for ((sum, tally), gain) in sums.iter_mut().zip(&results.streams).zip(&gains) {
                sum.0 += (Means::of(tally, scale).role(me) + gain) * share as f64;
                sum.1 += share;
            }
        }
        let mean = |at: usize| sums[at].0 / sums[at].1 as f64;
        let best = (0..moves.len())
            .filter(|&at| sums[at].1 > 0)
            .reduce(|a, b| if mean(b) > mean(a) { b } else { a });
        let thoughts = (0..moves.len())
            .filter(|&at| sums[at].1 > 0)
            .map(|at| Thought { visits: sums[at].1, ..Thought::new(moves[at], mean(at)) })
            .collect();
        let iterations = sums.iter().map(|sum| sum.1).sum();
        let choice = best.map_or(fallback, |at| moves[at]);
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.value_until(view, &Stop::never())
    }

    /// The mean of some playouts, with fixed random numbers.
    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        let worker = self.follower.follow(view, stop).ok()?;
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut one = Positions::new(worker.info().roles.len(), view.role());
        one.push(&state, []);
        let mut out = Evaluations::default();
        out.reset(&one, Scale::of(worker.info()).low);
        self.evaluator(view.game())?.evaluate(&one, &mut out, stop).ok()?;
        Some(out.values(0).to_vec())
    }

    fn evaluator(&mut self, game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        if !self.evaluator.as_ref().is_some_and(|playouts| playouts.is_of(game)) {
            self.evaluator = Some(Playouts::new(game, self.playouts));
        }
        self.evaluator.as_mut().map(|playouts| playouts as &mut dyn Evaluate)
    }
}
