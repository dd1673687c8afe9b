//! Positions: their constants, and the values of the rest.

use magister_core::{Budget, Game, Move, Role, Seed, Step, Stop, Worker};
use magister_decompose::{Position, PositionValues};
use magister_solve::{Solution, SolveLimits};

use crate::common;

fn random_move(worker: &mut dyn Worker, rng: &mut magister_core::Rng) {
    let joint: Vec<Move> = worker
        .info()
        .all_roles()
        .map(|role| {
            let legal = worker.legal(role);
            legal[rng.below(legal.len() as u64) as usize]
        })
        .collect();
    worker.step(&joint, &mut Step::new(), &Stop::never()).expect("a legal move");
}

/// Constants hold in all later positions of random play, and the rest has the value of the position
/// and the same best moves.
#[test]
fn what_is_left_has_the_same_value() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games");
    let stop = Stop::never();
    let (mut compared, mut split) = (0, 0);
    for name in ["heaps", "heaps-misere", "pins", "dominoes", "tables", "dials", "three"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.kif"))).expect("rules");
        let game = common::game(name, &text);
        let limits = SolveLimits::default();
        let plain = Solution::of_game(&**game, Role(0), &limits, &mut Budget::until(stop.clone()))
            .expect("a solution");
        let mut rng = Seed::from(5).rng();
        for _ in 0..6 {
            let mut worker = game.worker();
            worker.reset();
            for _ in 0..=rng.below(3) {
                if !worker.terminal() {
                    random_move(&mut *worker, &mut rng);
                }
            }
            if worker.terminal() {
                continue;
            }
            let mut state = Vec::new();
            worker.save(&mut state);
            let constants = Position::constants(game.compiled(), &state);
            for _ in 0..20 {
                worker.load(&state, &stop).expect("a state");
                while !worker.terminal() {
                    random_move(&mut *worker, &mut rng);
                    let mut later = Vec::new();
                    worker.save(&mut later);
                    for &(fluent, value) in &constants {
                        assert_eq!(later[fluent / 64] >> (fluent % 64) & 1 == 1, value, "{name}");
                    }
                }
            }
            let position = Position::new(game.compiled(), &state, &stop).expect("a position");
            split += usize::from(position.whole.decomposes());
            let left = Solution::of_game(
                &position.game,
                Role(0),
                &limits,
                &mut Budget::until(stop.clone()),
            )
            .expect("a solution");
            assert_eq!(plain.values(&state), Some(left.value()), "{name}");
            worker.load(&state, &stop).expect("a state");
            let mut values =
                PositionValues::new(game.compiled(), position, &limits, &stop).expect("values");
            for role in game.info().players() {
                let Some(moves) = values.moves(&state, role, &stop).expect("moves") else {
                    continue;
                };
                let known = plain.moves(&state, role).expect("known moves");
                for one in moves {
                    let other = known.iter().find(|other| other.choice == one.choice);
                    let other = other.expect("the same moves");
                    if let (Some(a), Some(b)) = (one.value, other.value) {
                        assert!((a - b).abs() < 1e-6, "{name}: {a} {b}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 50 && split > 5, "{compared} moves compared, {split} positions split");
}
