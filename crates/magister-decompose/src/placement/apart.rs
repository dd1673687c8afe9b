//! Pairs of fluents that are never true together, proven by induction.

use magister_core::Stop;
use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashSet;

use crate::prove::Prover;

/// The number of rounds in which pairs that are not preserved are dropped.
const ROUNDS: usize = 4;

/// The pairs of these that are never true together: none is initially, and if none is, then none is
/// after any legal move.
pub(super) fn apart(
    network: &Network,
    pairs: &FxHashSet<(usize, usize)>,
    stop: &Stop,
) -> FxHashSet<(usize, usize)> {
    let mut left: Vec<(usize, usize)> = pairs
        .iter()
        .copied()
        .filter(|&(a, b)| !(network.initial[a] && network.initial[b]))
        .collect();
    left.sort_unstable();
    for _ in 0..ROUNDS {
        if left.is_empty() {
            break;
        }
        let mut prover = Prover::new(network, &network.graph, stop);
        let now = |fluent: usize| Edge::of(NodeId::new(fluent + 1));
        for &(a, b) in &left {
            let clause = [!prover.lit(now(a)), !prover.lit(now(b))];
            prover.clause(&clause);
        }
        let count = left.len();
        left.retain(|&(a, b)| {
            let lits = [prover.lit(network.next[a]), prover.lit(network.next[b])];
            prover.never(&lits)
        });
        if left.len() == count {
            return left.into_iter().collect();
        }
    }
    FxHashSet::default()
}
