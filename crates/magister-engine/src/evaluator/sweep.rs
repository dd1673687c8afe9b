//! Recomputes everything in every state: best for small networks.

use std::sync::Arc;

use super::machine::{Lists, Machine};
use super::places::Places;
use super::tape::{Outputs, Question, TRUE, Tape, read};
use crate::network::{Edge, InputId, Network};

/// The tapes of a network: one for all states, and one for the states in which each role has its
/// turn.
#[derive(Debug)]
pub(super) struct Tapes {
    /// The first tape is for all states.
    all: Vec<Tape>,
    per_player: Vec<Turn>,
    wires: usize,
}

/// The states in which a role has its turn.
#[derive(Debug)]
struct Turn {
    when: Edge,
    /// The assumptions about these states.
    known: Question,
}

impl Tapes {
    pub(super) fn new(network: &Network, places: &Places) -> Self {
        let mut all = vec![Tape::new(network, places)];
        all.extend(network.per_player.iter().map(|side| Tape::new(&side.network, places)));
        let per_player = network.per_player.iter().map(|side| {
            let (graph, known) = &side.known;
            Turn { when: side.turn, known: Question::new(graph, *known) }
        });
        let per_player: Vec<Turn> = per_player.collect();
        let wires =
            all.iter().map(|t| t.wires).chain(per_player.iter().map(|s| s.known.wires)).max();
        Self { all, per_player, wires: wires.unwrap_or(0) }
    }

    /// The tape for the state on the wires: that of a role if only this role has its turn.
    fn side(&self, wires: &[u8]) -> usize {
        let mut found = 0;
        for (at, side) in self.per_player.iter().enumerate() {
            if read(wires, side.when) {
                if found > 0 {
                    return 0;
                }
                found = at + 1;
            }
        }
        found
    }
}

/// The wires of one state.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    tapes: Arc<Tapes>,
    /// The index of the tape for the state.
    at: usize,
    /// Whether the state was reached from a state that violates the assumptions of the per-player
    /// networks.
    strange: bool,
    perceiving: bool,
    wires: Vec<u8>,
    /// The state, a bit for every fluent.
    state: Vec<u64>,
    /// The next state, until it replaces the current one: one byte and one bit for every fluent.
    coming: Vec<u8>,
    coming_state: Vec<u64>,
    goals_known: bool,
}

impl Sweep {
    pub(super) fn new(network: &Network, tapes: Arc<Tapes>) -> Self {
        let mut wires = vec![0; tapes.wires];
        wires[0] = TRUE;
        let fluents = network.fluents();
        let state = vec![0; fluents.div_ceil(64)];
        let (coming, coming_state) = (vec![0; fluents], state.clone());
        Self {
            tapes,
            at: 0,
            strange: false,
            perceiving: network.of_steps().next().is_some(),
            wires,
            state,
            coming,
            coming_state,
            goals_known: false,
        }
    }

    fn enter(&mut self) {
        self.goals_known = false;
        self.at = if self.strange { 0 } else { self.tapes.side(&self.wires) };
        self.tapes.all[self.at].legal.run(&mut self.wires);
    }

    fn tape(&self) -> &Tape {
        &self.tapes.all[self.at]
    }

    fn outputs(&self) -> &Outputs {
        &self.tape().outputs
    }
}

impl Machine for Sweep {
    fn load(&mut self, state: &[u64]) {
        self.state.copy_from_slice(state);
        for (fluent, wire) in self.wires[1..=self.coming.len()].iter_mut().enumerate() {
            *wire = ((state[fluent / 64] >> (fluent % 64) & 1) as u8).wrapping_neg();
        }
        let wires = &mut self.wires;
        self.strange = self
            .tapes
            .per_player
            .iter()
            .any(|side| read(wires, side.when) && !side.known.ask(wires));
        self.enter();
    }

    fn save(&self, state: &mut [u64]) {
        state.copy_from_slice(&self.state);
    }

    fn terminal(&self) -> bool {
        read(&self.wires, self.outputs().terminal)
    }

    fn legal(&self, lists: &mut Lists) {
        self.outputs().list(lists, |edge| read(&self.wires, edge));
    }

    fn is_legal(&self, number: usize) -> bool {
        read(&self.wires, self.outputs().legal[number])
    }

    fn moves(&mut self, inputs: &[InputId]) {
        for &input in inputs {
            self.wires[input.node().index()] = TRUE;
        }
        let tape = &self.tapes.all[self.at];
        // Gates shared by percepts and the next state are computed with the percepts.
        if self.perceiving {
            tape.percepts.run(&mut self.wires);
        }
        tape.next.run(&mut self.wires);
        tape.commit.run(&self.wires, &mut self.coming);
        pack(&self.coming, &mut self.coming_state);
    }

    fn weight(&self, number: usize) -> bool {
        read(&self.wires, self.outputs().weights[number])
    }

    fn silent(&self) -> bool {
        read(&self.wires, self.outputs().silent)
    }

    fn percept(&self, number: usize) -> bool {
        read(&self.wires, self.outputs().percepts[number])
    }

    fn gain(&self, number: usize) -> bool {
        read(&self.wires, self.outputs().gains[number])
    }

    fn advance(&mut self, inputs: &[InputId]) {
        for &input in inputs {
            self.wires[input.node().index()] = 0;
        }
        self.wires[1..=self.coming.len()].copy_from_slice(&self.coming);
        self.state.copy_from_slice(&self.coming_state);
        self.enter();
    }

    fn retreat(&mut self, inputs: &[InputId]) {
        for &input in inputs {
            self.wires[input.node().index()] = 0;
        }
    }

    fn coming(&mut self, state: &mut [u64]) {
        state.copy_from_slice(&self.coming_state);
    }

    fn know_goals(&mut self) {
        if !self.goals_known {
            self.tapes.all[self.at].goals.run(&mut self.wires);
            self.goals_known = true;
        }
    }

    fn goal(&self, number: usize) -> bool {
        read(&self.wires, self.outputs().goals[number])
    }
}

/// Packs bytes that are [`TRUE`] or zero into bits.
fn pack(bytes: &[u8], bits: &mut [u64]) {
    for (word, bytes) in bits.iter_mut().zip(bytes.chunks(64)) {
        let (eights, rest) = bytes.as_chunks::<8>();
        let mut packed = 0;
        for (at, eight) in eights.iter().enumerate() {
            // The product collects the eight lowest bits in the highest byte.
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
