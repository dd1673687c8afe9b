//! What a descent brings back: values, and proofs.

use magister_core::{Move, Role};

use super::search::{Descent, Hop, Search};
use super::tree::Kind;
use crate::combine::{Outlook, combine};

/// A move of a role, in how many playouts it was made, and the sum of their values.
pub(super) type Noted = (Role, Move, f32, f32);

/// Simultaneous moves are proven only where all joint moves are, and they are not too many.
const PROVABLE: u64 = 400;

impl Search<'_> {
    /// Enters what was learnt at the end of a descent, all the way up. `sample` is what the
    /// playouts said, for each role; nothing if the values of the leaf are known. `moves` are the
    /// moves that were made in them.
    pub(super) fn back_up(
        &mut self,
        descent: &Descent,
        sample: Option<&[f32]>,
        moves: &mut Vec<Noted>,
    ) {
        let leaf = descent.leaf;
        self.tree.node_mut(leaf).pending -= 1;
        self.release(&descent.path);
        if let Some(sample) = sample {
            self.learn(leaf, sample);
        }
        self.tree.node_mut(leaf).visits += 1;
        // Where several choose at once, the mean of what came back is all there is to go by.
        let mut sample: Vec<f32> =
            sample.map_or_else(|| self.tree.values(leaf).to_vec(), <[f32]>::to_vec);
        let mut child = leaf;
        let playouts = self.config.playouts as f32;
        for hop in descent.path.iter().rev() {
            if self.config.grave > 0.0 {
                self.note_own(hop, &sample, playouts, moves);
                self.priors.note_at(hop.node, self.tree.node(hop.node).visits, moves);
            }
            if hop.many.is_some() {
                self.pass_many(hop, child, &mut sample);
            } else {
                self.pass_one(hop, child, &mut sample);
            }
            self.tree.node_mut(hop.node).visits += 1;
            child = hop.node;
        }
    }

    /// Adds the moves that were made in the tree to those of the playouts.
    fn note_own(&self, hop: &Hop, sample: &[f32], playouts: f32, moves: &mut Vec<Noted>) {
        let spread = (self.seen.1 - self.seen.0).max(1e-6);
        let mut note = |role: Role, edge: u32| {
            let value = ((sample[role.index()] - self.seen.0) / spread).clamp(0.0, 1.0);
            let choice = self.tree.edges[edge as usize].choice;
            moves.push((role, choice, playouts, playouts * value));
        };
        match (self.tree.node(hop.node).kind, &hop.many) {
            (Kind::One(role), _) => note(role, hop.edge),
            (_, Some((edges, _))) => {
                if let Some(crowd) = self.tree.crowds.get(&hop.node) {
                    for (&(role, _), &edge) in crowd.actors.iter().zip(edges) {
                        note(role, edge);
                    }
                }
            }
            _ => {}
        }
    }

    /// Enters playouts at a node.
    fn learn(&mut self, at: u32, sample: &[f32]) {
        let roles = self.tree.roles;
        let own = &mut self.tree.own[at as usize * roles..][..roles];
        let count = &mut self.tree.nodes[at as usize].own;
        *count += 1;
        for (own, &value) in own.iter_mut().zip(sample) {
            *own += (value - *own) / *count as f32;
        }
        if self.scale.high.is_infinite() {
            for &value in sample {
                self.seen = (self.seen.0.min(value), self.seen.1.max(value));
            }
        }
        if !self.tree.node(at).proven {
            self.average(at);
        }
    }

    /// The mean of a node: its own playouts, and each edge by its visits. Edges that are proven
    /// to be lost for the one who chooses do not count, since they will not be chosen.
    fn average(&mut self, at: u32) {
        let roles = self.tree.roles;
        let node = self.tree.node(at);
        let kind = node.kind;
        if kind == Kind::Many {
            return;
        }
        let weight = node.own as f32;
        let range = self.tree.range(at);
        let mut mean = [0.0_f32; 8];
        let mut long;
        let mean: &mut [f32] = if roles <= 8 {
            &mut mean[..roles]
        } else {
            long = vec![0.0; roles];
            &mut long
        };
        let own = &self.tree.own[at as usize * roles..][..roles];
        mean.iter_mut().zip(own).for_each(|(mean, own)| *mean = own * weight);
        let mut total = weight;
        for edge in range {
            let this = &self.tree.edges[edge];
            if this.visits == 0 {
                continue;
            }
            let worth = self.tree.worth(edge);
            if let Kind::One(role) = kind
                && this.proven
                && worth[role.index()] <= self.scale.low as f32
            {
                continue;
            }
            let share = this.visits as f32;
            total += share;
            mean.iter_mut().zip(worth).for_each(|(mean, worth)| *mean += worth * share);
        }
        if total > 0.0 {
            let values = self.tree.values_mut(at);
            values.iter_mut().zip(mean.iter()).for_each(|(value, sum)| *value = sum / total);
        }
    }

    /// Enters what came back through an edge.
    fn pass_one(&mut self, hop: &Hop, child: u32, sample: &mut [f32]) {
        let (edge, roles, at) = (hop.edge as usize, self.tree.roles, hop.node);
        self.tree.edges[edge].visits += 1;
        for (role, value) in sample.iter_mut().enumerate() {
            let gain = self.tree.gains.get(edge * roles + role).copied().unwrap_or(0.0);
            self.tree.worth[edge * roles + role] =
                self.tree.values[child as usize * roles + role] + gain;
            *value += gain;
        }
        if self.tree.node(child).proven && !self.tree.edges[edge].proven {
            self.tree.edges[edge].proven = true;
            self.tree.node_mut(at).settled += 1;
            self.prove(at, edge);
        }
        if !self.tree.node(at).proven {
            self.average(at);
        }
    }

    /// Whether a node is proven now that one more edge is.
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
                // Of moves that are equally good for the one who chooses, the others can only
                // count on the one that is worst for each of them.
                let mut values = vec![f32::INFINITY; roles];
                for edge in range {
                    if self.tree.edges[edge].proven && self.tree.worth_of(edge, role) >= most {
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
                    let likely = self.tree.edges[edge].prior;
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

    /// Enters what came back through a joint move of several.
    fn pass_many(&mut self, hop: &Hop, child: u32, sample: &mut [f32]) {
        let Some((edges, number)) = &hop.many else { return };
        let (at, roles) = (hop.node, self.tree.roles);
        let proven = self.tree.node(child).proven;
        let mut newly = false;
        if let Some(joint) = self.tree.joints.get_mut(&(at, *number)) {
            sample.iter_mut().zip(&joint.gains).for_each(|(value, gain)| *value += gain);
            newly = proven && !joint.proven;
            joint.proven |= proven;
        }
        for &edge in edges {
            let edge = edge as usize;
            self.tree.edges[edge].visits += 1;
            let visits = self.tree.edges[edge].visits as f32;
            let worth = &mut self.tree.worth[edge * roles..][..roles];
            worth.iter_mut().zip(&*sample).for_each(|(w, &value)| *w += (value - *w) / visits);
        }
        let node = self.tree.node_mut(at);
        node.settled += u32::from(newly);
        let count = (node.own + node.visits + 1) as f32;
        let settled = u64::from(node.settled);
        let values = self.tree.values_mut(at);
        values.iter_mut().zip(&*sample).for_each(|(v, &value)| *v += (value - *v) / count);
        if newly && settled <= PROVABLE {
            self.prove_many(at, settled);
        }
    }

    /// Solves a node where several choose, once all joint moves are proven.
    fn prove_many(&mut self, at: u32, settled: u64) {
        let Some(crowd) = self.tree.crowds.get(&at) else { return };
        if crowd.joints != Some(settled) {
            return;
        }
        let (outcomes, roles) = (crowd.outcomes.clone(), self.tree.roles);
        let counts: Vec<(Role, usize)> =
            crowd.actors.iter().map(|&(role, count)| (role, count as usize)).collect();
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
        // How to mix is kept where the visits would be, in the priors of the edges.
        let range = self.tree.range(at);
        let mixture = verdict.mixtures.into_iter().flatten();
        for (edge, share) in range.zip(mixture) {
            self.tree.edges[edge].prior = share as f32;
        }
        self.tree.node_mut(at).proven = true;
    }
}
