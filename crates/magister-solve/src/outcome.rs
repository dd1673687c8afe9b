//! Regret minimisation along single courses of the game, those first that agree with what a
//! role has seen: online outcome sampling of Lisý, Lanctot and Bowling.

use magister_core::view::observe;
use magister_core::{Game, Halt, Move, Payment, Rng, Role, Step, Stop, Turn, Worker};
use rustc_hash::FxHashMap;

use crate::Key;
use crate::choices::Choices;
use crate::memory::NONE;
use crate::rewards::{self, Scale};
use crate::tables::{Stand, Tables, lot};

/// How courses are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    /// How often a course is made to agree with what the role has seen.
    pub target: f64,
    /// How often the player whose regrets are looked at tries something at random.
    pub explore: f64,
}

impl Default for Draws {
    fn default() -> Self {
        Draws { target: 0.9, explore: 0.4 }
    }
}

/// Plays a game against itself, one course after the other.
///
/// A course is drawn in one of two ways: freely, or so that at every step what the role sees is
/// what it has seen in its match, as long as that can be had. Both chances are known exactly, and
/// what a course teaches is weighted by their mixture, so that the strategies tend to an
/// equilibrium of the whole game in either way, not of the part that the role believes to be in.
pub struct Outcome {
    tables: Tables,
    draws: Draws,
    worker: Box<dyn Worker>,
    start: Vec<u64>,
    rounds: u64,
    middle: f64,
    /// Which joint moves of a state show the role what it has seen, after so many turns.
    fitting: FxHashMap<(Key, usize), Box<[bool]>>,
    course: Course,
}

/// What happened on a course.
#[derive(Default)]
struct Course {
    events: Vec<Event>,
    histories: Vec<u32>,
    stands: Vec<Stand>,
    shares: Vec<Vec<f64>>,
}

/// A choice, of a player or of chance.
#[derive(Clone, Copy)]
struct Event {
    /// Who chose; nobody for chance.
    player: Option<usize>,
    stand: Stand,
    count: u32,
    chosen: u32,
    /// How likely it was by the strategy.
    likely: f64,
    /// How likely the others, chance among them, and all players but this one came here.
    others: f64,
    own: f64,
    /// How likely the course was drawn up to here.
    drawn: f64,
}

/// Steps after which a course does not go on.
const LONG: usize = 2_000;
/// More joint moves than this are not looked through for what they show.
const MANY: usize = 400;
/// States whose fitting moves are kept.
const KEPT: usize = 200_000;

impl Outcome {
    /// Before the first course; memory is given in bytes.
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
            course: Course::default(),
        }
    }

    /// Forgets which moves fit what a role has seen, because it has seen something else.
    pub fn retarget(&mut self) {
        self.fitting.clear();
    }

    /// How likely each move is on the average after these turns, if they were met.
    pub fn average(&self, role: Role, turns: &[Turn]) -> Option<Vec<(Move, f64)>> {
        self.tables.average(role, turns)
    }

    /// Plays one course, which teaches one of the players, and is perhaps made to agree with what
    /// a role has seen.
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
        let mut course = std::mem::take(&mut self.course);
        let done = self.draw(&mut course, learner, aimed, (role, turns), rng, stop);
        if let Ok(Some((value, drawn))) = done {
            self.learn(&course, learner, value - self.middle, drawn);
        }
        self.course = course;
        done.map(|_| ())
    }

    /// Draws a course. Told is what the learner got and how likely the course was drawn; nothing
    /// if it was too long.
    fn draw(
        &mut self,
        course: &mut Course,
        learner: usize,
        aimed: bool,
        (role, turns): (Role, &[Turn]),
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<(f64, f64)>, Halt> {
        let players = self.tables.players.len();
        course.events.clear();
        course.histories.clear();
        course.histories.extend(0..players as u32);
        let target = self.draws.target;
        let (mut step, mut gained) = (Step::new(), 0.0);
        // How likely the course is to be drawn if it is aimed, and if it is not.
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
            let mut stands = std::mem::take(&mut course.stands);
            stands.clear();
            if !silent && self.tables.has_room() {
                self.tables.stands(&*self.worker, &course.histories, &mut stands);
            } else if !silent {
                // There is no room: what is not known is played evenly and taught nothing.
                course.histories.fill(NONE);
                self.tables.stands(&*self.worker, &course.histories, &mut stands);
            }
            course.shares.resize(players, Vec::new());
            for (player, stand) in stands.iter().enumerate() {
                let count = choices.moves(self.tables.players[player]).len();
                self.tables.current(*stand, count, &mut course.shares[player]);
            }
            // How likely each move is to be drawn: the learner tries things.
            let explore = self.draws.explore;
            let drawn = |player: usize, at: usize| {
                let shares = &course.shares[player];
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
            // Where nothing fits, an aimed course goes on freely.
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
            // The choices of this step, as if made one after the other, unseen.
            for (at, &actor) in choices.actors().iter().enumerate() {
                let Some(player) = self.tables.players.iter().position(|&one| one == actor) else {
                    continue;
                };
                let others: f64 = (0..players).filter(|&p| p != player).map(|p| reach[p]).product();
                let share = course.shares[player][picks[at]];
                course.events.push(Event {
                    player: Some(player),
                    stand: stands[player],
                    count: course.shares[player].len() as u32,
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
                course.events.push(Event {
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
                    course.histories[player] =
                        self.tables.memory.after(stand.situation, own, view, &joint, &step);
                }
            }
            course.stands = stands;
        }
        Ok(None)
    }

    /// A joint move by lot; its number.
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

    /// Which joint moves out of the worker's state show a role what it has seen, if there are not
    /// too many to look.
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

    /// Takes a course to heart, from its end to its beginning.
    fn learn(&mut self, course: &Course, learner: usize, value: f64, drawn: f64) {
        // How likely the rest of the course is by everybody's strategy.
        let mut rest = 1.0;
        let mut shares = Vec::new();
        for event in course.events.iter().rev() {
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

/// How likely a joint move is to be drawn.
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

/// A joint move, the moves of those who choose, and that of chance.
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
