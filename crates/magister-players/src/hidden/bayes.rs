//! Exact look-ahead over the player's own observations.
//!
//! The value of a move is the mean over all observations that may follow it, and the next move may
//! depend only on these observations. Information therefore has its true value. The others are
//! assumed to move at random; with `worst`, the worst case over everything unknown is assumed.
//! Iterative deepening increases the depth move by move, and playouts evaluate positions at the
//! horizon.

use std::collections::BTreeMap;

use magister_core::{Budget, Decision, Halt, Move, Percept, Rng, Role, Step, View, Worker};
use magister_infoset::{Keep, Pool};

use super::believer::{Believer, Method};
use super::{Mind, Scores, Valuer};
use crate::choices::Choices;
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// The number of states that are evaluated by playouts at the horizon.
const VALUED: usize = 16;
/// The maximum depth.
const DEEPEST: u32 = 100;
/// The number of states at the root; larger sets are sampled.
const ROOT: usize = 2_000;

/// Expectation, or the worst case, over the information set. An iteration is a step.
pub(crate) struct Bayes {
    valuer: Valuer,
    worst: bool,
    depth: u32,
}

/// States with their probabilities, which sum to one.
type Beliefs = Vec<(Vec<u64>, f64)>;

/// The possible observations after a move: the states with their probabilities, and the probability
/// of each observation.
type Outlook = BTreeMap<Vec<Percept>, (Pool, Vec<f64>)>;

impl Bayes {
    pub(crate) fn make(settings: &Arguments) -> Made {
        let method = Bayes {
            valuer: Valuer::default(),
            worst: settings.flag("worst")?,
            depth: settings.whole("depth")?,
        };
        Believer::make(settings, Keep::States, method)
    }
}

impl Method for Bayes {
    fn choose(
        &mut self,
        mind: &mut Mind,
        legal: &[Move],
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (belief, worker) = mind.parts()?;
        let states: Beliefs = if belief.len() <= ROOT {
            (0..belief.len()).map(|at| (belief.state(at).to_vec(), belief.share(at))).collect()
        } else {
            let draw = |_| (belief.state(belief.draw(rng)).to_vec(), 1.0 / ROOT as f64);
            (0..ROOT).map(draw).collect()
        };
        let scale = Scale::of(worker.info());
        let mut look = Look {
            worker,
            role: view.role(),
            scale,
            worst: self.worst,
            valuer: &mut self.valuer,
            budget,
            rng,
            steps: 0,
            cut: false,
            goals: Vec::new(),
        };
        let mut best: Option<Scores> = None;
        for depth in 1..=self.depth.min(DEEPEST) {
            look.cut = false;
            let mut scores = Scores::new(legal);
            let mut whole = true;
            for &choice in legal {
                // If there is no time for this depth, the result of the previous one counts.
                let Ok(value) = look.after(&states, choice, depth) else {
                    whole = false;
                    break;
                };
                scores.add(choice, value, 1.0);
            }
            if whole {
                best = Some(scores);
            }
            if !whole || !look.cut {
                break;
            }
        }
        let steps = look.steps;
        Ok(best.unwrap_or_else(|| Scores::new(legal)).decide(steps, rng))
    }
}

struct Look<'a> {
    worker: &'a mut dyn Worker,
    role: Role,
    scale: Scale,
    worst: bool,
    valuer: &'a mut Valuer,
    budget: &'a mut Budget,
    rng: &'a mut Rng,
    steps: u64,
    /// Whether any position was evaluated by playouts.
    cut: bool,
    goals: Vec<f64>,
}

impl Look<'_> {
    /// The value of a belief at a given depth.
    fn value(&mut self, states: &Beliefs, depth: u32) -> Result<f64, Halt> {
        let stop = self.budget.stop().clone();
        let (mut open, mut ends, mut legal) = (Vec::new(), Vec::new(), None::<Vec<Move>>);
        for (state, share) in states {
            self.worker.load(state, &stop)?;
            if self.worker.terminal() {
                let values = rewards::terminal(self.worker, self.scale, &mut self.goals);
                ends.push((values[self.role.index()], *share));
                continue;
            }
            let here = self.worker.legal(self.role);
            match &mut legal {
                None => legal = Some(here.to_vec()),
                Some(legal) => legal.retain(|choice| here.contains(choice)),
            }
            open.push((state.clone(), *share));
        }
        let mass: f64 = open.iter().map(|(_, share)| share).sum();
        if !open.is_empty() {
            let legal = legal.unwrap_or_default();
            let value = if depth == 0 || legal.is_empty() {
                self.guess(&open)?
            } else {
                open.iter_mut().for_each(|(_, share)| *share /= mass);
                let mut best = f64::NEG_INFINITY;
                for choice in legal {
                    best = best.max(self.after(&open, choice, depth)?);
                }
                best
            };
            ends.push((value, mass));
        }
        Ok(self.sum(&ends))
    }

    /// The mean of values, or the minimum.
    fn sum(&self, values: &[(f64, f64)]) -> f64 {
        if self.worst {
            return values.iter().map(|value| value.0).fold(f64::INFINITY, f64::min);
        }
        let total: f64 = values.iter().map(|value| value.1).sum();
        values.iter().map(|(value, share)| value * share).sum::<f64>()
            / total.max(f64::MIN_POSITIVE)
    }

    /// The value of a move.
    fn after(&mut self, states: &Beliefs, own: Move, depth: u32) -> Result<f64, Halt> {
        let (outlook, gain) = self.outlook(states, own)?;
        let mut values = Vec::new();
        for (pool, shares) in outlook.into_values() {
            let mass: f64 = shares.iter().sum();
            let states: Beliefs = shares
                .iter()
                .enumerate()
                .map(|(at, share)| (pool.get(at).to_vec(), share / mass))
                .collect();
            values.push((self.value(&states, depth - 1)?, mass));
        }
        Ok(self.sum(&values) + gain)
    }

    /// The possible observations after a move, and the mean gain.
    fn outlook(&mut self, states: &Beliefs, own: Move) -> Result<(Outlook, f64), Halt> {
        let stop = self.budget.stop().clone();
        let mut outlook = Outlook::new();
        let (mut step, mut gained) = (Step::new(), 0.0);
        // Silent steps are made without an observation.
        let mut open: Vec<(Vec<u64>, f64, Option<Vec<Percept>>)> =
            states.iter().map(|(state, share)| (state.clone(), *share, None)).collect();
        while let Some((state, share, seen)) = open.pop() {
            self.worker.load(&state, &stop)?;
            if let Some(seen) = &seen
                && !self.worker.silent()
            {
                let (pool, shares) = outlook.entry(seen.clone()).or_default();
                let (at, new) = pool.insert(&state);
                if new {
                    shares.push(0.0);
                }
                shares[at] += share;
                continue;
            }
            let choices = Choices::of(self.worker);
            let profiles = choices.profiles().ok_or(Halt::Stopped)?;
            let mine = choices.moves(self.role).len() as f64;
            for profile in 0..profiles {
                for (outcome, likely) in choices.probabilities().iter().enumerate() {
                    let joint = choices.joint(profile, outcome);
                    if seen.is_none() && joint[self.role.index()] != own {
                        continue;
                    }
                    if !self.budget.spend(1) {
                        return Err(Halt::Stopped);
                    }
                    self.steps += 1;
                    let likely = likely * mine / profiles as f64 * share;
                    self.worker.load(&state, &stop)?;
                    self.worker.step(&joint, &mut step, &stop)?;
                    gained += likely * step.gains.get(self.role.index()).copied().unwrap_or(0.0);
                    let mut next = Vec::new();
                    self.worker.save(&mut next);
                    let percepts = || step.percepts.of(self.role).to_vec();
                    open.push((next, likely, Some(seen.clone().unwrap_or_else(percepts))));
                }
            }
        }
        Ok((outlook, gained))
    }

    /// The value of a belief by playouts.
    fn guess(&mut self, states: &Beliefs) -> Result<f64, Halt> {
        self.cut = true;
        if !self.budget.spend(1) {
            return Err(Halt::Stopped);
        }
        let stop = self.budget.stop().clone();
        let mass: f64 = states.iter().map(|(_, share)| share).sum();
        let mut drawn: Vec<&(Vec<u64>, f64)> = Vec::new();
        if states.len() <= VALUED {
            drawn.extend(states);
        } else {
            for _ in 0..VALUED {
                let mut rest = self.rng.f64() * mass;
                let found = states.iter().find(|(_, share)| {
                    rest -= share;
                    rest < 0.0
                });
                drawn.extend(found.or(states.last()));
            }
        }
        let starts: Vec<&[u64]> = drawn.iter().map(|(state, _)| &state[..]).collect();
        let values = self.valuer.values(self.worker, &starts, self.rng, &stop)?;
        let even = states.len() > VALUED;
        let values: Vec<(f64, f64)> = values
            .iter()
            .zip(drawn)
            .map(|(values, (_, share))| {
                (values[self.role.index()], if even { 1.0 } else { *share })
            })
            .collect();
        Ok(self.sum(&values))
    }
}
