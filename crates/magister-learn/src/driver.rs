//! The training driver: self-play, and learning from it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use magister_core::{Halt, Rng, Seed};
use serde::{Deserialize, Serialize};

use crate::average::Average;
use crate::environment::{Choice, Environment};
use crate::model::Model;

/// Which afterstates learn from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chain {
    /// Each afterstate learns from the next one, whichever player moved. In two-player
    /// constant-sum games one value serves both players; otherwise every player has its own value,
    /// and all of them learn at every step.
    Every,
    /// Each player's afterstates learn from the next afterstate of the same player.
    Own,
}

/// The target of a value once the next move is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The move that is made, as in TD(lambda) and SARSA.
    Chosen,
    /// The best move, even if another is made, as in Q-learning.
    Best,
}

/// How a value function learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// The step size at the start and at the end; it decays geometrically.
    pub alpha: (f32, f32),
    /// The probability of a random move at the start and at the end; it decays linearly.
    pub epsilon: (f32, f32),
    /// The trace decay (lambda), which determines how far errors reach back.
    pub lambda: f32,
    /// The discount factor (gamma).
    pub gamma: f32,
    /// Which afterstates learn from each other.
    pub chain: Chain,
    /// Whether values learn from the move that is made or from the best move.
    pub target: Target,
    /// Final adaptation: at the end of a game all players learn from the result, not only the
    /// player who made the last move; and if chance ends a game of one player, the last afterstate
    /// learns that no more reward follows.
    pub final_adaptation: bool,
    /// Whether values pass through the hyperbolic tangent.
    pub squash: bool,
    /// The maximum number of random moves at the start of a game, which are not learned from.
    pub random_start: u32,
    /// The maximum number of moves of an episode; 0 for no limit. The value function estimates the
    /// remaining reward of a truncated episode.
    pub longest: u32,
    /// The number of past steps kept in the replay memory; 0 for none.
    pub replay: usize,
    /// The number of past steps that are learned again at each step.
    pub replays: usize,
    /// Whether the learner also learns from a step if the next move was random.
    pub learn_random: bool,
    /// Choices whose values differ by at most this number count as equal, and one of them is made
    /// at random. In games for more than two players, the values of the others depend on how an
    /// indifferent player decides. It changes linearly from the start to the end.
    pub indifference: (f32, f32),
    /// The maximum number of moves that are compared at a decision during training, if the
    /// environment can draw them at random; 0 for all. Values are those of a player who compares as
    /// few moves, which is weaker.
    pub sampled: usize,
    /// The share of the training, at its end, over which the weights are averaged; 0 for none.
    pub average: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            alpha: (1.0, 1.0),
            epsilon: (0.1, 0.0),
            lambda: 0.0,
            gamma: 1.0,
            chain: Chain::Every,
            target: Target::Chosen,
            final_adaptation: true,
            squash: true,
            random_start: 0,
            longest: 0,
            replay: 0,
            replays: 1,
            learn_random: false,
            indifference: (0.0, 0.0),
            sampled: 0,
            average: 0.0,
        }
    }
}

/// The extent of a training run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The number of games, if it ends the training. Schedules are spread over it.
    pub games: Option<u64>,
    /// The number of games that were played before, if training is resumed.
    pub before: u64,
    /// The share of the schedule that was completed before, if the number of games is not fixed.
    pub done: f64,
    /// The number of actors, each on its own thread. With more than one, results are not
    /// reproducible.
    pub actors: usize,
    /// The number of games of an actor between two reports.
    pub report: u64,
    /// The seed.
    pub seed: Seed,
}

/// The progress of an actor since its last report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The number of games played by all actors since training began.
    pub games: u64,
    /// The number of moves made by all actors.
    pub moves: u64,
    /// The number of games since the last report, over which the means are taken. It is 0 for a report
    /// in the middle of games, which only asks whether to go on.
    pub fresh: u64,
    /// The mean result or score of the first player over the games since the last report.
    pub mean: f64,
    /// The mean size of the errors since the last report; not a number if nothing was learned.
    pub error: f64,
}

/// Trains a value function by self-play. Every actor gets its own environment. After each report,
/// `share` returns the completed share of the training, from 0 to 1, which determines the schedules
/// and the end; it breaks to end the training at once.
pub fn train<E, M>(
    environment: &(dyn Fn() -> E + Sync),
    model: &M,
    settings: &Settings,
    plan: &Plan,
    share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
) -> Result<Progress, Halt>
where
    E: Environment,
    M: Model<E>,
{
    let average = Mutex::new(Average::over(settings.average));
    let share = |now: &Progress| {
        let out = share(now);
        if let (ControlFlow::Continue(done), Some(weights)) = (out, model.weights())
            && now.fresh > 0
        {
            let played = now.games as f64;
            let done = plan.games.map_or(done, |games| played / games.max(1) as f64);
            average.lock().unwrap_or_else(PoisonError::into_inner).note(done, weights);
        }
        out
    };
    let counters = Counters::default();
    counters.games.store(plan.before, Ordering::Relaxed);
    let run = |number: usize| {
        let seed = plan.seed.derive("actor").derive_index(number as u64);
        let mut actor =
            Actor::new(environment(), model, settings, seed.derive_index(plan.before).rng());
        actor.run(plan, &counters, &share)
    };
    let result = if plan.actors <= 1 {
        run(0)
    } else {
        std::thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> =
                (0..plan.actors).map(|number| scope.spawn(move || run(number))).collect();
            let all = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            all.fold(Ok(()), Result::and)
        })
    };
    result?;
    if let Some(weights) = model.weights() {
        average.into_inner().unwrap_or_else(PoisonError::into_inner).apply(weights);
    }
    Ok(Progress {
        games: counters.games.load(Ordering::Relaxed),
        moves: counters.moves.load(Ordering::Relaxed),
        ..Progress::default()
    })
}

#[derive(Default)]
struct Counters {
    games: AtomicU64,
    moves: AtomicU64,
    ended: AtomicBool,
}

/// A step that can be learned from again.
#[derive(Clone)]
struct Transition<C> {
    from: C,
    head: u32,
    reward: f32,
    to: Option<C>,
}

/// An afterstate that waits for its successor.
struct Waiting<C> {
    code: C,
    /// The gains of each head since then.
    gains: Gains,
    /// Older codes with eligibility traces.
    traces: Vec<C>,
}

/// What follows an afterstate.
enum Future<'a, C> {
    /// A choice with this value, and the code of its afterstate if it was made and goes on.
    Value(f32, Option<&'a C>),
    /// The end with these results.
    Results(&'a [f32]),
}

/// A number for each head; a single head needs no allocation.
enum Gains {
    One(f32),
    Many(Vec<f32>),
}

impl Gains {
    fn new(heads: usize) -> Self {
        if heads == 1 { Gains::One(0.0) } else { Gains::Many(vec![0.0; heads]) }
    }

    fn all(&self) -> &[f32] {
        match self {
            Gains::One(one) => std::slice::from_ref(one),
            Gains::Many(all) => all,
        }
    }

    fn add(&mut self, head: usize, gain: f32) {
        match self {
            Gains::One(one) => *one += gain,
            Gains::Many(all) => all[head] += gain,
        }
    }
}

struct Actor<'a, E: Environment, M: Model<E>> {
    env: E,
    model: &'a M,
    settings: &'a Settings,
    rng: Rng,
    scratch: M::Scratch,
    choices: Vec<Choice<E::State>>,
    values: Vec<f32>,
    replay: Vec<Transition<M::Code>>,
    /// The slot of the replay memory that is overwritten next.
    oldest: usize,
    /// The length of the traces.
    reach: usize,
    heads: usize,
    alpha: f32,
    epsilon: f64,
    indifference: f32,
    moves: u64,
    errors: (f64, u64),
    result: f64,
    /// The code of the last choice, and a buffer for the next.
    spare: M::Code,
    old: M::Code,
}

/// The number of moves after which an actor asks whether to go on, although its games before the next
/// report are not complete: games of hundreds of moves take long.
const PATIENCE: u64 = 4_096;

/// Traces with a smaller weight than this are dropped.
const FAINT: f32 = 0.1;

impl<'a, E: Environment, M: Model<E>> Actor<'a, E, M> {
    fn new(env: E, model: &'a M, settings: &'a Settings, rng: Rng) -> Self {
        let lambda = settings.lambda * settings.gamma;
        let reach = match lambda {
            _ if lambda <= FAINT => 0,
            // A full trace goes back to the start of the game.
            _ if lambda >= 1.0 => usize::MAX,
            _ => (FAINT.ln() / lambda.min(0.99).ln()) as usize,
        };
        let heads = heads(&env, settings.chain);
        Actor {
            scratch: model.scratch(),
            env,
            model,
            settings,
            rng,
            choices: Vec::new(),
            values: Vec::new(),
            replay: Vec::new(),
            oldest: 0,
            reach,
            heads,
            alpha: settings.alpha.0,
            epsilon: f64::from(settings.epsilon.0),
            indifference: settings.indifference.0,
            moves: 0,
            errors: (0.0, 0),
            result: 0.0,
            spare: M::Code::default(),
            old: M::Code::default(),
        }
    }

    fn run(
        &mut self,
        plan: &Plan,
        counters: &Counters,
        share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
    ) -> Result<(), Halt> {
        self.schedule(plan.done);
        loop {
            let played = counters.games.load(Ordering::Relaxed);
            let mut now = Progress {
                games: played,
                moves: counters.moves.load(Ordering::Relaxed),
                ..Progress::default()
            };
            let mut wanted = plan.report.max(1);
            if let Some(games) = plan.games {
                wanted = wanted.min(games.saturating_sub(played));
            }
            if wanted == 0 || counters.ended.load(Ordering::Relaxed) {
                return Ok(());
            }
            // Games are counted before they are played, so that actors do not play too many.
            counters.games.fetch_add(wanted, Ordering::Relaxed);
            (self.moves, self.errors, self.result) = (0, (0.0, 0), 0.0);
            let (mut made, mut asked) = (0, 0);
            while made < wanted {
                if let Some(games) = plan.games {
                    self.schedule((played + made) as f64 / games.max(1) as f64);
                }
                self.episode()?;
                made += 1;
                if self.moves - asked >= PATIENCE {
                    asked = self.moves;
                    let so_far = Progress {
                        moves: now.moves + self.moves,
                        mean: self.result / made as f64,
                        error: self.errors.0 / self.errors.1 as f64,
                        ..now
                    };
                    if share(&so_far).is_break() {
                        counters.ended.store(true, Ordering::Relaxed);
                        break;
                    }
                }
            }
            counters.games.fetch_sub(wanted - made, Ordering::Relaxed);
            counters.moves.fetch_add(self.moves, Ordering::Relaxed);
            now.games += made;
            now.moves += self.moves;
            now.fresh = made;
            now.mean = self.result / made as f64;
            now.error = self.errors.0 / self.errors.1 as f64;
            match share(&now) {
                ControlFlow::Break(()) => {
                    counters.ended.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                ControlFlow::Continue(done) => {
                    if plan.games.is_none() {
                        self.schedule(done);
                    }
                }
            }
        }
    }

    /// Sets the step size and the exploration rate for a share of the training.
    fn schedule(&mut self, done: f64) {
        let done = done.clamp(0.0, 1.0);
        let (first, last) = self.settings.alpha;
        self.alpha = if first > 0.0 && last > 0.0 {
            first * (last / first).powf(done as f32)
        } else {
            first + (last - first) * done as f32
        };
        let (first, last) = self.settings.epsilon;
        self.epsilon = f64::from(first) + f64::from(last - first) * done;
        let (first, last) = self.settings.indifference;
        self.indifference = first + (last - first) * done as f32;
    }

    fn episode(&mut self) -> Result<(), Halt> {
        let mut state = self.start()?;
        let players = self.env.players();
        let lines = if self.settings.chain == Chain::Own { players } else { 1 };
        let mut waiting: Vec<Option<Waiting<M::Code>>> = (0..lines).map(|_| None).collect();
        let mut gained = vec![0.0_f32; players];
        let mut length = 0;
        let mut turn = self.env.turn(&state);
        let mut listed = false;
        while let Some(player) = turn {
            if !listed {
                self.env.choices(&state, &mut self.rng, &mut self.choices)?;
            }
            listed = false;
            if self.choices.is_empty() {
                return Err(Halt::Rules("a player who has to decide has no move".to_owned()));
            }
            let explores = self.epsilon > 0.0 && self.rng.f64() < self.epsilon;
            let (head, sign) = self.view_of(player);
            self.rate(&state, head);
            let (best, pick) = self.best(player, sign);
            let chosen =
                if explores { self.rng.below(self.choices.len() as u64) as usize } else { pick };
            // The choice that the afterstate before learns from.
            let learned = match self.settings.target {
                Target::Chosen => chosen,
                Target::Best => best,
            };
            let mut after = self.choices[chosen].after.clone();
            let gain = self.choices[learned].gain;
            let rated = self.prospect(learned, player);
            self.moves += 1;
            length += 1;
            gained[player] += self.choices[chosen].gain;
            let over = self.env.over(&after);
            if !over {
                let mut code = std::mem::take(&mut self.old);
                self.model.encode(&self.env, &self.choices[chosen], &mut self.scratch, &mut code);
                self.spare = code;
                self.env.settle(&mut after, &mut self.rng)?;
                turn = self.env.turn(&after);
                if M::EXPECTS && turn.is_some() {
                    self.env.choices(&after, &mut self.rng, &mut self.choices)?;
                    self.model.expect(&self.choices, &mut self.scratch);
                    listed = true;
                }
            }
            let line = if lines == 1 { 0 } else { player };
            let mut left = Vec::new();
            for (owner, one) in waiting.iter_mut().enumerate() {
                let Some(one) = one else { continue };
                if self.settings.chain == Chain::Own {
                    if owner == player {
                        one.gains.add(0, gain);
                    }
                } else if self.heads == 1 {
                    one.gains.add(0, if player == 0 { gain } else { -gain });
                } else {
                    one.gains.add(player, gain);
                }
            }
            if let Some(before) = waiting[line].take() {
                let usable =
                    !explores || self.settings.learn_random || self.settings.target == Target::Best;
                if over && learned == chosen {
                    // This one learns below, together with all players.
                    waiting[line] = Some(before);
                } else if usable {
                    let next = std::mem::take(&mut self.spare);
                    let code = (learned == chosen).then_some(&next);
                    let traces = self.follow(before, &Future::Value(rated, code));
                    self.spare = next;
                    // A trace ends where another move than the best one is made (C. Watkins, 1989).
                    if learned == chosen {
                        left = traces;
                    }
                }
            }
            if over {
                // With the best move as target, only a best move gets here with something to learn.
                let strayed = explores && self.settings.target == Target::Chosen;
                self.finish(&mut waiting, &after, player, strayed);
                state = after;
                turn = None;
                break;
            }
            let gains = Gains::new(if self.settings.chain == Chain::Own { 1 } else { self.heads });
            waiting[line] =
                Some(Waiting { code: std::mem::take(&mut self.spare), gains, traces: left });
            state = after;
            if turn.is_none() {
                if self.settings.final_adaptation || !self.ends_unpaid(&state) {
                    self.finish(&mut waiting, &state, player, false);
                }
                break;
            }
            if self.settings.longest > 0 && length >= self.settings.longest {
                // The last values are the estimate of the remaining reward.
                break;
            }
        }
        self.result += f64::from(gained[0]);
        if turn.is_none() {
            self.result += f64::from(self.env.result(&state, 0));
        }
        Ok(())
    }

    /// The first state that is learned from, after any random moves.
    fn start(&mut self) -> Result<E::State, Halt> {
        let most = u64::from(self.settings.random_start);
        loop {
            let mut state = self.env.start(&mut self.rng)?;
            let random = if most == 0 { 0 } else { self.rng.below(most + 1) };
            for _ in 0..random {
                if self.env.turn(&state).is_none() {
                    break;
                }
                state = self.env.random_step(&state, &mut self.rng, &mut self.choices)?;
            }
            if random == 0 || self.env.turn(&state).is_some() {
                return Ok(state);
            }
        }
    }

    /// Whether a game of one player ends in this state without a result of its own.
    fn ends_unpaid(&self, end: &E::State) -> bool {
        self.env.players() == 1 && self.env.result(end, 0) == 0.0
    }

    /// The head that evaluates positions for a player, and its sign.
    fn view_of(&self, player: usize) -> (usize, f32) {
        match self.settings.chain {
            Chain::Own => (0, 1.0),
            Chain::Every if self.heads > 1 => (player, 1.0),
            Chain::Every => (0, if player == 0 { 1.0 } else { -1.0 }),
        }
    }

    fn rate(&mut self, state: &E::State, head: usize) {
        self.model.rate(&self.env, state, &self.choices, head, &mut self.scratch, &mut self.values);
    }

    /// The best choice by the values, and the one to make; ties are broken at random.
    fn best(&mut self, player: usize, sign: f32) -> (usize, usize) {
        let (mut best, mut ties) = ((0, f32::NEG_INFINITY), 0);
        for at in 0..self.choices.len() {
            let value = self.worth(at, player, sign);
            if value > best.1 {
                (best, ties) = ((at, value), 1);
            } else if value.to_bits() == best.1.to_bits() {
                ties += 1;
                if self.rng.below(ties) == 0 {
                    best.0 = at;
                }
            }
        }
        let mut pick = best.0;
        if self.indifference > 0.0 {
            let least = best.1 - self.indifference;
            ties = 0;
            for at in 0..self.choices.len() {
                if self.worth(at, player, sign) >= least {
                    ties += 1;
                    if self.rng.below(ties) == 0 {
                        pick = at;
                    }
                }
            }
        }
        (best.0, pick)
    }

    /// The value of a choice of a player in the head that rated it: its result if it ends the game.
    fn prospect(&self, at: usize, player: usize) -> f32 {
        let after = &self.choices[at].after;
        if self.env.over(after) {
            let alike = self.settings.chain == Chain::Every && self.heads == 1;
            self.env.result(after, if alike { 0 } else { player })
        } else {
            self.squashed(self.values[at])
        }
    }

    /// What a choice is worth to a player: its gain and its value.
    fn worth(&self, at: usize, player: usize, sign: f32) -> f32 {
        let choice = &self.choices[at];
        let value = if self.env.over(&choice.after) {
            self.env.result(&choice.after, player)
        } else {
            sign * self.squashed(self.values[at])
        };
        choice.gain + self.settings.gamma * value
    }

    fn squashed(&self, value: f32) -> f32 {
        if self.settings.squash { tanh(value) } else { value }
    }

    /// Learns that an afterstate was followed by another, or by the end with these results, and
    /// returns the traces for the next step.
    fn follow(&mut self, before: Waiting<M::Code>, next: &Future<'_, M::Code>) -> Vec<M::Code> {
        let Waiting { code, gains, mut traces } = before;
        let gains = gains.all();
        for head in 0..gains.len() {
            let (future, to) = match *next {
                // With one head the value is known from the choice.
                Future::Value(rated, to) if gains.len() == 1 => (rated, to),
                Future::Value(_, Some(to)) => (self.squashed(self.model.value(to, head)), Some(to)),
                // The other heads did not rate a choice that was not made.
                Future::Value(_, None) => continue,
                Future::Results(results) => (results[head], None),
            };
            let target = gains[head] + self.settings.gamma * future;
            self.adapt(&code, &traces, head, target);
            let lasting = to.is_some() || matches!(next, Future::Results(_));
            if self.settings.replay > 0 && lasting {
                let reward = if to.is_some() { gains[head] } else { target };
                let (from, to) = (code.clone(), to.cloned());
                self.remember(Transition { from, head: head as u32, reward, to });
            }
        }
        if self.settings.replay > 0 && !self.replay.is_empty() {
            self.relive();
        }
        if self.reach == 0 {
            // Its memory is reused.
            self.old = code;
            return traces;
        }
        traces.insert(0, code);
        traces.truncate(self.reach);
        traces
    }

    /// Moves the values of a code and of its traces towards a target.
    fn adapt(&mut self, code: &M::Code, traces: &[M::Code], head: usize, target: f32) {
        let (settings, alpha) = (self.settings, self.alpha);
        let slope = |value: f32| if settings.squash { 1.0 - value * value } else { 1.0 };
        let squashed = |value: f32| if settings.squash { tanh(value) } else { value };
        let mut error = 0.0;
        self.model.adapt(code, head, |value| {
            let value = squashed(value);
            error = target - value;
            alpha * error * slope(value)
        });
        self.errors.0 += f64::from(error.abs());
        self.errors.1 += 1;
        let mut weight = 1.0;
        for trace in traces {
            weight *= settings.lambda * settings.gamma;
            self.model.adapt(trace, head, |value| weight * alpha * error * slope(squashed(value)));
        }
    }

    /// Learns from the end of a game.
    fn finish(
        &mut self,
        waiting: &mut [Option<Waiting<M::Code>>],
        end: &E::State,
        player: usize,
        explored: bool,
    ) {
        let results: Vec<f32> =
            (0..self.env.players()).map(|player| self.env.result(end, player)).collect();
        for (owner, place) in waiting.iter_mut().enumerate() {
            let Some(before) = place.take() else { continue };
            let own = self.settings.chain == Chain::Own;
            // Without final adaptation, only the player who moved last learns from the end.
            if own && owner != player && !self.settings.final_adaptation {
                continue;
            }
            if explored && !self.settings.learn_random && (!own || owner == player) {
                continue;
            }
            let results = if own { &results[owner..=owner] } else { &results[..] };
            self.follow(before, &Future::Results(results));
        }
    }

    fn remember(&mut self, step: Transition<M::Code>) {
        if self.replay.len() < self.settings.replay {
            self.replay.push(step);
        } else {
            self.replay[self.oldest] = step;
            self.oldest = (self.oldest + 1) % self.settings.replay;
        }
    }

    /// Learns from some past steps again (replay).
    fn relive(&mut self) {
        for _ in 0..self.settings.replays {
            let at = self.rng.below(self.replay.len() as u64) as usize;
            let Transition { from, head, reward, to } = self.replay[at].clone();
            let future = to.map_or(0.0, |to| self.squashed(self.model.value(&to, head as usize)));
            self.adapt(&from, &[], head as usize, reward + self.settings.gamma * future);
        }
    }
}

/// The number of values that a function has for each afterstate.
pub fn heads<E: Environment>(env: &E, chain: Chain) -> usize {
    match chain {
        Chain::Own => 1,
        Chain::Every if env.opposed() => 1,
        Chain::Every => env.players(),
    }
}

/// The hyperbolic tangent as a rational function. Its error is below 2e-4, and it is odd and
/// monotonic, which suffices for learning.
pub fn tanh(x: f32) -> f32 {
    let x = x.clamp(-4.97, 4.97);
    let square = x * x;
    let above = x * (135_135.0 + square * (17_325.0 + square * (378.0 + square)));
    let below = 135_135.0 + square * (62_370.0 + square * (3_150.0 + square * 28.0));
    (above / below).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests;
