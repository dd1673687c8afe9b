//! One course of the game that agrees with what a role saw, found by trying everything.

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker};

use crate::evidence::agrees;
use crate::exact::{Layer, possible};
use crate::joints::{Joints, Order};
use crate::model::Model;
use crate::pool::Pool;

/// What is looked for: a course from a state of an exact information set through some turns.
pub(crate) struct Search<'a> {
    pub(crate) game: &'a Arc<dyn Game>,
    pub(crate) role: Role,
    pub(crate) model: &'a dyn Model,
    pub(crate) anchor: &'a Layer,
    pub(crate) turns: &'a [Turn],
}

/// A course that was found.
pub(crate) struct Found {
    pub(crate) origin: u32,
    /// The joint moves, one after the other.
    pub(crate) path: Vec<Move>,
}

/// A state on the way, and what was not tried there.
struct Frame {
    state: Vec<u64>,
    turn: usize,
    joints: Joints,
    order: Order,
}

impl Search<'_> {
    /// Goes on as long as there is anything left to try. States that lead nowhere are remembered,
    /// so that no state is tried twice after the same turn.
    pub(crate) fn find(
        &self,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<Found>, Halt> {
        let mut seen = Pool::default();
        for origin in Order::new(self.anchor.len() as u64, rng) {
            worker.load(self.anchor.state(origin as usize), stop)?;
            if let Some(path) = self.dive(worker, &mut seen, rng, stop)? {
                return Ok(Some(Found { origin: origin as u32, path }));
            }
        }
        Ok(None)
    }

    fn dive(
        &self,
        worker: &mut dyn Worker,
        seen: &mut Pool,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<Option<Vec<Move>>, Halt> {
        let roles = self.game.info().roles.len();
        let (mut step, mut joint, mut row) = (Step::new(), Vec::new(), Vec::new());
        let mut frames: Vec<Frame> = Vec::new();
        let mut path = Vec::new();
        let mut entered = Some(0);
        loop {
            stop.check()?;
            if let Some(turn) = entered.take() {
                if turn == self.turns.len() && !worker.silent() {
                    return Ok(Some(path));
                }
                let own = (!worker.silent()).then(|| self.turns.get(turn).map(|turn| turn.own));
                let mut joints = Joints::default();
                let any = joints.look(worker, self.model, self.role, own.flatten());
                let order = Order::new(if any { joints.count() } else { 0 }, rng);
                let mut state = Vec::new();
                worker.save(&mut state);
                frames.push(Frame { state, turn, joints, order });
            }
            let Some(frame) = frames.last_mut() else { return Ok(None) };
            let Some(number) = frame.order.next() else {
                frames.pop();
                path.truncate(path.len().saturating_sub(roles));
                continue;
            };
            let turn = frame.turn;
            frame.joints.write(number, &mut joint);
            worker.load(&frame.state, stop)?;
            let silent = worker.silent();
            if !possible(worker.step(&joint, &mut step, stop))? {
                continue;
            }
            let lived = self.turns.get(turn).filter(|_| !silent);
            if lived.is_some_and(|lived| !agrees(&lived.seen, self.role, &joint, &step)) {
                continue;
            }
            let turn = turn + usize::from(!silent);
            worker.save(&mut row);
            row.push(turn as u64);
            if seen.insert(&row).1 {
                path.extend_from_slice(&joint);
                entered = Some(turn);
            }
        }
    }
}
