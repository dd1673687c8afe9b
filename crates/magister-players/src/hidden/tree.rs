//! Search in trees of observations.
//!
//! A node is an information state of a role: its own moves and its percepts. An iteration starts in
//! a state with the information states of all roles, and descends the trees of all of them at the
//! same time, because every role decides by its own. Then a new node is added, and playouts
//! evaluate it. The behaviour of a role in a node therefore cannot depend on anything that the role
//! does not observe.

use std::cmp::Ordering;
use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Move, Rng, Role, Step, Stop, Worker, draw};
use magister_infoset::{ViewId, Views};
use rustc_hash::FxHashMap;

use super::Valuer;
use crate::rewards::{self, Scale};

/// The maximum length of a descent.
const DEEPEST: usize = 1_000;

/// The roles whose information states are the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observer {
    /// Those of one role, which keeps the statistics of all moves, including those that it
    /// simulates for the others.
    Single(Role),
    /// Those of each role for its own moves.
    Multiple,
}

/// The trees of all roles.
pub(crate) struct Forest {
    game: Arc<dyn Game>,
    observer: Observer,
    c: f64,
    pub(crate) views: Views,
    places: FxHashMap<(ViewId, Role), u32>,
    nodes: Vec<Node>,
    /// The lowest and the highest reward seen, if the game does not give the range.
    low: f64,
    high: f64,
    scale: Scale,
    valuer: Valuer,
    step: Step,
}

#[derive(Debug, Default)]
struct Node {
    visits: u32,
    arms: Vec<Arm>,
}

/// The statistics of a move in a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub(crate) choice: Move,
    pub(crate) visits: u32,
    /// How often it was legal.
    available: u32,
    pub(crate) sum: f64,
}

/// A decision during a descent.
struct Taken {
    node: u32,
    arm: u32,
    role: Role,
    /// The earlier gains of the role.
    before: f64,
}

impl Forest {
    pub(crate) fn new(game: &Arc<dyn Game>, observer: Observer, c: f64) -> Self {
        let scale = Scale::of(game.info());
        Forest {
            game: Arc::clone(game),
            observer,
            c,
            views: Views::new(&**game),
            places: FxHashMap::default(),
            nodes: Vec::new(),
            low: scale.low,
            high: if scale.high.is_finite() { scale.high } else { scale.low },
            scale,
            valuer: Valuer::default(),
            step: Step::new(),
        }
    }

    pub(crate) fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * 250 + self.views.len() * 100
    }

    /// The statistics of the moves in a node of a role.
    pub(crate) fn arms(&self, view: ViewId, role: Role) -> &[Arm] {
        let place = self.places.get(&(view, role));
        place.map(|&at| &self.nodes[at as usize].arms[..]).unwrap_or_default()
    }

    /// One descent from a state with the information states of all roles. If a learner is given,
    /// only its nodes are updated, and all others follow their earlier visit counts, so that no
    /// role learns from the private information of another.
    pub(crate) fn iterate(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        lived: &mut [ViewId],
        learner: Option<Role>,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        let game = Arc::clone(&self.game);
        let info = game.info();
        worker.load(state, stop)?;
        let mut path: Vec<Taken> = Vec::new();
        let mut totals = vec![0.0; info.roles.len()];
        let mut joint = Vec::new();
        let mut new = false;
        for _ in 0..DEEPEST {
            if worker.terminal() || new {
                break;
            }
            joint.clear();
            for role in info.all_roles() {
                let legal = worker.legal(role);
                let choice = if info.chance == Some(role) {
                    draw(legal, worker.weights(), rng).unwrap_or(Move::IDLE)
                } else if legal.len() < 2 {
                    legal.first().copied().unwrap_or(Move::IDLE)
                } else {
                    let whose = match self.observer {
                        Observer::Single(observer) => observer,
                        Observer::Multiple => role,
                    };
                    let key = (lived[whose.index()], role);
                    let before = totals[role.index()];
                    if learner.is_none_or(|learner| learner == role) {
                        let (node, fresh) = self.node(key);
                        new |= fresh;
                        let arm = self.select(node, legal, rng);
                        path.push(Taken { node, arm, role, before });
                        self.nodes[node as usize].arms[arm as usize].choice
                    } else {
                        self.habit(key, legal, rng)
                    }
                };
                joint.push(choice);
            }
            worker.step(&joint, &mut self.step, stop)?;
            totals.iter_mut().zip(&self.step.gains).for_each(|(total, gain)| *total += gain);
            if self.step.tick {
                for role in info.players() {
                    let view = &mut lived[role.index()];
                    *view = self.views.extend(*view, role, &joint, &self.step);
                }
            }
        }
        let ends = self.value(worker, rng, stop)?;
        for Taken { node, arm, role, before } in path {
            let reward = totals[role.index()] + ends[role.index()] - before;
            self.low = self.low.min(reward);
            self.high = self.high.max(reward);
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.arms[arm as usize].visits += 1;
            node.arms[arm as usize].sum += reward;
        }
        Ok(())
    }

    /// The rewards of all roles from the worker's position on.
    fn value(
        &mut self,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Vec<f64>, Halt> {
        if worker.terminal() {
            return Ok(rewards::terminal(worker, self.scale, &mut Vec::new()));
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        Ok(self.valuer.values(worker, &[&state], rng, stop)?.swap_remove(0))
    }

    /// The node of an information state, which is added if it is new.
    fn node(&mut self, key: (ViewId, Role)) -> (u32, bool) {
        let next = self.nodes.len() as u32;
        let at = *self.places.entry(key).or_insert(next);
        if at == next {
            self.nodes.push(Node::default());
        }
        (at, at == next)
    }

    /// Selects a legal move by upper confidence bounds.
    fn select(&mut self, node: u32, legal: &[Move], rng: &mut Rng) -> u32 {
        let node = &mut self.nodes[node as usize];
        for &choice in legal {
            if !node.arms.iter().any(|arm| arm.choice == choice) {
                node.arms.push(Arm { choice, visits: 0, available: 0, sum: 0.0 });
            }
        }
        let spread = (self.high - self.low).max(1e-9);
        let (mut best, mut worth, mut ties) = (0, f64::NEG_INFINITY, 0_u64);
        for (at, arm) in node.arms.iter_mut().enumerate() {
            if !legal.contains(&arm.choice) {
                continue;
            }
            arm.available += 1;
            let visits = f64::from(arm.visits);
            let here = if arm.visits == 0 {
                f64::INFINITY
            } else {
                (arm.sum / visits - self.low) / spread
                    + self.c * (f64::from(arm.available).ln() / visits).sqrt()
            };
            // Ties are broken uniformly.
            match here.total_cmp(&worth) {
                Ordering::Less => continue,
                Ordering::Equal => ties += 1,
                Ordering::Greater => ties = 1,
            }
            if ties == 1 || rng.below(ties) == 0 {
                (best, worth) = (at, here);
            }
        }
        best as u32
    }

    /// The move of a role that is not updated: in proportion to its visit counts, and uniform in
    /// new nodes.
    fn habit(&self, key: (ViewId, Role), legal: &[Move], rng: &mut Rng) -> Move {
        let node = self.places.get(&key).map(|&at| &self.nodes[at as usize]);
        let arms = node.map(|node| &node.arms[..]).unwrap_or_default();
        let known = || arms.iter().filter(|arm| legal.contains(&arm.choice));
        let total: u64 = known().map(|arm| u64::from(arm.visits)).sum();
        if total > 0 {
            let mut rest = rng.below(total);
            for arm in known() {
                match rest.checked_sub(u64::from(arm.visits)) {
                    Some(less) => rest = less,
                    None => return arm.choice,
                }
            }
        }
        draw(legal, &[], rng).unwrap_or(Move::IDLE)
    }
}
