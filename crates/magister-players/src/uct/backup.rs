//! Backup: values and proofs.

use magister_core::{Move, Role};

use super::descent::{AHEAD, Descent, Hop};
use super::edges::LOST;
use super::search::Search;
use super::tree::{Kind, NONE};
use crate::combine::{Outlook, combine};

/// A role, its move, the number of playouts with that move, and the sum of their values.
pub(super) type Noted = (Role, Move, f32, f32);

/// Simultaneous moves are proven only if all joint moves are, up to this number.
const PROVABLE: u64 = 400;

impl Search<'_> {
    /// Adds the results of a descent's playouts, which are in [`Search::sample`], at its leaf.
    /// `moves` are the moves of the playouts.
    pub(super) fn learn(&mut self, descent: &Descent, moves: &mut Vec<Noted>) {
        self.enter(descent.leaf);
        self.tree.node_mut(descent.leaf).visit(1);
        self.sum(descent.last, 1);
        if self.config.grave > 0.0 {
            self.note_way(descent, moves);
        }
    }

    /// Backs up all results of a round.
    pub(super) fn back_up(&mut self) {
        let mut known = std::mem::take(&mut self.known);
        for party in known.drain(..) {
            self.tree.node_mut(party.node).visit(party.count);
            self.sample.copy_from_slice(self.tree.values(party.node));
            self.sum(party.last, party.count);
        }
        self.known = known;
        // Later steps are deeper, so they come first.
        let roles = self.tree.roles;
        for at in (0..self.hops.len()).rev() {
            let hop = self.hops[at];
            if let Some(later) = at.checked_sub(AHEAD).map(|later| self.hops[later])
                && !later.several
            {
                self.tree.fetch_backup(later.node, later.edge as usize, later.child);
            }
            if hop.count == 0 {
                continue;
            }
            if hop.several {
                self.pass_many(hop, at * roles);
            } else {
                self.pass_one(hop, at * roles);
            }
            self.tree.node_mut(hop.node).visit(hop.count);
            if hop.before != NONE {
                let (above, below) = self.sums.split_at_mut(at * roles);
                let above = &mut above[hop.before as usize * roles..];
                above.iter_mut().zip(&below[..roles]).for_each(|(above, below)| *above += below);
            }
        }
    }

    /// Adds the sample, weighted by the number of descents, to the step that led to it.
    #[inline]
    fn sum(&mut self, last: u32, count: u32) {
        if last != NONE {
            let sums = &mut self.sums[last as usize * self.tree.roles..];
            let add = |(sum, value): (&mut f32, &f32)| *sum += value * count as f32;
            sums.iter_mut().zip(&self.sample).for_each(add);
        }
    }

    /// Records the moves of a descent and of its playouts at every node of the path.
    fn note_way(&mut self, descent: &Descent, moves: &mut Vec<Noted>) {
        let mut at = descent.last;
        while at != NONE {
            let hop = self.hops[at as usize];
            let mut sample = std::mem::take(&mut self.sample);
            sample.iter_mut().zip(self.gains(hop)).for_each(|(value, gain)| *value += gain);
            self.sample = sample;
            let visits = self.tree.node(hop.node).visits;
            self.note_own(hop, moves);
            self.priors.note_at(hop.node, visits, moves);
            at = hop.before;
        }
    }

    /// The gain of each role at a step; empty if the game has no intermediate rewards.
    pub(super) fn gains(&self, hop: Hop) -> &[f32] {
        if hop.several {
            let number = self.many[hop.edge as usize].number;
            self.tree.joints.get(&(hop.node, number)).map_or(&[], |joint| &joint.gains)
        } else {
            self.tree.edges.gains(hop.edge as usize, self.tree.roles)
        }
    }

    /// Adds the moves made in the tree to those of the playouts.
    fn note_own(&self, hop: Hop, moves: &mut Vec<Noted>) {
        let spread = (self.seen.1 - self.seen.0).max(1e-6);
        let playouts = self.config.playouts as f32;
        let mut note = |role: Role, edge: u32| {
            let value = ((self.sample[role.index()] - self.seen.0) / spread).clamp(0.0, 1.0);
            let choice = self.tree.edges.choice[edge as usize];
            moves.push((role, choice, playouts, playouts * value));
        };
        if let Kind::One(role) = self.tree.node(hop.node).kind {
            note(role, hop.edge);
        } else if hop.several
            && let Some(joint_node) = self.tree.joint_nodes.get(&hop.node)
        {
            for (&(role, _), &edge) in
                joint_node.actors.iter().zip(&self.many[hop.edge as usize].edges)
            {
                note(role, edge);
            }
        }
    }

    /// Adds the playouts of a node.
    fn enter(&mut self, at: u32) {
        if self.scale.high.is_infinite() {
            for &value in &self.sample {
                self.seen = (self.seen.0.min(value), self.seen.1.max(value));
            }
            self.stretch();
        }
        let roles = self.tree.roles;
        let tree = &mut *self.tree;
        let node = &mut tree.nodes[at as usize];
        node.own += 1;
        let all = &mut tree.values[at as usize * 2 * roles..][..2 * roles];
        let (values, own) = all.split_at_mut(roles);
        for (own, &value) in own.iter_mut().zip(&self.sample) {
            *own += (value - *own) / node.own as f32;
        }
        if node.proven {
            return;
        }
        if node.kind == Kind::Many {
            let all = (node.visits + 1) as f32;
            let learn = |(value, new): (&mut f32, &f32)| *value += (new - *value) / all;
            values.iter_mut().zip(&self.sample).for_each(learn);
        } else {
            node.weight += 1;
            for (value, &new) in values.iter_mut().zip(&self.sample) {
                *value += (new - *value) / node.weight as f32;
            }
            if let Kind::One(role) = node.kind {
                node.hope = values[role.index()];
            }
        }
    }

    /// The mean of a node, from its own playouts and its edges weighted by visits. Edges that are
    /// proven lost for the choosing role do not count, because they will not be chosen.
    fn average(&mut self, at: u32) {
        let roles = self.tree.roles;
        let node = self.tree.node(at);
        let (kind, mut weight) = (node.kind, node.own);
        let range = self.tree.range(at);
        let own = &self.tree.values[(at as usize * 2 + 1) * roles..][..roles];
        let mut mean: Vec<f32> = own.iter().map(|own| own * weight as f32).collect();
        for edge in range {
            let visits = self.tree.edges.visits(edge);
            if visits == 0 || self.tree.edges.lure(edge) == LOST {
                continue;
            }
            weight += visits;
            let worth = self.tree.worth(edge);
            mean.iter_mut().zip(worth).for_each(|(mean, worth)| *mean += worth * visits as f32);
        }
        self.tree.node_mut(at).weight = weight;
        if weight > 0 {
            let values = self.tree.values_mut(at);
            values.iter_mut().zip(&mean).for_each(|(value, sum)| *value = sum / weight as f32);
            if let Kind::One(role) = kind {
                self.tree.node_mut(at).hope = mean[role.index()] / weight as f32;
            }
        }
    }

    /// Updates an edge with the sums that start at `place`.
    fn pass_one(&mut self, hop: Hop, place: usize) {
        let (edge, roles, at) = (hop.edge as usize, self.tree.roles, hop.node);
        let (tree, child, count) = (&mut *self.tree, hop.child, hop.count as f32);
        let before = tree.edges.visits(edge) as f32;
        tree.edges.visit(edge, hop.count);
        let node = &mut tree.nodes[at as usize];
        let counts = !node.proven && tree.edges.lure(edge) != LOST;
        if counts {
            node.weight += hop.count;
        }
        let part = 1.0 / node.weight as f32;
        for role in 0..roles {
            let gain = tree.edges.gains.get(edge * roles + role).copied().unwrap_or(0.0);
            let now = tree.values[child as usize * 2 * roles + role] + gain;
            let old = std::mem::replace(&mut tree.edges.worth[edge * roles + role], now);
            self.sums[place + role] += gain * count;
            if counts {
                let value = &mut tree.values[at as usize * 2 * roles + role];
                *value += (count * (now - *value) + before * (now - old)) * part;
            }
        }
        if let Kind::One(role) = node.kind
            && counts
        {
            node.hope = tree.values[at as usize * 2 * roles + role.index()];
            *tree.edges.lure_mut(edge) = tree.edges.worth[edge * roles + role.index()];
        }
        if tree.nodes[child as usize].proven && !tree.edges.proven[edge] {
            self.settle(at, edge);
        }
    }

    /// Marks an edge as proven.
    fn settle(&mut self, at: u32, edge: usize) {
        self.tree.edges.proven[edge] = true;
        let node = self.tree.node_mut(at);
        node.settled += 1;
        if let Kind::One(role) = node.kind
            && f64::from(self.tree.worth_of(edge, role)) <= self.scale.low
        {
            *self.tree.edges.lure_mut(edge) = LOST;
        }
        self.prove(at, edge);
        if !self.tree.node(at).proven {
            self.average(at);
        }
    }

    /// Whether a node is proven after one more edge is.
    fn prove(&mut self, at: u32, edge: usize) {
        let node = self.tree.node(at);
        let all = node.settled == node.edges;
        let range = self.tree.range(at);
        let roles = self.tree.roles;
        match node.kind {
            Kind::One(role) => {
                let best = f64::from(self.tree.worth_of(edge, role)) >= self.scale.high;
                if !all && !best {
                    return;
                }
                let most = if best {
                    self.tree.worth_of(edge, role)
                } else {
                    let worth = range.clone().map(|edge| self.tree.worth_of(edge, role));
                    worth.fold(f32::NEG_INFINITY, f32::max)
                };
                // Among moves that are equally good for the choosing role, the others can rely only
                // on the worst one for each of them.
                let mut values = vec![f32::INFINITY; roles];
                for edge in range {
                    if self.tree.edges.proven[edge] && self.tree.worth_of(edge, role) >= most {
                        for (value, &worth) in values.iter_mut().zip(self.tree.worth(edge)) {
                            *value = value.min(worth);
                        }
                    }
                }
                self.tree.values_mut(at).copy_from_slice(&values);
                self.tree.node_mut(at).proven = true;
            }
            Kind::Chance if all => {
                let mut values = vec![0.0; roles];
                for edge in range {
                    let likely = self.tree.edges.prior[edge];
                    for (value, &worth) in values.iter_mut().zip(self.tree.worth(edge)) {
                        *value += likely * worth;
                    }
                }
                self.tree.values_mut(at).copy_from_slice(&values);
                self.tree.node_mut(at).proven = true;
            }
            _ => {}
        }
    }

    /// Updates a simultaneous joint move with the sums that start at `place`.
    fn pass_many(&mut self, hop: Hop, place: usize) {
        let many = &self.many[hop.edge as usize];
        let (at, roles, count) = (hop.node, self.tree.roles, hop.count as f32);
        let proven = self.tree.node(hop.child).proven;
        let mut newly = false;
        let sum = &mut self.sums[place..place + roles];
        if let Some(joint) = self.tree.joints.get_mut(&(at, many.number)) {
            sum.iter_mut().zip(&joint.gains).for_each(|(sum, gain)| *sum += gain * count);
            newly = proven && !joint.proven;
            joint.proven |= proven;
        }
        // With simultaneous moves, the mean of the results is the only estimate.
        let learn = |mean: &mut f32, sum: f32, all: f32| *mean += (sum - count * *mean) / all;
        let actors =
            self.tree.joint_nodes.get(&at).map_or(&[][..], |joint_node| &joint_node.actors);
        for (&(role, _), &edge) in actors.iter().zip(&many.edges) {
            let edge = edge as usize;
            self.tree.edges.visit(edge, hop.count);
            let visits = self.tree.edges.visits(edge) as f32;
            let worth = &mut self.tree.edges.worth[edge * roles..][..roles];
            worth.iter_mut().zip(&*sum).for_each(|(worth, &sum)| learn(worth, sum, visits));
            *self.tree.edges.lure_mut(edge) = worth[role.index()];
        }
        let node = self.tree.node_mut(at);
        node.settled += u32::from(newly);
        let all = (node.visits + hop.count) as f32;
        let settled = u64::from(node.settled);
        let values = self.tree.values_mut(at);
        values.iter_mut().zip(&*sum).for_each(|(value, &sum)| learn(value, sum, all));
        if newly && settled <= PROVABLE {
            self.prove_many(at, settled);
        }
    }

    /// Solves a node with simultaneous moves once all joint moves are proven.
    fn prove_many(&mut self, at: u32, settled: u64) {
        let Some(joint_node) = self.tree.joint_nodes.get(&at) else { return };
        if joint_node.joints != Some(settled) {
            return;
        }
        let (outcomes, roles) = (joint_node.outcomes.clone(), self.tree.roles);
        let counts: Vec<(Role, usize)> =
            joint_node.actors.iter().map(|&(role, count)| (role, count as usize)).collect();
        let mut cells = Vec::new();
        for profile in 0..settled / outcomes.len() as u64 {
            let mut cell = vec![0.0; roles];
            for (outcome, likely) in outcomes.iter().enumerate() {
                let number = profile * outcomes.len() as u64 + outcome as u64;
                let Some(joint) = self.tree.joints.get(&(at, number)) else { return };
                let values = self.tree.values(joint.child);
                for (role, cell) in cell.iter_mut().enumerate() {
                    let gain = joint.gains.get(role).copied().unwrap_or(0.0);
                    *cell += likely * f64::from(values[role] + gain);
                }
            }
            cells.push(cell);
        }
        let choices = crate::choices::Choices::counted(&counts, roles);
        let me = counts.first().map_or(Role(0), |first| first.0);
        let verdict = combine(&choices, &cells, Outlook::Selfish, me);
        for (value, proven) in self.tree.values_mut(at).iter_mut().zip(&verdict.values) {
            *value = *proven as f32;
        }
        // The mixture is stored in the priors of the edges.
        let range = self.tree.range(at);
        let mixture = verdict.mixtures.into_iter().flatten();
        for (edge, share) in range.zip(mixture) {
            self.tree.edges.prior[edge] = share as f32;
        }
        self.tree.node_mut(at).proven = true;
    }
}
