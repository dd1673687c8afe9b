//! Courses of the game that agree with what a role saw, sampled, with weights.
//!
//! A particle is a course of the game from one of the states of an exact information set, its
//! anchor. Turn by turn, the moves of the others and of chance are drawn as they would be made; a
//! course that does not agree with what was seen is given up. Where few agree, each particle is
//! given several tries, or all joint moves are looked at, and its weight is multiplied by the share
//! that agreed: then sums over particles are what they would have been without that, on average.
//! Where the weights have become uneven, particles are drawn anew by their weights.
//!
//! Where none is left, all begins again at the anchor, with more tries. Only if that fails again
//! and again a course is looked for by trying everything; it is spread by `rejuvenate`.

mod drawn;
mod particles;
mod pass;
mod propose;
mod together;
mod told;

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker};

use crate::Trouble;
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

/// Particles that are advanced one after the other.
const BLOCK: usize = 64;
/// Steps for one course that agrees, before the particles are looked at.
const EFFORT: u32 = 300;
/// How often all begins again at the anchor before everything is tried.
const RESTARTS: u32 = 3;

/// Sampled courses of the game with weights.
pub struct Cloud {
    pub(crate) game: Arc<dyn Game>,
    pub(crate) role: Role,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) worker: Box<dyn Worker>,
    pub(crate) anchor: Layer,
    /// What was seen since the anchor.
    pub(crate) turns: Vec<Turn>,
    pub(crate) views: Option<Views>,
    pub(crate) now: Particles,
    pub(crate) trails: Trails,
    /// How many particles there should be.
    pub(crate) size: usize,
    /// The particles that were looked for by trying everything say nothing about probabilities
    /// until they have been spread.
    pub(crate) found: bool,
    /// Whether the role is asked for a move after each turn, so that the game is not over.
    asked: bool,
    hints: Hints,
    proposal: Proposal,
    /// One course that agrees, whatever becomes of the particles.
    lifeline: Lifeline,
    /// The natural logarithm of the estimated probability of what was seen since the anchor.
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

impl Cloud {
    /// Draws particles from an exact information set. With the histories of all roles, if they
    /// were kept there.
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

    /// The same, with a worker of the game that somebody had; to make one takes time.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a cloud")]
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
        let mut cloud = Cloud {
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
        cloud.begin(rng);
        cloud
    }

    /// The worker, for whoever comes next.
    pub(crate) fn into_worker(self) -> Box<dyn Worker> {
        self.worker
    }

    /// Lets being asked for a move count as evidence that the game is not over, from the next turn
    /// on.
    pub fn ask(&mut self) {
        self.asked = true;
    }

    /// Takes a turn into account, as long as the caller has patience: then fewer particles are
    /// left, but one at least.
    pub fn advance(
        &mut self,
        turn: &Turn,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Trouble> {
        self.advance_while(turn, rng, patience, &|| true, stop)
    }

    /// The same, but one is looked for only as long as there is hope; [`Trouble::TooLarge`] if it
    /// was not found.
    pub fn advance_while(
        &mut self,
        turn: &Turn,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        hope: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Trouble> {
        self.turns.push(turn.clone());
        let result = self.go_on(rng, patience, hope, stop);
        if result.is_err() {
            // What is half done is no sample; the next turn begins again at the anchor.
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
    ) -> Result<(), Trouble> {
        let lost = self.now.len() == 0;
        let last = self.turns.len() - 1;
        // Where steps are slow, particles may not come through in time; one course often does.
        let quick = std::cell::Cell::new(0);
        let effort = || {
            quick.set(quick.get() + 1);
            quick.get() < EFFORT && patience()
        };
        let held = self.hold_on(rng, &effort, stop)?;
        if held == Search::Impossible {
            return Err(Trouble::Impossible { turn: last });
        }
        if self.pass(last, 1, rng, patience, stop)? {
            self.even_out(rng);
            self.adopt(held, rng);
            return Ok(());
        }
        for restart in 1..=RESTARTS {
            // Who has run out of time before will again.
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
            Search::Impossible => return Err(Trouble::Impossible { turn: last }),
            Search::Tired => return Err(Trouble::TooLarge),
        }
        self.begin_again(rng, patience, stop)
    }

    /// Goes on from a particle, if the course that was held on to came to nothing.
    fn adopt(&mut self, held: Search, rng: &mut Rng) {
        if held == Search::Found {
            return;
        }
        let at = rng.below(self.now.len() as u64) as usize;
        let path = self.trails.path(self.now.trails[at]);
        let roles = self.game.info().roles.len();
        let views: &[ViewId] =
            if self.views.is_none() { &[] } else { &self.now.views[at * roles..][..roles] };
        let course = (self.now.origins[at], path);
        let end = (self.now.states.get(at), views);
        self.lifeline.adopt(&self.anchor, course, end, self.turns.len(), rng);
    }

    /// Adds the step that was made to the histories of all roles but chance, which remembers
    /// nothing.
    pub(crate) fn extend(&mut self, lived: &mut [ViewId], joint: &[Move]) {
        let Some(views) = &mut self.views else { return };
        views.live(lived, self.game.info(), joint, &self.step);
    }

    /// What replays work with.
    pub(crate) fn replayer(&mut self) -> (&mut dyn Worker, &mut Step) {
        (&mut *self.worker, &mut self.step)
    }

    /// What came of the step that was made last.
    pub(crate) fn last_step(&self) -> &Step {
        &self.step
    }

    /// The last resort: copies of the one course that was held on to, spread as far as there is
    /// patience for it.
    fn begin_again(
        &mut self,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Trouble> {
        let (origin, path, state, views) = self.lifeline.course();
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

    /// Keeps one course that agrees with everything.
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

    /// How far any course came that agreed: so many turns since the anchor, and the state it came
    /// to.
    pub(crate) fn farthest(&self) -> (usize, &[u64]) {
        self.lifeline.farthest().unwrap_or((0, self.anchor.state(0)))
    }
}

impl std::fmt::Debug for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cloud")
            .field("role", &self.role)
            .field("particles", &self.now.len())
            .field("turns", &self.turns.len())
            .finish_non_exhaustive()
    }
}
