//! Conditions that several parts decide together: legal moves, `terminal` and goals as formulas
//! over local concepts, each of which is a condition on one part.

use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashMap;

use crate::split::{CONTEXT, Split};

/// A formula over local concepts.
#[derive(Clone, Debug)]
enum Gate {
    /// A concept of a part, by its number in that part.
    Leaf(usize, usize),
    /// All of these gates, each negated or not.
    And(Vec<(u32, bool)>),
}

/// A reference to a gate, negated or not.
pub(crate) type Signal = (u32, bool);

/// The outputs of a game as formulas over local concepts.
#[derive(Clone, Debug)]
pub(crate) struct Tops {
    gates: Vec<Gate>,
    /// For every part, followed by the context, its concepts: lists of wires that must all be true.
    pub(crate) concepts: Vec<Vec<Vec<Edge>>>,
    pub(crate) legal: Vec<Signal>,
    pub(crate) terminal: Signal,
    pub(crate) goals: Vec<Signal>,
}

/// The number of the gate that is always true.
const TRUE: u32 = 0;

struct Maker<'a> {
    network: &'a Network,
    tops: Tops,
    /// For every node, the parts that it depends on: none, one, or several.
    below: Vec<Below>,
    known: FxHashMap<NodeId, u32>,
    leaves: FxHashMap<(usize, Vec<Edge>), u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Below {
    Nothing,
    One(usize),
    Several,
}

impl Tops {
    /// Legal moves, `terminal` and goals.
    pub(crate) fn new(network: &Network, split: &Split) -> Self {
        Self::make(network, split, true)
    }

    /// Only `terminal` and goals.
    pub(crate) fn outcomes(network: &Network, split: &Split) -> Self {
        Self::make(network, split, false)
    }

    fn make(network: &Network, split: &Split, moves: bool) -> Self {
        let place = |part: u32| if part == CONTEXT { split.parts } else { part as usize };
        let mut below = vec![Below::Nothing; network.graph.len()];
        for (fluent, &part) in split.part_of.iter().enumerate() {
            below[fluent + 1] = Below::One(place(part));
        }
        for node in network.graph.gate_nodes() {
            let mut all = Below::Nothing;
            for child in network.graph.children(node) {
                all = match (all, below[child.node().index()]) {
                    (Below::Nothing, other) | (other, Below::Nothing) => other,
                    (Below::One(a), Below::One(b)) if a == b => all,
                    _ => Below::Several,
                };
            }
            below[node.index()] = all;
        }
        let tops = Tops {
            gates: vec![Gate::And(Vec::new())],
            concepts: vec![Vec::new(); split.parts + 1],
            legal: Vec::new(),
            terminal: (TRUE, true),
            goals: Vec::new(),
        };
        let mut maker = Maker {
            network,
            tops,
            below,
            known: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        let edges = if moves { &network.legal[..] } else { &[] };
        let legal: Vec<Signal> = edges.iter().map(|&edge| maker.signal(edge)).collect();
        let terminal = maker.signal(network.terminal);
        let goals = network.goals.iter().map(|goal| maker.signal(goal.when)).collect();
        Tops { legal, terminal, goals, ..maker.tops }
    }

    /// The concepts of every part and of the context that some signals depend on.
    pub(crate) fn below(&self, signals: impl IntoIterator<Item = Signal>) -> Vec<Vec<bool>> {
        let mut found: Vec<Vec<bool>> =
            self.concepts.iter().map(|own| vec![false; own.len()]).collect();
        let mut seen = vec![false; self.gates.len()];
        let mut open: Vec<u32> = signals.into_iter().map(|signal| signal.0).collect();
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut seen[gate as usize], true) {
                continue;
            }
            match &self.gates[gate as usize] {
                Gate::Leaf(part, number) => found[*part][*number] = true,
                Gate::And(all) => open.extend(all.iter().map(|signal| signal.0)),
            }
        }
        found
    }

    /// Computes all gates from the values of the concepts, part by part. `values` is working memory.
    pub(crate) fn evaluate<'v>(
        &self,
        concept: impl Fn(usize, usize) -> bool,
        values: &'v mut Vec<bool>,
    ) -> &'v [bool] {
        values.clear();
        for gate in &self.gates {
            let value = match gate {
                Gate::Leaf(part, number) => concept(*part, *number),
                Gate::And(all) => all.iter().all(|&signal| read(values, signal)),
            };
            values.push(value);
        }
        values
    }
}

/// The value of a signal.
pub(crate) fn read(values: &[bool], (gate, negated): Signal) -> bool {
    values[gate as usize] != negated
}

impl Maker<'_> {
    fn signal(&mut self, edge: Edge) -> Signal {
        if edge == Edge::TRUE || edge == Edge::FALSE {
            return (TRUE, edge == Edge::FALSE);
        }
        (self.gate(edge.node()), edge.negated())
    }

    fn leaf(&mut self, part: usize, mut wires: Vec<Edge>) -> Signal {
        wires.sort_unstable();
        // A single negated wire is the same concept as the wire itself.
        let negated = matches!(wires[..], [one] if one.negated());
        if negated {
            wires[0] = !wires[0];
        }
        if let Some(&gate) = self.leaves.get(&(part, wires.clone())) {
            return (gate, negated);
        }
        let gate = self.tops.gates.len() as u32;
        self.tops.gates.push(Gate::Leaf(part, self.tops.concepts[part].len()));
        self.tops.concepts[part].push(wires.clone());
        self.leaves.insert((part, wires), gate);
        (gate, negated)
    }

    fn gate(&mut self, node: NodeId) -> u32 {
        if let Some(&gate) = self.known.get(&node) {
            return gate;
        }
        let (gate, _) = match self.below[node.index()] {
            Below::Nothing => (TRUE, false),
            Below::One(part) => self.leaf(part, vec![Edge::of(node)]),
            Below::Several => {
                // Conjunctions are expanded, so that their conditions on one part form one concept.
                let mut own: Vec<(usize, Vec<Edge>)> = Vec::new();
                let mut parts: Vec<Signal> = Vec::new();
                let mut open = vec![node];
                while let Some(node) = open.pop() {
                    for &child in self.network.graph.children(node) {
                        match self.below[child.node().index()] {
                            Below::Nothing => parts.push(self.signal(child)),
                            Below::One(part) => {
                                match own.iter_mut().find(|(other, _)| *other == part) {
                                    Some((_, wires)) => wires.push(child),
                                    None => own.push((part, vec![child])),
                                }
                            }
                            Below::Several if child.negated() => parts.push(self.signal(child)),
                            Below::Several => open.push(child.node()),
                        }
                    }
                }
                for (part, mut wires) in own {
                    wires.sort_unstable();
                    wires.dedup();
                    parts.push(self.leaf(part, wires));
                }
                self.tops.gates.push(Gate::And(parts));
                (self.tops.gates.len() as u32 - 1, false)
            }
        };
        self.known.insert(node, gate);
        gate
    }
}
