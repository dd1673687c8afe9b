//! Selection at a node.

use std::ops::Range;

use magister_core::Role;

use super::descent::{Many, Party};
use super::edges::{GROUP, LOST};
use super::search::Search;
use super::tree::Kind;
use crate::playing::outcome;

impl Search<'_> {
    /// The choices of a party, in [`Search::chosen`]: edges, or indexes into [`Search::many`], with
    /// the number of descents for each.
    pub(super) fn choose(&mut self, party: &Party) {
        self.chosen.clear();
        match self.tree.node(party.node).kind {
            Kind::One(_) if self.config.plain => self.share(party),
            Kind::One(role) => {
                let picked = self.pick(party, self.tree.range(party.node), role);
                self.count(picked);
            }
            Kind::Many => self.pick_many(party),
            Kind::Chance | Kind::Leaf | Kind::Terminal => {
                let picked = self.pick_outcomes(party);
                self.count(picked);
            }
        }
    }

    /// Counts the descents for each edge.
    fn count(&mut self, mut picked: Vec<u32>) {
        picked.sort_unstable();
        self.chosen.extend(picked.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)));
    }

    /// The choice of one descent if one role chooses and only the edges matter. It compares several
    /// edges at once, because a search spends most of its time here.
    pub(super) fn quickest(&self, at: u32) -> usize {
        let range = self.tree.range(at);
        let (worth, c) = self.worth_of(at, 1);
        let mut best = Best::default();
        for group in self.tree.edges.groups(range.clone()) {
            best.look(&std::array::from_fn(|at| worth(group.lure[at]) + c * group.rare[at]));
        }
        range.start + best.place().min(range.len() - 1)
    }

    /// The same for several descents in sequence: each choice lowers the exploration term of its
    /// edge, and an edge is chosen again until the second best is better.
    fn share(&mut self, party: &Party) {
        let range = self.tree.range(party.node);
        let (worth, c) = self.worth_of(party.node, party.count);
        self.promise.clear();
        for group in self.tree.edges.groups(range.clone()) {
            self.promise.push(std::array::from_fn(|at| worth(group.lure[at]) + c * group.rare[at]));
        }
        let last = range.len() - 1;
        let mut place = greatest(&self.promise).min(last);
        let mut left = party.count;
        while left > 0 {
            let edge = range.start + place;
            self.promise[place / GROUP][place % GROUP] = LEAST;
            let second = greatest(&self.promise).min(last);
            let other = self.promise[second / GROUP][second % GROUP];
            let worth = worth(self.tree.edges.lure(edge));
            let known = self.chosen.iter().position(|chosen| chosen.0 == edge as u32);
            let known = known.unwrap_or_else(|| {
                self.chosen.push((edge as u32, 0));
                self.chosen.len() - 1
            });
            let count = &mut self.chosen[known].1;
            // The number of tries until the edge is no better than the second best.
            let more = if other > worth {
                let often = (c / (other - worth)).powi(2);
                // Rounds up; a call to a rounding function would take longer than everything else
                // here.
                ((often - self.tree.edges.tried(edge, *count)) as u32).saturating_add(1)
            } else {
                left
            };
            let more = more.clamp(1, left);
            left -= more;
            *count += more;
            let rare = 1.0 / self.tree.edges.tried(edge, *count).sqrt();
            self.promise[place / GROUP][place % GROUP] = worth + c * rare;
            place = second;
        }
    }

    /// Maps the mean of an edge to a value from 0 to 1 for the choosing role; and the exploration
    /// factor for a number of descents.
    #[inline]
    fn worth_of(&self, at: u32, count: u32) -> (impl Fn(f32) -> f32 + use<>, f32) {
        let node = self.tree.node(at);
        let (low, spread) = (self.seen.0, self.spread);
        let hope = (node.hope - low) * spread;
        let worth = move |lure: f32| if lure.is_nan() { hope } else { (lure - low) * spread };
        (worth, self.config.c * node.curiosity_of(count))
    }

    /// The choices of a party for one role, if more than the edges matters.
    fn pick(&self, party: &Party, range: Range<usize>, role: Role) -> Vec<u32> {
        let c = self.config.c * self.tree.node(party.node).curiosity_of(party.count);
        let edges = &self.tree.edges;
        let promise = |edge: usize, more: u32| {
            self.worth(party, edge, role) + c / edges.tried(edge, more).sqrt()
        };
        let mut promises: Vec<(f32, u32)> =
            range.clone().map(|edge| (promise(edge, 0), 0)).collect();
        let mut picked = Vec::with_capacity(party.count as usize);
        for _ in 0..party.count {
            let all = promises.iter().enumerate();
            let most = all.reduce(|a, b| if b.1.0 > a.1.0 { b } else { a });
            let place = most.map_or(0, |most| most.0);
            let edge = range.start + place;
            picked.push(edge as u32);
            let more = promises[place].1 + 1;
            promises[place] = (promise(edge, more), more);
        }
        picked
    }

    /// The value of an edge for a role, from 0 to 1. An unvisited edge has the mean of its
    /// siblings.
    fn worth(&self, party: &Party, edge: usize, role: Role) -> f32 {
        let tree = &*self.tree;
        let (low, spread) = (self.seen.0, self.spread);
        let lure = tree.edges.lure(edge);
        let mut worth = if lure.is_nan() {
            let hope = (tree.values(party.node)[role.index()] - low) * spread;
            hope + self.config.bias * tree.edges.prior[edge]
        } else {
            (lure - low) * spread
        };
        // All-moves-as-first values count while the move itself has few visits.
        if self.config.grave > 0.0
            && lure != LOST
            && let Some(near) = self.priors.node(party.near)
            && let Some((mean, belief)) = near.of(role, tree.edges.choice[edge])
        {
            let count = tree.edges.count(edge);
            let share = (self.config.grave / (3.0 * count + self.config.grave)).sqrt() * belief;
            worth += share * (mean - worth);
        }
        worth
    }

    /// The choices of a party with simultaneous moves: each role chooses independently, and chance
    /// is sampled.
    fn pick_many(&mut self, party: &Party) {
        let Some(joint_node) = self.tree.joint_nodes.get(&party.node) else { return };
        let mut first = self.tree.range(party.node).start;
        let mut joints = vec![Many { edges: Vec::new(), number: 0 }; party.count as usize];
        for &(role, moves) in &joint_node.actors {
            // The order of one role's choices is independent of the others.
            let mut picked = self.pick(party, first..first + moves as usize, role);
            self.rng.shuffle(&mut picked);
            for (joint, edge) in joints.iter_mut().zip(picked) {
                let place = u64::from(edge) - first as u64;
                joint.number = joint.number.wrapping_mul(u64::from(moves)).wrapping_add(place);
                joint.edges.push(edge);
            }
            first += moves as usize;
        }
        let outcomes = joint_node.outcomes.len() as u64;
        for joint in &mut joints {
            let outcome = outcome(&joint_node.outcomes, self.rng) as u64;
            joint.number = joint.number.wrapping_mul(outcomes).wrapping_add(outcome);
        }
        joints.sort_by_key(|joint| joint.number);
        for same in joints.chunk_by(|a, b| a.number == b.number) {
            self.chosen.push((self.many.len() as u32, same.len() as u32));
            self.many.push(same[0].clone());
        }
    }

    /// The chance outcomes of a party: always the outcome that lags most behind its probability, so
    /// that the mean converges quickly.
    fn pick_outcomes(&self, party: &Party) -> Vec<u32> {
        let node = self.tree.node(party.node);
        let range = self.tree.range(party.node);
        let edges = &self.tree.edges;
        let mut counts: Vec<f64> = range.clone().map(|edge| f64::from(edges.count(edge))).collect();
        let mut picked = Vec::with_capacity(party.count as usize);
        for number in 0..party.count {
            let total = f64::from(node.visits + node.pending + number + 1);
            let behind = |at: usize| f64::from(edges.prior[range.start + at]) * total - counts[at];
            let all = (0..range.len()).map(|at| (at, behind(at)));
            let most = all.reduce(|a, b| if b.1 > a.1 { b } else { a });
            let at = most.map_or(0, |most| most.0);
            if let Some(count) = counts.get_mut(at) {
                *count += 1.0;
            }
            picked.push((range.start + at) as u32);
        }
        picked
    }
}

/// Less than any value. It is finite, because [`Best`] writes into its last bits, which would turn
/// infinity into NaN.
const LEAST: f32 = f32::MIN;

/// The index of the greatest number.
#[inline]
fn greatest(groups: &[[f32; GROUP]]) -> usize {
    if let [only] = groups {
        return Best { most: *only, ..Best::default() }.place();
    }
    let mut best = Best::default();
    groups.iter().for_each(|group| best.look(group));
    best.place()
}

/// The greatest of many numbers and its index, several at a time.
struct Best {
    /// The greatest number of each lane, its group, and the next group. Groups are small whole
    /// numbers as floats, so both are selected in the same way.
    most: [f32; GROUP],
    group: [f32; GROUP],
    next: f32,
}

impl Default for Best {
    fn default() -> Self {
        Best { most: [LEAST; GROUP], group: [0.0; GROUP], next: 0.0 }
    }
}

impl Best {
    #[inline]
    fn look(&mut self, numbers: &[f32; GROUP]) {
        for ((most, group), &number) in self.most.iter_mut().zip(&mut self.group).zip(numbers) {
            let better = number > *most;
            *most = if better { number } else { *most };
            *group = if better { self.next } else { *group };
        }
        self.next += 1.0;
    }

    /// The index of the greatest number. Lanes whose numbers differ only in the last three bits
    /// count as equal: those bits carry the lane, so the greatest number contains its index.
    #[inline]
    fn place(&self) -> usize {
        let mut marked: [f32; GROUP] = std::array::from_fn(|lane| {
            f32::from_bits(self.most[lane].to_bits() & !(GROUP as u32 - 1) | lane as u32)
        });
        let mut left = GROUP / 2;
        while left > 0 {
            for lane in 0..left {
                let (a, b) = (marked[lane], marked[lane + left]);
                marked[lane] = if a > b { a } else { b };
            }
            left /= 2;
        }
        let lane = marked[0].to_bits() as usize & (GROUP - 1);
        self.group[lane] as usize * GROUP + lane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_of_many_is_found() {
        let numbers: Vec<[f32; GROUP]> = (0..20)
            .map(|group| {
                std::array::from_fn(|lane| ((group * GROUP + lane) * 7 % 160) as f32 / 3.0)
            })
            .collect();
        assert_eq!(greatest(&numbers), 137);
        let lost = std::array::from_fn(|lane| if lane == 6 { LOST } else { 2.0 * LOST });
        assert_eq!(greatest(&[lost]), 6);
        assert!(greatest(&[]) < GROUP);
        // A removed number is not found again.
        for out in 0..GROUP {
            for best in (0..GROUP).filter(|&best| best != out) {
                let mut numbers = [0.25; GROUP];
                (numbers[best], numbers[out]) = (0.75, LEAST);
                assert_eq!(greatest(&[numbers]), best, "{out}");
            }
        }
    }
}
