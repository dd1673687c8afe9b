//! A tree around another player, which values its leaves: PUCT.

use magister_core::{
    Agent, Budget, Decision, Halt, Move, Rng, Role, Step, Stop, Thought, View, Worker,
};
use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::follow::{Follower, Standing};
use crate::opinion::Opinion;
use crate::playing::outcome;
use crate::registry::{Arguments, Made};
use crate::rewards::Scale;

/// Grows a tree by what another player thinks of its leaves. Simultaneous moves are chosen by each
/// role for itself (decoupled), chance is drawn.
pub(crate) struct Puct {
    name: String,
    c: f64,
    sharp: f64,
    memory: usize,
    inner: Box<dyn Agent>,
    follower: Follower,
}

impl Puct {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Ok(Box::new(Puct {
            name: settings.text().to_owned(),
            c: settings.real("c")?,
            sharp: settings.real("sharp")?,
            memory: (settings.whole("memory")? as usize) << 20,
            inner: settings.player("inner")?,
            follower: Follower::new(),
        }))
    }
}

impl Agent for Puct {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ready(&mut self, view: &View, budget: &mut Budget, rng: &mut Rng) -> Result<(), Halt> {
        self.inner.ready(view, budget, rng)
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let me = view.role();
        let (worker, legal, state) = match self.follower.standing(view, budget.stop())? {
            Standing::Settled(decision) => return Ok(decision),
            Standing::Open { worker, legal, state } => (worker, legal, state),
        };
        let scale = Scale::of(worker.info());
        let high = if scale.high.is_finite() { scale.high } else { scale.low };
        let mut tree = Tree {
            nodes: Vec::new(),
            opinion: Opinion::new(&mut *self.inner, view, budget.stop()),
            c: self.c,
            sharp: self.sharp,
            range: (scale.low, high),
            used: 0,
            memory: self.memory,
            step: Step::new(),
        };
        let mut iterations = 0;
        while budget.spend(1) {
            // Rules that fail somewhere below are no reason not to move here.
            if tree.iterate(worker, &state, budget, rng).is_err() {
                break;
            }
            iterations += 1;
        }
        let arms = tree.nodes.first().and_then(|root| root.arms(me)).unwrap_or_default();
        let most = arms.iter().max_by_key(|arm| arm.visits).filter(|arm| arm.visits > 0);
        let choice = most.map_or(legal[rng.below(legal.len() as u64) as usize], |arm| arm.choice);
        let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
        let thoughts = arms
            .iter()
            .filter(|arm| arm.visits > 0)
            .map(|arm| Thought {
                visits: u64::from(arm.visits),
                probability: Some(f64::from(arm.visits) / f64::from(visits)),
                ..Thought::new(arm.choice, arm.mean())
            })
            .collect();
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.inner.value(view)
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        self.inner.value_until(view, stop)
    }
}

/// A move of a role in a position.
#[derive(Clone, Copy, Debug)]
struct Arm {
    choice: Move,
    prior: f64,
    visits: u32,
    sum: f64,
}

impl Arm {
    fn mean(&self) -> f64 {
        self.sum / f64::from(self.visits.max(1))
    }
}

/// A position as far as the tree knows it.
struct Node {
    choices: Choices,
    visits: u32,
    /// For each actor, its moves.
    arms: Vec<Vec<Arm>>,
    children: FxHashMap<Box<[Move]>, u32>,
    /// What the player thought of it, or what it pays if the game is over there.
    values: Vec<f64>,
}

impl Node {
    fn arms(&self, role: Role) -> Option<&[Arm]> {
        let at = self.choices.actors().iter().position(|&actor| actor == role)?;
        Some(&self.arms[at])
    }
}

struct Tree<'a> {
    nodes: Vec<Node>,
    opinion: Opinion<'a>,
    c: f64,
    sharp: f64,
    /// The least and the greatest reward seen.
    range: (f64, f64),
    /// The memory of the nodes in bytes, about, and how much it may be.
    used: usize,
    memory: usize,
    step: Step,
}

impl Tree<'_> {
    /// One descent to a new position.
    fn iterate(
        &mut self,
        worker: &mut dyn Worker,
        root: &[u64],
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        worker.load(root, stop)?;
        if self.nodes.is_empty() {
            let node = self.look(worker, &mut Vec::new(), budget)?;
            self.nodes.push(node);
            worker.load(root, stop)?;
        }
        let mut path: Vec<Box<[Move]>> = Vec::new();
        let mut visited: Vec<(usize, Vec<usize>, Vec<f64>)> = Vec::new();
        let mut at = 0;
        let mut values = loop {
            let node = &self.nodes[at];
            if worker.terminal() {
                break node.values.clone();
            }
            let picks = self.select(node);
            let drawn = outcome(node.choices.probabilities(), rng);
            let joint: Box<[Move]> = node.choices.joint(node.choices.profile(&picks), drawn).into();
            worker.step(&joint, &mut self.step, stop)?;
            visited.push((at, picks, self.step.gains.clone()));
            path.push(joint.clone());
            if let Some(&child) = node.children.get(&joint) {
                at = child as usize;
                continue;
            }
            if self.used >= self.memory {
                break self.opinion.of(worker, &path);
            }
            let child = self.look(worker, &mut path, budget)?;
            let values = child.values.clone();
            let number = self.nodes.len() as u32;
            self.nodes[at].children.insert(joint, number);
            self.nodes.push(child);
            break values;
        };
        for (at, picks, gains) in visited.into_iter().rev() {
            values.iter_mut().zip(&gains).for_each(|(value, gain)| *value += gain);
            let node = &mut self.nodes[at];
            node.visits += 1;
            for ((role, arms), pick) in node.choices.actors().iter().zip(&mut node.arms).zip(picks)
            {
                let value = values[role.index()];
                self.range = (self.range.0.min(value), self.range.1.max(value));
                arms[pick].visits += 1;
                arms[pick].sum += value;
            }
        }
        Ok(())
    }

    /// A new node for the position of the worker, which may be anywhere afterwards.
    fn look(
        &mut self,
        worker: &mut dyn Worker,
        path: &mut Vec<Box<[Move]>>,
        budget: &Budget,
    ) -> Result<Node, Halt> {
        let values = self.opinion.of(worker, path);
        let choices = if worker.terminal() { Choices::default() } else { Choices::of(worker) };
        let actors = choices.actors().to_vec();
        let mut arms: Vec<Vec<Arm>> = Vec::with_capacity(actors.len());
        for &role in &actors {
            let moves = choices.moves(role);
            let prior = 1.0 / moves.len() as f64;
            let arm = |&choice: &Move| Arm { choice, prior, visits: 0, sum: 0.0 };
            arms.push(moves.iter().map(arm).collect());
        }
        // The memory of the arms, and of an entry of the map for each child that may come.
        let moves: usize = arms.iter().map(Vec::len).sum();
        let roles = worker.info().roles.len();
        // The vector of nodes and the maps may have twice the room they need.
        self.used += 2 * size_of::<Node>()
            + moves * (size_of::<Arm>() + size_of::<Move>())
            + roles * (size_of::<f64>() + size_of::<Vec<Move>>())
            + 2 * size_of::<(Box<[Move]>, u32)>()
            + roles * size_of::<Move>();
        let alone = actors.len() == 1 && choices.probabilities().len() == 1;
        if self.sharp > 0.0 && alone {
            self.weigh(worker, &choices, &mut arms[0], path, budget)?;
        }
        Ok(Node { choices, visits: 0, arms, children: FxHashMap::default(), values })
    }

    /// Priors by what the player thinks of the positions after each move.
    fn weigh(
        &mut self,
        worker: &mut dyn Worker,
        choices: &Choices,
        arms: &mut [Arm],
        path: &mut Vec<Box<[Move]>>,
        budget: &Budget,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        let role = choices.actors()[0].index();
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut worth = Vec::with_capacity(arms.len());
        for profile in 0..arms.len() {
            worker.load(&state, stop)?;
            let joint = choices.joint(profile, 0);
            worker.step(&joint, &mut self.step, stop)?;
            let gain = self.step.gains.get(role).copied().unwrap_or(0.0);
            path.push(joint.into());
            worth.push(self.opinion.of(worker, path)[role] + gain);
            path.pop();
        }
        let best = worth.iter().copied().fold(f64::MIN, f64::max);
        let spread = (self.range.1 - self.range.0).max(1e-9);
        let odds = |value: f64| (self.sharp * (value - best) / spread).exp();
        let sum: f64 = worth.iter().copied().map(odds).sum();
        arms.iter_mut().zip(&worth).for_each(|(arm, &value)| arm.prior = odds(value) / sum);
        Ok(())
    }

    /// The move of each actor: what looks good, and what was looked at too little for how likely
    /// it is. What was never tried is taken to be worth what its position was thought to be.
    fn select(&self, node: &Node) -> Vec<usize> {
        let spread = (self.range.1 - self.range.0).max(1e-9);
        let root = f64::from(node.visits.max(1)).sqrt();
        let best = |(&role, arms): (&Role, &Vec<Arm>)| {
            let first = node.values.get(role.index()).copied().unwrap_or(self.range.0);
            let worth = |arm: &Arm| {
                let value = if arm.visits > 0 { arm.mean() } else { first };
                let exploring = self.c * arm.prior * root / f64::from(1 + arm.visits);
                (value - self.range.0) / spread + exploring
            };
            let all = arms.iter().map(worth).enumerate();
            all.reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(0, |best| best.0)
        };
        node.choices.actors().iter().zip(&node.arms).map(best).collect()
    }
}
