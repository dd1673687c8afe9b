//! A worker that wraps another one.

use std::sync::Arc;

use crate::{Batch, Halt, Info, LeafResults, Leaves, Move, Results, Role, Step, Stop, Worker};

/// How a [`Wrapped`] worker differs from the inner one.
pub trait Twist: Send {
    /// Goes to the initial state.
    fn reset(&self, worker: &mut dyn Worker) {
        worker.reset();
    }

    /// Changes the result of a step.
    fn stepped(&mut self, _info: &Info, _worker: &mut dyn Worker, _out: &mut Step) {}

    /// Whether steps are changed, so that percepts cannot be computed in advance.
    fn changes_steps(&self) -> bool {
        false
    }
}

/// A worker that forwards everything to another one with the same states and moves, except for a
/// [`Twist`]. The facts of the game may differ. It does not support batches of tries, because the
/// observations of a role may differ.
#[expect(missing_debug_implementations, reason = "workers have none")]
pub struct Wrapped<T> {
    worker: Box<dyn Worker>,
    info: Arc<Info>,
    twist: T,
}

impl<T: Twist> Wrapped<T> {
    /// A worker that wraps another one, in its initial state.
    pub fn new(worker: Box<dyn Worker>, info: Arc<Info>, twist: T) -> Self {
        let mut wrapped = Wrapped { worker, info, twist };
        wrapped.reset();
        wrapped
    }
}

impl<T: Twist> Worker for Wrapped<T> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn reset(&mut self) {
        self.twist.reset(&mut *self.worker);
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        self.worker.load(state, stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        self.worker.save(out);
    }

    fn terminal(&self) -> bool {
        self.worker.terminal()
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.worker.legal(role)
    }

    fn weights(&self) -> &[u32] {
        self.worker.weights()
    }

    fn silent(&self) -> bool {
        // With perfect information no step is silent.
        self.info.information == crate::Information::Hidden && self.worker.silent()
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        self.worker.step(joint, out, stop)?;
        self.twist.stepped(&self.info, &mut *self.worker, out);
        Ok(())
    }

    fn perceive(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<bool, Halt> {
        if self.twist.changes_steps() {
            return Ok(false);
        }
        self.worker.perceive(joint, out, stop)
    }

    fn undo(&mut self) -> bool {
        self.worker.undo()
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.worker.goals(role, out);
    }

    fn lanes(&self) -> usize {
        self.worker.lanes()
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        self.worker.playouts(batch, out, stop)
    }

    fn leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.worker.leaves(leaves, out, stop)
    }

    fn side_by_side(&self, streams: usize) -> usize {
        self.worker.side_by_side(streams)
    }
}
