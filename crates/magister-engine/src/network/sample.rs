//! Random play on a network, 64 games at once. Properties that it shows may be worth proving.

use magister_core::{Rng, Role, Seed};

use super::graph::{Edge, Graph};
use super::{FluentId, Network};

/// States of random play.
pub(super) struct Samples {
    /// For every step and fluent, the games in which it was true.
    states: Vec<Vec<u64>>,
}

impl Samples {
    /// Plays at random with a fixed seed, so that nothing depends on chance or on the clock.
    pub(super) fn new(network: &Network, steps: usize) -> Self {
        let mut rng = Seed::from(1).rng();
        let fluents = network.fluents();
        let start: Vec<u64> = network.initial.iter().map(|&t| if t { !0 } else { 0 }).collect();
        let mut state = start.clone();
        let mut states = Vec::with_capacity(steps);
        let mut wires = vec![0; network.graph.len()];
        for _ in 0..steps {
            states.push(state.clone());
            wires[1..].fill(0);
            wires[1..=fluents].copy_from_slice(&state);
            evaluate(&network.graph, &mut wires);
            let legal: Vec<u64> = network.legal.iter().map(|&e| read(&wires, e)).collect();
            let mut over = read(&wires, network.terminal);
            wires[1..].fill(0);
            wires[1..=fluents].copy_from_slice(&state);
            over |= choose(network, &legal, &mut wires, &mut rng);
            evaluate(&network.graph, &mut wires);
            for (fluent, word) in state.iter_mut().enumerate() {
                *word = (read(&wires, network.next[fluent]) & !over) | (start[fluent] & over);
            }
        }
        Self { states }
    }

    /// For every step and fluent, the games in which it was true.
    pub(super) fn states(&self) -> &[Vec<u64>] {
        &self.states
    }

    /// Whether no two of these fluents were ever true together, and whether one of them always was.
    pub(super) fn exclusive(&self, fluents: &[FluentId]) -> (bool, bool) {
        let (mut two, mut always) = (0, !0);
        for state in &self.states {
            let mut one = 0;
            for &fluent in fluents {
                let word = state[fluent.index()];
                two |= one & word;
                one |= word;
            }
            always &= one;
        }
        (two == 0, always == !0)
    }

    /// Whether the first fluent occurred, but never without the second, and the second was not
    /// always true.
    pub(super) fn implies(&self, a: FluentId, b: FluentId) -> bool {
        let (mut seen, mut missing) = (0, 0);
        for state in &self.states {
            let (a, b) = (state[a.index()], state[b.index()]);
            if a & !b != 0 {
                return false;
            }
            seen |= a;
            missing |= !b;
        }
        seen != 0 && missing != 0
    }
}

pub(super) fn read(wires: &[u64], edge: Edge) -> u64 {
    let wire = wires[edge.node().index()];
    if edge.negated() { !wire } else { wire }
}

pub(super) fn evaluate(graph: &Graph, wires: &mut [u64]) {
    wires[0] = !0;
    for node in graph.gate_nodes() {
        wires[node.index()] =
            graph.children(node).iter().fold(!0, |all, &edge| all & read(wires, edge));
    }
}

/// Chooses a legal move of every role in every game. Returns the games in which a role has none.
fn choose(network: &Network, legal: &[u64], wires: &mut [u64], rng: &mut Rng) -> u64 {
    let mut stuck = 0;
    for (role, &idle) in network.idle.iter().enumerate() {
        let places = network.places(Role(role as u8));
        for lane in 0..64 {
            let bit = 1u64 << lane;
            let count = legal[places.clone()].iter().filter(|&word| word & bit != 0).count();
            if count == 0 {
                match idle {
                    Some(input) => wires[input.node().index()] |= bit,
                    None => stuck |= bit,
                }
                continue;
            }
            let pick = rng.below(count as u64) as usize;
            let at = places.clone().filter(|&at| legal[at] & bit != 0).nth(pick);
            if let Some(at) = at {
                wires[network.inputs[at].node().index()] |= bit;
            }
        }
    }
    stuck
}

/// The length of the random play for comparing networks.
const COMPARED: usize = 40;

/// Whether two networks of the same game agree on all states of random play in which a wire is
/// true.
pub(super) fn same(one: &Network, other: &Network, when: Edge) -> bool {
    let mut rng = Seed::from(2).rng();
    let steps = (20_000_000 / one.graph.edges().max(1)).min(COMPARED);
    let samples = Samples::new(one, steps);
    let fluents = one.fluents();
    let mut values = [vec![0; one.graph.len()], vec![0; other.graph.len()]];
    samples.states.iter().all(|state| {
        let mut asked = !0;
        let mut outputs = [one, other].into_iter().zip(&mut values).map(|(network, wires)| {
            wires[1..].fill(0);
            wires[1..=fluents].copy_from_slice(state);
            evaluate(&network.graph, wires);
            asked = read(wires, when);
            let mut said: Vec<u64> = network.legal.iter().map(|&e| read(wires, e)).collect();
            said.push(read(wires, network.terminal));
            said.push(read(wires, network.silent));
            said.extend(network.goals.iter().map(|goal| read(wires, goal.when)));
            said.extend(network.weights.iter().map(|weight| read(wires, weight.when)));
            said
        });
        let (first, second) =
            (outputs.next().unwrap_or_default(), outputs.next().unwrap_or_default());
        if first.iter().zip(&second).any(|(a, b)| (a ^ b) & asked != 0) {
            return false;
        }
        // The same moves are made in both; finished and stuck games are not compared.
        let inputs = one.graph.inputs();
        let mut chosen = vec![0; one.graph.len()];
        let over =
            first[one.legal.len()] | choose(one, &first[..one.legal.len()], &mut chosen, &mut rng);
        let mut outputs = [one, other].into_iter().zip(&mut values).map(|(network, wires)| {
            wires[fluents + 1..=inputs].copy_from_slice(&chosen[fluents + 1..=inputs]);
            evaluate(&network.graph, wires);
            let next = network.next.iter().copied();
            next.chain(network.of_steps())
                .map(|e| read(wires, e) & asked & !over)
                .collect::<Vec<u64>>()
        });
        outputs.next() == outputs.next()
    })
}
