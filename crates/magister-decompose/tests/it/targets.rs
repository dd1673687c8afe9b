//! The subgames of puzzles, derived from their goals.

use magister_core::{Game as _, Move, Role, Seed, Step, Stop};
use magister_decompose::Targets;

use crate::common;

/// The states of subgames follow the game in random play, and never exclude a goal that is reached.
fn follows(name: &str, text: &str, expected: usize) {
    let game = common::game(name, text);
    let stop = Stop::never();
    let targets = Targets::new(&**game, &stop).expect("no halt").expect("subgames");
    assert_eq!(targets.len(), expected, "{name}");
    let mut rng = Seed::from(3).rng();
    let (mut worker, mut state, mut goals) = (game.worker(), Vec::new(), Vec::new());
    for _ in 0..30 {
        worker.reset();
        while !worker.terminal() {
            worker.save(&mut state);
            let legal = worker.legal(Role(0));
            let choice: Move = legal[rng.below(legal.len() as u64) as usize];
            let before: Vec<_> = (0..targets.len()).map(|at| targets.project(at, &state)).collect();
            worker.step(&[choice], &mut Step::new(), &stop).expect("a legal move");
            worker.save(&mut state);
            for (at, old) in before.iter().enumerate() {
                let now = targets.project(at, &state);
                let act = targets.acts(choice).iter().find(|act| act.0 as usize == at);
                match act {
                    Some(&(_, place)) => {
                        let next = targets.successors(at, old);
                        assert_eq!(next[place as usize].as_ref(), Some(&now), "{name}");
                    }
                    None => assert_eq!(*old, now, "{name}"),
                }
            }
        }
        worker.goals(Role(0), &mut goals);
        for at in 0..targets.len() {
            let bound = targets.bound(at, &targets.project(at, &state));
            assert!(bound.is_some_and(|bound| bound >= goals[0]), "{name}: {bound:?} {goals:?}");
        }
    }
}

#[test]
fn rows_and_columns_of_a_nonogram() {
    let Some(text) = common::oracle("nonogram_5x5_1") else { return };
    follows("nonogram_5x5_1", &text, 10);
}

#[test]
fn blocks_and_maze() {
    follows("incredible", &common::bundled("incredible"), 2);
}
