//! Games for one player without chance: look for a course to the best reward.
//!
//! Three ways take turns. A search level by level finds the shortest solution and knows when
//! there is none. Dives go to the end along a path, with a little going back, and prefer moves
//! that leave few moves, or a good goal value, or any: what is narrow has to be passed first, which
//! is what solves tours and placements. Nested playouts try, at every step of a playout, each move
//! with a playout of its own, and keep to the best course that was ever seen.

mod counter;
mod dive;
mod levels;
mod nested;

use magister_core::{Budget, Halt, Move, Payment, Rng, Role, Step, Stop, Worker};

use crate::rewards::{self, Scale};
use crate::table::Key;
use dive::Dive;
use levels::Levels;

/// Positions that each way looks at in its turn.
const TURN: u64 = 512;

/// Whether a game is a puzzle.
pub(crate) fn is_puzzle(worker: &dyn Worker) -> bool {
    let info = worker.info();
    info.players().count() == 1 && info.chance.is_none() && info.payment == Payment::AtEnd
}

/// The best course known, from a position on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    /// The moves that are still to be made.
    pub(crate) moves: Vec<Move>,
    /// What it comes to; `None` if no end was seen.
    pub(crate) value: Option<f64>,
    /// Whether there is nothing better.
    pub(crate) proven: bool,
}

/// What the ways share.
struct Ground<'a> {
    worker: &'a mut dyn Worker,
    role: Role,
    scale: Scale,
    stop: Stop,
    step: Step,
    goals: Vec<f64>,
    joint: Vec<Move>,
    /// The bits of a state that do not only count steps; empty if all do more.
    mask: Vec<u64>,
}

impl Ground<'_> {
    /// The key of a position, whatever step it is.
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

    /// The reward of the worker's position, which is an end.
    fn reward(&mut self) -> f64 {
        rewards::terminal(self.worker, self.scale, &mut self.goals)[self.role.index()]
    }

    /// What the rules say of a position on the way.
    fn guess(&mut self) -> f64 {
        rewards::guess(self.worker, self.scale, &mut self.goals)[self.role.index()]
    }
}

impl Course {
    /// Takes a course that is better than this one.
    fn offer(&mut self, value: f64, moves: impl FnOnce() -> Vec<Move>) {
        if self.value.is_none_or(|best| value > best) {
            self.value = Some(value);
            self.moves = moves();
        }
    }
}

/// Looks for a better course than the one that is known from the worker's position on, until the
/// budget is at its end or nothing better can be hoped for. Gives the positions looked at.
pub(crate) fn search(
    worker: &mut dyn Worker,
    role: Role,
    course: &mut Course,
    memory: usize,
    budget: &mut Budget,
    rng: &mut Rng,
) -> u64 {
    let scale = Scale::of(worker.info());
    let mut root = Vec::new();
    worker.save(&mut root);
    let mut ground = Ground {
        worker,
        role,
        scale,
        stop: budget.stop().clone(),
        step: Step::new(),
        goals: Vec::new(),
        joint: Vec::new(),
        mask: Vec::new(),
    };
    ground.mask = counter::mask(&mut ground, &root, budget, rng).unwrap_or_default();
    let mut levels = Levels::new(&ground, &root, memory);
    let mut looked = 0;
    let enough = |course: &Course| course.proven || course.value.is_some_and(|v| v >= scale.high);
    for turn in 0_u64.. {
        if enough(course) {
            course.proven = true;
            break;
        }
        let share = budget.left().map_or(TURN, |left| left.min(TURN));
        if share == 0 || !budget.spend(share) {
            break;
        }
        let done = match turn % 3 {
            0 => levels.go_on(&mut ground, course, share, budget),
            1 => Dive::new(turn / 3).run(&mut ground, &root, course, share, budget, rng),
            _ => nested::run(&mut ground, &root, course, share, budget, rng),
        };
        match done {
            Ok(()) => looked += share,
            Err(Halt::Stopped) => break,
            // A way that came to a position that can not be played leaves it to the others.
            Err(_) => {}
        }
        // Positions that only differ in their step were taken for one, the first: what comes of
        // that is no proof.
        if levels.complete() && ground.mask.is_empty() {
            course.proven = true;
        }
    }
    looked
}
