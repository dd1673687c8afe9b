//! The network as a flat list of gates with two inputs, in the order in which to run them.

use crate::network::{Edge, Graph, Network};

/// A gate: where its inputs and its output are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gate {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) out: u32,
}

/// What a run of gates computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Operation {
    /// a and b.
    And,
    /// a and not b.
    AndNot,
    /// Neither a nor b.
    Nor,
}

/// Gates of the same operation that do not depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) operation: Operation,
    pub(super) end: u32,
}

/// One part of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    pub(super) runs: Vec<Run>,
    pub(super) gates: Vec<Gate>,
}

impl Section {
    /// Computes the section over wires that are 0 or 1.
    pub(super) fn run(&self, wires: &mut [u8]) {
        let mut start = 0;
        for run in &self.runs {
            let gates = &self.gates[start..run.end as usize];
            match run.operation {
                Operation::And => {
                    for g in gates {
                        wires[g.out as usize] = wires[g.a as usize] & wires[g.b as usize];
                    }
                }
                Operation::AndNot => {
                    for g in gates {
                        wires[g.out as usize] = wires[g.a as usize] & (wires[g.b as usize] ^ 1);
                    }
                }
                Operation::Nor => {
                    for g in gates {
                        wires[g.out as usize] = (wires[g.a as usize] | wires[g.b as usize]) ^ 1;
                    }
                }
            }
            start = run.end as usize;
        }
    }
}

/// The tape: legal moves and the end first, then the next state, goals, percepts.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    /// The number of wires.
    pub(super) wires: usize,
    pub(super) legal: Section,
    pub(super) next: Section,
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
        let legal = cutter.section(first);
        let next = cutter.section(network.next.clone());
        let goals = cutter.section(goals().collect());
        let percepts = cutter.section(network.percepts.iter().map(|&(.., e)| e).collect());
        Self { wires: cutter.wires as usize, legal, next, goals, percepts }
    }
}

/// Cuts gates with many inputs into gates with two.
struct Cutter<'a> {
    graph: &'a Graph,
    level: Vec<u32>,
    done: Vec<bool>,
    wires: u32,
}

impl Cutter<'_> {
    /// The gates that outputs need beyond those of earlier sections.
    fn section(&mut self, outputs: Vec<Edge>) -> Section {
        let mut gates: Vec<(u32, Operation, Gate)> = Vec::new();
        for node in self.graph.reachable(outputs) {
            if std::mem::replace(&mut self.done[node as usize], true) {
                continue;
            }
            self.cut(node, &mut gates);
        }
        gates.sort_by_key(|&(level, operation, gate)| (level, operation, gate.out));
        let mut section = Section::default();
        let mut last = None;
        for (level, operation, gate) in gates {
            section.gates.push(gate);
            let end = section.gates.len() as u32;
            match section.runs.last_mut() {
                Some(run) if last == Some((level, operation)) => run.end = end,
                _ => section.runs.push(Run { operation, end }),
            }
            last = Some((level, operation));
        }
        section
    }

    /// Joins the inputs of a gate two by two, those that are ready first.
    fn cut(&mut self, node: u32, gates: &mut Vec<(u32, Operation, Gate)>) {
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
            gates.push((level, operation, Gate { a, b, out }));
            if out == node {
                self.level[node as usize] = level;
                break;
            }
            open.push(std::cmp::Reverse((level, out, false)));
        }
    }
}
