//! HyperPlay-II: simulations in which every role decides by its own information state.
//!
//! M. Schofield, M. Thielscher, "Lifting model sampling for general game playing to
//! incomplete-information models", AAAI 2015. A history that is consistent with the observations is
//! sampled, and a move is made there. From then on every role, including the player's own, decides
//! by `HyperPlay` on its own information set. A nested player gets only its role and its
//! information state, so it knows neither the history nor the state. Gathering information
//! therefore has its true value, and revealing it has its true cost.

use std::sync::Arc;

use magister_core::{Budget, Decision, Game, Halt, Move, Rng, Role, Step, View, Worker, draw};
use magister_infoset::{Belief, InfosetLimits, Keep, Settings as BeliefSettings, ViewId, Views};
use rustc_hash::FxHashMap;

use super::believer::{Believer, Method};
use super::{Mind, Scores, Valuer};
use crate::choices::Choices;
use crate::playing::outcome;
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// The number of states that a nested player examines, and of continuations from each.
const NESTED_STATES: usize = 16;
const NESTED_WAYS: usize = 8;
/// The limits for the information set of a nested player.
const NESTED: InfosetLimits = InfosetLimits { states: 2_000, steps: 20_000 };
const NESTED_PARTICLES: usize = 100;
/// The number of information states whose decisions are cached.
const REMEMBERED: usize = 200_000;

/// HyperPlay-II. An iteration is a simulation of one move.
pub(crate) struct HyperPlay2 {
    nested: Option<Nested>,
    depth: u32,
}

impl HyperPlay2 {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let method = HyperPlay2 { nested: None, depth: settings.whole("depth")? };
        Believer::make(settings, Keep::Views, method)
    }
}

impl Method for HyperPlay2 {
    fn nested(&self) -> bool {
        true
    }

    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let game = view.game();
        let known = self.nested.take().filter(|nested| Arc::ptr_eq(&nested.game, game));
        let nested = self.nested.insert(known.unwrap_or_else(|| Nested::new(game)));
        let (belief, worker) = mind.parts()?;
        let mut scores = Scores::new(legal);
        let mut iterations = 0;
        'search: loop {
            let number = belief.draw(rng);
            // Every move is tried in the same history, so that luck affects all of them equally.
            let mut round = Vec::with_capacity(legal.len());
            for &choice in legal {
                if !budget.spend(1) {
                    break 'search;
                }
                let start = (belief, number);
                let made =
                    nested.simulate(start, worker, view.role(), choice, self.depth, budget, rng);
                match made {
                    Ok(value) => round.push((choice, value)),
                    // If the rules fail in a later position, the player still has to move here.
                    Err(_) => break 'search,
                }
                iterations += 1;
            }
            round.into_iter().for_each(|(choice, value)| scores.add(choice, value, 1.0));
        }
        Ok(scores.decide(iterations, rng))
    }
}

/// The nested players: the policy of each, by its information state.
struct Nested {
    game: Arc<dyn Game>,
    views: Views,
    policies: FxHashMap<ViewId, Vec<(Move, f64)>>,
    worker: Box<dyn Worker>,
    /// A spare worker for beliefs.
    spare: Option<Box<dyn Worker>>,
    valuer: Valuer,
    step: Step,
}

impl Nested {
    fn new(game: &Arc<dyn Game>) -> Self {
        Nested {
            game: Arc::clone(game),
            views: Views::new(&**game),
            policies: FxHashMap::default(),
            worker: game.worker(),
            spare: None,
            valuer: Valuer::default(),
            step: Step::new(),
        }
    }

    /// Makes a move in a history and lets every role decide for `depth` steps; returns the reward
    /// of the role.
    #[expect(clippy::too_many_arguments, reason = "they describe one simulation")]
    fn simulate(
        &mut self,
        (belief, number): (&Belief, usize),
        worker: &mut dyn Worker,
        me: Role,
        first: Move,
        depth: u32,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<f64, Halt> {
        let stop = budget.stop();
        let game = Arc::clone(&self.game);
        let info = game.info();
        let mut lived = self.histories(belief, number);
        worker.load(belief.state(number), stop)?;
        let (mut total, mut joint) = (0.0, Vec::new());
        for deep in 0..=depth {
            if worker.terminal() {
                break;
            }
            joint.clear();
            let silent = worker.silent();
            for role in info.all_roles() {
                let legal = worker.legal(role);
                let choice = if role == me && deep == 0 {
                    first
                } else if info.chance == Some(role) {
                    draw(legal, worker.weights(), rng).unwrap_or(Move::IDLE)
                } else if legal.len() < 2 || silent {
                    legal.first().copied().unwrap_or(Move::IDLE)
                } else {
                    let decided = self.decide(role, lived[role.index()], budget, rng)?;
                    // If the rules do not let a role know its legal moves, its decision may be
                    // illegal.
                    if legal.contains(&decided) {
                        decided
                    } else {
                        draw(legal, &[], rng).unwrap_or(Move::IDLE)
                    }
                };
                joint.push(choice);
            }
            worker.step(&joint, &mut self.step, stop)?;
            total += self.step.gains.get(me.index()).copied().unwrap_or(0.0);
            if self.step.tick {
                for role in info.players() {
                    let view = &mut lived[role.index()];
                    *view = self.views.extend(*view, role, &joint, &self.step);
                }
            }
        }
        let scale = Scale::of(info);
        if worker.terminal() {
            return Ok(total + rewards::terminal(worker, scale, &mut Vec::new())[me.index()]);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        let values = self.valuer.values(worker, &[&state], rng, stop)?;
        Ok(total + values[0][me.index()])
    }

    /// The information states of all roles in a history, with the numbers used here.
    fn histories(&mut self, belief: &Belief, number: usize) -> Vec<ViewId> {
        let roles = self.game.info().all_roles();
        let theirs = belief.views_of(number);
        let mut lived = Vec::new();
        for (role, view) in roles.zip(theirs) {
            let turns = belief.views().map(|views| views.turns(view)).unwrap_or_default();
            let root = self.views.root(role);
            lived.push(turns.iter().fold(root, |view, turn| self.views.push(view, turn)));
        }
        lived
    }

    /// The decision of a role in an information state, without any other knowledge.
    fn decide(
        &mut self,
        role: Role,
        view: ViewId,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Move, Halt> {
        if !self.policies.contains_key(&view) {
            if self.policies.len() > REMEMBERED {
                self.policies.clear();
            }
            let policy = self.policy(role, view, budget, rng)?;
            self.policies.insert(view, policy);
        }
        let policy = self.policies.get(&view).map(Vec::as_slice).unwrap_or_default();
        let shares: Vec<f64> = policy.iter().map(|entry| entry.1).collect();
        Ok(policy.get(outcome(&shares, rng)).map_or(Move::IDLE, |entry| entry.0))
    }

    /// `HyperPlay` on the information set of an information state: the best moves, uniformly.
    fn policy(
        &mut self,
        role: Role,
        view: ViewId,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Vec<(Move, f64)>, Halt> {
        let stop = budget.stop();
        let settings = BeliefSettings {
            limits: NESTED,
            particles: NESTED_PARTICLES,
            ..BeliefSettings::default()
        };
        let spare = self.spare.take().unwrap_or_else(|| self.game.worker());
        let mut belief = Belief::with_worker(Arc::clone(&self.game), spare, role, settings, stop)?;
        let policy = belief
            .follow(&self.views.turns(view), budget, rng)
            .and_then(|()| self.best(&belief, role, budget, rng));
        self.spare = Some(belief.into_worker());
        policy
    }

    /// The best moves in a belief, by playouts.
    fn best(
        &mut self,
        belief: &Belief,
        role: Role,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Vec<(Move, f64)>, Halt> {
        let stop = budget.stop();
        self.worker.load(belief.state(0), stop)?;
        let legal = self.worker.legal(role).to_vec();
        let mut scores = Scores::new(&legal);
        let all = belief.len() <= NESTED_STATES;
        for at in 0..belief.len().min(NESTED_STATES) {
            let (number, share) =
                if all { (at, belief.share(at)) } else { (belief.draw(rng), 1.0) };
            for &choice in &legal {
                let value = self.mean(belief.state(number), role, choice, budget, rng)?;
                if let Some(value) = value {
                    scores.add(choice, value, share);
                }
            }
        }
        Ok(scores.best())
    }

    /// The mean reward of a role if it makes a move in a state and all roles continue at random.
    fn mean(
        &mut self,
        state: &[u64],
        role: Role,
        choice: Move,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<Option<f64>, Halt> {
        let stop = budget.stop();
        self.worker.load(state, stop)?;
        let choices = Choices::of(&*self.worker);
        if !choices.moves(role).contains(&choice) {
            return Ok(None);
        }
        let outcomes = choices.probabilities().to_vec();
        let own = choices.moves(role).len();
        let ways = choices.profiles().and_then(|profiles| profiles.checked_mul(outcomes.len()));
        let few = ways.is_some_and(|ways| ways / own.max(1) <= NESTED_WAYS);
        let profiles = choices.profiles().unwrap_or(usize::MAX);
        // All continuations if there are few, otherwise a sample.
        let mut joints: Vec<(Vec<Move>, f64)> = Vec::new();
        if few {
            for profile in 0..profiles {
                for (outcome, &likely) in outcomes.iter().enumerate() {
                    let joint = choices.joint(profile, outcome);
                    if joint[role.index()] == choice {
                        joints.push((joint, likely * own as f64 / profiles as f64));
                    }
                }
            }
        } else {
            for _ in 0..NESTED_WAYS / 4 {
                let info = self.game.info();
                let draw_one = |whose: Role| match choices.moves(whose) {
                    [] => Move::IDLE,
                    moves => moves[rng.below(moves.len() as u64) as usize],
                };
                let mut joint: Vec<Move> = info.all_roles().map(draw_one).collect();
                if let Some(chance) = info.chance {
                    let moves = choices.moves(chance);
                    if let Some(&drawn) = moves.get(outcome(&outcomes, rng)) {
                        joint[chance.index()] = drawn;
                    }
                }
                joint[role.index()] = choice;
                joints.push((joint, 4.0 / NESTED_WAYS as f64));
            }
        }
        let scale = Scale::of(self.game.info());
        let (mut sum, mut mass) = (0.0, 0.0);
        let mut open: Vec<(Vec<u64>, f64)> = Vec::new();
        for (joint, likely) in joints {
            self.worker.load(state, stop)?;
            self.worker.step(&joint, &mut self.step, stop)?;
            mass += likely;
            sum += likely * self.step.gains.get(role.index()).copied().unwrap_or(0.0);
            if self.worker.terminal() {
                let values = rewards::terminal(&*self.worker, scale, &mut Vec::new());
                sum += likely * values[role.index()];
            } else {
                let mut next = Vec::new();
                self.worker.save(&mut next);
                open.push((next, likely));
            }
        }
        if !open.is_empty() {
            let starts: Vec<&[u64]> = open.iter().map(|(state, _)| &state[..]).collect();
            let values = self.valuer.values(&mut *self.worker, &starts, rng, stop)?;
            for (values, (_, likely)) in values.iter().zip(&open) {
                sum += likely * values[role.index()];
            }
        }
        Ok((mass > 0.0).then(|| sum / mass))
    }
}
