//! A sample of an information set by the game's own sampler.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Info, Move, Rng, Role, Step, Stop, Turn, Worker, Worlds};

use crate::exact::{Keep, finish_silent_steps};
use crate::views::{ViewId, Views};

/// The maximum number of samples. They are independent of each other, so few are enough.
const STATES: usize = 400;
/// The maximum number if the information states of all roles are needed, for which every history is
/// replayed.
const HISTORIES: usize = 64;
/// The minimum number, however few iterations a search has.
const FEWEST: usize = 64;
/// The number of draws per wanted sample.
const DRAWS: usize = 20;

/// Weighted samples, drawn afresh for every decision.
pub(crate) struct Dealt {
    worlds: Box<dyn Worlds>,
    worker: Box<dyn Worker>,
    info: Info,
    size: usize,
    /// How many iterations of a search share a state.
    tries: u64,
    states: Vec<Vec<u64>>,
    /// The logarithms of the weights, then the weights.
    weights: Vec<f64>,
    over: Vec<bool>,
    views: Option<Views>,
    lived: Vec<Vec<ViewId>>,
}

impl Dealt {
    pub(crate) fn new(
        game: &Arc<dyn Game>,
        worlds: Box<dyn Worlds>,
        worker: Box<dyn Worker>,
        keep: Keep,
        particles: usize,
        tries: u64,
    ) -> Self {
        let views = (keep == Keep::Views).then(|| Views::new(&**game));
        let most = if views.is_some() { HISTORIES } else { STATES };
        Dealt {
            worlds,
            worker,
            info: game.info().clone(),
            size: particles.clamp(1, most),
            tries: tries.max(1),
            states: Vec::new(),
            weights: Vec::new(),
            over: Vec::new(),
            views,
            lived: Vec::new(),
        }
    }

    /// Draws samples that agree with all turns. If the role has no choice, one is enough.
    pub(crate) fn follow(
        &mut self,
        turns: &[Turn],
        role: Role,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        budget: &Budget,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        self.worlds.follow(turns, rng, stop)?;
        self.states.clear();
        self.weights.clear();
        self.over.clear();
        self.lived.clear();
        // A search with few iterations cannot use many samples.
        let left = budget.left().map_or(usize::MAX, |left| (left / self.tries) as usize);
        let useful = left.max(FEWEST);
        let mut wanted = self.size.min(useful);
        let mut state = Vec::new();
        for draws in 0..DRAWS * self.size + 100 {
            let found = self.states.len();
            if found >= wanted || found > 0 && draws % 16 == 15 && !patience() {
                break;
            }
            let Some(weight) = self.worlds.draw(rng, &mut state, stop)? else { continue };
            self.worker.load(&state, stop)?;
            if self.worker.silent() {
                finish_silent_steps(&mut *self.worker, rng, stop)?;
                self.worker.save(&mut state);
            }
            let over = self.worker.terminal();
            if found == 0 && (over || self.worker.legal(role) == [Move::IDLE]) {
                wanted = 1;
            }
            self.over.push(over);
            self.weights.push(weight);
            self.states.push(state.clone());
            if self.views.is_some() {
                let lived = self.relive(turns.len(), stop)?;
                self.lived.push(lived);
            }
        }
        let most = self.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.weights.iter_mut().for_each(|weight| *weight = (*weight - most).exp());
        if self.states.is_empty() {
            return Err(Halt::Limit(
                "no deal was found that agrees with everything seen".to_owned(),
            ));
        }
        Ok(())
    }

    /// The information states of all roles in the history drawn last.
    fn relive(&mut self, turns: usize, stop: &Stop) -> Result<Vec<ViewId>, Halt> {
        let Some(views) = &mut self.views else { return Ok(Vec::new()) };
        let (mut joints, mut step) = (Vec::new(), Step::new());
        self.worlds.history(&mut joints);
        if joints.is_empty() && turns > 0 {
            return Err(Halt::Limit("the state that was drawn has no history".to_owned()));
        }
        let mut lived: Vec<ViewId> = self.info.all_roles().map(|role| views.root(role)).collect();
        self.worker.reset();
        for joint in joints.chunks(self.info.roles.len()) {
            self.worker.step(joint, &mut step, stop)?;
            views.live(&mut lived, &self.info, joint, &step);
        }
        Ok(lived)
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn state(&self, at: usize) -> &[u64] {
        &self.states[at]
    }

    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }

    pub(crate) fn is_over(&self, at: usize) -> bool {
        self.over[at]
    }

    pub(crate) fn views_of(&self, at: usize) -> &[ViewId] {
        self.lived.get(at).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn views(&self) -> Option<&Views> {
        self.views.as_ref()
    }

    pub(crate) fn into_worker(self) -> Box<dyn Worker> {
        self.worker
    }
}
