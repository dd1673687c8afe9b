//! Selection: descents through the tree to the leaves.
//!
//! The descents of a round are made together. Descents at the same node choose in sequence, each
//! counting the previous ones, and continue as one party if they make the same choice. They make
//! the same choices as separate descents would, because values change only at the end of a round,
//! but the shared part of their path is visited once. If more descents arrive at a node than should
//! continue before the first results are known, the others are abandoned. Parties advance in turn,
//! one step each, so that the others continue while one waits for memory.

use magister_core::Halt;

use super::search::Search;
use super::tree::{Kind, NONE};

/// A step of some descents: a node, and the choice there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) node: u32,
    /// The edge, if one role or chance chooses; if several do, the index of their choice in
    /// [`Search::many`].
    pub(super) edge: u32,
    pub(super) several: bool,
    /// The target node.
    pub(super) child: u32,
    /// The number of descents.
    pub(super) count: u32,
    /// The previous step; [`NONE`] if this is the first.
    pub(super) before: u32,
}

/// A simultaneous choice: the edge of each actor, and the number of the joint move.
#[derive(Clone, Debug)]
pub(super) struct Many {
    pub(super) edges: Vec<u32>,
    pub(super) number: u64,
}

/// Descents with the same path: their number, their node, and their last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party {
    pub(super) node: u32,
    pub(super) count: u32,
    pub(super) last: u32,
    depth: u32,
    /// The last node of the path that has its own means, or [`NONE`].
    pub(super) near: u32,
    /// Whether the last step was simultaneous or random. The value of such a node is the mean of
    /// all results, so whether a descent is abandoned must not depend on the outcome.
    drawn: bool,
}

/// The end of a descent that needs playouts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    pub(super) leaf: u32,
    pub(super) last: u32,
    pub(super) depth: u32,
}

/// The number of parties or steps whose data are fetched ahead: a tree is larger than the caches, and
/// a search would mostly wait for its memory.
pub(super) const AHEAD: usize = 8;

/// The depth from which descents are checked for cycles.
const DEEP: u32 = 16;

impl Search<'_> {
    /// Makes a number of descents from the root. Every node on the path counts as visited until the
    /// descent is backed up or abandoned. Descents that end in known values go to
    /// [`Search::known`]; the others are added to `open`.
    ///
    /// If it is stopped early, the finished descents remain.
    pub(super) fn descend(&mut self, count: u64, open: &mut Vec<Descent>) -> Result<(), Halt> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let mut parties = std::mem::take(&mut self.parties);
        let mut next = std::mem::take(&mut self.next);
        parties.clear();
        let (node, drawn) = (self.root, false);
        parties.push(Party { node, count, last: NONE, depth: 0, near: NONE, drawn });
        let mut result = Ok(());
        while result.is_ok() && !parties.is_empty() {
            next.clear();
            // The nodes were fetched when the parties chose them.
            for party in parties.iter().take(AHEAD) {
                self.tree.fetch_edges(party.node);
            }
            for (at, &party) in parties.iter().enumerate() {
                if let Some(later) = parties.get(at + AHEAD) {
                    self.tree.fetch_edges(later.node);
                }
                let before = (next.len(), open.len(), self.given_up);
                result = self.advance(party, &mut next, open);
                if result.is_err() {
                    let gone: u32 = next[before.0..].iter().map(|party| party.count).sum();
                    let ended = (open.len() - before.1) as u32;
                    let given_up = self.given_up - before.2;
                    self.release(party.last, party.count - gone - ended - given_up);
                    let others = parties[at + 1..].iter().chain(&next);
                    others.for_each(|party| self.release(party.last, party.count));
                    break;
                }
            }
            std::mem::swap(&mut parties, &mut next);
        }
        (self.parties, self.next) = (parties, next);
        result
    }

    /// Removes the pending counts along the path to a step, including the step.
    fn release(&mut self, last: u32, count: u32) {
        let mut at = last;
        while at != NONE {
            let hop = &mut self.hops[at as usize];
            hop.count -= count;
            let hop = *hop;
            self.tree.node_mut(hop.node).pending -= count;
            self.each_edge(hop, |search, edge| search.tree.edges.leave(edge, count));
            at = hop.before;
        }
    }

    /// Abandons a descent whose playouts were not made.
    pub(super) fn abandon(&mut self, descent: &Descent) {
        self.release(descent.last, 1);
        self.tree.node_mut(descent.leaf).pending -= 1;
    }

    /// Applies a function to the chosen edges of a step.
    #[inline]
    pub(super) fn each_edge(&mut self, hop: Hop, mut with: impl FnMut(&mut Self, usize)) {
        if hop.several {
            for at in 0..self.many[hop.edge as usize].edges.len() {
                let edge = self.many[hop.edge as usize].edges[at];
                with(self, edge as usize);
            }
        } else {
            with(self, hop.edge as usize);
        }
    }

    /// Whether a party has visited its node before.
    fn cycles(&self, party: &Party) -> bool {
        let mut at = party.last;
        while at != NONE {
            let hop = &self.hops[at as usize];
            if hop.node == party.node {
                return true;
            }
            at = hop.before;
        }
        false
    }

    /// Advances a party by one step: it ends, or continues as one or several.
    fn advance(
        &mut self,
        mut party: Party,
        next: &mut Vec<Party>,
        open: &mut Vec<Descent>,
    ) -> Result<(), Halt> {
        let at = party.node;
        let node = self.tree.node_mut(at);
        if node.proven {
            node.pending += party.count;
            self.known.push(party);
            return Ok(());
        }
        let leaf = node.kind == Kind::Leaf;
        // Without edges at the root, no move can be chosen.
        let expand = if party.last == NONE { 1 } else { self.config.expand };
        let young = leaf && node.own < expand;
        // More concurrent descents than this know too little about each other: in sequence, most of
        // them would have chosen differently after the first result. They are abandoned.
        let most = match self.concurrency_cap {
            None => u32::MAX,
            Some(_) if young => expand - node.own,
            Some(cap) => node.visits / cap,
        };
        let most = most.saturating_sub(node.pending).max(u32::from(node.pending == 0));
        // A party that returns to a node counts among the pending descents there.
        let alone = node.pending == 0;
        if party.count > most && !party.drawn && (alone || !self.cycles(&party)) {
            let excess = party.count - most;
            self.release(party.last, excess);
            self.given_up += excess;
            party.count = most;
            if most == 0 {
                return Ok(());
            }
        }
        // A position with too few playouts is a leaf, and so is one that closes a cycle.
        let cycles = !leaf && party.depth >= DEEP && self.cycles(&party);
        if young || leaf && !self.room || cycles {
            self.tree.node_mut(at).pending += party.count;
            let end = Descent { leaf: at, last: party.last, depth: party.depth };
            open.extend(std::iter::repeat_n(end, party.count as usize));
            return Ok(());
        }
        if leaf {
            self.expand(at)?;
        }
        if self.config.grave > 0.0 && self.priors.node(at).is_some() {
            party.near = at;
        }
        if party.count == 1
            && self.config.plain
            && let Kind::One(_) = self.tree.node(at).kind
        {
            let edge = self.quickest(at) as u32;
            return self.go(&party, edge, false, 1, leaf, next);
        }
        self.choose(&party);
        let chosen = std::mem::take(&mut self.chosen);
        let several = self.tree.node(at).kind == Kind::Many;
        let mut here = leaf;
        let mut result = Ok(());
        for &(edge, count) in &chosen {
            result = self.go(&party, edge, several, count, here, next);
            if result.is_err() {
                break;
            }
            here = false;
        }
        self.chosen = chosen;
        result
    }

    /// Part of a party follows an edge or makes a joint move. `here` means that the worker is
    /// already in the position.
    fn go(
        &mut self,
        party: &Party,
        edge: u32,
        several: bool,
        count: u32,
        here: bool,
        next: &mut Vec<Party>,
    ) -> Result<(), Halt> {
        let node = party.node;
        let mut hop = Hop { node, edge, several, child: NONE, count, before: party.last };
        hop.child = self.follow(hop, here)?;
        self.tree.fetch(hop.child);
        self.tree.node_mut(node).pending += count;
        self.each_edge(hop, |search, edge| search.tree.edges.enter(edge, count));
        let last = self.hops.len() as u32;
        self.hops.push(hop);
        let (depth, near, drawn) = (party.depth + 1, party.near, party.drawn || several);
        next.push(Party { node: hop.child, count, last, depth, near, drawn });
        Ok(())
    }
}
