//! The network as it is when a certain role has its turn. Much of a game where roles take turns is
//! only there for the other side: its moves, and often its lines and captures, since what was not
//! there when it last moved and does not come by another's move is not there now.

use magister_core::{Halt, Stop};

use super::graph::{Edge, Graph, Group};
use super::guess::Claim;
use super::invariant::{EFFORT, constants};
use super::pairs::share;
use super::sample::{Samples, evaluate, read, same};
use super::{InputId, MoveId, Network, NodeId, Turns, through};

/// Inputs of gates up to which a network is split into sides.
const LARGEST: usize = 60_000;

/// More wires than this that seem to be constant are not looked at, if the end of the game does
/// not depend on them directly.
const MANY: usize = 600;

/// Work that an attempt at a proof may cost for wires that the end of the game depends on.
const SURE: u64 = 3_000_000;

/// Words of random play to look at: steps times inputs of gates.
const SAMPLED: usize = 6_000_000;

/// The network of the states in which one role has its turn.
#[derive(Clone, Debug)]
pub struct PlayerNetwork {
    /// The fluent, negated or not, that is true in these states.
    pub turn: Edge,
    /// What is true in all of these states that play comes to, and is taken for granted: gates over
    /// the fluents, and the wire that says so.
    pub known: (Graph, Edge),
    /// The network, of the same fluents and moves. It tells nothing of other states.
    pub network: Network,
}

impl Network {
    /// The sides of a game in which roles take turns; none if they do not, or if it would not pay.
    pub(super) fn split(&self, stop: &Stop) -> Result<Vec<PlayerNetwork>, Halt> {
        let Some(turns) = &self.turns else { return Ok(Vec::new()) };
        let taking: Vec<usize> =
            (0..turns.turn.len()).filter(|&role| turns.turn[role] != Edge::FALSE).collect();
        if taking.len() < 2 || self.graph.edges() > LARGEST {
            return Ok(Vec::new());
        }
        let edges: Vec<Edge> = taking.iter().map(|&role| turns.turn[role]).collect();
        // What is true of a state in which the game goes on is the easiest to prove of the next.
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
            debug_assert!(same(self, &network, turn), "a side says what the whole says");
            let mut graph = self.graph.clone();
            let all = graph.and(known);
            let (graph, known) = share(&graph, &[all], stop)?;
            per_player.push(PlayerNetwork { turn, known: (graph, known[0]), network });
        }
        Ok(per_player)
    }

    /// What seems to be always true whenever one of these is: wires that depend on no move.
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
        // For every turn and node, in which games it was ever true, and ever false.
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
            // Of a turn that never came nothing is known.
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

    /// The network when a role has its turn and some wires are known to be true.
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

/// Groups without the members that are known, after what follows from those has become known too.
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
