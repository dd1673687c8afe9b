//! The exact information set: all possible states with their probabilities.

mod layer;

pub use layer::Layer;

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{
    Game, Halt, Move, Observation, Percept, Rng, Role, Step, Stop, Turn, Worker, draw,
};

use crate::InfosetError;
use crate::evidence::{perceived, possible};
use crate::joints::{Joints, share_of};
use crate::model::{Model, Uniform};
use crate::views::Views;

/// How large an information set may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfosetLimits {
    /// The maximum number of states.
    pub states: usize,
    /// The maximum number of steps for one turn.
    pub steps: u64,
}

impl Default for InfosetLimits {
    fn default() -> Self {
        InfosetLimits { states: 1_000_000, steps: 100_000_000 }
    }
}

/// Which histories are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Merge histories that end in the same state. Sufficient if the other players are assumed to
    /// know the state, or to know nothing.
    States,
    /// Merge histories that end in the same state and give every role the same information state.
    /// Needed to reason about the knowledge of the others.
    Views,
}

/// The exact information set of a role, turn by turn.
///
/// ```
/// use magister_core::{Game, Native, Role, Stop, examples::Countdown};
/// use magister_infoset::Tracker;
/// let game: std::sync::Arc<dyn Game> = std::sync::Arc::new(Native::new(Countdown(5)));
/// let tracker = Tracker::new(game, Role(0), &Stop::never())?;
/// assert_eq!(tracker.layer().len(), 1);
/// # Ok::<(), magister_infoset::InfosetError>(())
/// ```
pub struct Tracker {
    game: Arc<dyn Game>,
    role: Role,
    model: Arc<dyn Model>,
    limits: InfosetLimits,
    worker: Box<dyn Worker>,
    views: Option<Views>,
    layer: Layer,
    turns: usize,
    probability: f64,
    log: f64,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    joints: Joints,
    joint: Vec<Move>,
    step: Step,
    row: Vec<u64>,
    steps: u64,
}

impl Tracker {
    /// The information set before the first turn. The others are assumed to play uniformly at
    /// random, and histories are merged by state.
    pub fn new(game: Arc<dyn Game>, role: Role, stop: &Stop) -> Result<Self, InfosetError> {
        Self::with(game, role, Keep::States, InfosetLimits::default(), Arc::new(Uniform), stop)
    }

    /// The information set before the first turn.
    pub fn with(
        game: Arc<dyn Game>,
        role: Role,
        keep: Keep,
        limits: InfosetLimits,
        model: Arc<dyn Model>,
        stop: &Stop,
    ) -> Result<Self, InfosetError> {
        let worker = game.worker();
        Self::with_worker(game, worker, role, keep, limits, model, stop)
    }

    /// As [`Tracker::with`], but reuses an existing worker, because creating one takes time.
    pub fn with_worker(
        game: Arc<dyn Game>,
        mut worker: Box<dyn Worker>,
        role: Role,
        keep: Keep,
        limits: InfosetLimits,
        model: Arc<dyn Model>,
        stop: &Stop,
    ) -> Result<Self, InfosetError> {
        worker.reset();
        let views = (keep == Keep::Views).then(|| Views::new(&*game));
        let mut layer = Layer::new(tail(&*game, views.as_ref()));
        layer.add(&first_row(&*game, &*worker, views.as_ref()), 1.0, 1.0, worker.terminal());
        let mut tracker = Tracker {
            game,
            role,
            model,
            limits,
            worker,
            views,
            layer,
            turns: 0,
            probability: 1.0,
            log: 0.0,
            scratch: Scratch::default(),
        };
        let layer = std::mem::take(&mut tracker.layer);
        tracker.layer = tracker.settled(layer, &|| true, stop)?;
        Ok(tracker)
    }

    /// States at the first turn, drawn at random, for games whose start cannot be enumerated.
    pub(crate) fn draw_start(
        game: &Arc<dyn Game>,
        worker: &mut dyn Worker,
        keep: Keep,
        count: usize,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(Layer, Option<Views>), Halt> {
        let views = (keep == Keep::Views).then(|| Views::new(&**game));
        let mut layer = Layer::new(tail(&**game, views.as_ref()));
        let share = 1.0 / count.max(1) as f64;
        for _ in 0..count.max(1) {
            worker.reset();
            finish_silent_steps(worker, rng, stop)?;
            layer.add(&first_row(&**game, worker, views.as_ref()), share, 1.0, worker.terminal());
        }
        Ok((layer, views))
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The role that holds this information set.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The number of turns so far.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// The states, including those in which the game is over.
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    /// The information states of all roles, if they are stored.
    pub fn views(&self) -> Option<&Views> {
        self.views.as_ref()
    }

    /// As [`Tracker::views`], for adding possible future observations.
    pub fn views_mut(&mut self) -> Option<&mut Views> {
        self.views.as_mut()
    }

    /// The states, the information states and the worker.
    pub(crate) fn into_parts(self) -> (Layer, Option<Views>, Box<dyn Worker>) {
        (self.layer, self.views, self.worker)
    }

    /// The probability of everything that was observed, given the role's own moves.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// The natural logarithm of [`probability`](Tracker::probability), which does not underflow in
    /// long matches.
    pub fn log_probability(&self) -> f64 {
        self.log
    }

    /// Adds a turn. After an error the tracker is unchanged.
    pub fn advance(&mut self, turn: &Turn, stop: &Stop) -> Result<(), InfosetError> {
        self.advance_while(turn, &|| true, stop)
    }

    /// As [`advance`](Tracker::advance), but returns [`InfosetError::TooLarge`] when the caller's
    /// patience ends.
    pub fn advance_while(
        &mut self,
        turn: &Turn,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        self.scratch.steps = 0;
        let mut next = Layer::new(self.layer.tail);
        for at in 0..self.layer.len() {
            self.spread(at, Some(turn), &mut next, patience, stop)?;
        }
        if next.is_empty() {
            return Err(InfosetError::Impossible { turn: self.turns });
        }
        let mut next = self.settled(next, patience, stop)?;
        let total = next.normalise();
        self.probability *= total;
        self.log += total.ln();
        self.layer = next;
        self.turns += 1;
        Ok(())
    }

    /// The possible observations of the role after a move, with probabilities. Empty if the move is
    /// legal in no state.
    pub fn outlook(
        &mut self,
        own: Move,
        stop: &Stop,
    ) -> Result<BTreeMap<Box<[Percept]>, f64>, InfosetError> {
        let mut seen: BTreeMap<Box<[Percept]>, f64> = BTreeMap::new();
        self.scratch.steps = 0;
        for at in 0..self.layer.len() {
            let Scratch { joints, joint, step, steps, .. } = &mut self.scratch;
            self.worker.load(self.layer.state(at), stop)?;
            if !joints.look(&*self.worker, &*self.model, self.role, Some(own)) {
                continue;
            }
            for number in 0..joints.count() {
                *steps += 1;
                if *steps > self.limits.steps {
                    return Err(InfosetError::TooLarge);
                }
                stop.check()?;
                let share = joints.write(number, joint) * self.layer.shares[at];
                self.worker.load(self.layer.state(at), stop)?;
                if possible(self.worker.step(joint, step, stop))? {
                    *seen.entry(step.percepts.of(self.role).into()).or_default() += share;
                }
            }
        }
        Ok(seen)
    }

    /// Keeps only the states in which the game is not over: a role that is asked for a move knows
    /// that it is not.
    pub fn open(&mut self) -> Result<(), InfosetError> {
        let mut open = Layer::new(self.layer.tail);
        for at in 0..self.layer.len() {
            if !self.layer.over[at] {
                open.copy(&self.layer, at);
            }
        }
        if open.is_empty() {
            return Err(InfosetError::Impossible { turn: self.turns.saturating_sub(1) });
        }
        if open.len() < self.layer.len() {
            let total = open.normalise();
            self.probability *= total;
            self.log += total.ln();
            self.layer = open;
        }
        Ok(())
    }

    /// Resolves the silent steps of chance until the players have a turn in every state.
    fn settled(
        &mut self,
        mut layer: Layer,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Layer, InfosetError> {
        loop {
            let mut next = Layer::new(layer.tail);
            std::mem::swap(&mut self.layer, &mut layer);
            let result = self.settle_once(&mut next, patience, stop);
            std::mem::swap(&mut self.layer, &mut layer);
            if !result? {
                return Ok(next);
            }
            layer = next;
        }
    }

    /// Makes one silent step in every state that needs one; returns whether there was any.
    fn settle_once(
        &mut self,
        next: &mut Layer,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<bool, InfosetError> {
        let mut any = false;
        for at in 0..self.layer.len() {
            self.worker.load(self.layer.state(at), stop)?;
            if self.worker.silent() {
                any = true;
                self.spread(at, None, next, patience, stop)?;
            } else {
                next.copy(&self.layer, at);
            }
        }
        Ok(any)
    }

    /// Makes all steps from a state that agree with a turn, or all silent steps.
    fn spread(
        &mut self,
        at: usize,
        turn: Option<&Turn>,
        next: &mut Layer,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), InfosetError> {
        let Scratch { joints, joint, step, row, steps } = &mut self.scratch;
        let (share, histories) = (self.layer.shares[at], self.layer.histories[at]);
        self.worker.load(self.layer.state(at), stop)?;
        let own = turn.map(|turn| turn.own);
        if !joints.look(&*self.worker, &*self.model, self.role, own) {
            return Ok(());
        }
        // A role that observed the joint move need not try any other.
        let seen = turn.and_then(|turn| match &turn.seen {
            Observation::Joint(seen) => Some(seen),
            Observation::Percepts(_) => None,
        });
        let known = seen.map(|seen| {
            let (worker, model) = (&*self.worker, &*self.model);
            share_of(worker, model, self.role, seen, true, &mut Vec::new())
        });
        let count = match known {
            Some(likely) => u64::from(likely > 0.0),
            None => joints.count(),
        };
        if steps.saturating_add(count) > self.limits.steps {
            return Err(InfosetError::TooLarge);
        }
        // If few joint moves agree, computing percepts first saves steps.
        let (mut there, mut agreed) = (true, 0);
        for number in 0..count {
            *steps += 1;
            if (*steps).is_multiple_of(8) && !patience() {
                return Err(InfosetError::TooLarge);
            }
            stop.check()?;
            let likely = match (seen, known) {
                (Some(seen), Some(likely)) => {
                    joint.clear();
                    joint.extend_from_slice(seen);
                    likely
                }
                _ => joints.write(number, joint),
            };
            if !std::mem::take(&mut there) {
                self.worker.load(self.layer.state(at), stop)?;
            }
            if let Some(turn) = turn.filter(|_| 2 * agreed < number)
                && perceived(self.worker.perceive(joint, step, stop))?
                && !turn.seen.agrees(self.role, joint, step)
            {
                there = true;
                continue;
            }
            if !possible(self.worker.step(joint, step, stop))? {
                continue;
            }
            if turn.is_some_and(|turn| !turn.seen.agrees(self.role, joint, step)) {
                continue;
            }
            agreed += 1;
            self.worker.save(row);
            if let Some(views) = &mut self.views {
                let before = self.layer.views(at);
                let info = self.game.info();
                for (role, view) in info.all_roles().zip(before) {
                    // Chance has no information state.
                    let lived = step.tick && info.chance != Some(role);
                    let view = if lived { views.extend(view, role, joint, step) } else { view };
                    row.push(u64::from(view.0));
                }
            }
            next.add(row, share * likely, histories, self.worker.terminal());
            if next.len() > self.limits.states {
                return Err(InfosetError::TooLarge);
            }
        }
        Ok(())
    }
}

/// The number of words that follow each state of a layer.
fn tail(game: &dyn Game, views: Option<&Views>) -> usize {
    if views.is_some() { game.info().roles.len() } else { 0 }
}

/// The state of a worker before the first turn, with the information states of all roles.
fn first_row(game: &dyn Game, worker: &dyn Worker, views: Option<&Views>) -> Vec<u64> {
    let mut row = Vec::new();
    worker.save(&mut row);
    if let Some(views) = views {
        row.extend(game.info().all_roles().map(|role| u64::from(views.root(role).0)));
    }
    row
}

/// Makes the silent steps of chance until the players have a turn.
pub(crate) fn finish_silent_steps(
    worker: &mut dyn Worker,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<(), Halt> {
    let (mut joint, mut step) = (Vec::new(), Step::new());
    while !worker.terminal() && worker.silent() {
        joint.clear();
        for role in worker.info().all_roles() {
            let chance = worker.info().chance == Some(role);
            let weights = if chance { worker.weights() } else { &[] };
            joint.extend(draw(worker.legal(role), weights, rng));
        }
        worker.step(&joint, &mut step, stop)?;
    }
    Ok(())
}

impl std::fmt::Debug for Tracker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracker")
            .field("role", &self.role)
            .field("turns", &self.turns)
            .field("states", &self.layer.len())
            .finish_non_exhaustive()
    }
}
