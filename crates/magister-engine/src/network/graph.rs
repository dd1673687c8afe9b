//! A network of AND gates with any number of inputs and edges that may negate, each gate once.

use rustc_hash::FxHashMap;

/// A wire, negated or not: twice the node's number, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(pub u32);

impl Edge {
    /// Always true.
    pub const TRUE: Edge = Edge(0);
    /// Always false.
    pub const FALSE: Edge = Edge(1);

    /// The wire of a node.
    pub fn of(node: u32) -> Edge {
        Edge(node << 1)
    }

    /// The node it comes from.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it negates.
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

/// A set of inputs of which exactly one is true: the moves of a role.
#[derive(Clone, Debug)]
pub struct Group {
    /// The first input, by number.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// Gates over inputs. Node 0 is the constant true, the inputs follow, then the gates; a gate's
/// inputs have smaller numbers than itself.
#[derive(Clone, Debug)]
pub struct Graph {
    inputs: u32,
    /// Where the children of each gate begin.
    starts: Vec<u32>,
    children: Vec<Edge>,
    known: FxHashMap<Box<[Edge]>, u32>,
    /// For every input the group it belongs to.
    group_of: Vec<Option<u32>>,
    groups: Vec<Group>,
}

impl Graph {
    /// No gates yet. In each group exactly one input is true.
    pub fn new(inputs: usize, groups: Vec<Group>) -> Self {
        let mut group_of = vec![None; inputs + 1];
        for (number, group) in groups.iter().enumerate() {
            for input in group.first..group.first + group.count {
                group_of[input as usize] = Some(number as u32);
            }
        }
        Self {
            inputs: inputs as u32,
            starts: vec![0],
            children: Vec::new(),
            known: FxHashMap::default(),
            group_of,
            groups,
        }
    }

    /// The wire of an input, from zero.
    pub fn input(&self, number: usize) -> Edge {
        Edge::of(number as u32 + 1)
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    /// The number of nodes: the constant, the inputs and the gates.
    pub fn len(&self) -> usize {
        self.inputs as usize + self.starts.len()
    }

    /// Whether there is no gate.
    pub fn is_empty(&self) -> bool {
        self.starts.len() == 1
    }

    /// What goes into a gate; nothing for the constant and the inputs.
    pub fn children(&self, node: u32) -> &[Edge] {
        let Some(gate) = node.checked_sub(self.inputs + 1) else { return &[] };
        let start = self.starts[gate as usize] as usize;
        let end = self.starts.get(gate as usize + 1).map_or(self.children.len(), |&e| e as usize);
        &self.children[start..end]
    }

    /// The number of gates with two inputs that these gates amount to.
    pub fn gates(&self, nodes: impl Iterator<Item = u32>) -> usize {
        nodes.map(|n| self.children(n).len().saturating_sub(1)).sum()
    }

    /// The disjunction.
    pub fn or(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        !self.and(edges.into_iter().map(|e| !e))
    }

    /// The conjunction, simplified as far as a look at the inputs and theirs allows.
    pub fn and(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        let mut all: Vec<Edge> = edges.into_iter().filter(|&e| e != Edge::TRUE).collect();
        loop {
            all.sort_unstable();
            all.dedup();
            if all.first() == Some(&Edge::FALSE) || all.windows(2).any(|w| w[0] == !w[1]) {
                return Edge::FALSE;
            }
            if !self.use_groups(&mut all) {
                return Edge::FALSE;
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
        let node = self.len() as u32;
        self.children.extend_from_slice(&all);
        self.known.insert(all.into(), node);
        self.starts.push(self.children.len() as u32);
        Edge::of(node)
    }

    /// The same inputs and groups without any gate.
    pub(super) fn emptied(&self) -> Graph {
        Graph::new(self.inputs as usize, self.groups.clone())
    }

    /// Whether a conjunction is possible as far as the groups tell; takes out what a chosen
    /// member of a group makes needless.
    pub(super) fn possible(&self, cube: &mut Vec<Edge>) -> bool {
        let group = |e: Edge| self.group_of.get(e.node() as usize).copied().flatten();
        let mut chosen: Vec<(u32, Edge)> = Vec::new();
        for &edge in cube.iter().filter(|e| !e.negated()) {
            let Some(number) = group(edge) else { continue };
            if chosen.iter().any(|&(g, e)| g == number && e != edge) {
                return false;
            }
            chosen.push((number, edge));
        }
        if !chosen.is_empty() {
            cube.retain(|&e| {
                !e.negated()
                    || group(e).is_none_or(|number| chosen.iter().all(|&(g, _)| g != number))
            });
        }
        true
    }

    /// Uses that exactly one input of a group is true. False if that makes the whole false.
    fn use_groups(&mut self, all: &mut Vec<Edge>) -> bool {
        let group = |e: Edge| self.group_of.get(e.node() as usize).copied().flatten();
        let mut chosen: Vec<u32> = Vec::new();
        let mut excluded: Vec<(u32, u32)> = Vec::new();
        for &edge in all.iter() {
            let Some(number) = group(edge) else { continue };
            if edge.negated() {
                match excluded.iter_mut().find(|(g, _)| *g == number) {
                    Some((_, count)) => *count += 1,
                    None => excluded.push((number, 1)),
                }
            } else if chosen.contains(&number) {
                return false; // Two at once.
            } else {
                chosen.push(number);
            }
        }
        for (number, count) in excluded {
            let members = self.groups[number as usize].clone();
            let is_member = |e: &Edge| {
                e.negated() && (members.first..members.first + members.count).contains(&e.node())
            };
            if chosen.contains(&number) {
                // The chosen one excludes the others anyway.
                all.retain(|e| !is_member(e));
            } else if count * 2 > members.count {
                // "None of these" is "one of the others", which is shorter.
                let mut out = vec![true; members.count as usize];
                for edge in all.iter().filter(|e| is_member(e)) {
                    out[(edge.node() - members.first) as usize] = false;
                }
                all.retain(|e| !is_member(e));
                let others: Vec<Edge> = out
                    .iter()
                    .enumerate()
                    .filter(|(_, left)| **left)
                    .map(|(at, _)| !Edge::of(members.first + at as u32))
                    .collect();
                let one_of_the_others = match others.as_slice() {
                    [] => return false,
                    [one] => !*one,
                    _ => !self.gate(others),
                };
                if all.contains(&!one_of_the_others) {
                    return false;
                }
                if !all.contains(&one_of_the_others) {
                    all.push(one_of_the_others);
                    all.sort_unstable();
                }
            }
        }
        true
    }

    /// Uses what inputs say about each other. True if anything changed.
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

    /// The nodes that outputs need, in order: children before parents.
    pub fn reachable(&self, outputs: impl IntoIterator<Item = Edge>) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut stack: Vec<u32> = outputs.into_iter().map(Edge::node).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                stack.extend(self.children(node).iter().map(|e| e.node()));
            }
        }
        (0..self.len() as u32).filter(|&n| seen[n as usize]).collect()
    }
}
