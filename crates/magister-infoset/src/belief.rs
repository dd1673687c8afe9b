//! The belief of a role: the exact information set while it is small enough, then a sample of it.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Budget, Game, Halt, Move, Rng, Role, Seed, Step, Stop, Turn, Worker, Worlds};

use crate::InfosetError;
use crate::dealt::Dealt;
use crate::exact::{InfosetLimits, Keep, Tracker};
use crate::model::{Model, Uniform};
use crate::particle_filter::ParticleFilter;
use crate::pretend::pretend;
use crate::views::{ViewId, Views};
use crate::votes::Votes;

/// How a belief is represented.
#[derive(Clone)]
pub struct Settings {
    /// How large the exact information set may become.
    pub limits: InfosetLimits,
    /// The number of particles in a sample.
    pub particles: usize,
    /// How many iterations of a search share a state. A game's own sampler draws no more states
    /// than a search with few iterations can use.
    pub tries: u64,
    /// Whether the information states of all roles are stored.
    pub keep: Keep,
    /// The assumed behaviour of the other roles.
    pub model: Arc<dyn Model>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            limits: InfosetLimits { states: 10_000, steps: 400_000 },
            particles: 2_000,
            tries: 1,
            keep: Keep::States,
            model: Arc::new(Uniform),
        }
    }
}

/// The belief of a role at its turn, over the states in which the game is not over.
pub struct Belief {
    game: Arc<dyn Game>,
    role: Role,
    settings: Settings,
    turns: Vec<Turn>,
    /// `None` only while the representation changes.
    kind: Option<Kind>,
    /// The number of turns before the sample's anchor.
    anchored: usize,
    /// The candidate states, with cumulative probabilities.
    open: Vec<(usize, f64)>,
}

enum Kind {
    Exact(Box<Tracker>),
    Sampled(Box<ParticleFilter>),
    Dealt(Box<Dealt>),
}

/// The division of the time: the exact information set may take a quarter of the remaining time,
/// and sampling another quarter. The search for one consistent history may take nearly all of the
/// remaining time.
const EXACT: f64 = 0.75;
const SAMPLED: f64 = 0.5;
const HOPE: f64 = 0.15;
/// The number of states that vote on the legal moves when no consistent history was found.
const GUESSES: usize = 32;

impl Belief {
    /// The belief before the first turn.
    pub fn new(
        game: Arc<dyn Game>,
        role: Role,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let worker = game.worker();
        Self::with_worker(game, worker, role, settings, stop)
    }

    /// As [`Belief::new`], but reuses an existing worker, because creating one takes time.
    pub fn with_worker(
        game: Arc<dyn Game>,
        mut worker: Box<dyn Worker>,
        role: Role,
        settings: Settings,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let Settings { limits, keep, model, .. } = &settings;
        let (shared, model) = (Arc::clone(&game), Arc::clone(model));
        // Enumerating the orders of a large deck takes longer than many playouts and leads nowhere.
        let many = own_sampler(&game, role, &*model).is_some()
            && has_more_starts(&mut *worker, limits.states, stop)?;
        let tracker = if many {
            Err(InfosetError::TooLarge)
        } else {
            Tracker::with_worker(shared, worker, role, *keep, *limits, model, stop)
        };
        let kind = match tracker {
            Ok(tracker) => Kind::Exact(Box::new(tracker)),
            Err(InfosetError::TooLarge) => Self::sampled_start(&game, role, &settings, stop)?,
            Err(error) => return Err(error.into()),
        };
        let (turns, open) = (Vec::new(), Vec::new());
        Ok(Belief { game, role, settings, turns, kind: Some(kind), anchored: 0, open })
    }

    /// A sample of the start of a game that cannot be enumerated, such as the orders of a shuffled
    /// deck.
    fn sampled_start(
        game: &Arc<dyn Game>,
        role: Role,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Kind, Halt> {
        let mut worker = game.worker();
        let Settings { keep, particles, tries, model, limits } = settings;
        if let Some(worlds) = own_sampler(game, role, &**model) {
            let dealt = Dealt::new(game, worlds, worker, *keep, *particles, *tries);
            return Ok(Kind::Dealt(Box::new(dealt)));
        }
        let mut rng = Seed::from(0).derive("start").rng();
        let count = limits.states.min(*particles);
        let (anchor, views) =
            Tracker::draw_start(game, &mut *worker, *keep, count, &mut rng, stop)?;
        let (shared, model) = (Arc::clone(game), Arc::clone(model));
        let mut filter = ParticleFilter::with_worker(
            shared, worker, role, model, anchor, views, *particles, &mut rng,
        );
        filter.ask();
        Ok(Kind::Sampled(Box::new(filter)))
    }

    /// Whether this belief is about the same game and role, and its turns are a prefix of `turns`.
    pub fn precedes(&self, game: &Arc<dyn Game>, role: Role, turns: &[Turn]) -> bool {
        Arc::ptr_eq(&self.game, game) && self.role == role && turns.starts_with(&self.turns)
    }

    /// Updates the belief with all new turns. The budget limits the time; iterations are not
    /// charged to it.
    pub fn follow(&mut self, turns: &[Turn], budget: &Budget, rng: &mut Rng) -> Result<(), Halt> {
        let all = budget.remaining();
        for turn in &turns[self.turns.len().min(turns.len())..] {
            self.advance(turn, all, budget, rng)?;
            self.turns.push(turn.clone());
        }
        if let Some(Kind::Dealt(dealt)) = &mut self.kind {
            let patience = || match (all, budget.remaining()) {
                (Some(all), Some(left)) => left > all.mul_f64(SAMPLED),
                _ => true,
            };
            dealt.follow(&self.turns, self.role, rng, &patience, budget)?;
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
                Err(InfosetError::TooLarge) => self.sample(rng),
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(Kind::Sampled(filter)) = &mut self.kind {
            filter.advance_while(turn, rng, &patience(SAMPLED), &patience(HOPE), stop)?;
            if filter.distinct() < filter.len() / 8 {
                filter.rejuvenate(2, rng, &patience(SAMPLED), stop)?;
            }
        }
        Ok(())
    }

    /// Replaces the exact information set by a sample of it.
    fn sample(&mut self, rng: &mut Rng) {
        let tracker = match self.kind.take() {
            Some(Kind::Exact(tracker)) => tracker,
            other => {
                self.kind = other;
                return;
            }
        };
        let (anchor, views, worker) = tracker.into_parts();
        if let Some(worlds) = own_sampler(&self.game, self.role, &*self.settings.model) {
            let Settings { keep, particles, tries, .. } = self.settings;
            let dealt = Dealt::new(&self.game, worlds, worker, keep, particles, tries);
            self.kind = Some(Kind::Dealt(Box::new(dealt)));
            return;
        }
        let (game, model) = (Arc::clone(&self.game), Arc::clone(&self.settings.model));
        let (role, size) = (self.role, self.settings.particles);
        let mut filter =
            ParticleFilter::with_worker(game, worker, role, model, anchor, views, size, rng);
        filter.ask();
        self.kind = Some(Kind::Sampled(Box::new(filter)));
        self.anchored = self.turns.len();
    }

    /// Returns the worker for reuse.
    pub fn into_worker(self) -> Box<dyn Worker> {
        match self.kind {
            Some(Kind::Exact(tracker)) => tracker.into_parts().2,
            Some(Kind::Sampled(filter)) => filter.into_worker(),
            Some(Kind::Dealt(dealt)) => dealt.into_worker(),
            None => self.game.worker(),
        }
    }

    /// Lists the states in which the game is not over.
    fn look(&mut self) -> Result<(), Halt> {
        self.open.clear();
        let mut sum = 0.0;
        for at in 0..self.all() {
            let (share, over) = match &self.kind {
                Some(Kind::Exact(t)) => (t.layer().share(at), t.layer().is_over(at)),
                Some(Kind::Sampled(filter)) => (filter.weight(at), filter.is_over(at)),
                Some(Kind::Dealt(dealt)) => (dealt.weight(at), dealt.is_over(at)),
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
        let what = "no history in which the game continues is consistent with what the player saw";
        Err(Halt::Rules(what.to_owned()))
    }

    /// For the case that no consistent history was found: the moves that are legal in most of some
    /// possible states, and whether these states agree with the latest percepts. They do if such
    /// states were found within half of the budget.
    pub fn guess_legal(
        &self,
        turns: &[Turn],
        worker: &mut dyn Worker,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(Vec<Move>, bool), Halt> {
        let mut first = Vec::new();
        let (passed, state) = match &self.kind {
            Some(Kind::Sampled(filter)) => {
                let (passed, state) = filter.farthest();
                (self.anchored + passed, state)
            }
            Some(Kind::Exact(tracker)) => (self.turns.len(), tracker.layer().state(0)),
            Some(Kind::Dealt(_)) => {
                worker.reset();
                worker.save(&mut first);
                (0, &first[..])
            }
            None => return Err(Halt::Hidden),
        };
        let rest = turns.get(passed..).unwrap_or_default();
        let (all, stop) = (budget.remaining(), budget.stop());
        let hope = || {
            let late = all.zip(budget.remaining()).is_some_and(|(all, left)| left < all / 2);
            !late && !stop.is_set()
        };
        let mut closest = usize::MAX;
        let mut votes = Votes::default();
        for guess in 0..GUESSES {
            if guess > 0 && !hope() {
                break;
            }
            worker.load(state, &Stop::never())?;
            let model = &*self.settings.model;
            let distance = pretend(&*self.game, model, self.role, rest, worker, rng, &hope)?;
            if distance < closest || guess == 0 {
                closest = distance;
                votes = Votes::default();
            }
            if distance == closest {
                votes.add(worker.legal(self.role), 1.0);
            }
        }
        Ok((votes.most(), closest == 0))
    }

    fn all(&self) -> usize {
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().len(),
            Some(Kind::Sampled(filter)) => filter.len(),
            Some(Kind::Dealt(dealt)) => dealt.len(),
            None => 0,
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The role that holds this belief.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The number of states or particles.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether it has no states, which is the case only before [`follow`](Belief::follow).
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the belief holds all states with exact probabilities.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind, Some(Kind::Exact(_)))
    }

    /// A state.
    pub fn state(&self, number: usize) -> &[u64] {
        let at = self.open[number].0;
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().state(at),
            Some(Kind::Sampled(filter)) => filter.state(at),
            Some(Kind::Dealt(dealt)) => dealt.state(at),
            None => &[],
        }
    }

    /// The probability of a state, or the weight of a particle.
    pub fn share(&self, number: usize) -> f64 {
        let before = if number == 0 { 0.0 } else { self.open[number - 1].1 };
        let total = self.open.last().map_or(1.0, |last| last.1);
        (self.open[number].1 - before) / total
    }

    /// The information states of all roles in a state, if they are stored.
    pub fn views_of(&self, number: usize) -> Vec<ViewId> {
        let at = self.open[number].0;
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.layer().views(at).collect(),
            Some(Kind::Sampled(filter)) => filter.views_of(at).to_vec(),
            Some(Kind::Dealt(dealt)) => dealt.views_of(at).to_vec(),
            None => Vec::new(),
        }
    }

    /// All information states, if they are stored.
    pub fn views(&self) -> Option<&Views> {
        match &self.kind {
            Some(Kind::Exact(tracker)) => tracker.views(),
            Some(Kind::Sampled(filter)) => filter.views(),
            Some(Kind::Dealt(dealt)) => dealt.views(),
            None => None,
        }
    }

    /// Draws the number of a state by probability.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let total = self.open.last().map_or(0.0, |last| last.1);
        let point = rng.f64() * total;
        let number = self.open.partition_point(|&(_, sum)| sum <= point);
        number.min(self.open.len().saturating_sub(1))
    }
}

/// The sampler of a game that has one. It is better than a particle filter, but it assumes that the
/// others move uniformly at random.
fn own_sampler(game: &Arc<dyn Game>, role: Role, model: &dyn Model) -> Option<Box<dyn Worlds>> {
    if model.is_uniform() { game.worlds(role) } else { None }
}

/// Whether a game with its own sampler has more states before the first turn than this. In such a
/// game, each outcome of a silent step leads to another state.
fn has_more_starts(worker: &mut dyn Worker, states: usize, stop: &Stop) -> Result<bool, Halt> {
    let (mut starts, mut step) = (1, Step::new());
    worker.reset();
    while !worker.terminal() && worker.silent() && starts <= states {
        let first = |role: Role| worker.legal(role).first().copied().unwrap_or(Move::IDLE);
        let joint: Vec<Move> = worker.info().all_roles().map(first).collect();
        let outcomes = worker.info().all_roles().map(|role| worker.legal(role).len());
        starts = outcomes.fold(starts, usize::saturating_mul);
        worker.step(&joint, &mut step, stop)?;
    }
    Ok(starts > states)
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
