//! Players for games with hidden information.
//!
//! All of them keep a [`Belief`]: the states that are consistent with the role's observations, with
//! probabilities. They differ in how they use it:
//!
//! - `pimc` determinizes: a player for perfect information searches sampled states, and the values
//!   are averaged;
//! - `hyperplay` averages random playouts;
//! - `bayes` looks ahead over its own observations, exactly, against random opponents;
//! - `hyperplay2` makes simulations in which every role decides by its own information state;
//! - `ismcts` searches in trees of observations;
//! - `paired` compares moves in the same states, with the same random numbers;
//! - `cfr`, `mccfr` and `oos` minimise regret in the whole game and play the average strategy;
//! - `thesis` is the honest agent of a published thesis, for comparison;
//! - `baselines` are the simple players of other systems, for comparison;
//! - `clairvoyant` sees the true state, so it is not honest;
//! - `honest` chooses the method that suits the game.

mod baselines;
mod bayes;
mod believer;
mod cfr;
mod clairvoyant;
mod coupled;
mod habits;
mod honest;
mod hyperplay;
mod hyperplay2;
mod ismcts;
mod paired;
mod pimc;
mod thesis;
mod tree;
mod utility;

pub(crate) use baselines::{Flat as Pipmc, Lazy, Single};
pub(crate) use bayes::Bayes;
pub(crate) use cfr::Regret;
pub(crate) use clairvoyant::Clairvoyant;
pub(crate) use honest::Honest;
pub(crate) use hyperplay::HyperPlay;
pub(crate) use hyperplay2::HyperPlay2;
pub(crate) use ismcts::Ismcts;
pub(crate) use paired::Paired;
pub(crate) use pimc::Pimc;
pub(crate) use thesis::Thesis;

use std::sync::Arc;

use magister_core::{
    Batch, Budget, Decision, Detail, Game, Halt, Information, Move, Results, Rng, Stop, Stream,
    Thought, View, Worker,
};
use magister_infoset::{Belief, Customary, InfosetLimits, Keep, Settings, Votes};

use crate::playing::{MAX_STEPS, Means};
use crate::rewards::Scale;

/// The number of states that are examined for legal moves.
const LOOKED_AT: usize = 64;
/// The playouts per state if the engine plays 32 at the cost of one.
const SIDE_BY_SIDE: u32 = 32;

/// The belief of a role, kept from turn to turn.
pub(crate) struct Mind {
    settings: Settings,
    belief: Option<Belief>,
    worker: Option<(Arc<dyn Game>, Box<dyn Worker>)>,
    /// If the role does not always know its legal moves: the legal moves that it has in random
    /// play.
    customary: Option<Customary>,
}

/// The decision to make.
pub(crate) enum Question {
    /// There is one legal move, or only one legal move is known.
    Settled(Decision),
    /// One of these moves has to be chosen.
    Choice(Vec<Move>),
}

impl Mind {
    pub(crate) fn new(keep: Keep, particles: usize, states: usize) -> Self {
        let limits = InfosetLimits { states, steps: 40 * states as u64 };
        let settings = Settings { limits, particles, keep, ..Settings::default() };
        Mind { settings, belief: None, worker: None, customary: None }
    }

    /// The same for a search in which several iterations share a state.
    pub(crate) fn sharing(mut self, tries: u64) -> Self {
        self.settings.tries = tries;
        self
    }

    /// Updates the belief with the match and determines the legal moves. If no belief can be
    /// computed in time, it uses a move that is legal in some possible position.
    pub(crate) fn ask(
        &mut self,
        view: &View,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Question, Halt> {
        let (legal, believed) = self.moves(view, budget, rng)?;
        Ok(match legal[..] {
            [] => Question::Settled(Move::IDLE.into()),
            [only] => Question::Settled(only.into()),
            _ if believed => Question::Choice(legal),
            _ => Question::Settled(legal[rng.below(legal.len() as u64) as usize].into()),
        })
    }

    /// The role's moves, and whether they are legal according to the belief, or only in some
    /// possible position.
    pub(crate) fn moves(
        &mut self,
        view: &View,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(Vec<Move>, bool), Halt> {
        let halt = match self.follow(view, budget, rng) {
            Ok(()) => return Ok((self.legal(view, budget)?, true)),
            Err(halt) => halt,
        };
        let Some((_, worker)) = &mut self.worker else { return Err(halt) };
        match &self.belief {
            // A role that sees every joint move knows the state without a belief.
            _ if view.game().info().information == Information::Perfect => {
                view.replay(&mut **worker, &Stop::never())?;
            }
            Some(belief) => {
                let (guessed, agrees) =
                    belief.guess_legal(view.turns(), &mut **worker, budget, rng)?;
                return Ok((self.respecting_percepts(guessed, agrees, view, budget)?, false));
            }
            None if view.turns().is_empty() => worker.reset(),
            None => return Err(halt),
        }
        Ok((worker.legal(view.role()).to_vec(), false))
    }

    /// Creates the belief for a match, unless the existing one is for the current turn of the same
    /// match.
    pub(crate) fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        self.belief(view, stop).map(drop)
    }

    fn follow(&mut self, view: &View, budget: &Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.belief(view, budget.stop())?.follow(view.turns(), budget, rng)
    }

    fn belief(&mut self, view: &View, stop: &Stop) -> Result<&mut Belief, Halt> {
        let (game, role) = (view.game(), view.role());
        if self.worker.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, game)) {
            self.worker = Some((Arc::clone(game), game.worker()));
            self.customary = None;
        }
        self.belief = self.belief.take().filter(|old| old.precedes(game, role, view.turns()));
        Ok(match &mut self.belief {
            Some(belief) => belief,
            empty => {
                let (game, settings) = (Arc::clone(game), self.settings.clone());
                empty.insert(Belief::new(game, role, settings, stop)?)
            }
        })
    }

    /// The belief, and a worker to search with.
    pub(crate) fn parts(&mut self) -> Result<(&Belief, &mut dyn Worker), Halt> {
        match (&self.belief, &mut self.worker) {
            (Some(belief), Some((_, worker))) => Ok((belief, &mut **worker)),
            _ => Err(Halt::Hidden),
        }
    }

    /// The moves that are legal in all states of the belief, as far as there is time to check them;
    /// if there are none, the moves that are legal in the most states. A sample may miss the state
    /// in which a move is illegal, so a role that does not always know its legal moves prefers
    /// those that it always has after its latest percepts.
    fn legal(&mut self, view: &View, budget: &Budget) -> Result<Vec<Move>, Halt> {
        let (stop, all) = (Stop::never(), budget.remaining());
        let (belief, worker) = self.parts()?;
        let exact = belief.is_exact();
        // A sample spread over the whole belief comes first, in case there is no time for more.
        let stride = belief.len().div_ceil(LOOKED_AT).max(1);
        let late = || {
            let short = all.zip(budget.remaining());
            budget.stop().is_set() || short.is_some_and(|(all, left)| left < all.mul_f64(0.9))
        };
        let mut votes = Votes::default();
        let order = (0..stride).flat_map(|start| (start..belief.len()).step_by(stride));
        for (seen, number) in order.enumerate() {
            if seen > 0 && late() {
                break;
            }
            worker.load(belief.state(number), &stop)?;
            votes.add(worker.legal(view.role()), belief.share(number));
        }
        let legal = votes.most();
        if !votes.agree() && self.customary.is_none() {
            self.customary = Some(Customary::new(view.role()));
        }
        if exact || self.customary.is_none() {
            return Ok(legal);
        }
        let always = self.after_percepts(view, budget)?.map(Votes::all).unwrap_or_default();
        let safe: Vec<Move> = legal.iter().copied().filter(|one| always.contains(one)).collect();
        Ok(if safe.is_empty() { legal } else { safe })
    }

    /// Those of the guessed moves that fit the latest percepts, which may say whose turn it is.
    /// `agrees` says that the states of the guess agree with these percepts.
    fn respecting_percepts(
        &mut self,
        guessed: Vec<Move>,
        agrees: bool,
        view: &View,
        budget: &Budget,
    ) -> Result<Vec<Move>, Halt> {
        let Some(votes) = self.after_percepts(view, budget)? else { return Ok(guessed) };
        let always = votes.all();
        let fitting: Vec<Move> = guessed.into_iter().filter(|&one| votes.has(one)).collect();
        let safe: Vec<Move> = fitting.iter().copied().filter(|one| always.contains(one)).collect();
        Ok(match (safe.is_empty(), agrees, always.is_empty(), fitting.is_empty()) {
            (false, ..) => safe,
            (_, false, false, _) => always,
            (.., false) => fitting,
            _ => votes.most(),
        })
    }

    /// The moves of the role after its latest percepts, in random play. `None` before the first
    /// turn, and if no state of random play has these percepts.
    fn after_percepts(&mut self, view: &View, budget: &Budget) -> Result<Option<&Votes>, Halt> {
        let Some(last) = view.turns().last() else { return Ok(None) };
        let Some((game, worker)) = &mut self.worker else { return Ok(None) };
        let customary = self.customary.get_or_insert_with(|| Customary::new(view.role()));
        let (all, stop) = (budget.remaining(), budget.stop());
        let patience = || {
            let late = all.zip(budget.remaining()).is_some_and(|(all, left)| left < all / 2);
            !late && !stop.is_set()
        };
        match customary.learn(&**game, &mut **worker, &patience, stop) {
            Ok(()) | Err(Halt::Stopped) => Ok(customary.after(&last.seen)),
            Err(halt) => Err(halt),
        }
    }
}

pub(crate) struct Scores {
    moves: Vec<(Move, f64, f64)>,
}

impl Scores {
    pub(crate) fn new(legal: &[Move]) -> Self {
        Scores { moves: legal.iter().map(|&choice| (choice, 0.0, 0.0)).collect() }
    }

    /// Adds a value of a move with a weight.
    pub(crate) fn add(&mut self, choice: Move, value: f64, weight: f64) {
        if let Some(entry) = self.moves.iter_mut().find(|entry| entry.0 == choice) {
            entry.1 += value * weight;
            entry.2 += weight;
        }
    }

    /// The move with the best mean; ties are broken at random.
    pub(crate) fn decide(&self, iterations: u64, rng: &mut Rng) -> Decision {
        let mean = |&(_, sum, weight): &(Move, f64, f64)| {
            if weight > 0.0 { sum / weight } else { f64::NEG_INFINITY }
        };
        let best = self.moves.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let near: Vec<Move> = self
            .moves
            .iter()
            .filter(|entry| mean(entry) >= best - 1e-9)
            .map(|entry| entry.0)
            .collect();
        let choice = match near[..] {
            [] => Move::IDLE,
            _ => near[rng.below(near.len() as u64) as usize],
        };
        let thoughts = self
            .moves
            .iter()
            .filter(|entry| entry.2 > 0.0)
            .map(|entry| Thought { visits: entry.2 as u64, ..Thought::new(entry.0, mean(entry)) })
            .collect();
        Decision { thoughts, iterations, ..choice.into() }
    }
}

/// Values of states by random playouts.
#[derive(Default)]
pub(crate) struct Valuer {
    results: Results,
    next: u64,
}

impl Valuer {
    /// The expected rewards of all roles in each of some states. Truncated playouts count as the
    /// middle of the scale.
    pub(crate) fn values(
        &mut self,
        worker: &mut dyn Worker,
        states: &[&[u64]],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Vec<Vec<f64>>, Halt> {
        let quota = if worker.lanes() > 1 { SIDE_BY_SIDE } else { 1 };
        let first = self.next;
        self.next += states.len() as u64;
        let streams: Vec<Stream<'_>> =
            states.iter().zip(first..).map(|(&start, id)| Stream { id, start, quota }).collect();
        let (seed, max_steps) = (rng.next_u64(), MAX_STEPS);
        let batch = Batch { seed, streams: &streams, max_steps, detail: Detail::Sums };
        worker.playouts(&batch, &mut self.results, stop)?;
        let info = worker.info();
        let scale = Scale::of(info);
        let roles = || info.all_roles();
        let tallies = self.results.streams.iter();
        Ok(tallies.map(|t| roles().map(|r| Means::of(t, scale).role(r)).collect()).collect())
    }
}

impl Scores {
    /// The moves with the best mean, uniformly.
    pub(crate) fn best(&self) -> Vec<(Move, f64)> {
        let mean = |entry: &(Move, f64, f64)| entry.1 / entry.2.max(f64::MIN_POSITIVE);
        let tried = || self.moves.iter().filter(|entry| entry.2 > 0.0);
        let best = tried().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let near: Vec<Move> =
            tried().filter(|entry| mean(entry) >= best - 1e-9).map(|entry| entry.0).collect();
        let share = 1.0 / near.len().max(1) as f64;
        near.into_iter().map(|choice| (choice, share)).collect()
    }

    /// The move with the most votes, if votes were counted instead of values.
    pub(crate) fn elected(&self, iterations: u64, rng: &mut Rng) -> Decision {
        let most = self.moves.iter().map(|entry| entry.2).fold(0.0, f64::max);
        let near: Vec<Move> =
            self.moves.iter().filter(|e| e.2 >= most - 1e-12).map(|entry| entry.0).collect();
        let choice = match near[..] {
            [] => Move::IDLE,
            _ => near[rng.below(near.len() as u64) as usize],
        };
        let total: f64 = self.moves.iter().map(|entry| entry.2).sum();
        // The player chooses the first of them deterministically, so votes are not probabilities.
        let share = |votes: f64| votes / total.max(f64::MIN_POSITIVE);
        let thought = |&(choice, _, votes): &(Move, f64, f64)| Thought {
            value: None,
            visits: (share(votes) * iterations as f64).round() as u64,
            ..Thought::new(choice, 0.0)
        };
        let thoughts = self.moves.iter().filter(|entry| entry.2 > 0.0).map(thought).collect();
        Decision { thoughts, iterations, ..choice.into() }
    }
}
