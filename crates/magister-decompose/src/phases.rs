//! Subgames that follow each other by the clock: fluents that no move acts on determine which
//! subgame is played.

use magister_engine::network::{Edge, Network, NodeId};
use rustc_hash::FxHashMap;

use crate::decomposition::Decomposition;
use crate::effects::Idle;
use crate::fold::{self, UNKNOWN};
use crate::split::CONTEXT;

/// The maximum number of states of the context times gates.
const WORK: usize = 40_000_000;

/// Pairs of subgames that follow each other, if in every state of the context at most one subgame
/// can be played, and none is played again after another one.
pub(crate) fn find(network: &Network, whole: &Decomposition) -> Vec<(usize, usize)> {
    let context: Vec<usize> =
        (0..network.fluents()).filter(|&f| whole.split.part_of[f] == CONTEXT).collect();
    if whole.subgames.len() < 2 || context.is_empty() {
        return Vec::new();
    }
    let outputs = network.legal.iter().copied().chain([network.terminal]);
    let next = context.iter().map(|&fluent| network.next[fluent]);
    let gates = fold::gates(&network.graph, outputs.chain(next));
    let mut left = WORK / gates.len().max(1);
    let mut state: Vec<bool> = context.iter().map(|&fluent| network.initial[fluent]).collect();
    let mut seen: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
    // The subgame that can be played, in each state of the context.
    let mut played: Vec<Option<usize>> = Vec::new();
    let mut values = vec![UNKNOWN; network.graph.len()];
    let back = loop {
        if let Some(&back) = seen.get(&state) {
            break back;
        }
        if left == 0 {
            return Vec::new();
        }
        left -= 1;
        seen.insert(state.clone(), played.len());
        values.fill(UNKNOWN);
        values[0] = 1;
        for (&fluent, &value) in context.iter().zip(&state) {
            values[fluent + 1] = u8::from(value);
        }
        fold::fold(&network.graph, &gates, &mut values);
        if fold::is_false(&values, !network.terminal) {
            break played.len();
        }
        let can = |place: &usize| !fold::is_false(&values, network.legal[*place]);
        let open: Vec<usize> = (0..whole.subgames.len())
            .filter(|&at| whole.subgames[at].moves.iter().any(can))
            .collect();
        match open[..] {
            [] => played.push(None),
            [one] => played.push(Some(one)),
            _ => return Vec::new(),
        }
        let after: Option<Vec<bool>> = context
            .iter()
            .map(|&fluent| {
                let edge = match whole.effects.idle[fluent] {
                    Idle::Keeps => Edge::of(NodeId::new(fluent + 1)),
                    _ => network.next[fluent],
                };
                match values[edge.node().index()] {
                    UNKNOWN => None,
                    value => Some((value == 1) != edge.negated()),
                }
            })
            .collect();
        let Some(after) = after else { return Vec::new() };
        state = after;
    };
    let mut order: Vec<usize> = played.iter().flatten().copied().collect();
    order.dedup();
    let mut once = order.clone();
    once.sort_unstable();
    once.dedup();
    let mut circle: Vec<usize> =
        played[back.min(played.len())..].iter().flatten().copied().collect();
    circle.dedup();
    if once.len() < order.len() || circle.len() > 1 {
        return Vec::new();
    }
    order.windows(2).map(|pair| (pair[0], pair[1])).collect()
}
