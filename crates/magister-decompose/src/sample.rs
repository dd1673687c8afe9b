//! Random play on a network, 64 games at once. Properties that it shows may be worth proving.

use magister_core::{Rng, Seed};
use magister_engine::network::{Edge, Graph, Network};

/// The number of steps of random play.
const STEPS: usize = 120;

/// The value of a wire in 64 games.
pub(crate) fn read(wires: &[u64], edge: Edge) -> u64 {
    let wire = wires[edge.node().index()];
    if edge.negated() { !wire } else { wire }
}

/// Computes all gates.
pub(crate) fn evaluate(graph: &Graph, wires: &mut [u64]) {
    wires[0] = !0;
    for node in graph.gate_nodes() {
        let value = graph.children(node).iter().fold(!0, |all, &edge| all & read(wires, edge));
        wires[node.index()] = value;
    }
}

/// Visits states of random play: `visit` gets the wires of 64 states before a move is made, and the
/// lanes with non-terminal states.
pub(crate) fn walk(network: &Network, steps: usize, mut visit: impl FnMut(&[u64], u64)) {
    let mut rng = Seed::from(7).rng();
    let fluents = network.fluents();
    let start: Vec<u64> = network.initial.iter().map(|&t| if t { !0 } else { 0 }).collect();
    let mut state = start.clone();
    let mut wires = vec![0; network.graph.len()];
    for _ in 0..steps {
        wires[1..].fill(0);
        wires[1..=fluents].copy_from_slice(&state);
        evaluate(&network.graph, &mut wires);
        let mut over = read(&wires, network.terminal);
        visit(&wires, !over);
        let legal: Vec<u64> = network.legal.iter().map(|&edge| read(&wires, edge)).collect();
        wires[1..].fill(0);
        wires[1..=fluents].copy_from_slice(&state);
        over |= choose(network, &legal, &mut wires, &mut rng);
        evaluate(&network.graph, &mut wires);
        for (fluent, word) in state.iter_mut().enumerate() {
            *word = (read(&wires, network.next[fluent]) & !over) | (start[fluent] & over);
        }
    }
}

/// Makes a random legal move of every role in every game. Returns the games in which a role has
/// none.
fn choose(network: &Network, legal: &[u64], wires: &mut [u64], rng: &mut Rng) -> u64 {
    let mut stuck = 0;
    for role in 0..network.roles() {
        let places: Vec<usize> =
            (0..legal.len()).filter(|&place| network.moves[place].0.index() == role).collect();
        for lane in 0..64 {
            let bit = 1u64 << lane;
            let count = places.iter().filter(|&&place| legal[place] & bit != 0).count();
            if count == 0 {
                match network.idle[role] {
                    Some(idle) => wires[idle.node().index()] |= bit,
                    None => stuck |= bit,
                }
                continue;
            }
            let pick = rng.below(count as u64) as usize;
            let place = places.iter().filter(|&&place| legal[place] & bit != 0).nth(pick);
            if let Some(&place) = place {
                wires[network.inputs[place].node().index()] |= bit;
            }
        }
    }
    stuck
}

/// Moves that were legal, but never together with another legal move of their role.
pub(crate) fn lone_moves(network: &Network) -> Vec<bool> {
    let moves = network.moves.len();
    let (mut seen, mut beside) = (vec![false; moves], vec![false; moves]);
    walk(network, STEPS, |wires, live| {
        let mut one = vec![0u64; network.roles()];
        let mut two = vec![0u64; network.roles()];
        for (place, &edge) in network.legal.iter().enumerate() {
            let role = network.moves[place].0.index();
            let word = read(wires, edge) & live;
            two[role] |= one[role] & word;
            one[role] |= word;
        }
        for (place, &edge) in network.legal.iter().enumerate() {
            let word = read(wires, edge) & live;
            seen[place] |= word != 0;
            beside[place] |= word & two[network.moves[place].0.index()] != 0;
        }
    });
    seen.iter().zip(beside).map(|(&seen, beside)| seen && !beside).collect()
}
