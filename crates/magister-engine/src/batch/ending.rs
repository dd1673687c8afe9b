//! The end of a sweep: the next state becomes the state, or the start where a playout has ended.

use magister_lanes::{Commit, Operation};

use super::program::Builder;
use crate::circuit::Wire;
use crate::network::Edge;

/// How the next state becomes the state.
#[derive(Debug)]
pub(super) enum Ending {
    /// By itself.
    Commit(Commit),
    /// As part of the tape of the next state, the start states being in the rows from here on.
    Tape { starts: u32 },
}

impl Builder<'_> {
    /// The wire of a next fluent, and whether it is negated; never an input, because inputs are
    /// overwritten one after the other when the next state becomes the state.
    pub(super) fn next(&mut self, edge: Edge) -> (Wire, bool) {
        let node = edge.node();
        if node == 0 || node as usize > self.network.graph.inputs() {
            return (node, edge.negated());
        }
        (self.circuit.two(Operation::And, node, node), edge.negated())
    }

    /// The wire of a fluent after the sweep: what it is next, or at the start where a playout has
    /// ended.
    pub(super) fn commit(
        &mut self,
        (next, negated): (Wire, bool),
        restart: Wire,
        start: Wire,
    ) -> Wire {
        let operation = if negated { Operation::Nor } else { Operation::AndNot };
        let going = self.circuit.two(operation, next, restart);
        let again = self.circuit.two(Operation::And, start, restart);
        self.circuit.two(Operation::Or, going, again)
    }
}
