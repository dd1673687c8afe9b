//! Simple players for hidden information, as in other systems for card games. They are baselines:
//! they draw all states of the belief with the same probability, do not weight them by the moves of
//! the others, and maximise their rank.
//!
//! - `pipmc` is CardStock's flat Monte Carlo: every option gets the same number of random playouts,
//!   each in a fresh determinization.
//! - `single-mcts` is CardStock's tree search in one determinization per decision.
//! - `lazy-mcts` determinizes lazily: its tree contains only moves, and hidden information is
//!   sampled again in every descent, like chance.

use magister_core::{
    Agent, Budget, Decision, Halt, Move, Payment, Rng, Role, Step, Stop, Thought, View, Worker,
    draw,
};
use magister_infoset::{Belief, Determinization, Keep};
use rustc_hash::FxHashMap;

use super::Mind;
use super::believer::{Believer, Method};
use crate::playing::MAX_STEPS;
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// Flat Monte Carlo. An iteration is one playout.
pub(crate) struct Flat;

/// Tree search in one determinization. An iteration is one of the inner player.
pub(crate) struct Single {
    inner: Box<dyn Agent>,
}

/// Tree search over moves. An iteration is one descent with a playout.
pub(crate) struct Lazy {
    c: f64,
}

impl Flat {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Believer::make(settings, Keep::States, Flat)
    }
}

impl Single {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Believer::make(settings, Keep::States, Single { inner: settings.player("inner")? })
    }
}

impl Lazy {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Believer::make(settings, Keep::States, Lazy { c: settings.real("c")? })
    }
}

/// The statistics of a move.
#[derive(Clone, Copy, Debug)]
struct Arm {
    choice: Move,
    visits: f64,
    sum: f64,
}

impl Arm {
    fn new(choice: Move) -> Self {
        Arm { choice, visits: 0.0, sum: 0.0 }
    }

    fn mean(&self) -> f64 {
        if self.visits > 0.0 { self.sum / self.visits } else { f64::NEG_INFINITY }
    }

    fn add(&mut self, value: f64) {
        self.visits += 1.0;
        self.sum += value;
    }
}

/// The move with the best value of a figure, ties broken at random, and the statistics of all
/// moves.
fn decision(arms: &[Arm], figure: impl Fn(&Arm) -> f64, tries: u64, rng: &mut Rng) -> Decision {
    let best = arms.iter().map(&figure).fold(f64::NEG_INFINITY, f64::max);
    let near: Vec<Move> =
        arms.iter().filter(|arm| figure(arm) >= best).map(|arm| arm.choice).collect();
    let choice = match near[..] {
        [] => Move::IDLE,
        _ => near[rng.below(near.len() as u64) as usize],
    };
    let tried = arms.iter().filter(|arm| arm.visits > 0.0);
    // The values are ranks and not rewards, so they are not reported.
    let thoughts = tried
        .map(|arm| Thought {
            value: None,
            visits: arm.visits as u64,
            ..Thought::new(arm.choice, arm.mean())
        })
        .collect();
    Decision { thoughts, iterations: tries, ..choice.into() }
}

/// A state of the belief, uniformly at random.
fn any_state<'a>(belief: &'a Belief, rng: &mut Rng) -> &'a [u64] {
    belief.state(rng.below(belief.len() as u64) as usize)
}

impl Method for Flat {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, worker) = mind.parts()?;
        let role = view.role();
        let mut arms: Vec<Arm> = legal.iter().copied().map(Arm::new).collect();
        let mut simulation = Simulation::new(worker);
        let mut tries = 0;
        while budget.spend(1) {
            let at = tries as usize % arms.len();
            let made = simulation
                .start(worker, any_state(belief, rng), budget.stop())
                .and_then(|()| {
                    simulation.go(worker, Some((role, arms[at].choice)), rng, budget.stop())
                })
                .and_then(|()| simulation.finish(worker, rng, budget.stop()));
            // If the rules fail in a later position, the player still has to move here.
            let Ok(values) = made else { break };
            arms[at].add(values[role.index()]);
            tries += 1;
        }
        worker.quiet(false);
        Ok(decision(&arms, Arm::mean, tries, rng))
    }
}

impl Method for Single {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, _) = mind.parts()?;
        let state = any_state(belief, rng);
        let open = Determinization::view(belief.game(), state, view.role());
        let decision = self.inner.decide(&open, budget, rng)?;
        if legal.contains(&decision.choice) {
            return Ok(decision);
        }
        Ok(legal[rng.below(legal.len() as u64) as usize].into())
    }
}

/// A node of a tree over moves.
#[derive(Debug, Default)]
struct Node {
    arms: Vec<Arm>,
    /// How often each move could be chosen.
    available: Vec<f64>,
    children: FxHashMap<Move, usize>,
}

impl Node {
    /// Selects a legal move by upper confidence bounds; returns its number and whether it is new.
    fn select(&mut self, legal: &[Move], c: f64, (low, high): (f64, f64), rng: &mut Rng) -> usize {
        for &choice in legal {
            if !self.arms.iter().any(|arm| arm.choice == choice) {
                self.arms.push(Arm::new(choice));
                self.available.push(0.0);
            }
        }
        let spread = (high - low).max(1e-9);
        let (mut best, mut worth, mut ties) = (0, f64::NEG_INFINITY, 0_u64);
        for (at, arm) in self.arms.iter().enumerate() {
            if !legal.contains(&arm.choice) {
                continue;
            }
            self.available[at] += 1.0;
            let here = if arm.visits == 0.0 {
                f64::INFINITY
            } else {
                (arm.mean() - low) / spread + c * (self.available[at].ln() / arm.visits).sqrt()
            };
            match here.total_cmp(&worth) {
                std::cmp::Ordering::Less => continue,
                std::cmp::Ordering::Equal => ties += 1,
                std::cmp::Ordering::Greater => ties = 1,
            }
            if ties == 1 || rng.below(ties) == 0 {
                (best, worth) = (at, here);
            }
        }
        best
    }
}

impl Method for Lazy {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        _view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, worker) = mind.parts()?;
        let mut nodes = vec![Node::default()];
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        let mut simulation = Simulation::new(worker);
        let mut tries = 0;
        let mut path: Vec<(usize, usize, Role)> = Vec::new();
        while budget.spend(1) {
            path.clear();
            let made = simulation.start(worker, any_state(belief, rng), budget.stop());
            let made = made.and_then(|()| {
                let (mut at, mut new) = (0, false);
                while !new && !worker.terminal() && simulation.steps < MAX_STEPS {
                    let info = worker.info();
                    let decider = info.players().find(|&role| worker.legal(role).len() > 1);
                    let mut chosen = None;
                    if let Some(role) = decider {
                        let arm = nodes[at].select(worker.legal(role), self.c, range, rng);
                        path.push((at, arm, role));
                        let choice = nodes[at].arms[arm].choice;
                        chosen = Some((role, choice));
                        let next = nodes.len();
                        at = *nodes[at].children.entry(choice).or_insert(next);
                        if at == next {
                            nodes.push(Node::default());
                            new = true;
                        }
                    }
                    simulation.go(worker, chosen, rng, budget.stop())?;
                }
                simulation.finish(worker, rng, budget.stop())
            });
            let Ok(values) = made else { break };
            for &(node, arm, role) in &path {
                let value = values[role.index()];
                range = (range.0.min(value), range.1.max(value));
                nodes[node].arms[arm].add(value);
            }
            tries += 1;
        }
        worker.quiet(false);
        let arms: Vec<Arm> =
            nodes[0].arms.iter().copied().filter(|arm| legal.contains(&arm.choice)).collect();
        if arms.is_empty() {
            return Ok(legal[rng.below(legal.len() as u64) as usize].into());
        }
        Ok(decision(&arms, |arm| arm.visits, tries, rng))
    }
}

/// A match that continues from a determinization.
struct Simulation {
    totals: Vec<f64>,
    joint: Vec<Move>,
    step: Step,
    steps: u32,
}

impl Simulation {
    fn new(worker: &dyn Worker) -> Self {
        let totals = vec![0.0; worker.info().roles.len()];
        Simulation { totals, joint: Vec::new(), step: Step::new(), steps: 0 }
    }

    fn start(&mut self, worker: &mut dyn Worker, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        self.totals.fill(0.0);
        self.steps = 0;
        worker.quiet(true);
        worker.load(state, stop)
    }

    /// One step: a role makes a given move, all others move at random.
    fn go(
        &mut self,
        worker: &mut dyn Worker,
        chosen: Option<(Role, Move)>,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.joint.clear();
        for whose in worker.info().all_roles() {
            let chance = worker.info().chance == Some(whose);
            let weights = if chance { worker.weights() } else { &[] };
            let drawn = draw(worker.legal(whose), weights, rng).unwrap_or(Move::IDLE);
            let given = chosen.filter(|(role, _)| *role == whose).map(|(_, choice)| choice);
            self.joint.push(given.unwrap_or(drawn));
        }
        worker.step(&self.joint, &mut self.step, stop)?;
        self.totals.iter_mut().zip(&self.step.gains).for_each(|(total, gain)| *total += gain);
        self.steps += 1;
        Ok(())
    }

    /// Continues at random to the end. Returns the value of each role: 1 for the first rank, 0 for
    /// the last; in games for one player its reward.
    fn finish(
        &mut self,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Vec<f64>, Halt> {
        while !worker.terminal() && self.steps < MAX_STEPS {
            self.go(worker, None, rng, stop)?;
        }
        let info = worker.info();
        if worker.terminal() && info.payment == Payment::AtEnd {
            self.totals = rewards::terminal(worker, Scale::of(info), &mut Vec::new());
        }
        let totals = &self.totals;
        let seats: Vec<Role> = worker.info().players().collect();
        let mut values = totals.clone();
        if seats.len() > 1 {
            for &role in &seats {
                let own = totals[role.index()];
                let others = || seats.iter().filter(|&&other| other != role);
                let below = others().filter(|other| totals[other.index()] < own).count() as f64;
                let above = others().filter(|other| totals[other.index()] > own).count() as f64;
                let equal = (seats.len() - 1) as f64 - below - above;
                values[role.index()] = (below + equal / 2.0) / (seats.len() - 1) as f64;
            }
        }
        Ok(values)
    }
}
