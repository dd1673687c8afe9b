//! The role to move in a sweep. If two roles strictly take turns, all lanes are in the same phase,
//! and a sweep runs only the tapes of the role to move.

use crate::network::{Edge, FluentId, Graph, MoveId, Network, NodeId, Turns};

/// The states in which a role has its turn.
#[derive(Debug)]
pub(super) struct Phase {
    turn: Edge,
    /// The assumptions about these states.
    pub(super) known: (Graph, Edge),
}

impl Phase {
    /// The alternating phases of a game with their networks: two, or none.
    pub(super) fn of(network: &Network) -> Vec<(Phase, &Network, Turns)> {
        let (Some(turns), Some(sides)) = (&network.turns, network.alternating()) else {
            return Vec::new();
        };
        sides
            .iter()
            .map(|side| {
                let phase = Phase { turn: side.turn, known: side.known.clone() };
                (phase, &side.network, turns_of(turns, side.turn, &side.network))
            })
            .collect()
    }

    /// The fluent that marks the role's turn, and whether it does so by being false.
    pub(super) fn fluent(&self) -> (FluentId, bool) {
        (self.turn.node().fluent(), self.turn.negated())
    }

    /// Whether it is the role's turn in a state.
    pub(super) fn has_turn(&self, state: &[u64]) -> bool {
        let fluent = self.turn.node().fluent().index();
        let holds = state.get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1);
        holds != self.turn.negated()
    }

    /// Whether a state belongs to this phase.
    pub(super) fn holds(&self, state: &[u64]) -> bool {
        let (graph, known) = &self.known;
        let fluents =
            |node: usize| state.get((node - 1) / 64).map_or(0, |w| w >> ((node - 1) % 64));
        let mut wires = vec![true; graph.len()];
        let value = |wires: &[bool], e: Edge| wires[e.node().index()] != e.negated();
        for node in 1..graph.len() {
            wires[node] = if node <= graph.inputs() {
                fluents(node) & 1 == 1
            } else {
                graph.children(NodeId::new(node)).iter().all(|&e| value(&wires, e))
            };
        }
        value(&wires, self.turn) && value(&wires, *known)
    }
}

/// The turns in the states of one role.
fn turns_of(turns: &Turns, turn: Edge, network: &Network) -> Turns {
    let mine = |role: usize| turns.turn[role] == turn;
    let possible = |moves: &Vec<MoveId>| -> Vec<MoveId> {
        moves.iter().copied().filter(|&at| network.legal[at.index()] != Edge::FALSE).collect()
    };
    let roles = 0..turns.turn.len();
    Turns {
        turn: roles.clone().map(|r| if mine(r) { Edge::TRUE } else { Edge::FALSE }).collect(),
        active: roles
            .clone()
            .map(|r| if mine(r) { possible(&turns.active[r]) } else { Vec::new() })
            .collect(),
        resting: turns.resting.iter().map(possible).collect(),
        passing: roles.map(|r| mine(r) && turns.passing[r]).collect(),
    }
}
