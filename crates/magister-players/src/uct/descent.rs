//! Descents through the tree to where there is something to learn.
//!
//! The descents of a round are made together: those that are at the same node choose one after the
//! other, each counting those before it, and go on as one party where they chose the same. They
//! choose what they would choose alone, since values change only when a round is over, but what
//! many go through is looked at once. Where more come to a node than it is good to send on before
//! anything is heard of the first, the others are given up. Parties go side by side, one step of each in turn, so that
//! while one waits for memory the others go on.

use magister_core::Halt;

use super::search::Search;
use super::tree::{Kind, NONE};

/// A step of some descents: a node, and what was chosen there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) node: u32,
    /// The edge, where one role or chance chooses; where several do, the place of their choice in
    /// [`Search::many`].
    pub(super) edge: u32,
    pub(super) several: bool,
    /// The node that it leads to.
    pub(super) child: u32,
    /// The descents.
    pub(super) count: u32,
    /// The step before; [`NONE`] if this is the first.
    pub(super) before: u32,
}

/// What several chose at the same time: the edge of each, and the number of the joint move.
#[derive(Clone, Debug)]
pub(super) struct Many {
    pub(super) edges: Vec<u32>,
    pub(super) number: u64,
}

/// Descents that have come the same way: how many, to which node, and by which last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party {
    pub(super) node: u32,
    pub(super) count: u32,
    pub(super) last: u32,
    depth: u32,
    /// The last node on the way that has means of its own, or [`NONE`].
    pub(super) near: u32,
    /// Whether it came by what several chose or drew at once. What such a node is worth is the mean
    /// of all that came back, so that none may be given up for where it came to.
    drawn: bool,
}

/// The end of a descent that needs playouts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    pub(super) leaf: u32,
    pub(super) last: u32,
    pub(super) depth: u32,
}

/// From this depth on it is looked whether descents go in circles.
const DEEP: u32 = 16;

impl Search<'_> {
    /// Makes so many descents from the root. Everything on the way counts as visited once more
    /// until it is backed up or given up. Where values are known, descents end in
    /// [`Search::known`]; the others are added to `open`.
    ///
    /// If that is stopped half way, those that have come to their end stay.
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
            for (at, &party) in parties.iter().enumerate() {
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

    /// Takes back what was counted as under way on the way to a step, and the step.
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

    /// Gives up a descent whose playouts were not made.
    pub(super) fn abandon(&mut self, descent: &Descent) {
        self.release(descent.last, 1);
        self.tree.node_mut(descent.leaf).pending -= 1;
    }

    /// Does something with the edges that were chosen at a step.
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

    /// Whether a party has been at its node before.
    fn circles(&self, party: &Party) -> bool {
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

    /// Takes a party one step further: it ends, or goes on as one or several.
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
        // Nothing can be decided before the root has edges.
        let expand = if party.last == NONE { 1 } else { self.config.expand };
        let young = leaf && node.own < expand;
        // More than that at once know too little of each other: one after the other, most would have
        // chosen otherwise by what the first of them brought. They are not made.
        let most = match self.concurrency_cap {
            None => u32::MAX,
            Some(_) if young => expand - node.own,
            Some(cap) => node.visits / cap,
        };
        let most = most.saturating_sub(node.pending).max(u32::from(node.pending == 0));
        // Who comes by for the second time is one of those it meets.
        let alone = node.pending == 0;
        if party.count > most && !party.drawn && (alone || !self.circles(&party)) {
            let excess = party.count - most;
            self.release(party.last, excess);
            self.given_up += excess;
            party.count = most;
            if most == 0 {
                return Ok(());
            }
        }
        // A position that was played out too little is an end, and so is one that closes a circle.
        let circles = !leaf && party.depth >= DEEP && self.circles(&party);
        if young || leaf && !self.room || circles {
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

    /// Some of a party go along an edge, or make a joint move. `here` says that the worker is in
    /// the position already.
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
        self.tree.node_mut(node).pending += count;
        self.each_edge(hop, |search, edge| search.tree.edges.enter(edge, count));
        let last = self.hops.len() as u32;
        self.hops.push(hop);
        let (depth, near, drawn) = (party.depth + 1, party.near, party.drawn || several);
        next.push(Party { node: hop.child, count, last, depth, near, drawn });
        Ok(())
    }
}
