//! From the graph to a decision.

use magister_core::{Decision, Move, Rng, Role, Thought};

use super::Uct;
use super::tree::Kind;
use crate::combine::draw;

/// With simultaneous moves, a move with fewer visits than this share of the most visited one counts
/// as mere exploration.
const TRIED: f64 = 0.25;

/// The width of the confidence bound of a value after one visit, as a share of the range of
/// rewards: two standard deviations of a result that is a win or a loss.
const DOUBT: f32 = 1.0;

impl Uct {
    /// The decision of a role at the root.
    pub(super) fn decision(&self, root: u32, me: Role, rng: &mut Rng) -> Option<Decision> {
        let node = self.tree.node(root);
        let mut range = self.tree.range(root);
        let mut alone = true;
        match node.kind {
            Kind::One(role) if role == me => {}
            Kind::Many => {
                alone = false;
                let joint_node = self.tree.joint_nodes.get(&root)?;
                for &(role, count) in &joint_node.actors {
                    if role == me {
                        range.end = range.start + count as usize;
                        break;
                    }
                    range.start += count as usize;
                }
            }
            _ => return None,
        }
        if !node.proven && range.clone().all(|edge| self.tree.edges.visits(edge) == 0) {
            return None;
        }
        let choice = if alone {
            self.tree.edges.choice[self.robust(root, me, range.clone())]
        } else {
            let moves = &self.tree.edges.choice[range.clone()];
            draw(moves, &self.mixture(root, range.clone()), rng)
        };
        let mixture = if alone { Vec::new() } else { self.mixture(root, range.clone()) };
        let thoughts = range
            .enumerate()
            .map(|(at, edge)| {
                let edges = &self.tree.edges;
                let worth = f64::from(self.tree.worth_of(edge, me));
                Thought {
                    choice: edges.choice[edge],
                    value: (edges.visits(edge) > 0).then_some(worth),
                    visits: u64::from(edges.visits(edge)),
                    proven: edges.proven[edge],
                    probability: mixture.get(at).copied(),
                }
            })
            .collect();
        Some(Decision { thoughts, line: self.line(root), ..choice.into() })
    }

    /// The edge to play: the open one with the greatest lower confidence bound, unless a proven one
    /// is better, or equal and not the worst possible value. An unproven edge cannot be worse than
    /// the worst value.
    fn robust(&self, root: u32, me: Role, range: std::ops::Range<usize>) -> usize {
        let tree = &self.tree;
        let edges = || range.clone().filter(|&edge| tree.edges.visits(edge) > 0);
        let visits = |edge: usize| tree.edges.visits(edge);
        let worth = |edge: usize| tree.worth_of(edge, me);
        let better = |a: usize, b: usize| {
            let (x, y) = ((worth(a), visits(a)), (worth(b), visits(b)));
            if y.0 > x.0 || (y.0 >= x.0 && y.1 > x.1) { b } else { a }
        };
        let proven = edges().filter(|&edge| tree.edges.proven[edge]).reduce(better);
        let open = edges().filter(|&edge| !tree.edges.proven[edge]);
        // The most visited edge may be one whose value has fallen while others have caught up.
        let (least, most) = self.seen.unwrap_or_default();
        let doubt = |edge: usize| DOUBT * (most - least) / (visits(edge) as f32).sqrt();
        let bound = |edge: usize| worth(edge) - doubt(edge);
        let open = open.reduce(|a, b| {
            let (x, y) = ((bound(a), visits(a)), (bound(b), visits(b)));
            if y.0 > x.0 || (y.0 >= x.0 && y.1 > x.1) { b } else { a }
        });
        match (proven, open) {
            (Some(proven), _) if tree.node(root).proven => proven,
            (Some(proven), Some(open)) => {
                let least = self.seen.map_or(f32::NEG_INFINITY, |seen| seen.0);
                let sure = worth(proven);
                if sure > worth(open) || sure >= worth(open) && sure > least {
                    proven
                } else {
                    open
                }
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => range.start,
        }
    }

    /// The mixture over simultaneous moves: by visits, or from the solved matrix.
    fn mixture(&self, root: u32, range: std::ops::Range<usize>) -> Vec<f64> {
        if self.tree.node(root).proven {
            return self.tree.edges.prior[range].iter().map(|&prior| f64::from(prior)).collect();
        }
        let visits: Vec<u32> = range.map(|edge| self.tree.edges.visits(edge)).collect();
        let most = f64::from(visits.iter().copied().max().unwrap_or(0));
        let share = |visits: f64| if visits < TRIED * most { 0.0 } else { visits };
        let shares: Vec<f64> = visits.iter().map(|&visits| share(f64::from(visits))).collect();
        let total: f64 = shares.iter().sum::<f64>().max(1.0);
        shares.iter().map(|share| share / total).collect()
    }

    /// The principal variation.
    fn line(&self, root: u32) -> Vec<Box<[Move]>> {
        let (mut line, mut at) = (Vec::new(), root);
        let mut moves = vec![Move::IDLE; self.tree.roles];
        while line.len() < 20 {
            let Kind::One(role) = self.tree.node(at).kind else { break };
            let edge = self.robust(at, role, self.tree.range(at));
            if self.tree.edges.visits(edge) == 0 {
                break;
            }
            moves.fill(Move::IDLE);
            moves[role.index()] = self.tree.edges.choice[edge];
            line.push(moves.clone().into_boxed_slice());
            at = self.tree.edges.child(edge);
        }
        line
    }
}
