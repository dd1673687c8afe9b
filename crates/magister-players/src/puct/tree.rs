//! The tree: positions, their moves, and the selection rule.

use magister_core::{Evaluations, Move, Role};
use rustc_hash::FxHashMap;

use super::Config;
use crate::choices::Choices;

/// A move of a role in a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub(crate) choice: Move,
    pub(super) prior: f64,
    /// Its value before the first visit, if it was evaluated.
    pub(super) first: Option<f64>,
    pub(crate) visits: u32,
    pub(super) sum: f64,
    /// The number of pending descents through it.
    pub(super) under_way: u32,
}

impl Arm {
    pub(crate) fn mean(&self) -> f64 {
        self.sum / f64::from(self.visits.max(1))
    }
}

/// A position in the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) choices: Choices,
    visits: u32,
    under_way: u32,
    /// The moves of each actor.
    pub(super) arms: Vec<Vec<Arm>>,
    pub(super) children: FxHashMap<Box<[Move]>, u32>,
    /// The evaluator's value of the position, or the rewards if the game is over there; empty until
    /// known.
    pub(super) values: Vec<f64>,
    pub(super) terminal: bool,
}

impl Node {
    /// A position with these choices; without actors if the game is over.
    pub(super) fn new(choices: Choices, terminal: bool) -> Self {
        let arms = |&role: &Role| {
            let moves = choices.moves(role);
            let prior = 1.0 / moves.len() as f64;
            let arm =
                |&choice| Arm { choice, prior, first: None, visits: 0, sum: 0.0, under_way: 0 };
            moves.iter().map(arm).collect()
        };
        let arms = choices.actors().iter().map(arms).collect();
        let children = FxHashMap::default();
        Node { choices, visits: 0, under_way: 0, arms, children, values: Vec::new(), terminal }
    }

    /// The moves of a role that has a choice.
    pub(super) fn arms(&self, role: Role) -> &[Arm] {
        let at = self.choices.actors().iter().position(|&actor| actor == role);
        at.map_or(&[], |at| &self.arms[at])
    }

    /// Whether its value was requested and is still unknown.
    pub(super) fn waits(&self) -> bool {
        self.values.is_empty()
    }

    /// Its approximate memory in bytes, including an entry in the map of its parent.
    pub(super) fn memory(&self, roles: usize) -> usize {
        let moves: usize = self.arms.iter().map(Vec::len).sum();
        // The vector of nodes and the maps may have up to twice the required capacity.
        2 * size_of::<Node>()
            + moves * (size_of::<Arm>() + size_of::<Move>())
            + roles * (size_of::<f64>() + size_of::<Vec<Move>>())
            + 2 * size_of::<(Box<[Move]>, u32)>()
            + roles * size_of::<Move>()
    }

    /// Copies the priors of a position.
    pub(super) fn set_priors(&mut self, answers: &Evaluations, position: usize) {
        for (choice, arms) in self.arms.iter_mut().enumerate() {
            let priors = answers.priors(position, choice);
            arms.iter_mut().zip(priors).for_each(|(arm, &prior)| arm.prior = f64::from(prior));
        }
    }

    /// Selects the move of each actor by PUCT: the mean value plus an exploration term that favours
    /// a high prior and few visits. An unvisited move has its own value or that of its position.
    pub(super) fn select(&self, config: &Config, range: (f64, f64)) -> Vec<usize> {
        let spread = (range.1 - range.0).max(1e-9);
        let visits = f64::from(self.visits) + config.loss * f64::from(self.under_way);
        let root = visits.max(1.0).sqrt();
        let best = |(&role, arms): (&Role, &Vec<Arm>)| {
            let first = self.values.get(role.index()).copied().unwrap_or(range.0);
            let worth = |arm: &Arm| {
                let losses = config.loss * f64::from(arm.under_way);
                let visits = f64::from(arm.visits) + losses;
                let value = if visits > 0.0 {
                    (arm.sum + losses * range.0) / visits
                } else {
                    arm.first.unwrap_or(first)
                };
                let exploring = config.c * arm.prior * root / (1.0 + visits);
                (value - range.0) / spread + exploring
            };
            let all = arms.iter().map(worth).enumerate();
            all.reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(0, |best| best.0)
        };
        self.choices.actors().iter().zip(&self.arms).map(best).collect()
    }

    /// Records that a descent enters these moves.
    pub(super) fn enter(&mut self, picks: &[usize]) {
        self.under_way += 1;
        self.arms.iter_mut().zip(picks).for_each(|(arms, &pick)| arms[pick].under_way += 1);
    }

    /// Records that a descent through these moves ended without a result.
    pub(super) fn leave(&mut self, picks: &[usize]) {
        self.under_way -= 1;
        self.arms.iter_mut().zip(picks).for_each(|(arms, &pick)| arms[pick].under_way -= 1);
    }

    /// Updates these moves with the values of each role.
    pub(super) fn learn(&mut self, picks: &[usize], values: &[f64], range: &mut (f64, f64)) {
        self.visits += 1;
        for ((role, arms), &pick) in self.choices.actors().iter().zip(&mut self.arms).zip(picks) {
            let value = values[role.index()];
            *range = (range.0.min(value), range.1.max(value));
            arms[pick].visits += 1;
            arms[pick].sum += value;
        }
    }
}
