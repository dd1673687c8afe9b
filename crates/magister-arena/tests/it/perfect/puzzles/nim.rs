//! Larger heaps, compared with C. Bouton's theorem. `cargo xtask perfect` asks in all of their
//! positions.

use std::sync::Arc;

use magister_core::{Budget, Observation, Role, Seed, Step, Stop, Turn, View};
use magister_players::Spec;

fn heaps(text: &str) -> Vec<u32> {
    let words: Vec<&str> = text.split(['(', ')', ' ']).filter(|word| !word.is_empty()).collect();
    let heap = |at: &usize| words[*at] == "heap";
    (0..words.len()).filter(heap).map(|at| words[at + 2].parse().expect("a number")).collect()
}

/// Whether the player to move loses misère Nim: the nim-sum must be zero while some heap has more
/// than one match, and one otherwise.
fn lost(heaps: &[u32]) -> bool {
    let small = heaps.iter().all(|&heap| heap <= 1);
    heaps.iter().fold(0, |sum, heap| sum ^ heap) == u32::from(small)
}

#[test]
fn won_positions_are_won() {
    let mut rng = Seed::from(9).rng();
    for name in ["nim-11-12-15-25", "nim-12-12-20-20"] {
        let game = super::super::game(name);
        let (mut asked, mut won) = (0, 0);
        while asked < 30 {
            let mut worker = game.worker();
            let mut turns = Vec::new();
            let (mut step, mut state) = (Step::new(), Vec::new());
            let sizes = loop {
                worker.save(&mut state);
                let sizes = heaps(&game.text().state_text(&state));
                if worker.terminal() || sizes.iter().map(|heap| heap + 1).product::<u32>() < 1_500 {
                    break sizes;
                }
                let mut joint = Vec::new();
                for role in [Role(0), Role(1)] {
                    let legal = worker.legal(role);
                    joint.push(legal[rng.below(legal.len() as u64) as usize]);
                }
                worker.step(&joint, &mut step, &Stop::never()).expect("legal");
                turns.push(joint);
            };
            let Some(role) = [Role(0), Role(1)].into_iter().find(|&r| worker.legal(r).len() > 1)
            else {
                continue;
            };
            asked += 1;
            if lost(&sizes) {
                continue;
            }
            won += 1;
            let mut view = View::new(Arc::clone(&game), role);
            for joint in &turns {
                let seen = Observation::Joint(joint.clone().into());
                view.push(Turn { own: joint[role.index()], seen });
            }
            let mut agent = "uct".parse::<Spec>().expect("a player").agent();
            let decided = agent.decide(&view, &mut Budget::iterations(40_000), &mut rng);
            let choice = decided.expect("a move").choice;
            let mut joint = vec![worker.legal(Role(0))[0], worker.legal(Role(1))[0]];
            joint[role.index()] = choice;
            worker.step(&joint, &mut step, &Stop::never()).expect("legal");
            worker.save(&mut state);
            let left = heaps(&game.text().state_text(&state));
            assert!(lost(&left), "{name}: from {sizes:?} to {left:?}");
        }
        assert!(won > 10, "{name}: {won}");
    }
}
