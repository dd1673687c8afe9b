//! Playouts one by one, with as little work per step as possible: moves are taken from the lists of
//! legal moves, without percepts and without undo.

use magister_core::{Halt, Info, Move, Role, Step, Stop, Worker};

use super::machine::Machine;
use super::worker::NetworkWorker;

/// A worker without the parts that playouts do not need.
pub(super) struct Bare<'a, M>(pub(super) &'a mut NetworkWorker<M>);

impl<M: Machine> Worker for Bare<'_, M> {
    #[inline]
    fn info(&self) -> &Info {
        self.0.info()
    }

    #[inline]
    fn reset(&mut self) {
        self.0.reset();
    }

    #[inline]
    fn load(&mut self, state: &[u64], _stop: &Stop) -> Result<(), Halt> {
        self.0.enter(state)
    }

    #[inline]
    fn save(&self, out: &mut Vec<u64>) {
        self.0.save_machine(out);
    }

    #[inline]
    fn terminal(&self) -> bool {
        self.0.terminal()
    }

    #[inline]
    fn legal(&self, role: Role) -> &[Move] {
        self.0.legal(role)
    }

    #[inline]
    fn weights(&self) -> &[u32] {
        self.0.weights()
    }

    #[inline]
    fn step(&mut self, joint: &[Move], out: &mut Step, _stop: &Stop) -> Result<(), Halt> {
        if self.0.shared.gaining {
            return self.0.follow_gaining(joint, out);
        }
        self.0.follow(joint)
    }

    #[inline]
    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.0.goals(role, out);
    }
}
