//! Per-player networks: the network restricted to the states in which a certain role has its turn.
//! Much of a turn-based game concerns only the other player: its moves, and often its lines and
//! captures. For example, a line of the other player that did not exist after its last move cannot
//! exist now.

use magister_core::{Halt, Stop};

use super::graph::{Edge, Graph, Group};
use super::guess::Claim;
use super::invariant::{EFFORT, constants};
use super::pairs::share;
use super::sample::{Samples, evaluate, read, same};
use super::{InputId, MoveId, Network, NodeId, Turns, through};

/// The maximum number of gate inputs of a network that is split.
const LARGEST: usize = 60_000;

/// The maximum number of apparently constant wires to examine, except for those that `terminal`
/// depends on directly.
const MANY: usize = 600;

/// The maximum work of a proof for wires that `terminal` depends on.
const SURE: u64 = 3_000_000;

/// The amount of random play: steps times gate inputs.
const SAMPLED: usize = 6_000_000;

/// The network of the states in which one role has its turn.
#[derive(Clone, Debug)]
pub struct PlayerNetwork {
    /// The fluent, negated or not, that is true in these states.
    pub turn: Edge,
    /// The assumptions, which hold in all reachable ones of these states: gates over the fluents,
    /// and their wire.
    pub known: (Graph, Edge),
    /// The network over the same fluents and moves. Its results for other states are meaningless.
    pub network: Network,
}

impl Network {
    /// The per-player networks of a turn-based game; empty if roles do not take turns, or if
    /// splitting would not pay off.
    pub(super) fn split(&self, stop: &Stop) -> Result<Vec<PlayerNetwork>, Halt> {
        let Some(turns) = &self.turns else { return Ok(Vec::new()) };
        let taking: Vec<usize> =
            (0..turns.turn.len()).filter(|&role| turns.turn[role] != Edge::FALSE).collect();
        if taking.len() < 2 || self.graph.edges() > LARGEST {
            return Ok(Vec::new());
        }
        let edges: Vec<Edge> = taking.iter().map(|&role| turns.turn[role]).collect();
        // Properties of non-terminal states are the easiest to prove.
        let going = self.graph.parts(!self.terminal);
        let (sure, rest): (Vec<Claim>, Vec<Claim>) = self.constant(&edges).into_iter().partition(
            |claim| matches!(claim, Claim::When(_, edge) if going.binary_search(edge).is_ok()),
        );
        let mut sets = vec![(sure, SURE)];
        if rest.len() <= MANY {
            sets.push((rest, EFFORT));
        }
        let known = constants(self, sets, stop)?;
        let mut per_player = Vec::new();
        for (role, turn) in taking.into_iter().zip(edges) {
            let of_side = |claim: &Claim| match *claim {
                Claim::When(when, edge) if when == turn => Some(edge),
                _ => None,
            };
            let known: Vec<Edge> = known.iter().filter_map(of_side).collect();
            let network = self.side_of(turns, role, &known, stop)?;
            debug_assert!(
                same(self, &network, turn),
                "a per-player network agrees with the whole one"
            );
            let mut graph = self.graph.clone();
            let all = graph.and(known);
            let (graph, known) = share(&graph, &[all], stop)?;
            per_player.push(PlayerNetwork { turn, known: (graph, known[0]), network });
        }
        Ok(per_player)
    }

    /// The two per-player networks of a game in which two roles strictly take turns.
    pub(crate) fn alternating(&self) -> Option<[&PlayerNetwork; 2]> {
        let [first, second] = &self.per_player[..] else { return None };
        let leads = |from: &Network, to: Edge| {
            let next = from.next[to.node().fluent().index()];
            (if to.negated() { !next } else { next }) == Edge::TRUE
        };
        let strictly = |from: &PlayerNetwork, to: &PlayerNetwork| {
            leads(&from.network, to.turn) && leads(&from.network, !from.turn)
        };
        (strictly(first, second) && strictly(second, first)).then_some([first, second])
    }

    /// Candidates for wires that are always true whenever one of these wires is. They do not depend
    /// on moves.
    fn constant(&self, turns: &[Edge]) -> Vec<Claim> {
        let graph = &self.graph;
        let steps = (SAMPLED / graph.edges().max(1)).clamp(12, 120);
        let samples = Samples::new(self, steps);
        let moves = self.fluents() + 1..=graph.inputs();
        let mut free = vec![true; graph.len()];
        for node in 1..graph.len() {
            let children = graph.children(NodeId::new(node));
            free[node] = !moves.contains(&node) && children.iter().all(|e| free[e.node().index()]);
        }
        let mut wires = vec![0; graph.len()];
        // For every turn and node, the games in which it was ever true, and the games in which it
        // was ever false.
        let mut seen = vec![vec![(0u64, 0u64); graph.len()]; turns.len()];
        for state in samples.states() {
            wires[1..].fill(0);
            wires[1..=self.fluents()].copy_from_slice(state);
            evaluate(graph, &mut wires);
            for (&turn, seen) in turns.iter().zip(&mut seen) {
                let now = read(&wires, turn);
                for ((yes, no), &wire) in seen.iter_mut().zip(&wires) {
                    *yes |= wire & now;
                    *no |= !wire & now;
                }
            }
        }
        let mut claims = Vec::new();
        for (&turn, seen) in turns.iter().zip(&seen) {
            // Nothing is known about a turn that never occurred.
            let came = seen[0].0 != 0;
            let nodes = graph.reachable(self.outputs());
            for node in nodes.into_iter().filter(|&n| came && n != NodeId::TRUE && free[n.index()])
            {
                match seen[node.index()] {
                    (0, _) => claims.push(Claim::When(turn, !Edge::of(node))),
                    (_, 0) => claims.push(Claim::When(turn, Edge::of(node))),
                    _ => {}
                }
            }
        }
        claims.retain(|claim| !matches!(*claim, Claim::When(turn, edge) if turn == edge));
        claims
    }

    /// The network restricted to a role's turn, with some wires known to be true.
    fn side_of(
        &self,
        turns: &Turns,
        role: usize,
        known: &[Edge],
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let old = &self.graph;
        let mut fixed: Vec<Option<bool>> = vec![None; old.len()];
        let mut fix = |edge: Edge| fixed[edge.node().index()] = Some(!edge.negated());
        known.iter().copied().for_each(&mut fix);
        for (other, &turn) in turns.turn.iter().enumerate() {
            fix(if other == role { turn } else { !turn });
            let never: &[MoveId] = match other == role {
                true if turns.passing[role] => &[],
                true => &turns.resting[other],
                false => &turns.active[other],
            };
            let input = |at: MoveId| Edge::of(self.inputs[at.index()].node());
            never.iter().for_each(|&at| fix(!input(at)));
            if let [one] = turns.resting[other][..]
                && other != role
                && self.idle[other].is_none()
            {
                fix(input(one));
            }
        }
        fixed[0] = None;
        let mut graph = Graph::new(old.inputs(), narrowed(old.groups(), &mut fixed));
        let mut new: Vec<Edge> = vec![Edge::TRUE; old.len()];
        for node in 1..old.len() {
            new[node] = match fixed[node] {
                Some(true) => Edge::TRUE,
                Some(false) => Edge::FALSE,
                None if node <= old.inputs() => graph.input(InputId::new(node - 1)),
                None => {
                    let children = old.children(NodeId::new(node)).iter();
                    let parts: Vec<Edge> = children.map(|&e| through(&new, e)).collect();
                    graph.and(parts)
                }
            };
        }
        let mut network = Network { graph, turns: None, ..self.clone() };
        network.outputs_mut().for_each(|edge| *edge = through(&new, *edge));
        network.complement();
        network.simplify(stop)?;
        Ok(network)
    }
}

/// Groups without the known members, after propagation.
fn narrowed(groups: &[Group], fixed: &mut [Option<bool>]) -> Vec<Group> {
    let mut left: Vec<Group> = groups.to_vec();
    loop {
        let mut changed = false;
        for group in &mut left {
            let yes = group.members.iter().any(|&n| fixed[n.index()] == Some(true));
            group.members.retain(|&n| fixed[n.index()].is_none());
            let last = group.exact && group.members.len() == 1;
            if yes || last {
                changed |= !group.members.is_empty();
                for &node in &group.members {
                    fixed[node.index()] = Some(!yes);
                }
                group.members.clear();
            }
            group.exact &= !yes;
        }
        left.retain(|group| group.members.len() > 1);
        if !changed {
            return left;
        }
    }
}
