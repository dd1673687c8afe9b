//! The thread on which a player prepares and decides.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use magister::Options;
use magister::engine::Evaluator;
use magister_arena::Deadline;
use magister_core::{
    Agent, Budget, Game, Information, PlayerSource, Rng, Role, Seed, Stop, View, draws,
};
use magister_gdl::Dialect;
use magister_players::{PLAYERS, Possible, Spec};

use super::margin::Margin;
use super::seat::Begun;
use super::slot::Slot;
use super::track::{Reported, Track};
use super::{PlayerOptions, SharedSlot, locked};

/// Searches recurse, so deep games need a large stack.
const STACK: usize = 64 << 20;

/// The strongest player of games with perfect information.
const STRONG: &str = "uct";

/// How long the best evaluator may take before a quick one is prepared in parallel.
const QUICK: Duration = Duration::from_millis(200);

/// The time for finding a fallback move in games with hidden information.
const GLANCE: Duration = Duration::from_millis(100);

/// The time for reading the rules again as another language in the middle of a match.
const BLIND: Duration = Duration::from_millis(500);

/// The time for the last turn after the end of a match.
const PARTING: Duration = Duration::from_secs(2);

/// A task of the thread.
pub(super) enum Job {
    /// Choose a move.
    Decide {
        sent: Option<Reported>,
        due: Instant,
        iterations: Option<u64>,
        stop: Stop,
        slot: SharedSlot,
    },
    /// Process the result of the match.
    Finish { sent: Option<Reported> },
}

/// A thread that prepares a game and then decides, turn after turn.
#[derive(Debug)]
pub(super) struct Thinker {
    jobs: Sender<Job>,
    ready: Arc<Slot<()>>,
    fallback: Arc<Slot<String>>,
    /// Stops the preparation of the game.
    stop: Stop,
}

impl Thinker {
    /// Starts to prepare for a match; the deadline is the end of the start clock.
    pub(super) fn new(
        begun: &Begun,
        options: &PlayerOptions,
        seed: Seed,
        deadline: Instant,
        margin: &Arc<Mutex<Margin>>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel();
        let (ready, fallback, stop) = (Arc::default(), Arc::default(), Stop::new());
        let mind = Mind {
            role: begun.role.clone(),
            rules: begun.rules.clone(),
            // Managers of GDL send all moves, including those of chance. Rules with percepts, and
            // other languages, are recognised by their content.
            dialect: begun.is_ggp.then_some(Dialect::Gdl).filter(|_| !begun.gdl2),
            agent: options.agent.clone(),
            seed,
            stop: stop.clone(),
            margin: Arc::clone(margin),
            fallback: Arc::clone(&fallback),
            history: Vec::new(),
            mine: None,
            quick: None,
            best: None,
            coming: None,
        };
        let done = Arc::clone(&ready);
        let thread = thread::Builder::new().name("player".to_owned()).stack_size(STACK);
        let spawned = thread.spawn(move || mind.live(deadline, &done, &waiting));
        if let Err(error) = spawned {
            tracing::error!(%error, "no thread could be started");
        }
        Thinker { jobs, ready, fallback, stop }
    }

    pub(super) fn ready(&self) -> Arc<Slot<()>> {
        Arc::clone(&self.ready)
    }

    /// A legal move of the current turn, once one is known.
    pub(super) fn fallback(&self) -> Arc<Slot<String>> {
        Arc::clone(&self.fallback)
    }

    /// Assigns a task to the thread.
    pub(super) fn put(&self, job: Job) {
        if matches!(job, Job::Decide { .. }) {
            self.fallback.set(None);
        }
        // A thread that has ended does not answer, and the caller has a fallback.
        let _ = self.jobs.send(job);
    }

    /// Ends the thread without reporting a result.
    pub(super) fn give_up(&self) {
        self.stop.set();
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// An evaluator, and the agent that plays on it.
struct Playing {
    track: Track,
    agent: Box<dyn Agent>,
    source: Spec,
}

/// The data of the thread.
struct Mind {
    role: String,
    rules: String,
    /// The language of the rules; recognised by their content if it is not known.
    dialect: Option<Dialect>,
    agent: Option<Spec>,
    seed: Seed,
    stop: Stop,
    margin: Arc<Mutex<Margin>>,
    fallback: Arc<Slot<String>>,
    /// The turns, with the player's reply in each.
    history: Vec<(Reported, Option<String>)>,
    /// The last reply of the player.
    mine: Option<String>,
    /// The agent on an evaluator that is prepared quickly, until the best one is ready.
    quick: Option<Playing>,
    best: Option<Playing>,
    coming: Option<Receiver<Option<Arc<dyn Game>>>>,
}

impl Mind {
    fn live(mut self, deadline: Instant, ready: &Slot<()>, jobs: &Receiver<Job>) {
        self.prepare(deadline);
        ready.fill(());
        while let Ok(job) = jobs.recv() {
            match job {
                Job::Decide { sent, due, iterations, stop, slot } => {
                    self.enter(sent);
                    let reply = self.decide(due, iterations, &stop);
                    let over = Instant::now().saturating_duration_since(due);
                    locked(&self.margin).note(over);
                    // The reply that was sent counts, not one that came too late.
                    self.mine = match reply {
                        Some(reply) => Some(slot.fill(reply)),
                        None => self.fallback.get().map(|reply| slot.fill(reply)),
                    };
                    if self.mine.is_none() {
                        slot.fill("nil".to_owned());
                    }
                }
                Job::Finish { sent } => {
                    // The seat is gone and has set the flag, but the last turn is still processed.
                    let alarm = Alarm::new(Instant::now() + PARTING, &Stop::never());
                    self.stop = alarm.stop.clone();
                    self.enter(sent);
                    self.finish();
                    return;
                }
            }
        }
    }

    /// Prepares the game. The best evaluator of a large game may take longer than the start clock;
    /// then a quick one plays until it is ready.
    fn prepare(&mut self, deadline: Instant) {
        let (found, coming) = mpsc::channel();
        let (rules, options) = (self.rules.clone(), self.reading());
        let best = move || {
            let open = || options.open_text("the game of the match", &rules);
            let playable = catch_unwind(AssertUnwindSafe(open));
            let playable = playable.unwrap_or_else(|_| {
                let error = std::io::Error::other("the preparation crashed");
                Err(magister::Error::Io { what: "the rules".to_owned(), error })
            });
            if let Err(error) = &playable {
                tracing::warn!(%error, "the game cannot be prepared");
            }
            let playable = playable.ok();
            if let Some(playable) = &playable {
                let left = deadline.saturating_duration_since(Instant::now());
                let _ = playable.warm_up_within(left / 2, &options.stop);
            }
            let _ = found.send(playable.map(|playable| playable.game));
        };
        let thread = thread::Builder::new().name("prepare".to_owned()).stack_size(STACK);
        if let Err(error) = thread.spawn(best) {
            tracing::error!(%error, "no thread could be started");
        }
        let left = |most: Option<Duration>| {
            let left = deadline.saturating_duration_since(Instant::now());
            coming.recv_timeout(most.map_or(left, |most| left.min(most)))
        };
        let mut first = left(Some(QUICK));
        if matches!(first, Err(mpsc::RecvTimeoutError::Timeout)) {
            let quick = self.reading().read_text("the game of the match", &self.rules);
            let quick = quick.and_then(|source| source.prepare(Some(Evaluator::Datalog)));
            self.quick = quick.ok().and_then(|playable| self.playing(&playable.game));
            first = left(None);
        }
        match first {
            Ok(Some(game)) => self.best = self.playing(&game),
            Ok(None) | Err(mpsc::RecvTimeoutError::Disconnected) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => self.coming = Some(coming),
        }
        self.think_ahead(deadline);
    }

    /// The options for reading the rules.
    fn reading(&self) -> Options {
        let mut options = Options { stop: self.stop.clone(), ..Options::default() };
        options.reading.gdl.dialect = self.dialect;
        options
    }

    /// Handles percepts although the rules have none: the manager uses GDL-II, so the game is one
    /// in which nothing can be observed.
    fn turn_blind(&mut self) {
        self.dialect = Some(Dialect::Gdl2);
        (self.best, self.quick, self.coming) = (None, None, None);
        self.prepare(Instant::now() + BLIND);
    }

    /// Uses the rest of the start clock.
    fn think_ahead(&mut self, deadline: Instant) {
        let mut rng = self.seed.derive("start").rng();
        let stop = self.stop.clone();
        let Some(playing) = self.best.as_mut().or(self.quick.as_mut()) else { return };
        let alarm = Alarm::new(deadline, &stop);
        let mut budget = Budget::until(alarm.stop.clone()).with_clock(until(deadline));
        let view = playing.track.view().clone();
        let agent = &mut playing.agent;
        let done = catch_unwind(AssertUnwindSafe(|| agent.ready(&view, &mut budget, &mut rng)));
        if done.is_err() {
            self.renew();
        }
    }

    /// The agent for a game, if the game has the role.
    fn playing(&self, game: &Arc<dyn Game>) -> Option<Playing> {
        let info = game.info();
        let name = &self.role;
        let same = |role: &Role| info.role_name(*role).eq_ignore_ascii_case(name);
        let Some(role) = info.role(name).or_else(|| info.all_roles().find(same)) else {
            tracing::warn!(role = name, "the game does not have the role");
            return None;
        };
        let hidden = info.information == Information::Hidden;
        let strong = |hidden: bool| {
            let able = PLAYERS.iter().rev().find(|entry| entry.hidden);
            let name = if hidden { able.map_or("random", |entry| entry.name) } else { STRONG };
            name.parse::<Spec>().ok()
        };
        // An agent that does not support hidden information is replaced in such games.
        let wanted = self.agent.clone().filter(|spec| !hidden || spec.entry().hidden);
        let source = wanted.or_else(|| strong(hidden))?;
        let mut track = Track::new(game, role);
        for (sent, mine) in &self.history {
            if let Err(lost) = track.push(sent, mine.as_deref(), &self.stop) {
                tracing::warn!(why = lost.0, "the match cannot be followed");
                return None;
            }
        }
        let agent = source.make(game, role).ok()?;
        Some(Playing { track, agent, source })
    }

    /// Processes a reported turn.
    fn enter(&mut self, sent: Option<Reported>) {
        if self.best.is_none()
            && let Some(coming) = &self.coming
            && let Ok(game) = coming.try_recv()
        {
            self.coming = None;
            self.best = game.and_then(|game| self.playing(&game));
            if self.best.is_some() {
                self.quick = None;
            }
        }
        let Some(sent) = sent else { return };
        if matches!(sent, Reported::Own { .. }) && self.dialect == Some(Dialect::Gdl) {
            self.turn_blind();
        }
        let mine = self.mine.clone();
        for playing in [&mut self.best, &mut self.quick].into_iter().flatten() {
            if let Err(lost) = playing.track.push(&sent, mine.as_deref(), &self.stop) {
                // A duplicate message contains nothing new; otherwise the state is unknown, and the
                // player continues from the last known one.
                tracing::warn!(why = lost.0, "a turn cannot be followed");
                return;
            }
        }
        self.history.push((sent, mine));
    }

    /// The reply to PLAY, if one is found.
    fn decide(&mut self, due: Instant, iterations: Option<u64>, stop: &Stop) -> Option<String> {
        let turn = self.history.len();
        let mut rng = self.seed.derive_index(turn as u64).rng();
        let own_stop = self.stop.clone();
        let fallback = Arc::clone(&self.fallback);
        let playing = self.best.as_mut().or(self.quick.as_mut())?;
        let alarm = Alarm::new(due, stop);
        if own_stop.is_set() {
            return None;
        }
        let view = playing.track.view().clone();
        if let Some(text) = glance(playing, &view, due, stop, &mut rng) {
            fallback.set(Some(text));
        }
        let budget = match iterations {
            Some(count) => Budget::iterations(count).with_stop(alarm.stop.clone()),
            None => Budget::until(alarm.stop.clone()),
        };
        let mut budget = budget.with_clock(until(due));
        let agent = &mut playing.agent;
        let decided = catch_unwind(AssertUnwindSafe(|| agent.decide(&view, &mut budget, &mut rng)));
        match decided {
            Ok(Ok(decision)) => Some(view.game().text().move_text(decision.choice)),
            Ok(Err(halt)) => {
                tracing::warn!(%halt, "the agent gave no move");
                None
            }
            Err(_) => {
                self.renew();
                None
            }
        }
    }

    /// Creates the agent again after a crash.
    fn renew(&mut self) {
        for playing in [&mut self.best, &mut self.quick].into_iter().flatten() {
            let view = playing.track.view();
            if let Ok(agent) = playing.source.make(view.game(), view.role()) {
                playing.agent = agent;
            }
        }
    }

    fn finish(&mut self) {
        let Some(playing) = self.best.as_mut().or(self.quick.as_mut()) else { return };
        let track = &playing.track;
        let outcome = if track.terminal() { track.outcome() } else { Vec::new() };
        let (view, agent) = (track.view().clone(), &mut playing.agent);
        let _ = catch_unwind(AssertUnwindSafe(|| agent.finish(&view, &outcome)));
    }
}

/// A legal move that is found quickly, in case no better one is found in time.
fn glance(
    playing: &Playing,
    view: &View,
    due: Instant,
    stop: &Stop,
    rng: &mut Rng,
) -> Option<String> {
    let game = view.game();
    if game.info().information == Information::Perfect {
        let legal = playing.track.legal();
        return (!legal.is_empty()).then(|| game.text().move_text(draws::pick(legal, rng)));
    }
    let soon = due.min(Instant::now() + GLANCE);
    let alarm = Alarm::new(soon, stop);
    let budget = Budget::until(alarm.stop.clone()).with_clock(until(soon));
    let look = || Possible::default().moves(view, &budget, rng);
    let (legal, _) = catch_unwind(AssertUnwindSafe(look)).ok()?.ok()?;
    let mut rng = Seed::from(legal.len() as u64).rng();
    (!legal.is_empty()).then(|| game.text().move_text(draws::pick(&legal, &mut rng)))
}

fn until(moment: Instant) -> Arc<Deadline> {
    Arc::new(Deadline::within(moment.saturating_duration_since(Instant::now())))
}

/// A flag that is set at a given time, when another flag is set, or when this is dropped.
struct Alarm {
    stop: Stop,
    _end: Sender<()>,
}

impl Alarm {
    fn new(moment: Instant, also: &Stop) -> Self {
        let (end, wait) = mpsc::channel();
        let (stop, also) = (Stop::new(), also.clone());
        let flag = stop.clone();
        let watch = move || {
            loop {
                let left = moment.saturating_duration_since(Instant::now());
                if left.is_zero() || also.is_set() {
                    flag.set();
                    return;
                }
                let nap = left.min(Duration::from_millis(20));
                if wait.recv_timeout(nap) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let _ = thread::Builder::new().name("alarm".to_owned()).spawn(watch);
        Alarm { stop, _end: end }
    }
}
