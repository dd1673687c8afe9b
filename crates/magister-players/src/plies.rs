//! N-ply search around another player, which evaluates the leaves.

use std::sync::Arc;

use magister_core::{Agent, Budget, Decision, Evaluate, Game, Halt, Move, Rng, Stop, View, Worker};

use crate::combine::Outlook;
use crate::follow::{Follower, Standing};
use crate::lookahead::Lookahead;
use crate::opinion::Opinion;
use crate::registry::{Arguments, Made};

/// Searches a fixed number of moves ahead (max-n and expectimax) and uses another player's values
/// at the leaves.
pub(crate) struct Plies {
    name: String,
    depth: u32,
    inner: Box<dyn Agent>,
    follower: Follower,
}

impl Plies {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Ok(Box::new(Plies {
            name: settings.text().to_owned(),
            depth: settings.whole("depth")?,
            inner: settings.player("inner")?,
            follower: Follower::new(),
        }))
    }
}

impl Agent for Plies {
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
        let me = view.role();
        let (worker, legal, state) = match self.follower.standing(view, budget.stop())? {
            Standing::Settled(decision) => return Ok(decision),
            Standing::Open { worker, legal, state } => (worker, legal, state),
        };
        let mut opinion = Opinion::new(&mut *self.inner, view);
        let stop = budget.stop().clone();
        let mut judge =
            |worker: &mut dyn Worker, path: &[Box<[Move]>]| opinion.of(worker, path, &stop);
        let mut search = Lookahead::new(worker, budget, Outlook::Selfish, me);
        search.judge = Some(&mut judge);
        // The answer is legal, however small the budget is, and the shallower searches cost little.
        let mut decision: Decision = legal[rng.below(legal.len() as u64) as usize].into();
        for depth in 1..=self.depth {
            search.horizon = false;
            let Ok(root) = search.root(&state, depth) else { break };
            if (root.complete || depth == 1)
                && let Some(better) = root.decide(Outlook::Selfish, me, rng)
            {
                decision = better;
            }
            if !root.complete || !search.horizon {
                break;
            }
        }
        Ok(Decision { iterations: search.nodes, ..decision })
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
