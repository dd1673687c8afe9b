//! Monte Carlo tree search with a tree per subgame.
//!
//! The goal of a puzzle may require several conditions, each of which depends on a small part of
//! the state ([`Targets`]). Every simulation is played in the whole game, but its statistics are
//! stored with the states of the subgames: how often the condition of a subgame was met after one
//! of its states, and the best goal value that the state still allows. A move is evaluated by the
//! subgame states that it leads to. A subgame state from which the goal cannot be reached is never
//! entered again, whatever the rest of the state is.
//!
//! The same search with one tree for the whole state is plain UCT, for comparison.

mod measure;
mod subgames;

use magister_core::{Budget, Halt, Move, Rng};
use magister_decompose::Targets;
use rustc_hash::FxHashMap;

use super::{Ground, Plan};
pub(crate) use measure::simulations;
use subgames::{Subgames, Whole};

/// The exploration constant.
const EXPLORE: f64 = 0.4;
/// The probability of a random move.
const RANDOM: f64 = 0.1;
/// The discount factor of a result per move.
const DISCOUNT: f64 = 0.97;
/// The maximum length of a simulation.
const LONG: usize = 2_000;
/// The memory of a node in bytes, beside its state and its successors.
const NODE: usize = 120;

/// The path of a simulation in the trees: the last node in each, the path in each, and the parts of
/// the last move.
type Walked<'a> = (&'a [Option<u32>], &'a [Vec<u32>], &'a [(u32, u32)]);

/// A state of a subgame.
#[derive(Debug)]
struct Node {
    state: Box<[u64]>,
    visits: u32,
    total: f64,
    /// The best goal value if the game ends here, and the best if it continues.
    bound: f64,
    reach: f64,
    /// The next state of each move, once computed.
    next: Option<Vec<Option<u32>>>,
    before: Vec<u32>,
}

/// The states of one subgame.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    known: FxHashMap<Box<[u64]>, u32>,
}

impl Tree {
    fn value(&self, node: u32) -> Option<f64> {
        let node = &self.nodes[node as usize];
        (node.visits > 0).then(|| node.total / f64::from(node.visits))
    }

    /// Lowers the bounds of a node and of its predecessors.
    fn lower(&mut self, node: u32) {
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            let node = &self.nodes[at as usize];
            let Some(next) = &node.next else { continue };
            let reach = |&to: &u32| self.nodes[to as usize].reach;
            let reach = next.iter().flatten().map(reach).fold(node.bound, f64::max);
            if reach < node.reach {
                open.extend_from_slice(&node.before);
                self.nodes[at as usize].reach = reach;
            }
        }
    }
}

/// The trees of a puzzle.
#[expect(clippy::struct_field_names, reason = "one tree per subgame")]
pub(super) struct Trees {
    subgames: Box<dyn Subgames + Send>,
    trees: Vec<Tree>,
    /// The best value that may still be possible.
    target: f64,
    /// The number of simulations so far.
    pub(super) simulations: u64,
    bytes: usize,
}

impl std::fmt::Debug for Trees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trees").field("simulations", &self.simulations).finish_non_exhaustive()
    }
}

impl Trees {
    /// A tree for each subgame.
    pub(super) fn by_subgames(targets: Targets, high: f64) -> Self {
        Self::new(Box::new(targets), high)
    }

    /// One tree for the whole game.
    pub(super) fn whole(high: f64) -> Self {
        Self::new(Box::new(Whole::default()), high)
    }

    fn new(subgames: Box<dyn Subgames + Send>, high: f64) -> Self {
        let trees = (0..subgames.count()).map(|_| Tree::default()).collect();
        Trees { subgames, trees, target: high, simulations: 0, bytes: 0 }
    }

    /// The number of a state of a subgame, which may be new.
    fn number(
        &mut self,
        ground: &mut Ground<'_>,
        subgame: usize,
        state: Box<[u64]>,
    ) -> Result<u32, Halt> {
        if let Some(&number) = self.trees[subgame].known.get(&state) {
            return Ok(number);
        }
        let bound = self.subgames.bound(ground, subgame, &state)?;
        let tree = &mut self.trees[subgame];
        let number = tree.nodes.len() as u32;
        tree.known.insert(state.clone(), number);
        self.bytes += NODE + 16 * state.len();
        tree.nodes.push(Node {
            state,
            visits: 0,
            total: 0.0,
            bound,
            // Unbounded, until its successors are known.
            reach: if self.subgames.is_end(bound) { bound } else { f64::INFINITY },
            next: None,
            before: Vec::new(),
        });
        Ok(number)
    }

    /// Computes the successors of a node.
    fn grow(&mut self, ground: &mut Ground<'_>, subgame: usize, node: u32) -> Result<(), Halt> {
        let state = self.trees[subgame].nodes[node as usize].state.clone();
        let states = self.subgames.successors(ground, subgame, &state)?;
        let mut next = Vec::with_capacity(states.len());
        for state in states {
            let to = match state {
                Some(state) => Some(self.number(ground, subgame, state)?),
                None => None,
            };
            next.push(to);
        }
        self.bytes += 8 * next.len();
        let tree = &mut self.trees[subgame];
        let mut targets: Vec<u32> = next.iter().flatten().copied().collect();
        targets.sort_unstable();
        targets.dedup();
        targets.into_iter().for_each(|to| tree.nodes[to as usize].before.push(node));
        tree.nodes[node as usize].next = Some(next);
        tree.lower(node);
        Ok(())
    }

    /// Makes simulations from a state until a number of positions was visited, the target was
    /// reached or the memory is used up. Returns the number of positions.
    pub(super) fn run(
        &mut self,
        ground: &mut Ground<'_>,
        root: &[u64],
        plan: &mut Plan,
        (share, bytes): (u64, usize),
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<u64, Halt> {
        let mut looked = 0;
        while looked < share && plan.value.is_none_or(|value| value < self.target) {
            if budget.remaining().is_some_and(|left| left.is_zero()) || self.bytes > bytes {
                return Err(Halt::Stopped);
            }
            looked += self.simulate(ground, root, plan, rng)?;
            let roots: Vec<f64> = (0..self.trees.len())
                .filter_map(|at| {
                    let tree = &self.trees[at];
                    let number = tree.known.get(&self.subgames.project(at, root))?;
                    Some(tree.nodes[*number as usize].reach)
                })
                .collect();
            self.target = roots.into_iter().fold(self.target, f64::min);
        }
        Ok(looked)
    }

    /// Whether a plan of this value is proven to be the best.
    pub(super) fn proves(&self, value: f64) -> bool {
        value >= self.target
    }

    /// One simulation.
    fn simulate(
        &mut self,
        ground: &mut Ground<'_>,
        root: &[u64],
        plan: &mut Plan,
        rng: &mut Rng,
    ) -> Result<u64, Halt> {
        self.simulations += 1;
        let count = self.trees.len();
        let mut left = vec![self.subgames.growth(); count];
        let mut state = root.to_vec();
        // The current node of each tree; `None` once the simulation has left it.
        let mut at: Vec<Option<u32>> = Vec::with_capacity(count);
        let mut path: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (subgame, nodes) in path.iter_mut().enumerate() {
            let node = self.number(ground, subgame, self.subgames.project(subgame, root))?;
            at.push(Some(node));
            nodes.push(node);
        }
        let mut made: Vec<Move> = Vec::new();
        let mut last: Vec<(u32, u32)> = Vec::new();
        ground.load(root)?;
        while !ground.worker.terminal() && made.len() < LONG {
            for subgame in 0..count {
                if let Some(node) = at[subgame]
                    && self.trees[subgame].nodes[node as usize].next.is_none()
                {
                    if left[subgame] > 0 {
                        left[subgame] -= 1;
                        self.grow(ground, subgame, node)?;
                    } else if !self.subgames.follows() {
                        at[subgame] = None;
                    }
                }
            }
            ground.load(&state)?;
            let legal = ground.worker.legal(ground.role).to_vec();
            let Some(choice) = self.choose(&legal, &at, rng) else { break };
            ground.make(choice)?;
            made.push(choice);
            ground.worker.save(&mut state);
            last.clear();
            last.extend_from_slice(self.subgames.acts(choice));
            for &(subgame, place) in &last {
                let subgame = subgame as usize;
                let mut next = at[subgame].and_then(|node| {
                    let next = self.trees[subgame].nodes[node as usize].next.as_ref()?;
                    next.get(place as usize).copied().flatten()
                });
                if next.is_none() && self.subgames.follows() {
                    let own = self.subgames.project(subgame, &state);
                    next = Some(self.number(ground, subgame, own)?);
                }
                at[subgame] = next;
                path[subgame].extend(next);
            }
        }
        let over = ground.worker.terminal();
        let value = if over { ground.reward() } else { ground.scale.low };
        if over {
            plan.offer(value, || made.clone());
        }
        self.learn(ground, &state, (&at, &path, &last), value)?;
        Ok(made.len() as u64 + 1)
    }

    /// The most promising move; `None` if every move leads to a dead end.
    fn choose(&mut self, legal: &[Move], at: &[Option<u32>], rng: &mut Rng) -> Option<Move> {
        let target = self.target;
        // Subgames whose condition is not met now.
        let open = (0..at.len()).filter(|&subgame| {
            at[subgame].is_none_or(|node| self.trees[subgame].nodes[node as usize].bound < target)
        });
        let open: Vec<usize> = open.collect();
        let mut best: Option<(f64, Move)> = None;
        let (mut idle, mut alive) = (Vec::new(), Vec::new());
        let mut ties = 0;
        for &choice in legal {
            let acts = self.subgames.acts(choice);
            if acts.is_empty() {
                idle.push(choice);
                continue;
            }
            let (mut promise, mut dead, mut met) = (0.0, false, 0);
            for &(subgame, place) in acts {
                let tree = &self.trees[subgame as usize];
                let Some(node) = at[subgame as usize] else {
                    promise += EXPLORE;
                    continue;
                };
                let here = &tree.nodes[node as usize];
                let next = here.next.as_ref().and_then(|next| next.get(place as usize).copied());
                let Some(to) = next.flatten() else {
                    promise += EXPLORE;
                    continue;
                };
                let there = &tree.nodes[to as usize];
                dead |= there.reach < target;
                met += usize::from(there.bound >= target && open.contains(&(subgame as usize)));
                let now = tree.value(node).unwrap_or(0.5);
                let then = tree.value(to).unwrap_or(now);
                let visits = f64::from(here.visits) + 1.0;
                let width = visits.ln().max(0.0) / (f64::from(there.visits) + 1.0);
                promise += then - now + EXPLORE * width.sqrt();
            }
            if dead {
                continue;
            }
            // These moves meet the last open conditions.
            if !open.is_empty() && met == open.len() {
                return Some(choice);
            }
            promise /= acts.len() as f64;
            alive.push(choice);
            match best {
                Some((most, _)) if promise < most => {}
                Some((most, _)) if promise <= most => {
                    ties += 1;
                    if rng.below(ties) == 0 {
                        best = Some((promise, choice));
                    }
                }
                _ => {
                    ties = 1;
                    best = Some((promise, choice));
                }
            }
        }
        let pick = |moves: &[Move], rng: &mut Rng| {
            (!moves.is_empty()).then(|| moves[rng.below(moves.len() as u64) as usize])
        };
        if best.is_none() {
            return pick(&idle, rng);
        }
        // Statistics of one subgame may mislead, because they ignore the others.
        if rng.f64() < RANDOM {
            return pick(&alive, rng);
        }
        best.map(|(_, choice)| choice)
    }

    /// Adds the result of a simulation to the nodes on its path. A condition that is met may stay
    /// so, because moves in other subgames do not affect it. The result for a state is therefore
    /// the best that followed it, discounted for every move in between.
    fn learn(
        &mut self,
        ground: &mut Ground<'_>,
        state: &[u64],
        (at, path, last): Walked<'_>,
        value: f64,
    ) -> Result<(), Halt> {
        let (low, high) = (ground.scale.low, ground.scale.high);
        let scaled = |value: f64| ((value - low) / (high - low).max(1e-9)).clamp(0.0, 1.0);
        for subgame in 0..self.trees.len() {
            // If the simulation left the tree, its end counts.
            let end = if let Some(node) = at[subgame] {
                self.trees[subgame].nodes[node as usize].bound
            } else {
                let own = self.subgames.project(subgame, state);
                self.subgames.bound(ground, subgame, &own)?
            };
            let tree = &mut self.trees[subgame];
            let mut best = scaled(if end == f64::NEG_INFINITY { value } else { end });
            // The subgame whose move ended the game is responsible for the whole result.
            let ends = last.iter().any(|act| act.0 as usize == subgame);
            let mut counted: Vec<u32> = Vec::new();
            for (place, &node) in path[subgame].iter().enumerate().rev() {
                let own = &mut tree.nodes[node as usize];
                best = (best * DISCOUNT).max(scaled(own.bound));
                let final_move = ends && place + 1 == path[subgame].len();
                // Of several visits, the first counts; it comes last in this order.
                if path[subgame][..place].contains(&node) || counted.contains(&node) {
                    continue;
                }
                counted.push(node);
                own.visits += 1;
                own.total += if final_move { scaled(value) } else { best };
            }
        }
        Ok(())
    }
}
