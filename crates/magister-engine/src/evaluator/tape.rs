//! The network as a flat list of gates for one game at a time.

use magister_lanes::{Gate, Operation};

use crate::circuit::{Circuit, in_runs};
use crate::network::{Edge, Network};

/// Gates of the same operation, run one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    operation: Operation,
    end: u32,
}

/// As many wires as 16 bits can count. Indices of that type into an array of that length need no
/// check.
const NARROW: usize = 1 << 16;

/// The gates of a section: inputs a, b, c and the output.
#[derive(Clone, Debug)]
enum Gates {
    /// In a small network all of a gate is one word, read at once: reading is what takes the time.
    Narrow(Vec<u64>),
    Wide(Vec<[u32; 4]>),
}

/// One part of a step.
#[derive(Clone, Debug)]
pub(super) struct Section {
    runs: Vec<Run>,
    gates: Gates,
}

/// The value of a wire that is true; the other is zero. All bits are the same, so that operations
/// on bits are operations on truth values.
pub(super) const TRUE: u8 = !0;

impl Section {
    fn new(gates: &[Gate], narrow: bool) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (at, gate) in gates.iter().enumerate() {
            let end = at as u32 + 1;
            match runs.last_mut() {
                Some(run) if run.operation == gate.operation => run.end = end,
                _ => runs.push(Run { operation: gate.operation, end }),
            }
        }
        let ports = gates.iter().map(|g| [g.a, g.b, g.c, g.out]);
        let gates = if narrow {
            let word = |ports: [u32; 4]| ports.iter().rev().fold(0, |w, &p| w << 16 | u64::from(p));
            Gates::Narrow(ports.map(word).collect())
        } else {
            Gates::Wide(ports.collect())
        };
        Self { runs, gates }
    }

    /// Computes the section over wires that are [`TRUE`] or zero.
    pub(super) fn run(&self, wires: &mut [u8]) {
        match &self.gates {
            Gates::Narrow(gates) => {
                let Some(wires) = wires.first_chunk_mut::<NARROW>() else { return };
                self.each(gates, |gate, apply| {
                    let at = |port: u32| usize::from((gate >> (16 * port)) as u16);
                    wires[at(3)] = apply(wires[at(0)], wires[at(1)], wires[at(2)]);
                });
            }
            Gates::Wide(gates) => self.each(gates, |ports, apply| {
                let [a, b, c, out] = ports.map(|port| port as usize);
                wires[out] = apply(wires[a], wires[b], wires[c]);
            }),
        }
    }

    /// Calls `gate` on every gate, with its operation.
    #[inline]
    fn each<G: Copy>(&self, gates: &[G], mut gate: impl FnMut(G, fn(u8, u8, u8) -> u8)) {
        let mut rest = gates;
        let mut start = 0;
        for run in &self.runs {
            let Some((now, later)) = rest.split_at_checked((run.end - start) as usize) else {
                return;
            };
            (rest, start) = (later, run.end);
            macro_rules! by_operation {
                ($($operation:ident: $apply:expr),* $(,)?) => {
                    match run.operation {
                        $(Operation::$operation => now.iter().for_each(|&g| gate(g, $apply)),)*
                        _ => debug_assert!(false, "networks have conjunctions only"),
                    }
                };
            }
            by_operation!(
                And: |a, b, _| a & b,
                AndNot: |a, b, _| a & !b,
                Nor: |a, b, _| !(a | b),
                Or: |a, b, _| a | b,
                And3: |a, b, c| a & b & c,
                And2Not: |a, b, c| a & b & !c,
                AndNot2: |a, b, c| a & !(b | c),
                Nor3: |a, b, c| !(a | b | c),
            );
        }
    }
}

/// The next state, read off the wires.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    /// For every fluent the wire that says whether it is true next.
    from: Indices,
    /// For every fluent [`TRUE`] if it is true when the wire is not.
    flip: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Indices {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Commit {
    fn new(next: &[Edge], narrow: bool) -> Self {
        let from = next.iter().map(|e| e.node());
        let from = if narrow {
            Indices::Narrow(from.map(|n| n as u16).collect())
        } else {
            Indices::Wide(from.collect())
        };
        Self { from, flip: next.iter().map(|e| if e.negated() { TRUE } else { 0 }).collect() }
    }

    /// The next state, a byte for every fluent.
    pub(super) fn run(&self, wires: &[u8], coming: &mut [u8]) {
        match &self.from {
            Indices::Narrow(from) => {
                let Some(wires) = wires.first_chunk::<NARROW>() else { return };
                let all = coming.iter_mut().zip(from);
                all.for_each(|(to, &at)| *to = wires[usize::from(at)]);
            }
            Indices::Wide(from) => {
                let all = coming.iter_mut().zip(from);
                all.for_each(|(to, &at)| *to = wires[at as usize]);
            }
        }
        coming.iter_mut().zip(&self.flip).for_each(|(to, flip)| *to ^= flip);
    }
}

/// The tape: legal moves and the end first, then the next state, goals, percepts.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    /// The number of wires, with those that are only there for the sake of their number.
    pub(super) wires: usize,
    pub(super) legal: Section,
    pub(super) next: Section,
    pub(super) commit: Commit,
    pub(super) goals: Section,
    pub(super) percepts: Section,
}

impl Tape {
    pub(super) fn new(network: &Network) -> Self {
        let mut circuit = Circuit::new(&network.graph);
        let mut first: Vec<Edge> = network.legal.clone();
        first.push(network.terminal);
        // Goals may be asked before a move is made, so what they share with the next state must
        // be there by then.
        let goals = || network.goals.iter().map(|&(.., e)| e);
        let of_next = network.graph.reachable(network.next.iter().copied());
        let of_goals = network.graph.reachable(goals());
        first.extend(
            of_goals.into_iter().filter(|n| of_next.binary_search(n).is_ok()).map(Edge::of),
        );
        let percepts = network.percepts.iter().map(|&(.., e)| e).collect();
        let parts = [first, network.next.clone(), goals().collect(), percepts].map(|outputs| {
            circuit.nodes(outputs);
            circuit.section()
        });
        let count = circuit.wires as usize;
        let narrow = count <= NARROW;
        let [legal, next, goals, percepts] =
            parts.map(|gates| Section::new(&in_runs(&gates, count), narrow));
        let commit = Commit::new(&network.next, narrow);
        let wires = if narrow { NARROW } else { count };
        Self { wires, legal, next, commit, goals, percepts }
    }
}
