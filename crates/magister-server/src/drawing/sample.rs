//! Fluents and states of a game, from which its picture is learned.

use magister::Playable;
use magister::engine::Ground;
use magister_core::{Game, Move, Seed, Step, Stop, draw};
use rustc_hash::FxHashSet;

/// The number of states of random play that are drawn for a game without a list of fluents.
const SAMPLES: usize = 120;
/// The maximum number of fluents of a game that are listed.
const FLUENTS: usize = 100_000;

/// The fluents of a game, and whether the list is complete.
pub(super) fn fluents(playable: &Playable) -> (Vec<Ground>, bool) {
    if let Some(network) = playable.network() {
        let network = network.network();
        if network.fluents.len() <= FLUENTS {
            let all = network.fluents.iter().map(|&term| network.terms.export(term));
            return (all.collect(), true);
        }
    }
    let game = &*playable.game;
    let mut known = FxHashSet::default();
    let mut all = Vec::new();
    for state in sample(game, 9) {
        for fluent in magister::engine::board::fluents(game, &state) {
            if known.insert(fluent.text(magister_gdl::Syntax::Kif)) {
                all.push(fluent);
            }
        }
    }
    (all, false)
}

/// A few states of random play, the initial one first.
pub(crate) fn sample(game: &dyn Game, seed: u64) -> Vec<Vec<u64>> {
    let info = game.info();
    let mut worker = game.worker();
    let mut step = Step::new();
    let mut states = Vec::new();
    let mut rng = Seed::from(seed).rng();
    worker.reset();
    while states.len() < SAMPLES {
        let mut state = Vec::new();
        worker.save(&mut state);
        states.push(state);
        let choose = |role| {
            let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
            draw(worker.legal(role), weights, &mut rng)
        };
        let joint: Option<Vec<Move>> = info.all_roles().map(choose).collect();
        match joint.filter(|_| !worker.terminal()) {
            Some(joint) if worker.step(&joint, &mut step, &Stop::never()).is_ok() => {}
            _ if states.len() < SAMPLES / 2 => worker.reset(),
            _ => break,
        }
    }
    states
}
