//! A short form of the targets of learning, with exact results: budgets are counted in games, so the
//! same seeds give the same figures on every machine. `cargo xtask learn` has the long forms.

use std::ops::ControlFlow;

use magister_core::Seed;
use magister_learn::ablations::{Small, Variant, measure};
use magister_learn::driver::{Chain, Plan, Progress, Settings, train};
use magister_learn::environment::{Cells as _, Environment as _};
use magister_learn::games::othello::{Discs, Othello};
use magister_learn::games::tictactoe::TicTacToe;
use magister_learn::games::twenty48::Twenty48;
use magister_learn::measure::{Greedy, mistakes};
use magister_learn::nibbles::{FOUR_TUPLES, Nibbles};
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tiles::play;
use magister_learn::tuples::TupleChoice;
use magister_learn::weights::Steps;

fn plan(games: u64, seed: u64) -> Plan {
    let seed = Seed::from(seed);
    Plan { games: Some(games), before: 0, done: 0.0, actors: 1, report: 100, seed }
}

fn go(_: &Progress) -> ControlFlow<(), f64> {
    ControlFlow::Continue(0.0)
}

/// Tic-Tac-Toe at full length: 10,000 games, 25 seeds, and no mistake from any position of up to
/// two plies.
#[test]
fn tictactoe_is_learned_with_every_seed() {
    let settings = Settings { epsilon: (0.3, 0.1), random_start: 2, ..Settings::default() };
    for seed in 0..25 {
        let shape = Shape::new(&TicTacToe.layout(), vec![(0..9).collect()], true).unwrap();
        let network = NTuple::new(shape, 2, 1, 0.0, Steps::Coherent);
        train(&|| TicTacToe, &network, &settings, &plan(10_000, seed), &go).unwrap();
        assert_eq!(mistakes(&TicTacToe, &network, settings.chain, 2), 0, "seed {seed}");
    }
}

/// After 1,000 games, 2048 is played far better than at random, which scores about 1,100, and two
/// plies of search play better than one.
#[test]
fn tiles_grow() {
    let env = Twenty48::default();
    let tuples = FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect();
    let network = Nibbles::new(tuples, 0.0, Steps::Coherent).unwrap();
    let settings = Settings { epsilon: (0.0, 0.0), squash: false, ..Settings::default() };
    train(&|| env.clone(), &network, &settings, &plan(1_000, 1), &go).unwrap();
    let mut rng = Seed::from(2).rng();
    let mut mean = |plies: u32, games: u32| {
        let total: f64 = (0..games).map(|_| play(&env, &network, plies, &mut rng).0).sum();
        total / f64::from(games)
    };
    let (alone, searched) = (mean(1, 50), mean(2, 10));
    assert!(alone > 7_000.0, "{alone}");
    assert!(searched > alone, "{searched} and {alone}");
}

/// After 3,000 games, Othello is won against random moves nearly always.
#[test]
fn othello_beats_random_moves() {
    let layout = Othello::default().layout();
    let walks = TupleChoice::Walks { count: 30, length: 5 };
    let tuples = walks.choose(&layout, &mut Seed::from(1).rng()).unwrap();
    let shape = Shape::new(&layout, tuples, true).unwrap().with_exchange(Chain::Own);
    let network = NTuple::new(shape, 2, 1, 0.0, Steps::Coherent);
    let settings = Settings { chain: Chain::Own, ..Settings::default() };
    train(&Othello::default, &network, &settings, &plan(3_000, 1), &go).unwrap();
    let mut greedy = Greedy::new(&Othello::default(), &network, Chain::Own);
    let (mut rng, mut buffer, mut total) = (Seed::from(3).rng(), Vec::new(), 0.0);
    for game in 0..100 {
        let (player, mut state) = (game % 2, Discs::default());
        while let Some(turn) = Othello::default().turn(&state) {
            state = if turn == player {
                greedy.decide(&state, &mut rng).unwrap().after
            } else {
                Othello::default().random_step(&state, &mut rng, &mut buffer).unwrap()
            };
        }
        total += Othello::default().result(&state, player);
    }
    assert!(total > 80.0, "{total}");
}

/// Final adaptation is decisive where each player learns from its own positions.
#[test]
fn final_adaptation_is_decisive() {
    let mean = |variant: Variant| {
        (0..5).map(|seed| measure(Small::Tictactoe, variant, seed, 1.0).unwrap()).sum::<f64>() / 5.0
    };
    let (with, without) = (mean(Variant::Standard), mean(Variant::NoFinalAdaptation));
    assert!(with + 5.0 < without, "{with} and {without} positions with mistakes");
}
