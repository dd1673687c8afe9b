//! Gates joined to fewer gates of any function of three inputs, where such a gate is one
//! instruction.

use magister_lanes::{Gate, Operation};

use super::circuit::Wire;

/// The truth tables of the three inputs themselves.
const PLAIN: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];

/// A gate of up to three different inputs: bit `4a + 2b + c` of the table is the result.
#[derive(Clone, Debug)]
struct Node {
    inputs: Vec<Wire>,
    table: u8,
    out: Wire,
    /// Whether it has been joined with all that read it.
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

    /// The gate that it has become.
    fn gate(&self) -> Gate {
        let input = |at: usize| self.inputs.get(at).or(self.inputs.first()).copied().unwrap_or(0);
        // Inputs that are not there are not looked at either.
        let operation = Operation::Table(self.table);
        Gate { operation, a: input(0), b: input(1), c: input(2), out: self.out }
    }

    /// This gate with what another computes put in for one of its inputs, if that has up to three
    /// inputs then.
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
        let plain = |wire: Wire| {
            inputs.iter().position(|&input| input == wire).map_or(0, |at| PLAIN[at])
        };
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

/// Joins gates of a section. What is wanted outside of it stays.
pub(super) fn fuse(gates: &[Gate], wires: usize, wanted: &[bool]) -> Vec<Gate> {
    let mut nodes: Vec<Node> = gates.iter().map(Node::new).collect();
    let mut maker = vec![u32::MAX; wires];
    for (at, node) in nodes.iter().enumerate() {
        maker[node.out as usize] = at as u32;
    }
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); gates.len()];
    for (at, node) in nodes.iter().enumerate() {
        for &wire in &node.inputs {
            if let Some(readers) = readers.get_mut(maker[wire as usize] as usize) {
                readers.push(at as u32);
            }
        }
    }
    // Copies and negations first, since they cost those that read them nothing; then what is
    // read once; then what all that read it can take in.
    for most in [usize::MAX, 1, usize::MAX] {
        for at in 0..nodes.len() {
            let whose = std::mem::take(&mut readers[at]);
            if nodes[at].gone || whose.len() > most {
                readers[at] = whose;
                continue;
            }
        }
    }
    nodes.iter().filter(|node| !node.gone).map(Node::gate).collect()
}
