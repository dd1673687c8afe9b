//! A network of AND gates with any number of inputs and optionally negated edges; equal gates are
//! shared.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{InputId, NodeId};

/// A wire, negated or not: twice the node's number, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(u32);

impl Edge {
    /// Always true.
    pub const TRUE: Edge = Edge(0);
    /// Always false.
    pub const FALSE: Edge = Edge(1);

    /// The wire of a node.
    pub fn of(node: NodeId) -> Edge {
        Edge(node.0 << 1)
    }

    /// The node it comes from.
    #[inline]
    pub fn node(self) -> NodeId {
        NodeId(self.0 >> 1)
    }

    /// Whether it negates.
    #[inline]
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// Inputs, at most one of which is true: the moves of a role, the contents of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The nodes of the inputs, ascending.
    pub members: Vec<NodeId>,
    /// Whether exactly one of them is always true.
    pub exact: bool,
}

/// Gates over inputs. Node 0 is the constant true, the inputs follow, then the gates; the inputs of
/// a gate have smaller numbers than the gate.
#[derive(Clone, Debug)]
pub struct Graph {
    inputs: u32,
    /// The start of the children of each gate.
    starts: Vec<u32>,
    children: Vec<Edge>,
    known: FxHashMap<Box<[Edge]>, NodeId>,
    /// The groups of every input.
    groups_of: Vec<Vec<u32>>,
    groups: Arc<[Group]>,
}

impl Graph {
    /// A graph without gates.
    pub fn new(inputs: usize, groups: impl Into<Arc<[Group]>>) -> Self {
        let groups = groups.into();
        let mut groups_of = vec![Vec::new(); inputs + 1];
        for (number, group) in groups.iter().enumerate() {
            for &member in &group.members {
                groups_of[member.index()].push(number as u32);
            }
        }
        Self {
            inputs: inputs as u32,
            starts: vec![0],
            children: Vec::new(),
            known: FxHashMap::default(),
            groups_of,
            groups,
        }
    }

    /// The wire of an input. If exactly one of two inputs is always true, the second is the
    /// negation of the first.
    pub fn input(&self, input: InputId) -> Edge {
        let node = input.node();
        for &number in &self.groups_of[node.index()] {
            let group = &self.groups[number as usize];
            match group.members[..] {
                [_] if group.exact => return Edge::TRUE,
                [first, second] if group.exact && second == node => return !Edge::of(first),
                _ => {}
            }
        }
        Edge::of(node)
    }

    /// The known groups of inputs.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The total number of gate inputs.
    pub fn edges(&self) -> usize {
        self.children.len()
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// The number of nodes: the constant, the inputs and the gates.
    pub fn len(&self) -> usize {
        self.inputs as usize + self.starts.len()
    }

    /// Whether the network has no gates.
    pub fn is_empty(&self) -> bool {
        self.starts.len() == 1
    }

    /// All gates, in order: children before parents.
    pub fn gate_nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.inputs + 1..self.len() as u32).map(NodeId)
    }

    /// Whether a node is an input or the constant, and not a gate.
    pub fn is_input(&self, node: NodeId) -> bool {
        node.0 <= self.inputs
    }

    /// The inputs of a gate; empty for the constant and the inputs.
    pub fn children(&self, node: NodeId) -> &[Edge] {
        let Some(gate) = node.0.checked_sub(self.inputs + 1) else { return &[] };
        let start = self.starts[gate as usize] as usize;
        let end = self.starts.get(gate as usize + 1).map_or(self.children.len(), |&e| e as usize);
        &self.children[start..end]
    }

    /// The equivalent number of two-input gates.
    pub fn gates(&self, nodes: impl Iterator<Item = NodeId>) -> usize {
        nodes.map(|n| self.children(n).len().saturating_sub(1)).sum()
    }

    /// The disjunction.
    pub fn or(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        !self.and(edges.into_iter().map(|e| !e))
    }

    /// The conjunction, simplified by its inputs and by their inputs.
    pub fn and(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        let mut all: Vec<Edge> = edges.into_iter().filter(|&e| e != Edge::TRUE).collect();
        loop {
            all.sort_unstable();
            all.dedup();
            if all.first() == Some(&Edge::FALSE) || all.windows(2).any(|w| w[0] == !w[1]) {
                return Edge::FALSE;
            }
            match self.use_groups(&mut all) {
                None => return Edge::FALSE,
                Some(true) => continue,
                Some(false) => {}
            }
            if !self.use_siblings(&mut all) {
                break;
            }
        }
        match all.as_slice() {
            [] => Edge::TRUE,
            [one] => *one,
            _ => self.gate(all),
        }
    }

    fn gate(&mut self, all: Vec<Edge>) -> Edge {
        if let Some(&node) = self.known.get(all.as_slice()) {
            return Edge::of(node);
        }
        let node = NodeId::new(self.len());
        self.children.extend_from_slice(&all);
        self.known.insert(all.into(), node);
        self.starts.push(self.children.len() as u32);
        Edge::of(node)
    }

    /// The same inputs and groups without gates.
    pub(super) fn emptied(&self) -> Graph {
        Graph::new(self.inputs as usize, Arc::clone(&self.groups))
    }

    /// The wires that a wire implies as parts of a conjunction, including itself.
    pub(super) fn parts(&self, edge: Edge) -> Vec<Edge> {
        let mut all = vec![edge];
        let mut at = 0;
        while let Some(&edge) = all.get(at) {
            if !edge.negated() {
                all.extend_from_slice(self.children(edge.node()));
            }
            at += 1;
        }
        all.retain(|&e| e != Edge::TRUE);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The groups that a wire belongs to.
    fn groups_of(&self, edge: Edge) -> &[u32] {
        self.groups_of.get(edge.node().index()).map_or(&[], Vec::as_slice)
    }

    /// Whether a conjunction is possible according to the groups. Removes parts that a true member
    /// of a group makes redundant.
    pub(super) fn possible(&self, cube: &mut Vec<Edge>) -> bool {
        let mut chosen: Vec<u32> = Vec::new();
        for &edge in cube.iter().filter(|e| !e.negated()) {
            for group in self.groups_of(edge) {
                if chosen.contains(group) {
                    return false; // Two members at once; each literal occurs only once.
                }
                chosen.push(*group);
            }
        }
        if !chosen.is_empty() {
            cube.retain(|&e| {
                !e.negated() || self.groups_of(e).iter().all(|group| !chosen.contains(group))
            });
        }
        true
    }

    /// Applies the groups of inputs. Returns whether anything changed; `None` if the conjunction is
    /// false.
    fn use_groups(&mut self, all: &mut Vec<Edge>) -> Option<bool> {
        // Sorted by group, non-negated wires first.
        let mut uses: Vec<(u32, bool, Edge)> = Vec::new();
        for &edge in all.iter() {
            uses.extend(self.groups_of(edge).iter().map(|&group| (group, edge.negated(), edge)));
        }
        uses.sort_unstable();
        let mut needless: Vec<Edge> = Vec::new();
        let mut extra: Vec<Edge> = Vec::new();
        for part in uses.chunk_by(|a, b| a.0 == b.0) {
            let group = &self.groups[part[0].0 as usize];
            let excluded = part.iter().filter(|&&(_, negated, _)| negated).map(|&(.., edge)| edge);
            match part.iter().filter(|&&(_, negated, _)| !negated).count() {
                // The true member excludes the others anyway.
                1 => needless.extend(excluded),
                0 if group.exact && part.len() * 2 > group.members.len() => {
                    // "None of these" means "one of the others", which is shorter.
                    let others: Vec<Edge> = group
                        .members
                        .iter()
                        .map(|&node| !Edge::of(node))
                        .filter(|e| part.binary_search_by_key(e, |&(.., edge)| edge).is_err())
                        .collect();
                    needless.extend(excluded);
                    match others[..] {
                        [] => return None,
                        [one] => extra.push(!one),
                        _ => extra.push(!self.gate(others)),
                    }
                }
                0 => {}
                _ => return None, // Two members at once.
            }
        }
        if needless.is_empty() && extra.is_empty() {
            return Some(false);
        }
        needless.sort_unstable();
        all.retain(|e| needless.binary_search(e).is_err());
        all.extend(extra);
        Some(true)
    }

    /// Applies identities between inputs. Returns true if anything changed.
    ///
    /// `x & ~(x & y)` is `x & ~y`, and `x & ~(~x & y)` is `x`.
    fn use_siblings(&mut self, all: &mut Vec<Edge>) -> bool {
        for place in 0..all.len() {
            let edge = all[place];
            let inner = self.children(edge.node());
            if inner.is_empty() || inner.len() > 64 || !edge.negated() {
                continue;
            }
            if inner.iter().any(|e| all.binary_search(&!*e).is_ok()) {
                all.remove(place);
                return true;
            }
            let left: Vec<Edge> =
                inner.iter().copied().filter(|e| all.binary_search(e).is_err()).collect();
            if left.len() < inner.len() {
                let smaller = !self.and(left);
                all[place] = smaller;
                all.retain(|&e| e != Edge::TRUE);
                return true;
            }
        }
        false
    }

    /// The nodes that outputs depend on, in order: children before parents.
    pub fn reachable(&self, outputs: impl IntoIterator<Item = Edge>) -> Vec<NodeId> {
        let mut seen = vec![false; self.len()];
        let mut stack: Vec<NodeId> = outputs.into_iter().map(Edge::node).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node.index()], true) {
                stack.extend(self.children(node).iter().map(|e| e.node()));
            }
        }
        (0..self.len()).filter(|&n| seen[n]).map(NodeId::new).collect()
    }
}
