//! Groups of moves that must all be used: if the goal needs as many moves as there are groups of
//! which at most one move can be made, then one move of every group is made.
//!
//! In a puzzle that writes every number once, each cell needs a number, but nothing says that each
//! number needs a cell. A SAT solver cannot count: without these clauses it would have to try all
//! ways to fill the cells with too few numbers.

use batsat::{Lit, SolverInterface, lbool};
use rustc_hash::FxHashSet;

use super::question::Question;
use crate::support::conjuncts;

/// The maximum number of moves whose groups are searched for.
const MOST: usize = 1_500;

/// Sets of moves, one bit each.
type Bits = Vec<u64>;

impl Question<'_> {
    /// Requires a move of every group, if the goal needs that many moves.
    pub(super) fn use_all_groups(&mut self) {
        if !self.sat.simplify() {
            return;
        }
        let needed = self.needed();
        let count: usize = needed.iter().map(Vec::len).sum();
        if needed.len() < 2 || count > MOST {
            return;
        }
        // The legality of a move may deny the effects of another one, or exclude it in other ways.
        let Some(groups) = [true, false].into_iter().find_map(|direct| {
            self.groups(&needed, direct).filter(|groups| groups.len() == needed.len())
        }) else {
            return;
        };
        for group in groups {
            let lits: Vec<Lit> = group.into_iter().map(|place| self.made[place]).collect();
            self.clause(&lits);
        }
    }

    /// Whether a literal is decided already.
    fn decided(&self, lit: Lit) -> Option<bool> {
        let value = self.sat.value_lvl_0(lit);
        if value == lbool::TRUE { Some(true) } else { (value == lbool::FALSE).then_some(false) }
    }

    /// Disjoint sets of moves, one of each of which must be made.
    fn needed(&self) -> Vec<Vec<usize>> {
        let network = self.network;
        let alive = |&place: &usize| self.decided(self.made[place]) != Some(false);
        let touching = |fluent: usize| self.touching[fluent].iter().copied().filter(alive);
        let mut all: Vec<Vec<usize>> = Vec::new();
        for fluent in 0..network.fluents() {
            if self.changed[fluent].is_some_and(|lit| self.decided(lit) == Some(true)) {
                all.push(touching(fluent).collect());
            }
        }
        // A false conjunction of fluents that only moves make false.
        for node in network.graph.gate_nodes() {
            let wire = self.wires[node.index()];
            if wire.is_none_or(|wire| self.decided(wire) != Some(false)) {
                continue;
            }
            let mut some = Vec::new();
            let clear = network.graph.children(node).iter().all(|&child| {
                let lit = self.known(child);
                match (self.decided(lit), child.node().index().checked_sub(1)) {
                    (Some(true), _) => true,
                    (None, Some(fluent)) if fluent < network.fluents() => {
                        some.extend(touching(fluent));
                        self.changed[fluent] == Some(!lit)
                    }
                    _ => false,
                }
            });
            if clear {
                some.sort_unstable();
                some.dedup();
                all.push(some);
            }
        }
        all.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut taken = vec![false; self.made.len()];
        all.retain(|set| {
            let free = set.iter().all(|&place| !taken[place]);
            if free {
                set.iter().for_each(|&place| taken[place] = true);
            }
            free
        });
        all
    }

    /// The fluents that must be false for a move to be legal.
    fn denied(&self, place: usize) -> FxHashSet<u32> {
        let graph = &self.network.graph;
        conjuncts(graph, self.network.legal[place])
            .into_iter()
            .filter(|edge| edge.negated() && graph.is_input(edge.node()))
            .filter_map(|edge| edge.node().index().checked_sub(1))
            .map(|fluent| fluent as u32)
            .collect()
    }

    /// Groups of moves of different sets, at most one move of each of which can be made, that
    /// contain all moves of these sets; `None` if there are more groups than sets. Every group is
    /// extended by the move that leaves the most moves to choose from. If `direct` is set, one of
    /// two moves of a group must deny an effect of the other.
    fn groups(&self, needed: &[Vec<usize>], direct: bool) -> Option<Vec<Vec<usize>>> {
        let moves: Vec<usize> = needed.iter().flatten().copied().collect();
        let words = moves.len().div_ceil(64);
        let mut at = vec![usize::MAX; self.made.len()];
        let mut set_of = vec![0; self.made.len()];
        moves.iter().enumerate().for_each(|(number, &place)| at[place] = number);
        for (number, set) in needed.iter().enumerate() {
            set.iter().for_each(|&place| set_of[place] = number);
        }
        let denied: Vec<FxHashSet<u32>> = moves.iter().map(|&place| self.denied(place)).collect();
        let denies = |a: usize, b: usize| {
            self.placement.sets[a].iter().any(|fluent| denied[at[b]].contains(fluent))
        };
        let mut against: Vec<Bits> = vec![vec![0; words]; moves.len()];
        for &(a, b) in &self.placement.excluded {
            let (a, b) = (a as usize, b as usize);
            let inside = at[a] != usize::MAX && at[b] != usize::MAX && set_of[a] != set_of[b];
            if inside && (!direct || denies(a, b) || denies(b, a)) {
                against[at[a]][at[b] / 64] |= 1 << (at[b] % 64);
                against[at[b]][at[a] / 64] |= 1 << (at[a] % 64);
            }
        }
        let mut left: Bits = vec![0; words];
        (0..moves.len()).for_each(|number| left[number / 64] |= 1 << (number % 64));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        loop {
            let Some(first) = ones(&left).next() else { return Some(groups) };
            if groups.len() == needed.len() {
                return None;
            }
            let mut group = vec![first];
            let mut open = both(&left, &against[first]);
            let rest = |open: &[u64], one: usize| -> u32 {
                open.iter().zip(&against[one]).map(|(a, b)| (a & b).count_ones()).sum()
            };
            while let Some(next) = ones(&open).rev().max_by_key(|&one| rest(&open, one)) {
                group.push(next);
                open = both(&open, &against[next]);
            }
            group.iter().for_each(|&number| left[number / 64] &= !(1 << (number % 64)));
            groups.push(group.into_iter().map(|number| moves[number]).collect());
        }
    }
}

fn both(a: &[u64], b: &[u64]) -> Bits {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn ones(bits: &[u64]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    (0..bits.len() * 64).filter(|&at| bits[at / 64] >> (at % 64) & 1 == 1)
}
