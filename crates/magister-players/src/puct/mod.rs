//! PUCT: a tree whose leaves are evaluated in batches by another player or a model.

mod search;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use magister_core::{Agent, Budget, Decision, Evaluate, Game, Halt, Rng, Stop, Thought, View};

use crate::follow::{Follower, Standing};
use crate::opinion::Opinion;
use crate::registry::{Arguments, Made};
use search::Search;

/// The default exploration constant and virtual loss.
pub(crate) const C: f64 = 1.25;
pub(crate) const LOSS: f64 = 1.0;

/// How strongly a search around learned values prefers moves by them.
pub(crate) const SHARP: f64 = 20.0;

/// How the tree grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    /// The exploration constant.
    pub(crate) c: f64,
    /// How strongly the prior favours moves with a higher immediate value; 0 is uniform.
    pub(crate) sharp: f64,
    /// The virtual loss of a pending descent; with 0 there is one descent at a time.
    pub(crate) loss: f64,
    /// The number of descents in a batch; 0 means as many as the evaluator wants.
    pub(crate) batch: usize,
    /// The memory of the tree in bytes.
    pub(crate) memory: usize,
}

/// Grows a tree with an evaluator for its leaves. Each role chooses simultaneous moves on its own
/// (decoupled); chance is sampled.
///
/// The leaves of several descents are evaluated in one call. Until their values are known, pending
/// descents count as losses for every role that made a choice (virtual loss), so that the next
/// descent goes elsewhere.
pub(crate) struct Puct {
    name: String,
    config: Config,
    inner: Box<dyn Agent>,
    follower: Follower,
}

impl Puct {
    /// A search around a player with learned values, with a memory limit in MiB. The values are
    /// good enough to prefer moves by them.
    pub(crate) fn around(name: &str, inner: Box<dyn Agent>, memory: usize) -> Self {
        let config = Config { c: C, sharp: SHARP, loss: LOSS, batch: 0, memory: memory << 20 };
        Puct { name: name.to_owned(), config, inner, follower: Follower::new() }
    }

    pub(crate) fn make(settings: &Arguments) -> Made {
        let config = Config {
            c: settings.real("c")?,
            sharp: settings.real("sharp")?,
            loss: settings.real("loss")?,
            batch: settings.whole("batch")? as usize,
            memory: (settings.whole("memory")? as usize) << 20,
        };
        Ok(Box::new(Puct {
            name: settings.text().to_owned(),
            config,
            inner: settings.player("inner")?,
            follower: Follower::new(),
        }))
    }
}

impl Agent for Puct {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.inner.prepare(view, stop)
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.inner.ready(view, budget, rng)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let mut opinion = Opinion::new(&mut *self.inner, view);
        decide(&mut self.follower, &mut opinion, self.config, view, budget, rng)
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.inner.value(view)
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        self.inner.value_until(view, stop)
    }

    fn evaluator(&mut self, game: &Arc<dyn Game>) -> Option<&mut dyn Evaluate> {
        self.inner.evaluator(game)
    }
}

/// Searches with an evaluator and returns the most visited move.
pub(crate) fn decide(
    follower: &mut Follower,
    evaluate: &mut dyn Evaluate,
    config: Config,
    view: &View,
    budget: &mut Budget,
    rng: &mut Rng,
) -> Result<Decision, Halt> {
    let me = view.role();
    let (worker, legal, state) = match follower.standing(view, budget.stop())? {
        Standing::Settled(decision) => return Ok(decision),
        Standing::Open { worker, legal, state } => (worker, legal, state),
    };
    let mut search = Search::new(worker, &state, me, evaluate, config);
    let iterations = search.run(budget, rng);
    let arms = search.arms(me);
    let most = arms.iter().max_by_key(|arm| arm.visits).filter(|arm| arm.visits > 0);
    let choice = most.map_or(legal[rng.below(legal.len() as u64) as usize], |arm| arm.choice);
    let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
    let thoughts = arms
        .iter()
        .filter(|arm| arm.visits > 0)
        .map(|arm| Thought {
            visits: u64::from(arm.visits),
            probability: Some(f64::from(arm.visits) / f64::from(visits)),
            ..Thought::new(arm.choice, arm.mean())
        })
        .collect();
    Ok(Decision { thoughts, iterations, ..choice.into() })
}
