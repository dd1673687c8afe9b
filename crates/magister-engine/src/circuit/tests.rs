//! Execution orders and row assignments do not change the results of gates.

use magister_lanes::{Gate, Operation};

use super::{Wire, depth_first, in_place, in_runs, rows, wanted};

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// A gate that reads wires below its output.
    fn gate(&mut self, out: Wire) -> Gate {
        let operation = Operation::ALL[self.below(Operation::ALL.len() as u32) as usize];
        // Recent wires are preferred, so that the circuit has some depth.
        let mut wire = || {
            let near = self.below(2) == 0 && out > 8;
            if near { out - 1 - self.below(8) } else { self.below(out) }
        };
        let [a, b, c] = [wire(), wire(), wire()];
        // As in circuits, an ignored input is present all the same.
        Gate { operation, a, b, c: if operation.inputs() == 3 { c } else { a }, out }
    }

    fn gates(&mut self, first: Wire, count: u32) -> Vec<Gate> {
        (first..first + count).map(|out| self.gate(out)).collect()
    }
}

fn start(wires: usize) -> Vec<u64> {
    let word = |wire: u64| (wire + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(13);
    (0..wires as u64).map(word).collect()
}

fn run(gates: &[Gate], values: &mut [u64]) {
    for gate in gates {
        let [a, b, c] = [gate.a, gate.b, gate.c].map(|wire| values[wire as usize]);
        values[gate.out as usize] = gate.operation.apply(a, b, c);
    }
}

const INPUTS: u32 = 9;
const GATES: u32 = 120;
const WIRES: usize = (INPUTS + GATES) as usize;

#[test]
fn runs_of_one_operation_compute_the_same() {
    for round in 0..50 {
        let gates = Random(round).gates(INPUTS, GATES);
        let ordered = in_runs(&gates, WIRES);
        assert_eq!(ordered.len(), gates.len());
        let (mut plain, mut values) = (start(WIRES), start(WIRES));
        run(&gates, &mut plain);
        run(&ordered, &mut values);
        assert_eq!(plain, values, "round {round}");
        let runs =
            |gates: &[Gate]| gates.windows(2).filter(|w| w[0].operation != w[1].operation).count();
        assert!(runs(&ordered) < runs(&gates));
    }
}

#[test]
fn depth_first_computes_exactly_the_outputs() {
    for round in 0..50 {
        let mut random = Random(round);
        let gates = random.gates(INPUTS, GATES);
        let wanted: Vec<bool> = (0..WIRES).map(|_| random.below(15) == 0).collect();
        let ordered = depth_first(&gates, WIRES, &wanted);
        let (mut plain, mut values) = (start(WIRES), start(WIRES));
        run(&gates, &mut plain);
        run(&ordered, &mut values);
        for wire in (0..WIRES).filter(|&wire| wanted[wire]) {
            assert_eq!(plain[wire], values[wire], "wire {wire} in round {round}");
        }
        // Every gate is read by a later one or is an output, and no gate occurs twice.
        let mut made = [false; WIRES];
        for (at, gate) in ordered.iter().enumerate() {
            let read = ordered[at + 1..].iter().any(|later| later.inputs().any(|w| w == gate.out));
            assert!(read || wanted[gate.out as usize], "wire {} in round {round}", gate.out);
            assert!(!std::mem::replace(&mut made[gate.out as usize], true));
        }
    }
}

#[test]
fn the_next_state_replaces_the_state() {
    for round in 0..80 {
        let mut random = Random(round);
        let fluents = 1 + random.below(INPUTS - 1);
        let gates = random.gates(INPUTS, GATES);
        // Distinct wires, some with other readers.
        let mut after: Vec<Wire> = Vec::new();
        while after.len() < fluents as usize {
            let wire = INPUTS + random.below(GATES);
            if !after.contains(&wire) {
                after.push(wire);
            }
        }
        // A reader of a fluent's next value could use either its wire or the fluent's. A section
        // that ends with the commit has no such reader.
        let gates: Vec<Gate> = gates
            .into_iter()
            .map(|mut gate| {
                for wire in [&mut gate.a, &mut gate.b, &mut gate.c] {
                    if after.contains(wire) {
                        *wire %= INPUTS;
                    }
                }
                gate
            })
            .collect();
        let mut plain = start(WIRES);
        run(&gates, &mut plain);
        let mut values = start(WIRES);
        run(&in_place(&gates, WIRES, &after), &mut values);
        for (fluent, &wire) in (1..).zip(&after) {
            assert_eq!(values[fluent], plain[wire as usize], "fluent {fluent} in round {round}");
        }
    }
}

#[test]
fn wires_share_rows_and_keep_their_values() {
    for round in 0..50 {
        let mut random = Random(round);
        let gates = random.gates(INPUTS, GATES);
        let middle = random.below(GATES) as usize;
        let mut sections = [gates[..middle].to_vec(), gates[middle..].to_vec()];
        let kept: Vec<Wire> = (INPUTS..WIRES as Wire).filter(|_| random.below(10) == 0).collect();
        let needed = wanted(&sections, WIRES, &kept);
        for (section, needed) in sections.iter_mut().zip(&needed) {
            *section = depth_first(section, WIRES, needed);
        }
        let mut plain = start(WIRES);
        run(&gates, &mut plain);
        let (row, count) = rows(&mut sections, WIRES, INPUTS, &kept, &[]);
        assert!(count < WIRES);
        let mut values = start(count);
        sections.iter().for_each(|section| run(section, &mut values));
        for &wire in &kept {
            let found = values[row[wire as usize] as usize];
            assert_eq!(found, plain[wire as usize], "wire {wire} in round {round}");
        }
    }
}
