//! Plain UCT: one descent and one random playout at a time, in a tree that is rebuilt for every
//! move. It is the baseline for the stronger players, so it has no refinements.

use magister_core::{
    Agent, Budget, Decision, Halt, Move, Rng, Role, Step, Thought, View, Worker, draw,
};
use rustc_hash::FxHashMap;

use crate::follow::{Follower, Standing};
use crate::registry::{Arguments, Made};
use crate::rewards::{self, Scale};

/// Plain UCT. Each role chooses simultaneous moves on its own (decoupled); chance is sampled.
pub(crate) struct Mcts {
    name: String,
    c: f64,
    max_steps: u32,
    memory: usize,
    follower: Follower,
}

impl Mcts {
    pub(crate) fn make(settings: &Arguments) -> Made {
        Ok(Box::new(Mcts {
            name: settings.text().to_owned(),
            c: settings.real("c")?,
            max_steps: settings.whole("steps")?,
            memory: (settings.whole("memory")? as usize) << 20,
            follower: Follower::new(),
        }))
    }
}

/// A position in the tree.
#[derive(Debug, Default)]
struct Node {
    visits: u32,
    /// For each role that has a choice, the statistics of its moves.
    arms: Vec<(Role, Vec<Arm>)>,
    children: FxHashMap<Box<[Move]>, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    choice: Move,
    visits: u32,
    sum: f64,
}

impl Agent for Mcts {
    fn name(&self) -> String {
        self.name.clone()
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
        let mut tree = Tree {
            nodes: vec![Node::new(worker)],
            c: self.c,
            max_steps: self.max_steps,
            scale,
            low: scale.low,
            high: if scale.high.is_finite() { scale.high } else { scale.low },
            used: 0,
            memory: self.memory,
            step: Step::new(),
            goals: Vec::new(),
            joint: Vec::new(),
            path: Vec::new(),
        };
        let mut iterations = 0;
        while budget.spend(1) {
            // If the rules fail in a later position, the player still has to move here.
            if tree.iterate(worker, &state, budget, rng).is_err() {
                break;
            }
            iterations += 1;
        }
        let fallback = legal[rng.below(legal.len() as u64) as usize];
        let arms = tree.nodes[0].arms.iter().find(|(role, _)| *role == me);
        let arms = arms.map(|(_, arms)| &arms[..]).unwrap_or_default();
        let most = arms.iter().max_by_key(|arm| arm.visits).filter(|arm| arm.visits > 0);
        let thoughts = arms
            .iter()
            .filter(|arm| arm.visits > 0)
            .map(|arm| Thought {
                visits: u64::from(arm.visits),
                ..Thought::new(arm.choice, arm.sum / f64::from(arm.visits))
            })
            .collect();
        let choice = most.map_or(fallback, |arm| arm.choice);
        Ok(Decision { thoughts, iterations, ..choice.into() })
    }
}

impl Node {
    fn new(worker: &dyn Worker) -> Self {
        let arms = |role| {
            let moves = worker.legal(role);
            let arm = |&choice: &Move| Arm { choice, visits: 0, sum: 0.0 };
            (moves.len() > 1).then(|| (role, moves.iter().map(arm).collect()))
        };
        Node {
            visits: 0,
            arms: worker.info().players().filter_map(arms).collect(),
            children: FxHashMap::default(),
        }
    }
}

impl Node {
    /// Its memory. The vector of nodes and the map of its parent may have up to twice the required
    /// capacity.
    fn bytes(&self, roles: usize) -> usize {
        let arms: usize = self.arms.iter().map(|(_, arms)| arms.len()).sum();
        2 * size_of::<Node>()
            + arms * size_of::<Arm>()
            + self.arms.len() * size_of::<(Role, Vec<Arm>)>()
            + 3 * size_of::<(Box<[Move]>, u32)>()
            + roles * size_of::<Move>()
            + ALLOCATIONS
    }
}

/// The approximate overhead of the allocator for a node.
const ALLOCATIONS: usize = 64;

struct Tree {
    nodes: Vec<Node>,
    c: f64,
    max_steps: u32,
    scale: Scale,
    /// The lowest and the highest reward seen, if the game does not give the range.
    low: f64,
    high: f64,
    /// The approximate memory of the nodes in bytes, and its limit.
    used: usize,
    memory: usize,
    step: Step,
    goals: Vec<f64>,
    joint: Vec<Move>,
    /// The nodes of a descent with the arm that each actor chose.
    path: Vec<(u32, Vec<usize>)>,
}

impl Tree {
    /// One descent, one new node, one playout.
    fn iterate(
        &mut self,
        worker: &mut dyn Worker,
        root: &[u64],
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let stop = budget.stop();
        worker.load(root, stop)?;
        self.path.clear();
        let mut totals = vec![0.0; worker.info().roles.len()];
        // Gains before a node of the path do not count at that node.
        let mut before = Vec::new();
        let (mut at, mut steps, mut inside) = (0_u32, 0, true);
        while !worker.terminal() && steps < self.max_steps {
            self.draw(worker, rng);
            if inside {
                before.push(totals.clone());
                let picks = self.select(at, rng);
                self.path.push((at, picks));
            }
            worker.step(&self.joint, &mut self.step, stop)?;
            steps += 1;
            totals.iter_mut().zip(&self.step.gains).for_each(|(total, gain)| *total += gain);
            if inside {
                let next = self.nodes.len() as u32;
                if let Some(&child) = self.nodes[at as usize].children.get(&self.joint[..]) {
                    at = child;
                } else {
                    inside = false;
                    if self.used < self.memory {
                        self.nodes[at as usize].children.insert(self.joint[..].into(), next);
                        let node = Node::new(worker);
                        self.used += node.bytes(self.joint.len());
                        self.nodes.push(node);
                    }
                }
            }
        }
        let ends = if worker.terminal() {
            rewards::terminal(worker, self.scale, &mut self.goals)
        } else {
            let pays = worker.info().payment == magister_core::Payment::AtEnd;
            vec![if pays { self.scale.middle() } else { 0.0 }; totals.len()]
        };
        for ((node, picks), before) in self.path.iter().zip(before) {
            let node = &mut self.nodes[*node as usize];
            node.visits += 1;
            for ((role, arms), &pick) in node.arms.iter_mut().zip(picks) {
                let role = role.index();
                let reward = totals[role] + ends[role] - before[role];
                self.low = self.low.min(reward);
                self.high = self.high.max(reward);
                arms[pick].visits += 1;
                arms[pick].sum += reward;
            }
        }
        Ok(())
    }

    /// A random joint move.
    fn draw(&mut self, worker: &dyn Worker, rng: &mut Rng) {
        let info = worker.info();
        self.joint.clear();
        for role in info.all_roles() {
            let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
            self.joint.push(draw(worker.legal(role), weights, rng).unwrap_or(Move::IDLE));
        }
    }

    /// Replaces the moves of the actors by the tree's choices.
    fn select(&mut self, at: u32, rng: &mut Rng) -> Vec<usize> {
        let node = &self.nodes[at as usize];
        let log = f64::from(node.visits.max(1)).ln();
        let spread = (self.high - self.low).max(1e-9);
        let mut picks = Vec::with_capacity(node.arms.len());
        for (role, arms) in &node.arms {
            let untried = arms.iter().filter(|arm| arm.visits == 0).count();
            let pick = if untried > 0 {
                let nth = rng.below(untried as u64) as usize;
                let mut all = (0..arms.len()).filter(|&arm| arms[arm].visits == 0);
                all.nth(nth).unwrap_or(0)
            } else {
                let worth = |arm: &Arm| {
                    let visits = f64::from(arm.visits);
                    (arm.sum / visits - self.low) / spread + self.c * (log / visits).sqrt()
                };
                let all = arms.iter().map(worth).enumerate();
                all.reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(0, |best| best.0)
            };
            self.joint[role.index()] = arms[pick].choice;
            picks.push(pick);
        }
        picks
    }
}
