//! The yardsticks play the right games.
#![allow(clippy::print_stderr)]

use magister_benches::games::GAMES;
use magister_benches::sliced::Sliced;
use magister_benches::tictactoe::TicTacToe;
use magister_benches::{Bitboard, Counts, End, Random};
use magister_core::{Game, Move, Step, Stop, Worker};
use magister_engine::{Evaluator, prepare};
use magister_gdl::{Options, read};

/// The number of playouts of each game in a short test.
const PLAYOUTS: [u64; 4] = [400_000, 200_000, 60_000, 15_000];

#[test]
fn random_play_agrees_with_known_results() {
    for (game, count) in GAMES.iter().zip(PLAYOUTS) {
        let counts = (game.playouts)(count, &mut Random::new(7));
        let (length, shares) = (counts.mean_length(), counts.shares());
        assert!(game.plausible_counts(&counts), "{}: {length}, {shares:?}", game.title);
    }
}

#[test]
fn sliced_random_play_agrees() {
    let mut games = Sliced::new(7);
    // Enough sweeps that the unfinished games, whose moves are counted, do not matter.
    let counts = games.sweeps(20_000);
    let (length, shares) = (counts.mean_length(), counts.shares());
    assert!(GAMES[1].plausible_counts(&counts), "{length}, {shares:?}");
    assert!(games.sweeps(0).playouts == 0);
}

/// The exact probability of each result, and the exact expected number of moves.
#[test]
fn tic_tac_toe_is_exact() {
    fn walk(board: TicTacToe, moves: u32, chance: f64, sums: &mut [f64; 4]) {
        let mut next = Vec::new();
        board.each(|after, end| next.push((after, end)));
        let chance = chance / next.len() as f64;
        for (after, end) in next {
            match end {
                None => walk(after, moves + 1, chance, sums),
                Some(end) => {
                    let first = moves.is_multiple_of(2);
                    sums[match end {
                        End::Drawn => 2,
                        End::Won => usize::from(!first),
                        End::Lost => usize::from(first),
                    }] += chance;
                    sums[3] += chance * f64::from(moves + 1);
                }
            }
        }
    }
    let mut sums = [0.0; 4];
    walk(TicTacToe::START, 0, 1.0, &mut sums);
    let expected = [737.0 / 1260.0, 121.0 / 420.0, 8.0 / 63.0];
    assert!(sums.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{sums:?}");
    let counts = (GAMES[0].playouts)(400_000, &mut Random::new(1));
    assert!((counts.mean_length() - sums[3]).abs() < 5.0 * 1.3 / 400_000f64.sqrt());
}

#[test]
fn paths_agree_with_known_counts() {
    let known: [&[u64]; 4] = [
        &[9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872],
        &[7, 49, 343, 2_401, 16_807, 117_649, 823_536],
        &[22, 484, 11_132, 256_036],
        &[4, 12, 56, 244, 1_396, 8_200, 55_092],
    ];
    for (game, known) in GAMES.iter().zip(known) {
        let counted: Vec<u64> = (1..=known.len() as u32).map(game.perft).collect();
        assert_eq!(counted, known, "{}", game.title);
    }
}

/// The same rules as the rulesheets with which the engine is measured.
#[test]
fn paths_agree_with_the_rulesheets() {
    for (game, depths) in GAMES.iter().zip([5, 4, 3, 5]) {
        let Some((from, text)) = game.rules() else {
            eprintln!("SKIPPED: no rulesheet of {} (set MAGISTER_ORACLE)", game.title);
            continue;
        };
        let rules = read(&text, &Options::default()).rules;
        let prepared =
            prepare(&rules, &text, game.name, Some(Evaluator::Sweep), &Stop::never()).unwrap();
        for depth in 1..=depths {
            let paths = paths(prepared.game.as_ref(), depth);
            assert_eq!(paths, (game.perft)(depth), "{} of {from}, depth {depth}", game.title);
        }
    }
}

fn paths(game: &dyn Game, depth: u32) -> u64 {
    let mut worker = game.worker();
    worker.reset();
    below(worker.as_mut(), depth)
}

fn below(worker: &mut dyn Worker, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if worker.terminal() {
        return 0;
    }
    let roles: Vec<Vec<Move>> =
        worker.info().all_roles().map(|role| worker.legal(role).to_vec()).collect();
    let joints = roles.iter().fold(vec![Vec::new()], |joints, moves| {
        let with = |joint: &Vec<Move>, &one: &Move| [joint.as_slice(), &[one]].concat();
        joints.iter().flat_map(|joint| moves.iter().map(move |m| with(joint, m))).collect()
    });
    let mut state = Vec::new();
    worker.save(&mut state);
    let mut paths = 0;
    for joint in joints {
        worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
        paths += below(worker, depth - 1);
        worker.load(&state, &Stop::never()).unwrap();
    }
    paths
}

#[test]
fn same_seed_same_games() {
    for game in GAMES {
        let play = |seed| (game.playouts)(1_000, &mut Random::new(seed));
        assert_eq!(play(5), play(5), "{}", game.title);
        assert_ne!(play(5), play(6), "{}", game.title);
    }
    assert_eq!(Sliced::new(5).sweeps(200), Sliced::new(5).sweeps(200));
    assert_ne!(Sliced::new(5).sweeps(200), Counts::default());
}
