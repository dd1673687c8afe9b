//! The local concepts of a part, with signs: the conditions of goals and `terminal` on it.

use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashSet;

use super::Wanted;
use crate::decomposition::Decomposition;

/// The local concepts of a part: wires, and the signed concepts for each role and goal value.
pub(super) struct Concepts {
    pub(super) wires: Vec<Edge>,
    pub(super) wanted: Vec<Vec<Wanted>>,
}

impl Concepts {
    pub(super) fn new(network: &Network, whole: &Decomposition, part: usize) -> Self {
        let mut concepts = Concepts { wires: Vec::new(), wanted: Vec::new() };
        // Disjunctions in goals are atoms, and so are the parts of `terminal`; conjunctions are
        // expanded down to atoms.
        let mut atoms: FxHashSet<NodeId> = FxHashSet::default();
        for goal in &network.goals {
            let found = literals(network, whole, part, goal.when);
            atoms.extend(found.iter().filter(|edge| edge.negated()).map(|edge| edge.node()));
        }
        let of_end: Vec<Edge> = literals(network, whole, part, network.terminal)
            .into_iter()
            .flat_map(|edge| opened(network, &atoms, edge))
            .collect();
        atoms.extend(of_end.iter().map(|edge| edge.node()));
        let of_end: Vec<(usize, bool)> =
            of_end.into_iter().map(|literal| concepts.number(literal)).collect();
        for role in 0..network.roles() {
            let mut values: Vec<f64> = network
                .goals
                .iter()
                .filter(|goal| goal.role.index() == role)
                .filter_map(|goal| goal.value)
                .collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let mut lists = Vec::new();
            for value in values {
                let mut list: Wanted = of_end.clone();
                for goal in &network.goals {
                    if goal.role.index() == role && goal.value == Some(value) {
                        for edge in literals(network, whole, part, goal.when) {
                            for literal in opened(network, &atoms, edge) {
                                list.push(concepts.number(literal));
                            }
                        }
                    }
                }
                list.sort_unstable();
                list.dedup();
                lists.push(list);
            }
            concepts.wanted.push(lists);
        }
        concepts
    }

    fn number(&mut self, edge: Edge) -> (usize, bool) {
        let (wire, positive) = if edge.negated() { (!edge, false) } else { (edge, true) };
        let at = self.wires.iter().position(|&other| other == wire).unwrap_or_else(|| {
            self.wires.push(wire);
            self.wires.len() - 1
        });
        (at, positive)
    }
}

/// A signed wire, expanded down to atoms, inputs and disjunctions.
fn opened(network: &Network, atoms: &FxHashSet<NodeId>, edge: Edge) -> Vec<Edge> {
    if atoms.contains(&edge.node()) || network.graph.is_input(edge.node()) {
        return vec![edge];
    }
    let mut found = Vec::new();
    let mut open = vec![edge.node()];
    while let Some(node) = open.pop() {
        for &child in network.graph.children(node) {
            let gate = !network.graph.is_input(child.node());
            if gate && !child.negated() && !atoms.contains(&child.node()) {
                open.push(child.node());
            } else {
                found.push(if edge.negated() { !child } else { child });
            }
        }
    }
    found
}

/// The signed wires below a wire that depend on only one part and belong to no larger such wire.
fn literals(network: &Network, whole: &Decomposition, part: usize, root: Edge) -> Vec<Edge> {
    let mut found = Vec::new();
    // A wire, and whether the path to it negates it.
    let mut stack = vec![root];
    while let Some(edge) = stack.pop() {
        let below = whole.split.parts_below(network, &[edge]);
        if below.len() == 1 && below.contains(&(part as u32)) {
            if !found.contains(&edge) {
                found.push(edge);
            }
        } else if below.contains(&(part as u32)) {
            let children = network.graph.children(edge.node());
            stack.extend(children.iter().map(|&child| if edge.negated() { !child } else { child }));
        }
    }
    found
}
