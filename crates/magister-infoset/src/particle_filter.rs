//! A particle filter: weighted samples of the histories that are consistent with a role's
//! observations.
//!
//! A particle is a history that starts in a state of an exact information set, the anchor. Turn by
//! turn, the moves of the others and of chance are sampled from the model; a history that
//! contradicts an observation is discarded. If few agree, each particle gets several tries, or all
//! joint moves are enumerated, and its weight is multiplied by the share that agreed. That keeps
//! sums over particles unbiased. When the weights become uneven, the particles are resampled.
//!
//! When no particle is left, the filter restarts at the anchor with more tries. Only after repeated
//! failures, an exhaustive search looks for one consistent history, and `rejuvenate` diversifies
//! its copies.

mod accessors;
mod drawn;
mod particles;
mod pass;
mod propose;
mod together;

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker};

use crate::InfosetError;
use crate::exact::Layer;
use crate::hints::Hints;
use crate::joints::Joints;
use crate::model::Model;
use crate::proposal::Proposal;
use crate::search::{Lifeline, Means, Question, Search};
use crate::trail::{START, Trails};
use crate::views::{ViewId, Views};
use particles::Particles;
use propose::{Candidate, Looked};
use together::Together;

/// The number of particles that are advanced in one block.
const BLOCK: usize = 64;
/// The steps for finding one consistent history before the particles are advanced.
const EFFORT: u32 = 300;
/// The number of restarts at the anchor before the exhaustive search.
const RESTARTS: u32 = 3;

/// Weighted samples of histories.
pub struct ParticleFilter {
    pub(crate) game: Arc<dyn Game>,
    pub(crate) role: Role,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) worker: Box<dyn Worker>,
    pub(crate) anchor: Layer,
    /// The observations since the anchor.
    pub(crate) turns: Vec<Turn>,
    pub(crate) views: Option<Views>,
    pub(crate) now: Particles,
    pub(crate) trails: Trails,
    /// The desired number of particles.
    pub(crate) size: usize,
    /// Whether the particles come from the exhaustive search. They then carry no information about
    /// probabilities until rejuvenation has diversified them.
    pub(crate) found: bool,
    /// Whether the role is asked for a move after each turn, which implies that the game is not
    /// over.
    asked: bool,
    hints: Hints,
    proposal: Proposal,
    /// One consistent history, independent of the particles.
    lifeline: Lifeline,
    /// The natural logarithm of the estimated probability of the observations since the anchor.
    log: f64,
    spare: Particles,
    joints: Joints,
    joint: Vec<Move>,
    step: Step,
    best: Candidate,
    looked: Looked,
    together: Together,
    made: u64,
    survived: usize,
}

impl ParticleFilter {
    /// Draws particles from an exact information set, with the information states of all roles if
    /// it has them.
    pub fn new(
        game: Arc<dyn Game>,
        role: Role,
        model: Arc<dyn Model>,
        anchor: Layer,
        views: Option<Views>,
        size: usize,
        rng: &mut Rng,
    ) -> Self {
        let worker = game.worker();
        Self::with_worker(game, worker, role, model, anchor, views, size, rng)
    }

    /// As [`ParticleFilter::new`], but reuses an existing worker, because creating one takes time.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a particle filter")]
    pub fn with_worker(
        game: Arc<dyn Game>,
        worker: Box<dyn Worker>,
        role: Role,
        model: Arc<dyn Model>,
        anchor: Layer,
        views: Option<Views>,
        size: usize,
        rng: &mut Rng,
    ) -> Self {
        let roles = game.info().roles.len();
        let lifeline = Lifeline::new(&anchor, rng);
        let mut filter = ParticleFilter {
            game,
            role,
            model,
            worker,
            anchor,
            turns: Vec::new(),
            views,
            now: Particles::default(),
            trails: Trails::new(roles),
            size: size.max(1),
            found: false,
            asked: false,
            hints: Hints::default(),
            proposal: Proposal::default(),
            lifeline,
            log: 0.0,
            spare: Particles::default(),
            joints: Joints::default(),
            joint: Vec::new(),
            step: Step::new(),
            best: Candidate::default(),
            looked: Looked::default(),
            together: Together::default(),
            made: 0,
            survived: 0,
        };
        filter.begin(rng);
        filter
    }

    /// Returns the worker for reuse.
    pub(crate) fn into_worker(self) -> Box<dyn Worker> {
        self.worker
    }

    /// From the next turn on, treats a request for a move as evidence that the game is not over.
    pub fn ask(&mut self) {
        self.asked = true;
    }

    /// Adds a turn. When the caller's patience ends early, fewer particles remain, but at least
    /// one.
    pub fn advance(
        &mut self,
        turn: &Turn,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        self.advance_while(turn, rng, patience, &|| true, stop)
    }

    /// As [`advance`](ParticleFilter::advance), but the search for one consistent history is
    /// limited by `hope`; [`InfosetError::TooLarge`] if none was found.
    pub fn advance_while(
        &mut self,
        turn: &Turn,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        hope: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        self.turns.push(turn.clone());
        let result = self.go_on(rng, patience, hope, stop);
        if result.is_err() {
            // A partial pass is not an unbiased sample; the next turn restarts at the anchor.
            self.turns.pop();
            self.hints.forget();
            self.now.clear();
        }
        result
    }

    fn go_on(
        &mut self,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        hope: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        let lost = self.now.len() == 0;
        let last = self.turns.len() - 1;
        // If steps are slow, the particles may not finish in time, but one history often does.
        let quick = std::cell::Cell::new(0);
        let effort = || {
            quick.set(quick.get() + 1);
            quick.get() < EFFORT && patience()
        };
        let held = self.hold_on(rng, &effort, stop)?;
        if held == Search::Impossible {
            return Err(InfosetError::Impossible { turn: last });
        }
        if self.pass(last, 1, rng, patience, stop)? {
            self.even_out(rng);
            self.adopt(held, rng);
            return Ok(());
        }
        for restart in 1..=RESTARTS {
            // A pass that ran out of time would do so again.
            if lost || !patience() {
                break;
            }
            self.begin(rng);
            self.found = false;
            self.log = 0.0;
            let mut alive = true;
            for turn in 0..self.turns.len() {
                alive = self.pass(turn, 1 << (2 * restart), rng, patience, stop)?;
                if !alive {
                    break;
                }
                self.even_out(rng);
            }
            if alive {
                self.adopt(held, rng);
                return Ok(());
            }
        }
        match self.hold_on(rng, hope, stop)? {
            Search::Found => {}
            Search::Impossible => return Err(InfosetError::Impossible { turn: last }),
            Search::Tired => return Err(InfosetError::TooLarge),
        }
        self.begin_again(rng, patience, stop)
    }

    /// Continues from a particle if the lifeline reached a dead end.
    fn adopt(&mut self, held: Search, rng: &mut Rng) {
        if held == Search::Found {
            return;
        }
        let at = rng.below(self.now.len() as u64) as usize;
        let path = self.trails.path(self.now.trails[at]);
        let roles = self.game.info().roles.len();
        let views: &[ViewId] =
            if self.views.is_none() { &[] } else { &self.now.views[at * roles..][..roles] };
        let history = (self.now.origins[at], path);
        let end = (self.now.states.get(at), views);
        self.lifeline.adopt(&self.anchor, history, end, self.turns.len(), rng);
    }

    /// Adds the last step to the information states of all roles except chance.
    pub(crate) fn extend(&mut self, lived: &mut [ViewId], joint: &[Move]) {
        let Some(views) = &mut self.views else { return };
        views.live(lived, self.game.info(), joint, &self.step);
    }

    /// The worker and the step buffer, for replays.
    pub(crate) fn replayer(&mut self) -> (&mut dyn Worker, &mut Step) {
        (&mut *self.worker, &mut self.step)
    }

    /// The result of the last step.
    pub(crate) fn last_step(&self) -> &Step {
        &self.step
    }

    /// The last resort: copies of the lifeline, diversified while patience lasts.
    fn begin_again(
        &mut self,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        let (origin, path, state, views) = self.lifeline.history();
        self.now.clear();
        self.found = true;
        self.trails = Trails::new(self.game.info().roles.len());
        self.now.trails.push(self.trails.extend(START, path));
        self.now.origins.push(origin);
        self.now.weights.push(1.0);
        self.now.states.push(state);
        self.now.over.push(false);
        self.now.views.extend_from_slice(views);
        self.resample(self.size, rng);
        self.rejuvenate(self.turns.len() + 1, rng, patience, stop)
    }

    /// Extends the lifeline: one history that is consistent with all observations.
    fn hold_on(
        &mut self,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Search, Halt> {
        let question = Question {
            game: &*self.game,
            role: self.role,
            model: &*self.model,
            anchor: &self.anchor,
            turns: &self.turns,
            asked: self.asked,
        };
        let mut means = Means {
            worker: &mut *self.worker,
            histories: &mut self.views,
            hints: &mut self.hints,
            rng,
            stop,
        };
        self.lifeline.follow(question, &mut means, patience)
    }

    /// The largest number of turns since the anchor that any consistent history reached, and its
    /// last state.
    pub(crate) fn farthest(&self) -> (usize, &[u64]) {
        self.lifeline.farthest().unwrap_or((0, self.anchor.state(0)))
    }
}

impl std::fmt::Debug for ParticleFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParticleFilter")
            .field("role", &self.role)
            .field("particles", &self.now.len())
            .field("turns", &self.turns.len())
            .finish_non_exhaustive()
    }
}
