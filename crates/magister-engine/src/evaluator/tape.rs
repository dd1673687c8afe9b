//! The network as a flat list of gates for one game at a time.

use magister_core::Move;
use magister_lanes::{Gate, Operation};

use super::machine::Lists;
use super::places::Places;
use crate::circuit::{Circuit, in_runs};
use crate::network::{Edge, FluentId, Graph, Network, NodeId};

/// A run of gates with the same operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    operation: Operation,
    end: u32,
}

/// The number of wires that 16 bits can address. Indexes of that type into an array of that length
/// need no bounds check.
const NARROW: usize = 1 << 16;

/// The gates of a section: inputs a, b, c and the output.
#[derive(Clone, Debug)]
enum Gates {
    /// In a small network a whole gate is one word that is read at once; reading dominates the
    /// time.
    Narrow(Vec<u64>),
    Wide(Vec<[u32; 4]>),
}

/// One part of a step.
#[derive(Clone, Debug)]
pub(super) struct Section {
    runs: Vec<Run>,
    gates: Gates,
}

/// The value of a true wire; false is zero. All bits are the same, so that bit operations are logic
/// operations.
pub(super) const TRUE: u8 = !0;

impl Section {
    /// Gates over a number of wires.
    fn of(gates: &[Gate], wires: usize) -> Self {
        Self::new(&in_runs(gates, wires), wires <= NARROW)
    }

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

/// Reads the next state from the wires, only where it changes.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    /// Wires, and the fluents whose next value they are.
    same: Vec<(u32, u32)>,
    /// Wires, and the fluents whose next value is their negation.
    other: Vec<(u32, u32)>,
}

impl Commit {
    fn new(next: &[Edge]) -> Self {
        let of = |negated: bool| {
            let changing = next.iter().enumerate().filter(move |&(fluent, e)| {
                e.negated() == negated && *e != Edge::of(FluentId::new(fluent).node())
            });
            changing.map(|(fluent, e)| (e.node().0, fluent as u32)).collect()
        };
        Self { same: of(false), other: of(true) }
    }

    /// The next state, a byte for every fluent.
    pub(super) fn run(&self, wires: &[u8], coming: &mut [u8]) {
        coming.copy_from_slice(&wires[1..=coming.len()]);
        self.same.iter().for_each(|&(from, to)| coming[to as usize] = wires[from as usize]);
        self.other.iter().for_each(|&(from, to)| coming[to as usize] = !wires[from as usize]);
    }
}

/// A network as a tape: legal moves and terminal states, goals, percepts, the next state.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    /// The number of wires, including padding.
    pub(super) wires: usize,
    pub(super) legal: Section,
    pub(super) next: Section,
    pub(super) commit: Commit,
    pub(super) goals: Section,
    pub(super) percepts: Section,
    pub(super) outputs: Outputs,
}

/// The outputs of a tape.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    pub(super) terminal: Edge,
    /// The legality of every move.
    pub(super) legal: Vec<Edge>,
    /// For every role, the moves that can be legal at all, by number, with their wires.
    listed: Vec<Box<[(Move, Edge)]>>,
    pub(super) goals: Vec<Edge>,
    pub(super) percepts: Vec<Edge>,
    pub(super) weights: Vec<Edge>,
    pub(super) gains: Vec<Edge>,
    pub(super) silent: Edge,
}

impl Outputs {
    pub(super) fn new(network: &Network, places: &Places) -> Self {
        let listed = places.ranges.iter().map(|&(from, to)| {
            let moves = places.numbers[from..to].iter().zip(&network.legal[from..to]);
            let possible = moves.filter(|&(_, &edge)| edge != Edge::FALSE);
            possible.map(|(&number, &edge)| (Move(number), edge)).collect()
        });
        Self {
            terminal: network.terminal,
            legal: network.legal.clone(),
            listed: listed.collect(),
            goals: network.goals.iter().map(|goal| goal.when).collect(),
            percepts: network.percepts.iter().map(|sight| sight.when).collect(),
            weights: network.weights.iter().map(|weight| weight.when).collect(),
            gains: network.gains.iter().map(|gain| gain.when).collect(),
            silent: network.silent,
        }
    }

    /// All outputs.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let all = self.legal.iter().chain([&self.terminal, &self.silent]);
        let all = all.chain(&self.goals).chain(&self.percepts);
        all.chain(&self.weights).chain(&self.gains).copied()
    }

    /// The same on other wires.
    pub(super) fn renamed(mut self, wire: impl Fn(u32) -> u32) -> Self {
        let listed = self.listed.iter_mut().flatten().map(|(_, e)| e);
        let all = self.legal.iter_mut().chain([&mut self.terminal, &mut self.silent]);
        let all = all.chain(listed).chain(&mut self.goals).chain(&mut self.percepts);
        for edge in all.chain(&mut self.weights).chain(&mut self.gains) {
            let renamed = Edge::of(NodeId(wire(edge.node().0)));
            *edge = if edge.negated() { !renamed } else { renamed };
        }
        self
    }

    /// Writes the legal moves.
    #[inline]
    pub(super) fn list(&self, lists: &mut Lists, read: impl Fn(Edge) -> bool) {
        lists.rooms(|role, room| {
            let listed = &self.listed[role];
            // In a per-player network the other roles have one move that is always legal.
            if let [(only, Edge::TRUE)] = **listed {
                room[0] = only;
                return 1;
            }
            // There is no branch on legality, which is unpredictable.
            let mut end = 0;
            for &(choice, edge) in listed {
                room[end] = choice;
                end += usize::from(read(edge));
            }
            end
        });
    }
}

impl Tape {
    pub(super) fn new(network: &Network, places: &Places) -> Self {
        let mut circuit = Circuit::new(&network.graph);
        let outputs = Outputs::new(network, places);
        let parts = network.sections().map(|outputs| {
            circuit.nodes(outputs);
            circuit.section()
        });
        let wires = circuit.wires as usize;
        let [legal, goals, percepts, next] = parts.map(|gates| Section::of(&gates, wires));
        let commit = Commit::new(&network.next);
        Self { wires: padded(wires), legal, next, commit, goals, percepts, outputs }
    }
}

/// A question about a state, as a tape.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) wires: usize,
    section: Section,
    answer: Edge,
}

impl Question {
    pub(super) fn new(graph: &Graph, answer: Edge) -> Self {
        let mut circuit = Circuit::new(graph);
        circuit.nodes([answer]);
        let gates = circuit.section();
        let wires = circuit.wires as usize;
        Self { wires: padded(wires), section: Section::of(&gates, wires), answer }
    }

    /// The answer about the state on the wires.
    pub(super) fn ask(&self, wires: &mut [u8]) -> bool {
        self.section.run(wires);
        read(wires, self.answer)
    }
}

/// Whether a wire is true.
pub(super) fn read(wires: &[u8], edge: Edge) -> bool {
    (wires[edge.node().index()] != 0) != edge.negated()
}

/// The number of wires that a section requires.
fn padded(wires: usize) -> usize {
    if wires <= NARROW { NARROW } else { wires }
}
