//! Computes everything anew in every state: best for small networks.

use std::sync::Arc;

use super::machine::Machine;
use super::tape::Tape;
use crate::network::{Edge, Network};

/// The wires of one state.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    network: Arc<Network>,
    tape: Arc<Tape>,
    wires: Vec<u8>,
    /// The next state, until it becomes the state.
    coming: Vec<u8>,
    goals_known: bool,
}

impl Sweep {
    pub(super) fn new(network: Arc<Network>) -> Self {
        let tape = Arc::new(Tape::new(&network));
        let mut wires = vec![0; tape.wires];
        wires[0] = 1;
        let coming = vec![0; network.fluents.len()];
        let mut sweep = Self { network, tape, wires, coming, goals_known: false };
        sweep.enter();
        sweep
    }

    fn enter(&mut self) {
        self.goals_known = false;
        self.tape.legal.run(&mut self.wires);
    }

    fn wire(&self, edge: Edge) -> bool {
        (self.wires[edge.node() as usize] == 1) != edge.negated()
    }
}

impl Machine for Sweep {
    fn load(&mut self, state: &[u64]) {
        for (fluent, wire) in self.wires[1..=self.coming.len()].iter_mut().enumerate() {
            *wire = (state[fluent / 64] >> (fluent % 64) & 1) as u8;
        }
        self.enter();
    }

    fn save(&self, state: &mut [u64]) {
        state.fill(0);
        for (fluent, &wire) in self.wires[1..=self.coming.len()].iter().enumerate() {
            state[fluent / 64] |= u64::from(wire) << (fluent % 64);
        }
    }

    fn terminal(&self) -> bool {
        self.wire(self.network.terminal)
    }

    fn legal(&self, from: usize, to: usize, out: &mut Vec<u32>) {
        for (at, &edge) in self.network.legal[from..to].iter().enumerate() {
            if self.wire(edge) {
                out.push((from + at) as u32);
            }
        }
    }

    fn is_legal(&self, number: usize) -> bool {
        self.wire(self.network.legal[number])
    }

    fn moves(&mut self, inputs: &[u32]) {
        for &input in inputs {
            self.wires[input as usize + 1] = 1;
        }
        self.tape.next.run(&mut self.wires);
        let network = Arc::clone(&self.network);
        for (fluent, &edge) in network.next.iter().enumerate() {
            self.coming[fluent] = u8::from(self.wire(edge));
        }
        if !network.percepts.is_empty() {
            self.tape.percepts.run(&mut self.wires);
        }
    }

    fn percept(&self, number: usize) -> bool {
        self.wire(self.network.percepts[number].2)
    }

    fn advance(&mut self, inputs: &[u32]) {
        for &input in inputs {
            self.wires[input as usize + 1] = 0;
        }
        self.wires[1..=self.coming.len()].copy_from_slice(&self.coming);
        self.enter();
    }

    fn retreat(&mut self, inputs: &[u32]) {
        for &input in inputs {
            self.wires[input as usize + 1] = 0;
        }
    }

    fn coming(&self, state: &mut [u64]) {
        state.fill(0);
        for (fluent, &wire) in self.coming.iter().enumerate() {
            state[fluent / 64] |= u64::from(wire) << (fluent % 64);
        }
    }

    fn know_goals(&mut self) {
        if !self.goals_known {
            self.tape.goals.run(&mut self.wires);
            self.goals_known = true;
        }
    }

    fn goal(&self, number: usize) -> bool {
        self.wire(self.network.goals[number].2)
    }
}
