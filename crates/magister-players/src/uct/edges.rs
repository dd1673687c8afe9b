//! The edges of the tree, laid out for selection.

use std::ops::Range;

use magister_core::Move;
use magister_lanes::prefetch;

use super::tree::{NONE, reserve};

/// Edges are allocated in groups of this size, so that several are compared at once; padding is
/// never chosen.
pub(super) const GROUP: usize = 8;

/// The value of an edge that is chosen only if there is no other.
pub(super) const LOST: f32 = -1e9;

/// The data of several edges that selection reads. They are stored together, because a tree is
/// larger than the caches.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Group {
    /// The mean for the choosing role; NaN if the edge was never visited, and [`LOST`] if it is
    /// proven to be the worst.
    pub(super) lure: [f32; GROUP],
    /// One divided by the square root of the number of tries: visits plus pending descents, plus
    /// the first-play urgency of unvisited edges. It is computed when it changes, because selection
    /// is bound by memory latency.
    pub(super) rare: [f32; GROUP],
    child: [u32; GROUP],
    visits: [u32; GROUP],
}

/// The edges of all nodes.
#[derive(Debug, Default)]
pub(super) struct Edges {
    groups: Vec<Group>,
    /// The number of visits that an unvisited edge is assumed to have (first-play urgency).
    fpu: f32,
    /// The pending descents through an edge.
    pending: Vec<u32>,
    pub(super) proven: Vec<bool>,
    pub(super) choice: Vec<Move>,
    /// The prior value of the move, or the probability of the chance outcome.
    pub(super) prior: Vec<f32>,
    /// The mean of each edge for each role.
    pub(super) worth: Vec<f32>,
    /// The gain of each role on each edge, in games with intermediate rewards.
    pub(super) gains: Vec<f32>,
}

impl Edges {
    /// Reserves memory for a number of edges.
    pub(super) fn reserve(&mut self, edges: usize, roles: usize) {
        reserve(&mut self.groups, edges / GROUP);
        reserve(&mut self.pending, edges);
        reserve(&mut self.proven, edges);
        reserve(&mut self.choice, edges);
        reserve(&mut self.prior, edges);
        reserve(&mut self.worth, edges * roles);
    }

    /// Removes all edges but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.pending.clear();
        self.proven.clear();
        self.choice.clear();
        self.prior.clear();
        self.worth.clear();
        self.gains.clear();
    }

    /// The number of edges, including padding.
    pub(super) fn len(&self) -> usize {
        self.groups.len() * GROUP
    }

    /// Adds the edges of a node with their moves and priors; returns the first and their number.
    pub(super) fn add(
        &mut self,
        moves: impl Iterator<Item = (Move, f32)>,
        fpu: f32,
        roles: usize,
        pays: bool,
    ) -> (u32, u32) {
        let first = self.len();
        self.fpu = fpu;
        for (choice, prior) in moves {
            self.choice.push(choice);
            self.prior.push(prior);
        }
        let count = self.choice.len() - first;
        let end = first + count.next_multiple_of(GROUP);
        let group = Group {
            lure: [f32::NAN; GROUP],
            rare: [1.0 / fpu.sqrt(); GROUP],
            child: [NONE; GROUP],
            visits: [0; GROUP],
        };
        self.groups.resize(end / GROUP, group);
        for edge in first + count..end {
            *self.lure_mut(edge) = 2.0 * LOST;
        }
        self.choice.resize(end, Move::IDLE);
        self.prior.resize(end, 0.0);
        self.proven.resize(end, false);
        self.pending.resize(end, 0);
        self.worth.resize(end * roles, 0.0);
        if pays {
            self.gains.resize(end * roles, 0.0);
        }
        (first as u32, count as u32)
    }

    /// The groups of some edges, the first of which starts a group.
    #[inline]
    pub(super) fn groups(&self, range: Range<usize>) -> &[Group] {
        &self.groups[range.start / GROUP..range.end.div_ceil(GROUP)]
    }

    /// Fetches the group of an edge into the cache, with its pending descents.
    #[inline]
    pub(super) fn fetch(&self, edge: usize) {
        if let Some(group) = self.groups.get(edge / GROUP) {
            prefetch(&group.lure);
            prefetch(&group.child);
        }
        self.pending.get(edge).into_iter().for_each(prefetch);
    }

    #[inline]
    pub(super) fn lure(&self, edge: usize) -> f32 {
        self.groups[edge / GROUP].lure[edge % GROUP]
    }

    #[inline]
    pub(super) fn lure_mut(&mut self, edge: usize) -> &mut f32 {
        &mut self.groups[edge / GROUP].lure[edge % GROUP]
    }

    /// The gain of each role on an edge; empty if the game has no intermediate rewards.
    pub(super) fn gains(&self, edge: usize, roles: usize) -> &[f32] {
        self.gains.get(edge * roles..(edge + 1) * roles).unwrap_or(&[])
    }

    #[inline]
    pub(super) fn visits(&self, edge: usize) -> u32 {
        self.groups[edge / GROUP].visits[edge % GROUP]
    }

    /// The number of visits and pending descents.
    pub(super) fn count(&self, edge: usize) -> f32 {
        (self.visits(edge) + self.pending[edge]) as f32
    }

    #[inline]
    pub(super) fn child(&self, edge: usize) -> u32 {
        self.groups[edge / GROUP].child[edge % GROUP]
    }

    #[inline]
    pub(super) fn set_child(&mut self, edge: usize, child: u32) {
        self.groups[edge / GROUP].child[edge % GROUP] = child;
    }

    /// Updates the selection weight of an edge after its count has changed.
    #[inline]
    fn weigh(&mut self, edge: usize) {
        self.groups[edge / GROUP].rare[edge % GROUP] = 1.0 / self.tried(edge, 0).sqrt();
    }

    /// The number of tries of an edge, including pending descents and `more`, plus the first-play
    /// urgency if it was never visited.
    #[inline]
    pub(super) fn tried(&self, edge: usize, more: u32) -> f32 {
        let visits = self.visits(edge);
        let tried = (visits + self.pending[edge] + more) as f32;
        if visits == 0 { tried + self.fpu } else { tried }
    }

    /// Adds pending descents to an edge.
    #[inline]
    pub(super) fn enter(&mut self, edge: usize, count: u32) {
        self.pending[edge] += count;
        self.weigh(edge);
    }

    /// Removes abandoned descents from an edge.
    pub(super) fn leave(&mut self, edge: usize, count: u32) {
        self.pending[edge] -= count;
        self.weigh(edge);
    }

    /// Turns pending descents of an edge into visits.
    #[inline]
    pub(super) fn visit(&mut self, edge: usize, count: u32) {
        self.pending[edge] -= count;
        self.groups[edge / GROUP].visits[edge % GROUP] += count;
        self.weigh(edge);
    }

    /// Copies edges from another tree and renumbers their children.
    pub(super) fn copy(
        &mut self,
        old: &Edges,
        range: Range<usize>,
        roles: usize,
        number: impl Fn(u32) -> u32,
    ) {
        self.fpu = old.fpu;
        self.groups.extend(old.groups(range.clone()).iter().cloned().map(|mut group| {
            group.child = group.child.map(&number);
            group
        }));
        self.proven.extend_from_slice(&old.proven[range.clone()]);
        self.pending.extend_from_slice(&old.pending[range.clone()]);
        self.choice.extend_from_slice(&old.choice[range.clone()]);
        self.prior.extend_from_slice(&old.prior[range.clone()]);
        self.worth.extend_from_slice(&old.worth[range.start * roles..range.end * roles]);
        if !old.gains.is_empty() {
            self.gains.extend_from_slice(&old.gains[range.start * roles..range.end * roles]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_fill_groups_and_are_weighed() {
        let mut edges = Edges::default();
        let moves = || (0..11).map(|number| (Move(number), 0.5));
        assert_eq!(edges.add(moves(), 0.25, 2, false), (0, 11));
        assert_eq!(edges.add(moves().take(8), 0.25, 2, false), (16, 8));
        assert_eq!((edges.len(), edges.worth.len()), (24, 48));
        assert!(edges.lure(10).is_nan() && edges.lure(11) < LOST && edges.lure(16).is_nan());
        let tried = |edges: &Edges| edges.groups(0..8)[0].rare[3].powi(-2);
        assert!((tried(&edges) - 0.25).abs() < 1e-5);
        edges.enter(3, 2);
        assert!((tried(&edges) - 2.25).abs() < 1e-4);
        edges.visit(3, 1);
        assert!((tried(&edges) - 2.0).abs() < 1e-4);
        assert!((edges.tried(3, 2) - 4.0).abs() < 1e-4);
        edges.leave(3, 1);
        assert!((tried(&edges) - 1.0).abs() < 1e-4);
        assert_eq!((edges.visits(3), edges.count(3)), (1, 1.0));
    }
}
