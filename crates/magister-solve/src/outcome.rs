//! Online outcome sampling of Lisý, Lanctot and Bowling: Monte Carlo CFR on single histories,
//! biased towards those that are consistent with a role's observations.

use magister_core::view::observe;
use magister_core::{Game, Halt, Move, Payment, Rng, Role, Step, Stop, Turn, Worker};
use rustc_hash::FxHashMap;

use crate::Key;
use crate::choices::Choices;
use crate::memory::NONE;
use crate::rewards::{self, Scale};
use crate::tables::{Stand, Tables, lot};

/// The parameters of the sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    /// The share of histories that are targeted at the role's observations.
    pub target: f64,
    /// The probability that the updating player explores.
    pub explore: f64,
}

impl Default for Draws {
    fn default() -> Self {
        Draws { target: 0.9, explore: 0.4 }
    }
}

/// Self-play, one sampled history at a time.
///
/// A history is sampled either freely or targeted: at every step the role observes what it observed
/// in its match, as long as that is possible. The probabilities of both ways are known exactly, and
/// updates are weighted by their mixture. The strategies therefore converge to an equilibrium of
/// the whole game in either case, not just of the part that the role considers possible.
pub struct Outcome {
    tables: Tables,
    draws: Draws,
    worker: Box<dyn Worker>,
    start: Vec<u64>,
    rounds: u64,
    middle: f64,
    /// Which joint moves of a state agree with the role's observations, by state and number of
    /// turns.
    fitting: FxHashMap<(Key, usize), Box<[bool]>>,
    trajectory: Trajectory,
}

/// A sampled history.
#[derive(Default)]
struct Trajectory {
    events: Vec<Event>,
    histories: Vec<u32>,
    stands: Vec<Stand>,
    shares: Vec<Vec<f64>>,
}

/// A choice of a player or of chance.
#[derive(Clone, Copy)]
struct Event {
    /// The player; `None` for chance.
    player: Option<usize>,
    stand: Stand,
    count: u32,
    chosen: u32,
    /// Its probability under the strategy.
    likely: f64,
    /// The reach probability of the others including chance, and of all players except this one.
    others: f64,
    own: f64,
    /// The probability of sampling the history up to here.
    drawn: f64,
}

/// The maximum length of a history.
const LONG: usize = 2_000;
/// The maximum number of joint moves to compare with the observations.
const MANY: usize = 400;
/// The maximum number of states whose agreeing moves are cached.
const KEPT: usize = 200_000;

impl Outcome {
    /// The state before the first history; the memory is given in bytes.
    pub fn new(game: &dyn Game, bytes: usize, draws: Draws) -> Self {
        let mut worker = game.worker();
        worker.reset();
        let mut start = Vec::new();
        worker.save(&mut start);
        let scale = Scale::of(game.info());
        let middle = scale.middle();
        Outcome {
            tables: Tables::new(game, bytes),
            draws,
            worker,
            start,
            rounds: 0,
            middle: if middle.is_finite() { middle } else { 0.0 },
            fitting: FxHashMap::default(),
            trajectory: Trajectory::default(),
        }
    }

    /// Clears the cache of agreeing moves, because the observations have changed.
    pub fn retarget(&mut self) {
        self.fitting.clear();
    }

    /// The average strategy after these turns, if they were reached.
    pub fn average(&self, role: Role, turns: &[Turn]) -> Option<Vec<(Move, f64)>> {
        self.tables.average(role, turns)
    }

    /// Samples one history, which updates one of the players and may be targeted at a role's
    /// observations.
    pub fn round(
        &mut self,
        role: Role,
        turns: &[Turn],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let learner = (self.rounds % self.tables.players.len() as u64) as usize;
        self.rounds += 1;
        let aimed = rng.f64() < self.draws.target;
        let start = std::mem::take(&mut self.start);
        let loaded = self.worker.load(&start, stop);
        self.start = start;
        loaded?;
        let mut trajectory = std::mem::take(&mut self.trajectory);
        let done = self.draw(&mut trajectory, learner, aimed, (role, turns), rng, stop);
        if let Ok(Some((value, drawn))) = done {
            self.learn(&trajectory, learner, value - self.middle, drawn);
        }
        self.trajectory = trajectory;
        done.map(|_| ())
    }

    /// Samples a history. Returns the payoff of the updating player and the sampling probability;
    /// `None` if the history was too long.
    fn draw(
        &mut self,
        trajectory: &mut Trajectory,
        learner: usize,
        aimed: bool,
        (role, turns): (Role, &[Turn]),
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<(f64, f64)>, Halt> {
        let players = self.tables.players.len();
        trajectory.events.clear();
        trajectory.histories.clear();
        trajectory.histories.extend(0..players as u32);
        let target = self.draws.target;
        let (mut step, mut gained) = (Step::new(), 0.0);
        // The probability of sampling the history if it is targeted, and if it is not.
        let (mut aim, mut free) = (1.0_f64, 1.0_f64);
        let mut reach = vec![1.0; players];
        let (mut chance, mut seen, mut on_target) = (1.0, 0, true);
        for _ in 0..LONG {
            stop.check()?;
            if self.worker.terminal() {
                let scale = Scale::of(&self.tables.info);
                let values = rewards::terminal(&*self.worker, scale, &mut Vec::new());
                let value = values[self.tables.players[learner].index()] + gained;
                return Ok(Some((value, target * aim + (1.0 - target) * free)));
            }
            let silent = self.worker.silent();
            let choices = Choices::of(&*self.worker);
            let mut stands = std::mem::take(&mut trajectory.stands);
            stands.clear();
            if !silent && self.tables.has_room() {
                self.tables.stands(&*self.worker, &trajectory.histories, &mut stands);
            } else if !silent {
                // The memory is full: unknown information sets are played uniformly and not
                // updated.
                trajectory.histories.fill(NONE);
                self.tables.stands(&*self.worker, &trajectory.histories, &mut stands);
            }
            trajectory.shares.resize(players, Vec::new());
            for (player, stand) in stands.iter().enumerate() {
                let count = choices.moves(self.tables.players[player]).len();
                self.tables.current(*stand, count, &mut trajectory.shares[player]);
            }
            // The sampling probability of each move: the updating player explores.
            let explore = self.draws.explore;
            let drawn = |player: usize, at: usize| {
                let shares = &trajectory.shares[player];
                if player == learner {
                    explore / shares.len() as f64 + (1.0 - explore) * shares[at]
                } else {
                    shares[at]
                }
            };
            let aiming = on_target && !silent && seen < turns.len();
            let fits = if aiming { self.fits(&choices, role, turns, seen, stop)? } else { None };
            let likely =
                |number: usize| joint_likely(&choices, &self.tables.players, number, &drawn);
            let total: f64 = fits.as_ref().map_or(0.0, |fits| {
                let fitting = fits.iter().enumerate().filter(|(_, fits)| **fits);
                fitting.map(|(number, _)| likely(number)).sum()
            });
            // If no move agrees, a targeted history continues freely.
            let number = match &fits {
                Some(fits) if aimed && total > 0.0 => {
                    let shares: Vec<f64> = fits
                        .iter()
                        .enumerate()
                        .map(|(number, &fits)| if fits { likely(number) } else { 0.0 })
                        .collect();
                    lot(&shares, rng)
                }
                _ => self.free_joint(&choices, silent, &drawn, rng),
            };
            let before = target * aim + (1.0 - target) * free;
            let by_chance = likely(number);
            free *= by_chance;
            match &fits {
                Some(fits) if total > 0.0 => {
                    aim *= if fits[number] { by_chance / total } else { 0.0 };
                    on_target = fits[number];
                }
                _ => aim *= by_chance,
            }
            let (joint, picks, outcome) = take_apart(&choices, number);
            // The choices of this step, as if made in sequence without observing each other.
            for (at, &actor) in choices.actors().iter().enumerate() {
                let Some(player) = self.tables.players.iter().position(|&one| one == actor) else {
                    continue;
                };
                let others: f64 = (0..players).filter(|&p| p != player).map(|p| reach[p]).product();
                let share = trajectory.shares[player][picks[at]];
                trajectory.events.push(Event {
                    player: Some(player),
                    stand: stands[player],
                    count: trajectory.shares[player].len() as u32,
                    chosen: picks[at] as u32,
                    likely: share,
                    others: others * chance,
                    own: reach[player],
                    drawn: before,
                });
                reach[player] *= share;
            }
            if choices.probabilities().len() > 1 {
                let share = choices.probabilities()[outcome];
                chance *= share;
                trajectory.events.push(Event {
                    player: None,
                    stand: Stand { situation: NONE, first: NONE },
                    count: 0,
                    chosen: 0,
                    likely: share,
                    others: 0.0,
                    own: 0.0,
                    drawn: 1.0,
                });
            }
            self.worker.step(&joint, &mut step, stop)?;
            if self.tables.info.payment == Payment::OnTheWay {
                gained += step.gains[self.tables.players[learner].index()];
            }
            if step.tick {
                seen += 1;
                for (player, stand) in stands.iter().enumerate() {
                    if stand.situation == NONE {
                        continue;
                    }
                    let whose = self.tables.players[player];
                    let view = (self.tables.info.information, whose);
                    let own = joint[whose.index()];
                    trajectory.histories[player] =
                        self.tables.memory.after(stand.situation, own, view, &joint, &step);
                }
            }
            trajectory.stands = stands;
        }
        Ok(None)
    }

    /// Samples a joint move and returns its number.
    fn free_joint(
        &self,
        choices: &Choices,
        silent: bool,
        drawn: &impl Fn(usize, usize) -> f64,
        rng: &mut Rng,
    ) -> usize {
        let mut number = 0;
        if !silent {
            for &actor in choices.actors() {
                let count = choices.moves(actor).len();
                let player = self.tables.players.iter().position(|&one| one == actor);
                let shares: Vec<f64> =
                    (0..count).map(|at| player.map_or(1.0, |player| drawn(player, at))).collect();
                number = number * count + lot(&shares, rng);
            }
        }
        number * choices.probabilities().len() + lot(choices.probabilities(), rng)
    }

    /// Which joint moves in the worker's state agree with a role's observations; `None` if there
    /// are too many to check.
    fn fits(
        &mut self,
        choices: &Choices,
        role: Role,
        turns: &[Turn],
        seen: usize,
        stop: &Stop,
    ) -> Result<Option<Box<[bool]>>, Halt> {
        let outcomes = choices.probabilities().len();
        let Some(all) = choices.profiles().and_then(|profiles| profiles.checked_mul(outcomes))
        else {
            return Ok(None);
        };
        if all > MANY {
            return Ok(None);
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let key = (Key::of(&state), seen);
        if let Some(known) = self.fitting.get(&key) {
            return Ok(Some(known.clone()));
        }
        let mut step = Step::new();
        let mut fits = Vec::with_capacity(all);
        for number in 0..all {
            stop.check()?;
            let (joint, ..) = take_apart(choices, number);
            if joint[role.index()] != turns[seen].own {
                fits.push(false);
                continue;
            }
            self.worker.step(&joint, &mut step, stop)?;
            let view = observe(self.tables.info.information, role, &joint, &step);
            fits.push(view == turns[seen].seen);
            self.worker.load(&state, stop)?;
        }
        let fits: Box<[bool]> = fits.into();
        if self.fitting.len() < KEPT {
            self.fitting.insert(key, fits.clone());
        }
        Ok(Some(fits))
    }

    /// Updates regrets and averages along a history, from its end to its beginning.
    fn learn(&mut self, trajectory: &Trajectory, learner: usize, value: f64, drawn: f64) {
        // The probability of the rest of the history under all strategies.
        let mut rest = 1.0;
        let mut shares = Vec::new();
        for event in trajectory.events.iter().rev() {
            let after = rest;
            rest *= event.likely;
            let Some(player) = event.player else { continue };
            if event.stand.first == NONE {
                continue;
            }
            let (first, count) = (event.stand.first as usize, event.count as usize);
            if player == learner {
                let weight = value * event.others / drawn;
                for (at, regret) in self.tables.regrets[first..][..count].iter_mut().enumerate() {
                    let gained = if at == event.chosen as usize { after } else { 0.0 };
                    *regret += (gained - rest) * weight;
                }
            } else if event.drawn > 0.0 {
                self.tables.current(event.stand, count, &mut shares);
                let weight = event.own / event.drawn;
                let sums = &mut self.tables.sums[first..][..count];
                sums.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += weight * share);
            }
        }
    }
}

/// The probability of sampling a joint move.
fn joint_likely(
    choices: &Choices,
    players: &[Role],
    number: usize,
    drawn: &impl Fn(usize, usize) -> f64,
) -> f64 {
    let outcomes = choices.probabilities().len();
    let picks = choices.picks(number / outcomes);
    let moves = choices.actors().iter().zip(picks).map(|(actor, at)| {
        players.iter().position(|one| one == actor).map_or(1.0, |player| drawn(player, at))
    });
    moves.product::<f64>() * choices.probabilities()[number % outcomes]
}

/// A joint move, the choices of the actors, and the chance outcome.
fn take_apart(choices: &Choices, number: usize) -> (Vec<Move>, Vec<usize>, usize) {
    let outcomes = choices.probabilities().len();
    let (profile, outcome) = (number / outcomes, number % outcomes);
    (choices.joint(profile, outcome), choices.picks(profile), outcome)
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outcome").field("rounds", &self.rounds).finish_non_exhaustive()
    }
}
