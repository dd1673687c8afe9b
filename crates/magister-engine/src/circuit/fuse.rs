//! Fuses gates into fewer gates with any function of three inputs, if such a gate is one
//! instruction.

use magister_lanes::{Gate, Operation};

use super::Wire;

/// The truth tables of the three inputs themselves.
const PLAIN: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];

/// A gate of up to three distinct inputs: bit `4a + 2b + c` of the table is the result.
#[derive(Clone, Debug)]
struct Node {
    inputs: Vec<Wire>,
    table: u8,
    out: Wire,
    /// Whether it has been merged into all gates that read it.
    gone: bool,
}

fn apply(table: u8, inputs: [u8; 3]) -> u8 {
    let [a, b, c] = inputs.map(u64::from);
    Operation::Table(table).apply(a, b, c) as u8
}

impl Node {
    fn new(gate: &Gate) -> Self {
        let mut inputs: Vec<Wire> = Vec::with_capacity(3);
        for wire in gate.inputs() {
            if !inputs.contains(&wire) {
                inputs.push(wire);
            }
        }
        let read = |wire: Wire| {
            let at = inputs.iter().position(|&input| input == wire);
            at.map_or(0, |at| u64::from(PLAIN[at]))
        };
        let table = gate.operation.apply(read(gate.a), read(gate.b), read(gate.c)) as u8;
        Self { inputs, table, out: gate.out, gone: false }
    }

    /// The resulting gate.
    fn gate(&self) -> Gate {
        let input = |at: usize| self.inputs.get(at).or(self.inputs.first()).copied().unwrap_or(0);
        // Missing inputs are ignored.
        let operation = Operation::Table(self.table);
        Gate { operation, a: input(0), b: input(1), c: input(2), out: self.out }
    }

    /// This gate with another gate substituted for one of its inputs, if the result has at most
    /// three inputs.
    fn with(&self, other: &Node) -> Option<Node> {
        let mut inputs: Vec<Wire> = self.inputs.clone();
        inputs.retain(|&wire| wire != other.out);
        for &wire in &other.inputs {
            if !inputs.contains(&wire) {
                inputs.push(wire);
            }
        }
        if inputs.len() > 3 {
            return None;
        }
        let plain =
            |wire: Wire| inputs.iter().position(|&input| input == wire).map_or(0, |at| PLAIN[at]);
        let read = |node: &Node, of: &dyn Fn(Wire) -> u8| {
            let mut values = [0; 3];
            for (value, &wire) in values.iter_mut().zip(&node.inputs) {
                *value = of(wire);
            }
            apply(node.table, values)
        };
        let inner = read(other, &plain);
        let table = read(self, &|wire| if wire == other.out { inner } else { plain(wire) });
        Some(Node { inputs, table, out: self.out, gone: false })
    }
}

/// Fuses the gates of a section. The outputs of the section remain.
pub(crate) fn fuse(gates: &[Gate], wires: usize, wanted: &[bool]) -> Vec<Gate> {
    let mut fusion = Fusion::new(gates, wires);
    for step in [Step::Plain, Step::Single, Step::All] {
        for at in 0..gates.len() {
            fusion.join(at, step, wanted);
        }
    }
    fusion.nodes.iter().filter(|node| !node.gone).map(Node::gate).collect()
}

/// Which gates are merged into their readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Copies and negations, which cost nothing when merged.
    Plain,
    /// Gates with one reader.
    Single,
    /// Gates that all readers can absorb.
    All,
}

struct Fusion {
    nodes: Vec<Node>,
    /// The node that drives each wire.
    maker: Vec<Option<u32>>,
    /// The readers of each node.
    readers: Vec<Vec<u32>>,
}

impl Fusion {
    fn new(gates: &[Gate], wires: usize) -> Self {
        let nodes: Vec<Node> = gates.iter().map(Node::new).collect();
        let mut maker = vec![None; wires];
        for (at, node) in nodes.iter().enumerate() {
            maker[node.out as usize] = Some(at as u32);
        }
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); gates.len()];
        for (at, node) in nodes.iter().enumerate() {
            for &wire in &node.inputs {
                if let Some(maker) = maker[wire as usize] {
                    readers[maker as usize].push(at as u32);
                }
            }
        }
        Self { nodes, maker, readers }
    }

    /// Merges a gate into all its readers, if this step applies to it and they can absorb it.
    fn join(&mut self, at: usize, step: Step, wanted: &[bool]) {
        let node = self.nodes[at].clone();
        let wanted = wanted[node.out as usize];
        let fits = match step {
            Step::Plain => node.inputs.len() < 2,
            Step::Single => self.readers[at].len() == 1 && !wanted,
            Step::All => !wanted,
        };
        if node.gone || !fits {
            return;
        }
        let readers = &self.readers[at];
        let joined: Option<Vec<Node>> =
            readers.iter().map(|&reader| self.nodes[reader as usize].with(&node)).collect();
        let Some(joined) = joined else { return };
        self.nodes[at].gone = !wanted;
        let readers = std::mem::take(&mut self.readers[at]);
        for &wire in &node.inputs {
            let Some(maker) = self.maker[wire as usize] else { continue };
            let list = &mut self.readers[maker as usize];
            list.retain(|&reader| wanted || reader != at as u32);
            for &reader in &readers {
                if !list.contains(&reader) {
                    list.push(reader);
                }
            }
        }
        for (reader, node) in readers.into_iter().zip(joined) {
            self.nodes[reader as usize] = node;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_gates_compute_the_same() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (state >> 33) % below
        };
        for round in 0..200 {
            let (inputs, count) = (6, 60);
            let gates: Vec<Gate> = (0..count)
                .map(|n| {
                    let operation = Operation::ALL[random(Operation::ALL.len() as u64) as usize];
                    let mut wire = || random(inputs + n) as Wire;
                    Gate { operation, a: wire(), b: wire(), c: wire(), out: (inputs + n) as Wire }
                })
                .collect();
            let wires = (inputs + count) as usize;
            let wanted: Vec<bool> = (0..wires).map(|_| random(4) == 0).collect();
            let run = |gates: &[Gate]| {
                let mut values: Vec<u64> = (0..wires as u64)
                    .map(|wire| (wire + 1 + round).wrapping_mul(0x9E37_79B9_7F4A_7C15))
                    .collect();
                for gate in gates {
                    let [a, b, c] = [gate.a, gate.b, gate.c].map(|wire| values[wire as usize]);
                    values[gate.out as usize] = gate.operation.apply(a, b, c);
                }
                values
            };
            let fused = fuse(&gates, wires, &wanted);
            assert!(fused.len() < gates.len());
            let (plain, fused) = (run(&gates), run(&fused));
            for wire in (0..wires).filter(|&wire| wanted[wire]) {
                assert_eq!(plain[wire], fused[wire], "wire {wire} in round {round}");
            }
        }
    }
}
