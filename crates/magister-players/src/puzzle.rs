//! Games for one player without chance: searches for a plan with the best reward.
//!
//! Several methods take turns. Breadth-first search finds a shortest solution and proves when there
//! is none; its results are kept from move to move. Dives follow one path to the end with limited
//! backtracking. They prefer moves that leave few moves, or moves with a good goal value, or choose
//! at random; preferring few remaining moves solves tours and placements. Nested playouts try, at
//! every step of a playout, each move with another playout, and follow the best plan seen so far.
//! If the goal asks for several conditions, tree search keeps a tree for each of them.
//!
//! Before these methods, a puzzle whose moves are permanent placements is given to a SAT solver,
//! once.

mod counter;
mod dive;
mod levels;
mod nested;
mod placed;
mod trees;

use magister_core::{Budget, Halt, Move, Payment, Rng, Role, Step, Stop, View, Worker};
use magister_decompose::Targets;

use crate::rewards::{self, Scale};
use crate::table::Key;
use dive::Dive;
use levels::Levels;
use trees::Trees;
pub(crate) use trees::simulations;

/// The number of positions that each method visits in its turn.
const TURN: u64 = 512;

/// The part of the time for finding subgames.
const SPLIT: u32 = 10;

/// Whether a game is a puzzle.
pub(crate) fn is_puzzle(worker: &dyn Worker) -> bool {
    let info = worker.info();
    info.players().count() == 1 && info.chance.is_none() && info.payment == Payment::AtEnd
}

/// The best known plan from a position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The remaining moves.
    pub(crate) moves: Vec<Move>,
    /// Its reward; `None` if no end was reached.
    pub(crate) value: Option<f64>,
    /// Whether it is proven optimal.
    pub(crate) proven: bool,
}

/// The data that is kept from move to move.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    levels: Levels,
    /// The bits of a state that do more than count steps; empty if all bits do.
    mask: Vec<u64>,
    /// The number of steps at the last search; `None` before the first.
    made: Option<usize>,
    /// Whether a plan of placements was searched for.
    placed: bool,
    /// The trees of the subgames, if the puzzle has any, and whether they were searched for.
    trees: Option<Trees>,
    split: bool,
}

/// The shared data of the methods.
struct Ground<'a> {
    worker: &'a mut dyn Worker,
    role: Role,
    scale: Scale,
    stop: Stop,
    step: Step,
    goals: Vec<f64>,
    joint: Vec<Move>,
    /// The bits of a state that do more than count steps; empty if all bits do.
    mask: Vec<u64>,
}

impl Ground<'_> {
    /// The key of a position, independent of the step count.
    fn key(&self, state: &[u64]) -> Key {
        if self.mask.len() != state.len() {
            return Key::of(state);
        }
        let masked: Vec<u64> =
            state.iter().zip(&self.mask).map(|(word, mask)| word & mask).collect();
        Key::of(&masked)
    }

    fn load(&mut self, state: &[u64]) -> Result<(), Halt> {
        self.worker.load(state, &self.stop)
    }

    fn make(&mut self, choice: Move) -> Result<(), Halt> {
        self.joint.clear();
        for role in self.worker.info().all_roles() {
            let only = self.worker.legal(role).first().copied().unwrap_or(Move::IDLE);
            self.joint.push(if role == self.role { choice } else { only });
        }
        self.worker.step(&self.joint, &mut self.step, &self.stop)
    }

    /// The reward of the worker's terminal position.
    fn reward(&mut self) -> f64 {
        rewards::terminal(self.worker, self.scale, &mut self.goals)[self.role.index()]
    }

    /// The heuristic value of a position, from the goal values of the rules.
    fn guess(&mut self) -> f64 {
        rewards::guess(self.worker, self.scale, &mut self.goals)[self.role.index()]
    }
}

impl Plan {
    /// Takes a plan if it is better than this one.
    fn offer(&mut self, value: f64, moves: impl FnOnce() -> Vec<Move>) {
        if self.value.is_none_or(|best| value > best) {
            self.value = Some(value);
            self.moves = moves();
        }
    }
}

/// Searches for a better plan from the worker's position, which is that of the view, until the
/// budget ends or no better plan is possible. Uses at most the given number of bytes, and uses
/// subgames and placements only if the flag is set. Returns the number of visited positions.
pub(crate) fn search(
    worker: &mut dyn Worker,
    view: &View,
    plan: &mut Plan,
    (memory, bytes, decompose): (&mut Memory, usize, bool),
    budget: &mut Budget,
    rng: &mut Rng,
) -> u64 {
    let scale = Scale::of(worker.info());
    let mut root = Vec::new();
    worker.save(&mut root);
    let mut ground = Ground {
        worker,
        role: view.role(),
        scale,
        stop: budget.stop().clone(),
        step: Step::new(),
        goals: Vec::new(),
        joint: Vec::new(),
        mask: Vec::new(),
    };
    // If moves were taken back, the stored positions may belong to another branch.
    let made = view.turns().len();
    if memory.made.replace(made).is_none_or(|before| made < before) {
        memory.levels = Levels::default();
        memory.trees = None;
        memory.split = false;
        memory.mask = counter::mask(&mut ground, &root, budget, rng).unwrap_or_default();
    }
    ground.mask.clone_from(&memory.mask);
    if decompose && !std::mem::replace(&mut memory.placed, true) {
        // After an error, the other methods continue the search.
        let _ = placed::plan(&mut ground, view, &root, plan, budget);
        let _ = ground.load(&root);
    }
    if decompose && !std::mem::replace(&mut memory.split, true) {
        let time = budget.remaining().map(|left| left / SPLIT);
        let targets = Targets::attempt(&**view.game(), time, budget.stop()).unwrap_or_default();
        memory.trees = targets.map(|targets| Trees::by_subgames(targets, scale.high));
    }
    let levels = &mut memory.levels;
    let trees = &mut memory.trees;
    let methods = 3 + u64::from(trees.is_some());
    levels.begin(&ground, &root, bytes);
    let mut looked = 0;
    let enough = |plan: &Plan| plan.proven || plan.value.is_some_and(|v| v >= scale.high);
    for turn in 0_u64.. {
        if enough(plan) {
            plan.proven = true;
            break;
        }
        let share = budget.left().map_or(TURN, |left| left.min(TURN));
        if share == 0 || !budget.spend(share) {
            break;
        }
        let done = match (turn % methods, &mut *trees) {
            (0, _) => levels.go_on(&mut ground, &root, plan, share, budget),
            (1, _) => Dive::new(turn / methods).run(&mut ground, &root, plan, share, budget, rng),
            (3, Some(trees)) => {
                let room = (share, bytes / 4);
                trees.run(&mut ground, &root, plan, room, budget, rng).map(|_| ())
            }
            _ => nested::run(&mut ground, &root, plan, share, budget, rng),
        };
        match done {
            Ok(()) => looked += share,
            Err(Halt::Stopped) => break,
            // If a method reaches an unplayable position, the other methods continue the search.
            Err(_) => {}
        }
        // Positions that differ only in their step count were merged, so the result proves nothing.
        let bounded =
            plan.value.is_some_and(|value| trees.as_ref().is_some_and(|trees| trees.proves(value)));
        if levels.complete() && ground.mask.is_empty() || bounded {
            plan.proven = true;
        }
    }
    looked
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use magister_core::{Game, Observation, Seed, Turn};

    use super::*;

    /// Makes random moves in the eight-puzzle until a plan is found. Returns the number of moves
    /// and the reward of the plan; `None` if none was found in time.
    fn wander(keep: bool) -> Option<(usize, f64)> {
        let game: Arc<dyn Game> = magister::open("eightpuzzle").ok()?.game;
        let (mut worker, mut rng) = (game.worker(), Seed::from(3).rng());
        worker.reset();
        let mut view = View::new(Arc::clone(&game), Role(0));
        let (mut memory, mut step, mut state) = (Memory::default(), Step::new(), Vec::new());
        for made in 0..28 {
            worker.save(&mut state);
            if !keep {
                memory = Memory::default();
            }
            let (mut plan, mut budget) = (Plan::default(), Budget::iterations(30_000));
            let kept = (&mut memory, 1 << 26, true);
            search(&mut *worker, &view, &mut plan, kept, &mut budget, &mut rng);
            worker.load(&state, &Stop::never()).ok()?;
            if plan.proven {
                for &choice in &plan.moves {
                    worker.step(&[choice], &mut step, &Stop::never()).ok()?;
                }
                let mut goals = Vec::new();
                worker.goals(Role(0), &mut goals);
                return worker.terminal().then(|| (made, goals[0]));
            }
            let legal = worker.legal(Role(0));
            let choice = legal[rng.below(legal.len() as u64) as usize];
            worker.step(&[choice], &mut step, &Stop::never()).ok()?;
            view.push(Turn { own: choice, seen: Observation::Joint([choice].into()) });
        }
        None
    }

    /// No search for a single move sees enough, but all searches together do.
    #[test]
    fn results_are_kept_from_move_to_move() {
        let (made, reward) = wander(true).expect("a solution");
        assert!(made > 0 && reward > 99.0, "{made} moves, {reward}");
        assert_eq!(wander(false), None);
    }
}
