//! What a role believes: the exact information set while it can be had, a sample of it after that.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Budget, Game, Halt, Rng, Role, Stop, Turn, Worker};

use crate::Trouble;
use crate::cloud::Cloud;
use crate::exact::{Keep, Limits, Tracker};
use crate::model::{Model, Uniform};
use crate::pretend::pretend;
use crate::views::{ViewId, Views};

/// How a belief is kept.
#[derive(Clone)]
pub struct Settings {
    /// How large the exact information set may become.
    pub limits: Limits,
    /// The particles of a sample.
    pub particles: usize,
    /// Whether the histories of all roles are kept.
    pub keep: Keep,
    /// What the others are taken to do.
    pub model: Arc<dyn Model>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            limits: Limits { states: 10_000, steps: 400_000 },
            particles: 2_000,
            keep: Keep::States,
            model: Arc::new(Uniform),
        }
    }
}

/// What a role believes at its turn. The states are those in which the game goes on.
pub struct Belief {
    game: Arc<dyn Game>,
    role: Role,
    settings: Settings,
    turns: Vec<Turn>,
    /// Never empty but while it is exchanged.
    kind: Option<Kind>,
    /// The turns that lie before the sample.
    anchored: usize,
    /// The states to choose from, with the sums of their probabilities.
    open: Vec<(usize, f64)>,
}

enum Kind {
    Exact(Box<Tracker>),
    Sampled(Box<Cloud>),
}

/// The time is shared out: the exact information set may take a quarter of what is left, and a
/// sample another one. One course that agrees is looked for nearly to the end.
const EXACT: f64 = 0.75;
const SAMPLED: f64 = 0.5;
const HOPE: f64 = 0.15;

impl Belief {
    /// What a role believes before its first turn.
    pub fn new(
        game: Arc<dyn Game>,
        role: Role,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let worker = game.worker();
        Self::with_worker(game, worker, role, settings, stop)
    }

    /// The same, with a worker of the game that somebody had; to make one takes time.
    pub fn with_worker(
        game: Arc<dyn Game>,
        worker: Box<dyn Worker>,
        role: Role,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let Settings { limits, keep, model, .. } = &settings;
        let (shared, model) = (Arc::clone(&game), Arc::clone(model));
        let tracker = Tracker::with_worker(shared, worker, role, *keep, *limits, model, stop)?;
        let kind = Some(Kind::Exact(Box::new(tracker)));
        let (turns, open) = (Vec::new(), Vec::new());
        Ok(Belief { game, role, settings, turns, kind, anchored: 0, open })
    }

    /// Whether this is about the same game and the beginning of the same match.
    pub fn precedes(&self, game: &Arc<dyn Game>, role: Role, turns: &[Turn]) -> bool {
        Arc::ptr_eq(&self.game, game) && self.role == role && turns.starts_with(&self.turns)
    }

    /// Takes all turns into account that are new. Time is shared out by the budget; iterations are
    /// not taken from it.
    pub fn follow(&mut self, turns: &[Turn], budget: &Budget, rng: &mut Rng) -> Result<(), Halt> {
        let all = budget.remaining();
        for turn in &turns[self.turns.len().min(turns.len())..] {
            self.advance(turn, all, budget, rng)?;
            self.turns.push(turn.clone());
        }
        self.look()
    }

    fn advance(
        &mut self,
        turn: &Turn,
        all: Option<Duration>,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        let patience = |share: f64| {
            move || match (all, budget.remaining()) {
                (Some(all), Some(left)) => left > all.mul_f64(share),
                _ => true,
            }
        };
        if let Some(Kind::Exact(tracker)) = &mut self.kind {
            match tracker.advance_while(turn, &patience(EXACT), stop) {
                Ok(()) => return Ok(()),
                Err(Trouble::TooLarge) => self.sample(rng),
                Err(trouble) => return Err(trouble.into()),
            }
        }
        if let Some(Kind::Sampled(cloud)) = &mut self.kind {
            cloud.advance_while(turn, rng, &patience(SAMPLED), &patience(HOPE), stop)?;
            if cloud.distinct() < cloud.len() / 8 {
                cloud.rejuvenate(2, rng, &patience(SAMPLED), stop)?;
            }
        }
        Ok(())
    }

    /// Goes over from the exact information set to a sample of it.
    fn sample(&mut self, rng: &mut Rng) {
        let tracker = match self.kind.take() {
            Some(Kind::Exact(tracker)) => tracker,
            other => {
                self.kind = other;
                return;
            }
        };
        let (anchor, views, worker) = tracker.into_parts();
        let (game, model) = (Arc::clone(&self.game), Arc::clone(&self.settings.model));
        let (role, size) = (self.role, self.settings.particles);
        let mut cloud = Cloud::with_worker(game, worker, role, model, anchor, views, size, rng);
        cloud.ask();
        self.kind = Some(Kind::Sampled(Box::new(cloud)));
        self.anchored = self.turns.len();
    }

    /// The worker, for whoever comes next.
    pub fn into_worker(self) -> Box<dyn Worker> {
        match self.kind {
            Some(Kind::Exact(tracker)) => tracker.into_parts().2,
            Some(Kind::Sampled(cloud)) => cloud.into_worker(),
            None => self.game.worker(),
        }
    }

    /// Lists the states in which the game goes on.
    fn look(&mut self) -> Result<(), Halt> {
        self.open.clear();
        let mut sum = 0.0;
        for at in 0..self.all() {
            let (share, over) = match &self.kind {
                Some(Kind::Exact(t)) => (t.layer().share(at), t.layer().is_over(at)),
                Some(Kind::Sampled(cloud)) => (cloud.weight(at), cloud.is_over(at)),
                None => continue,
            };
            if share > 0.0 && !over {
                sum += share;
                self.open.push((at, sum));
            }
        }
        if !self.open.is_empty() {
            return Ok(());
        }
        let what = "no course of the game that goes on agrees with what the player saw";
        Err(Halt::Rules(what.to_owned()))
    }

    /// Brings a worker to some state that the game may be in, for when there was no time to find
    /// one that agrees with everything that was seen. It comes the closer to that the more is left
    /// of the budget.
    pub fn pretend(
        &self,
        turns: &[Turn],
        worker: &mut dyn Worker,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let (passed, state) = match &self.kind {
            Some(Kind::Sampled(cloud)) => {
                let (passed, state) = cloud.farthest();
                (self.anchored + passed, state)
            }
            Some(Kind::Exact(tracker)) => (self.turns.len(), tracker.layer().state(0)),
            None => return Err(Halt::Hidden),
        };
        worker.load(state, &Stop::never())?;
        let rest = turns.get(passed..).unwrap_or_default();
        let (all, stop) = (budget.remaining(), budget.stop());
        let hope = || {
            let late = all.zip(budget.remaining()).is_some_and(|(all, left)| left < all / 2);
            !late && !stop.is_set()
        };
        pretend(&*self.game, &*self.settings.model, self.role, rest, worker, rng, &hope)
    }

    fn all(&self) -> usize {
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().len(),
            Some(Kind::Sampled(cloud)) => cloud.len(),
            None => 0,
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// Whose belief it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// How many states there are, or particles.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether there are none, which is so only before [`follow`](Belief::follow).
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether all states are there with their exact probabilities.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind, Some(Kind::Exact(_)))
    }

    /// A state.
    pub fn state(&self, number: usize) -> &[u64] {
        let at = self.open[number].0;
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().state(at),
            Some(Kind::Sampled(cloud)) => cloud.state(at),
            None => &[],
        }
    }

    /// How likely a state is, or the weight of a particle.
    pub fn share(&self, number: usize) -> f64 {
        let before = if number == 0 { 0.0 } else { self.open[number - 1].1 };
        let total = self.open.last().map_or(1.0, |last| last.1);
        (self.open[number].1 - before) / total
    }

    /// The histories of all roles in a state, if they are kept.
    pub fn views_of(&self, number: usize) -> Vec<ViewId> {
        let at = self.open[number].0;
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().views(at).collect(),
            Some(Kind::Sampled(cloud)) => cloud.views_of(at).to_vec(),
            None => Vec::new(),
        }
    }

    /// All histories, if they are kept.
    pub fn views(&self) -> Option<&Views> {
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.views(),
            Some(Kind::Sampled(cloud)) => cloud.views(),
            None => None,
        }
    }

    /// The number of a state, drawn by how likely they are.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let total = self.open.last().map_or(0.0, |last| last.1);
        let point = rng.f64() * total;
        let number = self.open.partition_point(|&(_, sum)| sum <= point);
        number.min(self.open.len().saturating_sub(1))
    }
}

impl std::fmt::Debug for Belief {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Belief")
            .field("role", &self.role)
            .field("turns", &self.turns.len())
            .field("states", &self.open.len())
            .field("exact", &self.is_exact())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("limits", &self.limits)
            .field("particles", &self.particles)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}
