//! Computes everything anew in every state: best for small networks.

use std::sync::Arc;

use super::machine::Machine;
use super::tape::{TRUE, Tape};
use crate::network::{Edge, Network};

/// The wires of one state.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    network: Arc<Network>,
    tape: Arc<Tape>,
    wires: Vec<u8>,
    /// The state, a bit for every fluent.
    state: Vec<u64>,
    /// The next state, until it becomes the state: a byte and a bit for every fluent.
    coming: Vec<u8>,
    coming_state: Vec<u64>,
    goals_known: bool,
}

impl Sweep {
    pub(super) fn new(network: Arc<Network>) -> Self {
        let tape = Arc::new(Tape::new(&network));
        let mut wires = vec![0; tape.wires];
        wires[0] = TRUE;
        let fluents = network.fluents.len();
        let state = vec![0; fluents.div_ceil(64)];
        let (coming, coming_state) = (vec![0; fluents], state.clone());
        let mut sweep =
            Self { network, tape, wires, state, coming, coming_state, goals_known: false };
        sweep.enter();
        sweep
    }

    fn enter(&mut self) {
        self.goals_known = false;
        self.tape.legal.run(&mut self.wires);
    }

    fn wire(&self, edge: Edge) -> bool {
        (self.wires[edge.node() as usize] != 0) != edge.negated()
    }
}

impl Machine for Sweep {
    fn load(&mut self, state: &[u64]) {
        self.state.copy_from_slice(state);
        for (fluent, wire) in self.wires[1..=self.coming.len()].iter_mut().enumerate() {
            *wire = ((state[fluent / 64] >> (fluent % 64) & 1) as u8).wrapping_neg();
        }
        self.enter();
    }

    fn save(&self, state: &mut [u64]) {
        state.copy_from_slice(&self.state);
    }

    fn terminal(&self) -> bool {
        self.wire(self.network.terminal)
    }

    fn legal(&self, from: usize, to: usize, out: &mut Vec<u32>) {
        // Without a branch on what is legal, which nobody could guess.
        let start = out.len();
        out.resize(start + to - from, 0);
        let mut end = start;
        for (at, &edge) in self.network.legal[from..to].iter().enumerate() {
            out[end] = (from + at) as u32;
            end += usize::from(self.wire(edge));
        }
        out.truncate(end);
    }

    fn is_legal(&self, number: usize) -> bool {
        self.wire(self.network.legal[number])
    }

    fn moves(&mut self, inputs: &[u32]) {
        for &input in inputs {
            self.wires[input as usize + 1] = TRUE;
        }
        self.tape.next.run(&mut self.wires);
        self.tape.commit.run(&self.wires, &mut self.coming);
        pack(&self.coming, &mut self.coming_state);
        if !self.network.percepts.is_empty() {
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
        self.state.copy_from_slice(&self.coming_state);
        self.enter();
    }

    fn retreat(&mut self, inputs: &[u32]) {
        for &input in inputs {
            self.wires[input as usize + 1] = 0;
        }
    }

    fn coming(&self, state: &mut [u64]) {
        state.copy_from_slice(&self.coming_state);
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

/// Bytes that are true or zero as bits.
fn pack(bytes: &[u8], bits: &mut [u64]) {
    for (word, bytes) in bits.iter_mut().zip(bytes.chunks(64)) {
        let (eights, rest) = bytes.as_chunks::<8>();
        let mut packed = 0;
        for (at, eight) in eights.iter().enumerate() {
            // The product brings the eight lowest bits together in the highest byte.
            let ones = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
            let bits = ones.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            packed |= bits << (8 * at);
        }
        for (at, &byte) in rest.iter().enumerate() {
            packed |= u64::from(byte & 1) << (8 * eights.len() + at);
        }
        *word = packed;
    }
}

#[cfg(test)]
mod tests {
    use super::pack;

    #[test]
    fn bytes_become_bits() {
        for length in [0usize, 1, 7, 8, 9, 63, 64, 65, 130] {
            let bytes: Vec<u8> =
                (0..length).map(|n| ((n * n % 7 % 2) as u8).wrapping_neg()).collect();
            let mut bits = vec![0; length.div_ceil(64)];
            pack(&bytes, &mut bits);
            for (n, &byte) in bytes.iter().enumerate() {
                assert_eq!(bits[n / 64] >> (n % 64) & 1, u64::from(byte & 1), "{n} of {length}");
            }
        }
    }
}
