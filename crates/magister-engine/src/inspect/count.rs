//! Counts paths over distinct positions: each position is expanded once, and its path count is
//! added to its successors.

use std::rc::Rc;

use magister_core::{Game, Halt, Move, Role, Step, Stop, Worker};
use rustc_hash::FxHashMap;

use super::joints::Joints;

/// The counts at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number of paths of this length.
    pub nodes: u128,
    /// The number of those that end in a terminal state.
    pub terminals: u128,
    /// The number of distinct positions they lead to.
    pub distinct: usize,
}

/// Why a depth could not be counted.
#[derive(Debug)]
pub enum Failure {
    /// There are too many distinct positions, or the count was stopped.
    Limit,
    /// The number of paths overflows.
    Count,
    /// A step failed.
    Halt {
        /// The position.
        state: Rc<[u64]>,
        /// The error.
        halt: Halt,
    },
}

/// A reached position.
struct Node {
    state: Rc<[u64]>,
    terminal: bool,
    /// The successors, each with the number of joint moves that lead to it; `None` before the
    /// position was expanded.
    next: Option<Box<[(u32, u32)]>>,
}

/// Counts depth by depth.
pub struct Counter {
    stop: Stop,
    worker: Box<dyn Worker>,
    limit: u32,
    ids: FxHashMap<Rc<[u64]>, u32>,
    nodes: Vec<Node>,
    /// The positions of the current depth, each with its number of paths.
    front: Vec<(u32, u128)>,
    /// Whether the last depth found new positions.
    grew: bool,
    step: Step,
    words: Vec<u64>,
}

impl Counter {
    /// A counter at depth zero with a limit on distinct positions.
    pub fn new(game: &dyn Game, limit: u32, stop: Stop) -> Self {
        let mut worker = game.worker();
        worker.reset();
        let mut counter = Counter {
            stop,
            worker,
            limit: limit.max(1),
            ids: FxHashMap::default(),
            nodes: Vec::new(),
            front: Vec::new(),
            grew: true,
            step: Step::new(),
            words: Vec::new(),
        };
        // One position is always within the limit.
        let first = counter.reached().ok();
        counter.front.extend(first.map(|first| (first, 1)));
        counter
    }

    /// The number of distinct positions so far.
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the last depth found nothing new, so that all positions are known.
    pub fn closed(&self) -> bool {
        !self.grew
    }

    /// The counts at the current depth.
    pub fn level(&self) -> Level {
        let mut level = Level { nodes: 0, terminals: 0, distinct: self.front.len() };
        for &(id, paths) in &self.front {
            level.nodes += paths;
            if self.nodes[id as usize].terminal {
                level.terminals += paths;
            }
        }
        level
    }

    /// Goes one step deeper.
    pub fn advance(&mut self) -> Result<(), Failure> {
        let before = self.nodes.len();
        let mut sums: FxHashMap<u32, u128> = FxHashMap::default();
        let mut total = 0_u128;
        for (id, paths) in std::mem::take(&mut self.front) {
            if self.stop.is_set() {
                return Err(Failure::Limit);
            }
            self.expand(id)?;
            let next = self.nodes[id as usize].next.as_deref().unwrap_or_default();
            for &(successor, moves) in next {
                let more = paths.checked_mul(u128::from(moves)).ok_or(Failure::Count)?;
                total = total.checked_add(more).ok_or(Failure::Count)?;
                *sums.entry(successor).or_default() += more;
            }
        }
        self.front = sums.into_iter().collect();
        self.front.sort_unstable();
        self.grew = self.nodes.len() > before;
        Ok(())
    }

    /// Whether some path from here never ends. This is known only once a depth has found nothing
    /// new, because then all reachable positions have been expanded.
    pub fn endless(&self) -> bool {
        if self.grew {
            return false;
        }
        // Depth first with an explicit stack; reaching an open position again closes a cycle.
        let (mut open, mut done) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for &(start, _) in &self.front {
            let mut path = vec![(start, 0)];
            while let Some((id, place)) = path.pop() {
                let node = id as usize;
                if place == 0 {
                    if done[node] {
                        continue;
                    }
                    open[node] = true;
                }
                let next = self.nodes[node].next.as_deref().unwrap_or_default();
                match next.get(place) {
                    None => (open[node], done[node]) = (false, true),
                    Some(&(successor, _)) if open[successor as usize] => return true,
                    Some(&(successor, _)) => {
                        path.push((id, place + 1));
                        path.push((successor, 0));
                    }
                }
            }
        }
        false
    }

    /// The number of the worker's position.
    fn reached(&mut self) -> Result<u32, Failure> {
        self.worker.save(&mut self.words);
        if let Some(&id) = self.ids.get(self.words.as_slice()) {
            return Ok(id);
        }
        if self.nodes.len() >= self.limit as usize {
            return Err(Failure::Limit);
        }
        let id = self.nodes.len() as u32;
        let state: Rc<[u64]> = self.words.as_slice().into();
        self.ids.insert(Rc::clone(&state), id);
        self.nodes.push(Node { state, terminal: self.worker.terminal(), next: None });
        Ok(id)
    }

    /// Makes every joint move from a position, once.
    fn expand(&mut self, id: u32) -> Result<(), Failure> {
        let node = &self.nodes[id as usize];
        if node.next.is_some() {
            return Ok(());
        }
        let mut successors: Vec<u32> = Vec::new();
        if !node.terminal {
            let state = Rc::clone(&node.state);
            let failed = |halt| Failure::Halt { state: Rc::clone(&state), halt };
            self.worker.load(&state, &self.stop).map_err(failed)?;
            let roles = self.worker.info().roles.len();
            let legal: Vec<Vec<Move>> =
                (0..roles).map(|role| self.worker.legal(Role(role as u8)).to_vec()).collect();
            let mut joints = Joints::new(&legal);
            let mut here = true;
            while let Some(joint) = joints.next() {
                if !here && !self.worker.undo() {
                    self.worker.load(&state, &self.stop).map_err(failed)?;
                }
                self.worker.step(joint, &mut self.step, &self.stop).map_err(failed)?;
                here = false;
                successors.push(self.reached()?);
            }
        }
        successors.sort_unstable();
        let next = successors.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32));
        self.nodes[id as usize].next = Some(next.collect());
        Ok(())
    }
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counter").field("positions", &self.positions()).finish_non_exhaustive()
    }
}
