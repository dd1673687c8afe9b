//! Compares emitted code with the interpreted tapes on reachable states.

use magister_core::{Move, Seed};

use super::super::machine::{Lists, Machine};
use super::super::places::Places;
use crate::network::Network;

/// The length of the walk.
const STEPS: usize = 32;

/// Whether two machines of a network agree on all states of a random walk from the initial state.
pub(in super::super) fn walks_alike(
    network: &Network,
    places: &Places,
    initial: &[u64],
    mut one: impl Machine,
    mut other: impl Machine,
) -> bool {
    let mut rng = Seed::from(4).rng();
    let mut lists = [Lists::new(&places.ranges), Lists::new(&places.ranges)];
    let mut states = [initial.to_vec(), initial.to_vec()];
    let roles = network.roles();
    one.load(initial);
    other.load(initial);
    for _ in 0..STEPS {
        one.know_goals();
        other.know_goals();
        let goals = (0..network.goals.len()).all(|goal| one.goal(goal) == other.goal(goal));
        let weights = (0..network.weights.len()).all(|at| one.weight(at) == other.weight(at));
        let said = [one.terminal(), one.silent()] == [other.terminal(), other.silent()];
        one.legal(&mut lists[0]);
        other.legal(&mut lists[1]);
        let legal = (0..roles).all(|role| lists[0].of(role) == lists[1].of(role));
        if !goals || !weights || !said || !legal {
            return false;
        }
        if one.terminal() {
            one.load(initial);
            other.load(initial);
            continue;
        }
        let mut inputs = Vec::new();
        for role in 0..roles {
            let legal = lists[0].of(role);
            let choice = match legal.len() {
                0 => Move::IDLE,
                count => legal[rng.below(count as u64) as usize],
            };
            inputs.extend(places.input(role, choice));
        }
        if inputs.len() < roles {
            return true; // A role is stuck, which does not concern the code.
        }
        one.moves(&inputs);
        other.moves(&inputs);
        let percepts = (0..network.percepts.len()).all(|at| one.percept(at) == other.percept(at));
        let gains = (0..network.gains.len()).all(|at| one.gain(at) == other.gain(at));
        one.advance(&inputs);
        other.advance(&inputs);
        one.save(&mut states[0]);
        other.save(&mut states[1]);
        if !percepts || !gains || states[0] != states[1] {
            return false;
        }
    }
    true
}
