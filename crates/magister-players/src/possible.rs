//! A history that agrees with what a role has seen, in games that hide information.

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Rng, Stop, Turn, View, Worker};
use magister_core::{Step, view::observe};

/// More joint moves than this are not looked through in one position.
const MANY: usize = 20_000;

/// Finds a position that a role may be in, by trying what the others and chance may have done
/// and taking back what does not agree with what was seen. What was found is gone on with at the
/// next turn. It is some possible position, and no fair sample of them: enough to know the own
/// legal moves, which in a sensible game are the same in all of them.
#[derive(Default)]
pub struct Possible {
    search: Option<Trail>,
}

struct Trail {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    turns: Vec<Turn>,
    frames: Vec<Frame>,
}

/// A position on the way, and what was not tried there.
struct Frame {
    state: Vec<u64>,
    /// The turns that lie behind it.
    turn: usize,
    /// The joint moves that are left to try; none if nobody has looked.
    left: Option<Vec<Vec<Move>>>,
}

impl Possible {
    /// A worker in a position that agrees with a view.
    pub fn find(
        &mut self,
        view: &View,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<&mut dyn Worker, Halt> {
        let same = self.search.as_ref().is_some_and(|trail| {
            Arc::ptr_eq(&trail.game, view.game()) && view.turns().starts_with(&trail.turns)
        });
        if !same {
            self.search = None;
        }
        let trail = self.search.get_or_insert_with(|| {
            let game = Arc::clone(view.game());
            let mut worker = game.worker();
            worker.reset();
            let mut state = Vec::new();
            worker.save(&mut state);
            let frames = vec![Frame { state, turn: 0, left: None }];
            Trail { game, worker, turns: Vec::new(), frames }
        });
        trail.turns = view.turns().to_vec();
        trail.go(view, rng, stop)?;
        Ok(&mut *trail.worker)
    }
}

impl std::fmt::Debug for Possible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let turns = self.search.as_ref().map_or(0, |trail| trail.turns.len());
        f.debug_struct("Possible").field("turns", &turns).finish_non_exhaustive()
    }
}

impl Trail {
    fn go(&mut self, view: &View, rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        let mut step = Step::new();
        loop {
            stop.check()?;
            let Some(frame) = self.frames.last_mut() else {
                let what = "what the player saw agrees with no course of the game".to_owned();
                return Err(Halt::Rules(what));
            };
            self.worker.load(&frame.state, stop)?;
            let turn = frame.turn;
            let next = self.turns.get(turn).cloned();
            if next.is_none() {
                if self.worker.terminal() {
                    // The match would be over.
                    self.frames.pop();
                    continue;
                }
                if !self.worker.silent() {
                    return Ok(());
                }
            }
            self.advance(view, rng, next.as_ref(), &mut step, stop)?;
        }
    }

    /// Tries the next joint move of the last frame, in which the worker is, and goes on with
    /// where it leads if that agrees with the turn.
    fn advance(
        &mut self,
        view: &View,
        rng: &mut Rng,
        turn: Option<&Turn>,
        step: &mut Step,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let (role, info) = (view.role(), view.game().info());
        let silent = self.worker.silent();
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.left.is_none() {
            let own = turn.filter(|_| !silent).map(|turn| turn.own);
            let mut joints =
                joints(&*self.worker, |whose| (whose == role).then_some(own).flatten());
            rng.shuffle(&mut joints);
            frame.left = Some(joints);
        }
        let Some(joint) = frame.left.as_mut().and_then(Vec::pop) else {
            self.frames.pop();
            return Ok(());
        };
        let behind = frame.turn;
        self.worker.step(&joint, step, stop)?;
        let agrees = match turn {
            Some(turn) if step.tick => observe(info.information, role, &joint, step) == turn.seen,
            _ => !step.tick,
        };
        if agrees {
            let mut state = Vec::new();
            self.worker.save(&mut state);
            let turn = behind + usize::from(step.tick);
            self.frames.push(Frame { state, turn, left: None });
        }
        Ok(())
    }
}

/// All joint moves in which some roles' moves are given, as far as they can be listed.
fn joints(
    worker: &dyn Worker,
    given: impl Fn(magister_core::Role) -> Option<Move>,
) -> Vec<Vec<Move>> {
    let mut all: Vec<Vec<Move>> = vec![Vec::new()];
    if worker.terminal() {
        return Vec::new();
    }
    for role in worker.info().all_roles() {
        let legal = worker.legal(role);
        let mut longer = Vec::new();
        for joint in &all {
            for &choice in legal {
                if given(role).is_none_or(|own| own == choice) && longer.len() < MANY {
                    longer.push([&joint[..], &[choice]].concat());
                }
            }
        }
        all = longer;
    }
    all
}
