//! When the results of gates are read by other gates of a tape.

use crate::Gate;

/// The gate number that means never.
pub(super) const NEVER: u32 = u32::MAX;

/// When values are read.
pub(super) struct Uses {
    /// For every gate and input, the gate that reads the same value next.
    pub(super) after: Vec<[u32; 3]>,
    /// For every gate, the gate that reads its result first.
    pub(super) first: Vec<u32>,
    /// For every gate, whether its result is the final content of its row, and wanted.
    pub(super) wanted: Vec<bool>,
}

impl Uses {
    pub(super) fn new(gates: &[Gate], wanted: &[bool]) -> Self {
        let mut next = vec![NEVER; wanted.len()];
        let mut open = wanted.to_vec();
        let mut uses = Self {
            after: vec![[NEVER; 3]; gates.len()],
            first: vec![NEVER; gates.len()],
            wanted: vec![false; gates.len()],
        };
        for (at, gate) in gates.iter().enumerate().rev() {
            let out = gate.out as usize;
            uses.first[at] = std::mem::replace(&mut next[out], NEVER);
            uses.wanted[at] = std::mem::replace(&mut open[out], false);
            if uses.idle(at) {
                continue;
            }
            for (place, row) in gate.inputs().enumerate() {
                uses.after[at][place] = next[row as usize];
            }
            for row in gate.inputs() {
                next[row as usize] = at as u32;
            }
        }
        uses
    }

    /// Whether the result of a gate is not needed.
    pub(super) fn idle(&self, at: usize) -> bool {
        self.first[at] == NEVER && !self.wanted[at]
    }
}
