//! The tree, which is a graph: transpositions share a node.

use std::ops::Range;

use magister_core::{Role, Worker};
use magister_lanes::{large_pages, prefetch};
use rustc_hash::FxHashMap;

use super::edges::{Edges, GROUP};
use crate::table::Key;

/// Marks the absence of a node.
pub(super) const NONE: u32 = u32::MAX;

/// The size of an edge in bytes, without the means of each role: four words in a group, a move, a
/// prior, the pending count, and whether it is proven.
const EDGE: usize = 29;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not expanded.
    Leaf,
    /// The game is over.
    Terminal,
    /// One role chooses, and each edge is one of its moves.
    One(Role),
    /// Only chance moves, or every role has a single move: each edge is an outcome.
    Chance,
    /// Several roles choose simultaneously: the edges are the moves of each actor, one actor after
    /// the other. [`Tree::joint_nodes`] has the actors, and [`Tree::joints`] the targets of joint
    /// moves.
    Many,
}

#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Whether the values are proven.
    pub(super) proven: bool,
    /// The number of edges, and the first of them.
    pub(super) edges: u32,
    pub(super) first: u32,
    /// Finished descents through the node, and pending ones.
    pub(super) visits: u32,
    pub(super) pending: u32,
    /// Descents that ended here with playouts.
    pub(super) own: u32,
    /// The number of descents in the mean.
    pub(super) weight: u32,
    /// The mean for the choosing role.
    pub(super) hope: f32,
    /// The square root of the logarithm of the visits.
    pub(super) curiosity: f32,
    /// The number of proven edges or joint moves.
    pub(super) settled: u32,
    /// The start and the length of the state in the store.
    pub(super) words: u32,
    pub(super) state: usize,
}

impl Node {
    /// The square root of the logarithm of the visits with `count` more descents at the node.
    /// Pending ones count if there are few visits.
    #[inline]
    pub(super) fn curiosity_of(&self, count: u32) -> f32 {
        if count == 1 && self.visits > 1 {
            return self.curiosity;
        }
        log(self.visits + self.pending + count).sqrt()
    }

    /// Turns pending descents into visits.
    #[inline]
    pub(super) fn visit(&mut self, count: u32) {
        self.pending -= count;
        self.visits += count;
        self.curiosity = log(self.visits).sqrt();
    }
}

/// The natural logarithm to two digits: a search computes it at every node.
fn log(count: u32) -> f32 {
    let bits = (count.max(1) as f32).to_bits();
    let power = (bits >> 23) as f32 - 127.0;
    let rest = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    (power + rest * (1.343 - 0.343 * rest)) * std::f32::consts::LN_2
}

/// Reserves memory with large pages, because a search reads it at random. If the memory is not
/// available, the vector grows step by step.
pub(super) fn reserve<T>(vector: &mut Vec<T>, count: usize) {
    if vector.try_reserve(count).is_ok() {
        large_pages(vector.spare_capacity_mut());
    }
}

/// The actors of a node with simultaneous moves.
#[derive(Clone, Debug)]
pub(super) struct JointNode {
    /// The actors, each with its number of moves.
    pub(super) actors: Vec<(Role, u32)>,
    /// The probability of each chance outcome.
    pub(super) outcomes: Vec<f64>,
    /// The number of joint moves; `None` on overflow.
    pub(super) joints: Option<u64>,
}

/// The target of a joint move.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) child: u32,
    pub(super) proven: bool,
    /// What each role gained; empty if there were no gains.
    pub(super) gains: Vec<f32>,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) roles: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Edges,
    /// For each node, the mean of each role, then the mean of its own playouts.
    pub(super) values: Vec<f32>,
    pub(super) states: Vec<u64>,
    pub(super) table: FxHashMap<Key, u32>,
    /// The joint moves that were tried, by node and number: the profile of the actors times the
    /// number of outcomes, plus the outcome.
    pub(super) joints: FxHashMap<(u32, u64), Joint>,
    pub(super) joint_nodes: FxHashMap<u32, JointNode>,
}

impl Tree {
    pub(super) fn new(roles: usize) -> Self {
        Tree { roles, ..Tree::default() }
    }

    /// An empty tree that may grow to about this many bytes. Most of the memory is reserved at
    /// once, which costs nothing before it is used: a tree that doubles its vectors would be copied
    /// to memory that the system has to clear first.
    pub(super) fn with_room(roles: usize, bytes: usize) -> Self {
        let nodes = bytes / 4 / (size_of::<Node>() + 8 * roles);
        let mut tree = Tree::new(roles);
        reserve(&mut tree.nodes, nodes);
        reserve(&mut tree.values, nodes * 2 * roles);
        reserve(&mut tree.states, nodes);
        tree.edges.reserve(bytes / 4 / (EDGE + 4 * roles), roles);
        tree
    }

    /// Clears the tree but keeps the memory: allocating it again would cost as much as filling it.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.values.clear();
        self.states.clear();
        self.table.clear();
        self.joints.clear();
        self.joint_nodes.clear();
    }

    /// The approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let node = size_of::<Node>() + 8 * self.roles + 2 * size_of::<(Key, u32)>();
        let edge = EDGE + 4 * self.roles;
        let joint = 2 * size_of::<((u32, u64), Joint)>();
        self.nodes.len() * node
            + self.edges.len() * edge
            + 4 * self.edges.gains.len()
            + 8 * self.states.len()
            + self.joints.len() * joint
    }

    /// The node of a position, if it exists.
    pub(super) fn find(&self, state: &[u64]) -> Option<u32> {
        self.table.get(&Key::of(state)).copied()
    }

    /// Adds a node for a worker's position, which is not in the tree yet.
    pub(super) fn add(&mut self, worker: &dyn Worker, state: &[u64]) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            kind: if worker.terminal() { Kind::Terminal } else { Kind::Leaf },
            proven: false,
            edges: 0,
            first: 0,
            visits: 0,
            pending: 0,
            own: 0,
            weight: 0,
            hope: 0.0,
            curiosity: 0.0,
            settled: 0,
            words: state.len() as u32,
            state: self.states.len(),
        });
        self.states.extend_from_slice(state);
        self.values.resize(self.nodes.len() * 2 * self.roles, 0.0);
        self.table.insert(Key::of(state), id);
        id
    }

    #[inline]
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Fetches a node into the cache.
    #[inline]
    pub(super) fn fetch(&self, id: u32) {
        self.nodes.get(id as usize).into_iter().for_each(prefetch);
    }

    /// Fetches the edges of a node, which is in the cache, for selection.
    #[inline]
    pub(super) fn fetch_edges(&self, id: u32) {
        if let Some(node) = self.nodes.get(id as usize)
            && node.edges > 0
        {
            self.edges.fetch(node.first as usize);
        }
    }

    /// Fetches what a backup of a result from a child along an edge changes.
    #[inline]
    pub(super) fn fetch_backup(&self, id: u32, edge: usize, child: u32) {
        self.fetch(id);
        self.fetch(child);
        self.edges.fetch(edge);
        self.edges.worth.get(edge * self.roles).into_iter().for_each(prefetch);
        for id in [id, child] {
            self.values.get(id as usize * 2 * self.roles).into_iter().for_each(prefetch);
        }
    }

    #[inline]
    pub(super) fn state(&self, id: u32) -> &[u64] {
        let node = self.node(id);
        &self.states[node.state..node.state + node.words as usize]
    }

    /// The edges of a node.
    #[inline]
    pub(super) fn range(&self, id: u32) -> Range<usize> {
        let node = self.node(id);
        node.first as usize..(node.first + node.edges) as usize
    }

    /// The mean of each role at a node.
    #[inline]
    pub(super) fn values(&self, id: u32) -> &[f32] {
        &self.values[id as usize * 2 * self.roles..][..self.roles]
    }

    pub(super) fn values_mut(&mut self, id: u32) -> &mut [f32] {
        &mut self.values[id as usize * 2 * self.roles..][..self.roles]
    }

    /// The mean of each role at an edge.
    pub(super) fn worth(&self, edge: usize) -> &[f32] {
        &self.edges.worth[edge * self.roles..][..self.roles]
    }

    /// The mean of a role at an edge.
    #[inline]
    pub(super) fn worth_of(&self, edge: usize, role: Role) -> f32 {
        self.edges.worth[edge * self.roles + role.index()]
    }

    /// Keeps only the nodes that are reachable from a position, in a tree with a memory limit;
    /// returns the new number of the position.
    pub(super) fn keep(&mut self, root: u32, room: usize) -> u32 {
        let old = std::mem::replace(self, Tree::with_room(self.roles, room));
        let roles = old.roles;
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        let mut order = vec![root];
        number.insert(root, 0);
        // Joint moves are in a map; sorting makes the order deterministic.
        let mut joints: Vec<(&(u32, u64), &Joint)> = old.joints.iter().collect();
        joints.sort_unstable_by_key(|(at, _)| **at);
        let mut next = 0;
        while next < order.len() {
            let id = order[next];
            next += 1;
            let mut reach = |child: u32| {
                if child != NONE && !number.contains_key(&child) {
                    number.insert(child, order.len() as u32);
                    order.push(child);
                }
            };
            for edge in old.range(id) {
                reach(old.edges.child(edge));
            }
            let from = joints.partition_point(|((node, _), _)| *node < id);
            for ((_, _), joint) in joints[from..].iter().take_while(|((node, _), _)| *node == id) {
                reach(joint.child);
            }
        }
        for &id in &order {
            let mut node = old.node(id).clone();
            let edges = old.range(id);
            let whole = edges.start..edges.start + edges.len().next_multiple_of(GROUP);
            node.first = self.edges.len() as u32;
            let number = |child: u32| number.get(&child).copied().unwrap_or(NONE);
            self.edges.copy(&old.edges, whole, roles, number);
            node.state = self.states.len();
            self.states.extend_from_slice(old.state(id));
            self.values.extend_from_slice(&old.values[id as usize * 2 * roles..][..2 * roles]);
            self.table.insert(Key::of(old.state(id)), self.nodes.len() as u32);
            self.nodes.push(node);
        }
        for (id, node) in order.iter().enumerate() {
            if let Some(joint_node) = old.joint_nodes.get(node) {
                self.joint_nodes.insert(id as u32, joint_node.clone());
            }
        }
        for (&(node, at), joint) in joints {
            if let Some(&id) = number.get(&node) {
                let child = number.get(&joint.child).copied().unwrap_or(NONE);
                self.joints.insert((id, at), Joint { child, ..joint.clone() });
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_accurate_to_two_digits() {
        for count in (1..5000).chain([1 << 20, (1 << 27) + 12_345_678, u32::MAX]) {
            assert!((log(count) - (count as f32).ln()).abs() < 0.01, "of {count}");
        }
    }
}
