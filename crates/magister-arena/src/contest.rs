//! One match.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use magister_core::{Game, Halt, Information, Move, Referee, Rng, Role, Seed, Stop};

use magister_infoset::Opened;

use crate::clock::Limits;
use crate::report::{GameReport, Mishap};
use crate::seat::{Answer, Maker, Seat, Silence};

/// A game, who plays it and how long they may think.
#[derive(Clone)]
pub struct Contest {
    /// The game.
    pub game: Arc<dyn Game>,
    /// How long a player may think.
    pub limits: Limits,
    /// So many steps at the start are random, for variety.
    pub opening: u32,
    /// A match that is longer is broken off.
    pub max_steps: u32,
    /// How long the rules themselves may take for one step before the match is broken off.
    pub patience: Duration,
}

impl std::fmt::Debug for Contest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contest")
            .field("game", &self.game.info().name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Contest {
    /// A match of this game with these limits.
    pub fn new(game: Arc<dyn Game>, limits: Limits) -> Self {
        Contest { game, limits, opening: 0, max_steps: 10_000, patience: Duration::from_mins(1) }
    }

    /// Plays a match: one name and one maker for each seat, in the order of the roles that are
    /// played.
    ///
    /// Chance, the opening, the substitutes for missing moves and each player draw from seeds
    /// that do not give each other away.
    pub fn play(&self, players: &[(String, Maker)], seed: Seed) -> GameReport {
        let mut table = match Table::new(self, players, seed) {
            Ok(table) => table,
            Err(trouble) => return self.unplayed(players, seed, trouble),
        };
        if let Err(trouble) = table.run(self) {
            let step = table.referee.record().steps.len() + 1;
            table.errors.push(Mishap::new(step, None, "broken-off", trouble));
        }
        let Table { referee, errors, times, .. } = table;
        GameReport::new(&*self.game, referee.record(), errors, times)
    }

    /// The report of a match that could not begin.
    fn unplayed(&self, players: &[(String, Maker)], seed: Seed, what: String) -> GameReport {
        GameReport {
            game: self.game.info().name.clone(),
            seed: seed.to_string(),
            players: players.iter().map(|(name, _)| name.clone()).collect(),
            moves: Vec::new(),
            rewards: vec![None; players.len()],
            clairvoyant: Vec::new(),
            errors: vec![Mishap::new(0, None, "broken-off", what)],
            times_ms: Vec::new(),
        }
    }
}

/// A match that is being played.
struct Table {
    referee: Referee,
    seats: Vec<(Role, Seat)>,
    /// The seats whose players are shown the state.
    clairvoyant: Vec<bool>,
    opening: Rng,
    substitute: Rng,
    errors: Vec<Mishap>,
    times: Vec<Vec<f64>>,
    dog: Watchdog,
}

impl Table {
    fn new(contest: &Contest, players: &[(String, Maker)], seed: Seed) -> Result<Self, String> {
        let game = Arc::clone(&contest.game);
        let dog = Watchdog::new(contest.patience).map_err(|error| error.to_string())?;
        let referee = dog.watch(|stop| Referee::new(game, seed, stop));
        let mut referee = referee.map_err(|halt| halt.to_string())?;
        let roles: Vec<Role> = referee.game().info().players().collect();
        let (mut seats, mut clairvoyant) = (Vec::new(), Vec::new());
        let hidden = referee.game().info().information == Information::Hidden;
        for (role, (name, maker)) in roles.into_iter().zip(players) {
            let rng = seed.derive("agent").derive_index(u64::from(role.0)).rng();
            let seat = Seat::new(Arc::clone(maker), rng)
                .map_err(|error| format!("no thread could be made for {name}: {error}"))?;
            referee.set_player(role, name);
            seats.push((role, seat));
            clairvoyant.push(hidden && maker().clairvoyant());
        }
        Ok(Table {
            referee,
            seats,
            clairvoyant,
            opening: seed.derive("opening").rng(),
            substitute: seed.derive("substitute").rng(),
            errors: Vec::new(),
            times: Vec::new(),
            dog,
        })
    }

    fn run(&mut self, contest: &Contest) -> Result<(), String> {
        if contest.limits.start.is_some() {
            for index in 0..self.seats.len() {
                let (role, seat) = &mut self.seats[index];
                let answer = seat.ready(self.referee.view(*role), &contest.limits);
                if let Err(silence) = answer.said {
                    let (kind, what) = silence.told();
                    self.errors.push(Mishap::new(0, Some(index), kind, what));
                }
            }
        }
        let mut turns = 0;
        while !self.referee.terminal() {
            if turns >= contest.max_steps {
                return Err(format!("the match was broken off after {turns} turns"));
            }
            let (moves, times) =
                if turns < contest.opening { self.random() } else { self.ask(contest) };
            let before = self.referee.record().steps.len();
            let referee = &mut self.referee;
            // Silent steps that were stopped are gone on with, or named as the reason.
            let made = self
                .dog
                .watch(|stop| referee.advance(&moves, stop).and_then(|()| referee.settle(stop)));
            made.map_err(|halt| format!("the match was broken off: {halt}"))?;
            turns += 1;
            // Silent steps may follow; nobody thinks for them.
            let made = self.referee.record().steps.len() - before;
            self.times.push(times);
            self.times.extend((1..made).map(|_| vec![0.0; self.seats.len()]));
        }
        Ok(())
    }

    /// Random moves for all, from the seed of openings.
    fn random(&mut self) -> (Vec<Move>, Vec<f64>) {
        let roles = self.referee.game().info().all_roles();
        let moves = roles.map(|role| pick(self.referee.legal(role), &mut self.opening)).collect();
        (moves, vec![0.0; self.seats.len()])
    }

    /// Asks every player that has a choice, one after the other, so that they do not take
    /// processor time from each other. In games that hide information all are asked, since not
    /// being asked would tell something.
    fn ask(&mut self, contest: &Contest) -> (Vec<Move>, Vec<f64>) {
        let info = contest.game.info();
        let only = |role| self.referee.legal(role).first().copied().unwrap_or(Move::IDLE);
        let mut moves: Vec<Move> = info.all_roles().map(only).collect();
        let mut times = vec![0.0; self.seats.len()];
        for (index, time) in times.iter_mut().enumerate() {
            let (role, seat) = &mut self.seats[index];
            let role = *role;
            let legal = self.referee.legal(role);
            if legal.len() == 1 && info.information == Information::Perfect {
                continue;
            }
            let shown = self.clairvoyant[index]
                .then(|| Opened::view(&contest.game, self.referee.reveal(role), role));
            let view = shown.as_ref().unwrap_or_else(|| self.referee.view(role));
            let Answer { said, took } = seat.decide(view, &contest.limits);
            *time = took.as_secs_f64() * 1e3;
            let fault = match said {
                Ok(decision) if self.referee.legal(role).contains(&decision.choice) => {
                    moves[role.index()] = decision.choice;
                    continue;
                }
                Ok(decision) => {
                    let text = contest.game.text().move_text(decision.choice);
                    ("illegal", format!("`{text}` is not legal here"))
                }
                Err(silence) => silence.told(),
            };
            moves[role.index()] = pick(self.referee.legal(role), &mut self.substitute);
            self.referee.fault(role, &fault.1);
            let step = self.referee.record().steps.len() + 1;
            self.errors.push(Mishap::new(step, Some(index), fault.0, fault.1));
        }
        (moves, times)
    }
}

impl Silence {
    /// The kind of the fault, and a sentence.
    fn told(self) -> (&'static str, String) {
        match self {
            Silence::Halt(Halt::Stopped) => {
                ("late", "no move was known when the time was over".to_owned())
            }
            Silence::Halt(halt) => ("refused", format!("the player gave no move: {halt}")),
            Silence::Crash(how) => ("crash", format!("the player crashed: {how}")),
            Silence::Late => ("late", "the answer did not come in time".to_owned()),
        }
    }
}

/// One of several moves; nothing to do if there is none.
fn pick(legal: &[Move], rng: &mut Rng) -> Move {
    match legal {
        [] => Move::IDLE,
        [only] => *only,
        _ => legal[rng.below(legal.len() as u64) as usize],
    }
}

/// Sets a flag when a match makes no step for too long.
struct Watchdog {
    stop: Stop,
    steps: Arc<AtomicU64>,
    /// Its thread ends when this is dropped.
    _over: mpsc::Sender<()>,
}

impl Watchdog {
    fn new(patience: Duration) -> std::io::Result<Self> {
        let (over, wait) = mpsc::channel::<()>();
        let dog = Watchdog { stop: Stop::new(), steps: Arc::new(AtomicU64::new(1)), _over: over };
        let (stop, steps) = (dog.stop.clone(), Arc::clone(&dog.steps));
        thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            let mut last = u64::MAX;
            while wait.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                // An even number says that the rules are at work, an odd one that players think.
                let now = steps.load(Ordering::Relaxed);
                if now == last && now % 2 == 0 {
                    stop.set();
                }
                last = now;
            }
        })?;
        Ok(dog)
    }

    /// Watches one piece of work of the rules.
    fn watch<T>(&self, work: impl FnOnce(&Stop) -> T) -> T {
        self.steps.fetch_add(1, Ordering::Relaxed);
        let result = work(&self.stop);
        self.steps.fetch_add(1, Ordering::Relaxed);
        result
    }
}
