//! The score of Skat.

use magister_core::{Game as _, Move, Seed, Step, Stop, draw};

/// The number of a store of the table in the text of a state.
fn number(state: &str, name: &str) -> i32 {
    let (_, rest) = state.split_once(&format!("(sto table.{name} ")).unwrap_or(("", "0)"));
    rest.split(')').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn a_game_below_the_bid_counts_as_a_multiple_of_its_base() {
    let game = crate::variants::game("skat");
    let mut worker = game.worker();
    let (mut step, mut state, mut goals) = (Step::new(), Vec::new(), Vec::new());
    let mut below = 0;
    for seed in 0..2000 {
        let mut rng = Seed::from(seed).rng();
        worker.reset();
        while !worker.terminal() {
            let joint: Vec<Move> = game
                .info()
                .all_roles()
                .map(|role| draw(worker.legal(role), &[], &mut rng).expect("a move"))
                .collect();
            worker.step(&joint, &mut step, &Stop::never()).expect("a step");
        }
        worker.save(&mut state);
        let text = game.text().state_text(&state);
        state.clear();
        let (bid, base) = (number(&text, "BID"), number(&text, "BASE"));
        for role in game.info().players() {
            worker.goals(role, &mut goals);
            let loss = -goals[0] as i32;
            if loss <= 0 || base == 0 {
                continue;
            }
            assert_eq!(loss % (2 * base), 0, "{text}");
            assert!(loss >= 2 * bid, "{text}");
            below += i32::from(base * number(&text, "TIMES") < bid);
        }
    }
    assert!(below > 10, "{below} games were below the bid");
}
