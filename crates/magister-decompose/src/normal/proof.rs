//! Proves that a game is one of normal play.

use magister_core::{Halt, Payment, Stop};
use magister_engine::Compiled;
use magister_engine::network::{Edge, Network, NodeId};

use crate::fold::{UNKNOWN, fold, gates};
use crate::prove::Prover;
use crate::support::facts;

/// The goal value of the role that cannot move and that of the other role, if it is proven that two
/// roles take turns, that the game ends exactly when the role to move has no move, and that this
/// role then has less than the other.
pub(super) fn last_mover_wins(
    compiled: &Compiled,
    stop: &Stop,
) -> Result<Option<(f64, f64)>, Halt> {
    let network: &Network = compiled.network();
    let info = compiled.info();
    if network.roles() != 2 || info.chance.is_some() || info.payment != Payment::AtEnd {
        return Ok(None);
    }
    let Some(turns) = &network.turns else { return Ok(None) };
    if turns.turn.contains(&Edge::FALSE) || !alternates(network) {
        return Ok(None);
    }
    // In non-terminal states, the role to move has an active move.
    let mut prover = Prover::new(network, &network.graph, stop);
    for role in 0..2 {
        let mut stuck = vec![prover.lit(turns.turn[role])];
        for &place in &turns.active[role] {
            stuck.push(!prover.lit(network.legal[place.index()]));
        }
        if !prover.never(&stuck) {
            stop.check()?;
            return Ok(None);
        }
    }
    // In terminal states, the role to move has no active move, and according to the goals it has
    // lost.
    let mut prover = Prover::anywhere(network, stop);
    let over = prover.lit(network.terminal);
    let (mut low, mut high) = (None, None);
    for role in 0..2 {
        let turn = prover.lit(turns.turn[role]);
        for &place in &turns.active[role] {
            let legal = prover.lit(network.legal[place.index()]);
            if !prover.never(&[over, turn, legal]) {
                stop.check()?;
                return Ok(None);
            }
        }
        for whose in 0..2 {
            let own = if whose == role { &mut low } else { &mut high };
            let mut values = Vec::new();
            for goal in network.goals.iter().filter(|goal| goal.role.index() == whose) {
                let when = prover.lit(goal.when);
                if !prover.never(&[over, turn, when]) {
                    values.push((goal.value, !prover.never(&[over, turn, !when])));
                }
            }
            // One goal always holds, and no other ever does.
            let [(Some(value), false)] = values[..] else { return Ok(None) };
            #[expect(clippy::float_cmp, reason = "goal values are compared, not computed")]
            if own.is_some_and(|known| known != value) {
                return Ok(None);
            }
            *own = Some(value);
        }
    }
    stop.check()?;
    Ok(low.zip(high).filter(|(low, high)| low < high))
}

/// The values of fluents that the turn of a role determines, with the consequences of the
/// invariants.
pub(super) fn in_turn(network: &Network, role: usize) -> Vec<(NodeId, bool)> {
    let Some(turns) = &network.turns else { return Vec::new() };
    let mut known: Vec<(NodeId, bool)> = facts(network, &[turns.turn[role]])
        .into_iter()
        .filter(|edge| (1..=network.fluents()).contains(&edge.node().index()))
        .map(|edge| (edge.node(), !edge.negated()))
        .collect();
    known.sort_unstable();
    known
}

/// Whether the roles alternate: after the turn of one role the other has the turn, whatever the
/// rest of the state is.
fn alternates(network: &Network) -> bool {
    let wires = gates(&network.graph, network.next.iter().copied());
    (0..2).all(|role| {
        let mut values = vec![UNKNOWN; network.graph.len()];
        values[0] = 1;
        for (node, value) in in_turn(network, role) {
            values[node.index()] = u8::from(value);
        }
        fold(&network.graph, &wires, &mut values);
        in_turn(network, 1 - role).into_iter().all(|(node, value)| {
            let next = network.next[node.index() - 1];
            match values[next.node().index()] {
                UNKNOWN => false,
                then => ((then == 1) != next.negated()) == value,
            }
        })
    })
}
