//! The network as a flat list of gates with two inputs, in the order in which to run them.

use std::collections::VecDeque;
use std::ops::IndexMut;

use crate::network::{Edge, Graph, Network};

/// A gate: where its inputs and its output are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gate<I> {
    a: I,
    b: I,
    out: I,
}

/// What a run of gates computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Operation {
    /// a and b.
    And,
    /// a and not b.
    AndNot,
    /// Neither a nor b.
    Nor,
}

/// Gates of the same operation, run one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    operation: Operation,
    end: u32,
}

/// As many wires as 16 bits can count. Indices of that type into an array of that length need no
/// check, and that is half the time of a sweep.
const NARROW: usize = 1 << 16;

/// The gates of a section: with short indices if the network is small enough.
#[derive(Clone, Debug)]
enum Gates {
    Narrow(Vec<Gate<u16>>),
    Wide(Vec<Gate<u32>>),
}

/// One part of a step.
#[derive(Clone, Debug)]
pub(super) struct Section {
    runs: Vec<Run>,
    gates: Gates,
}

impl Section {
    fn new(gates: &[Placed], narrow: bool) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (at, &(operation, _)) in gates.iter().enumerate() {
            let end = at as u32 + 1;
            match runs.last_mut() {
                Some(run) if run.operation == operation => run.end = end,
                _ => runs.push(Run { operation, end }),
            }
        }
        let gates = gates.iter().map(|&(_, gate)| gate);
        let gates = if narrow {
            let short = |g: Gate<u32>| Gate { a: g.a as u16, b: g.b as u16, out: g.out as u16 };
            Gates::Narrow(gates.map(short).collect())
        } else {
            Gates::Wide(gates.collect())
        };
        Self { runs, gates }
    }

    /// Computes the section over wires that are 0 or 1.
    pub(super) fn run(&self, wires: &mut [u8]) {
        match &self.gates {
            Gates::Narrow(gates) => {
                if let Some(wires) = wires.first_chunk_mut::<NARROW>() {
                    compute(&self.runs, gates, wires, usize::from);
                }
            }
            Gates::Wide(gates) => compute(&self.runs, gates, wires, |at| at as usize),
        }
    }
}

#[inline]
fn compute<I: Copy, W: IndexMut<usize, Output = u8> + ?Sized>(
    runs: &[Run],
    gates: &[Gate<I>],
    wires: &mut W,
    at: impl Fn(I) -> usize,
) {
    let mut rest = gates;
    let mut start = 0;
    for run in runs {
        let Some((now, later)) = rest.split_at_checked((run.end - start) as usize) else { return };
        (rest, start) = (later, run.end);
        match run.operation {
            Operation::And => {
                for g in now {
                    wires[at(g.out)] = wires[at(g.a)] & wires[at(g.b)];
                }
            }
            Operation::AndNot => {
                for g in now {
                    wires[at(g.out)] = wires[at(g.a)] & (wires[at(g.b)] ^ 1);
                }
            }
            Operation::Nor => {
                for g in now {
                    wires[at(g.out)] = (wires[at(g.a)] | wires[at(g.b)]) ^ 1;
                }
            }
        }
    }
}

/// The next state, read off the wires.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    /// For every fluent the wire that says whether it is true next.
    from: Indices,
    /// For every fluent 1 if it is true when the wire is not.
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
        Self { from, flip: next.iter().map(|e| u8::from(e.negated())).collect() }
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
        let mut cutter = Cutter {
            graph: &network.graph,
            level: vec![0; network.graph.len()],
            done: vec![false; network.graph.len()],
            wires: network.graph.len() as u32,
        };
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
        let parts = [first, network.next.clone(), goals().collect(), percepts]
            .map(|outputs| cutter.section(outputs));
        let narrow = cutter.wires as usize <= NARROW;
        let [legal, next, goals, percepts] = parts.map(|gates| Section::new(&gates, narrow));
        let wires = if narrow { NARROW } else { cutter.wires as usize };
        let commit = Commit::new(&network.next, narrow);
        Self { wires, legal, next, commit, goals, percepts }
    }
}

/// A gate with its operation.
type Placed = (Operation, Gate<u32>);

/// Orders gates so that runs are long: a processor guesses wrong at the end of each. One
/// operation goes on while it has gates whose inputs are ready, also by gates of its own run; then
/// comes the one with the most that are.
fn in_runs(gates: &[Placed], wires: usize) -> Vec<Placed> {
    let mut maker = vec![None; wires];
    for (at, (_, gate)) in gates.iter().enumerate() {
        maker[gate.out as usize] = Some(at);
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); gates.len()];
    let mut open = vec![0u8; gates.len()];
    let mut ready: [VecDeque<usize>; 3] = Default::default();
    for (at, (operation, gate)) in gates.iter().enumerate() {
        for input in [gate.a, gate.b] {
            if let Some(needed) = maker[input as usize] {
                users[needed].push(at);
                open[at] += 1;
            }
        }
        if open[at] == 0 {
            ready[*operation as usize].push_back(at);
        }
    }
    let mut order = Vec::with_capacity(gates.len());
    while let Some(best) = (0..3).max_by_key(|&o| ready[o].len()).filter(|&o| !ready[o].is_empty())
    {
        while let Some(at) = ready[best].pop_front() {
            order.push(gates[at]);
            for &user in &users[at] {
                open[user] -= 1;
                if open[user] == 0 {
                    ready[gates[user].0 as usize].push_back(user);
                }
            }
        }
    }
    order
}

/// Cuts gates with many inputs into gates with two.
struct Cutter<'a> {
    graph: &'a Graph,
    level: Vec<u32>,
    done: Vec<bool>,
    wires: u32,
}

impl Cutter<'_> {
    /// The gates that outputs need beyond those of earlier sections, in the order to run them.
    fn section(&mut self, outputs: Vec<Edge>) -> Vec<Placed> {
        let mut gates: Vec<Placed> = Vec::new();
        for node in self.graph.reachable(outputs) {
            if std::mem::replace(&mut self.done[node as usize], true) {
                continue;
            }
            self.cut(node, &mut gates);
        }
        in_runs(&gates, self.wires as usize)
    }

    /// Joins the inputs of a gate two by two, those that are ready first.
    fn cut(&mut self, node: u32, gates: &mut Vec<Placed>) {
        let children = self.graph.children(node);
        let mut open: std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32, bool)>> = children
            .iter()
            .map(|e| std::cmp::Reverse((self.level[e.node() as usize], e.node(), e.negated())))
            .collect();
        while let (Some(std::cmp::Reverse(a)), Some(std::cmp::Reverse(b))) =
            (open.pop(), open.pop())
        {
            let level = a.0.max(b.0) + 1;
            let out = if open.is_empty() {
                node
            } else {
                self.wires += 1;
                self.wires - 1
            };
            let (operation, a, b) = match (a.2, b.2) {
                (false, false) => (Operation::And, a.1, b.1),
                (false, true) => (Operation::AndNot, a.1, b.1),
                (true, false) => (Operation::AndNot, b.1, a.1),
                (true, true) => (Operation::Nor, a.1, b.1),
            };
            gates.push((operation, Gate { a, b, out }));
            if out == node {
                self.level[node as usize] = level;
                break;
            }
            open.push(std::cmp::Reverse((level, out, false)));
        }
    }
}
