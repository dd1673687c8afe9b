//! Learning with policy-and-value networks.

use std::ops::ControlFlow;
use std::sync::Arc;

use magister_core::{
    Budget, Evaluate as _, Evaluations, Game, Move, Native, Positions, Role, Seed, Step, Stop,
    Worker,
};
use magister_learn::az::{AzFile, AzLearner, AzSearch, AzSettings, Form, Size};
use magister_learn::driver::{Plan, Progress};
use magister_learn::{AgentFile, AgentType, FileError, TrainError};

// Games of the catalogue, without the rest of it, which would multiply the time to compile.
#[path = "../../magister-games/src/native/connect_four.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod connect_four;
#[path = "../../magister-games/src/native/kuhn_poker.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod kuhn_poker;
#[path = "../../magister-games/src/native/nim.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod nim;
#[path = "../../magister-games/src/native/rock_paper_scissors.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod rock_paper_scissors;
#[path = "../../magister-games/src/native/tictactoe.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod tictactoe;
#[path = "../../magister-games/src/native/twenty48.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod twenty48;

fn open(name: &str) -> Arc<dyn Game> {
    match name {
        "connect-four" => Arc::new(Native::new(connect_four::ConnectFour)),
        "kuhn-poker" => Arc::new(Native::new(kuhn_poker::KuhnPoker)),
        "nim" => Arc::new(Native::new(nim::Nim::new(3, &[3, 4, 5]).unwrap())),
        "rock-paper-scissors" => Arc::new(Native::new(rock_paper_scissors::RockPaperScissors)),
        "2048" => Arc::new(Native::new(twenty48::Twenty48)),
        _ => Arc::new(Native::new(tictactoe::TicTacToe)),
    }
}

fn plan(games: u64, threads: usize) -> Plan {
    Plan {
        games: Some(games),
        before: 0,
        done: 0.0,
        actors: threads,
        report: 1,
        seed: Seed::from(1),
    }
}

/// Settings for small games and short tests.
fn small() -> AzSettings {
    AzSettings {
        size: Size { channels: Some(16), blocks: Some(1), ..Size::default() },
        simulations: 12,
        games: 32,
        batch: 64,
        alpha: (5e-3, 5e-4),
        ..AzSettings::default()
    }
}

fn trained(game: &Arc<dyn Game>, settings: AzSettings, games: u64, threads: usize) -> AzLearner {
    let mut learner = AzLearner::new(game, settings, 1).unwrap();
    learner.train(&plan(games, threads), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    learner
}

fn state(worker: &dyn Worker) -> Vec<u64> {
    let mut state = Vec::new();
    worker.save(&mut state);
    state
}

/// The role to move, with its legal moves, in a game in which the roles take turns.
fn turn(game: &dyn Game, worker: &dyn Worker) -> (Role, Vec<Move>) {
    let role = game.info().players().find(|&role| worker.legal(role).len() > 1);
    let role = role.unwrap_or_else(|| {
        let moves = |&role: &Role| worker.legal(role).iter().any(|m| !noop(game, *m));
        game.info().players().find(moves).unwrap()
    });
    (role, worker.legal(role).to_vec())
}

fn noop(game: &dyn Game, choice: Move) -> bool {
    choice == Move::IDLE || game.text().move_text(choice) == "noop"
}

fn after(game: &dyn Game, worker: &mut dyn Worker, from: &[u64], role: Role, choice: Move) {
    worker.load(from, &Stop::never()).unwrap();
    let joint: Vec<Move> = game
        .info()
        .all_roles()
        .map(|other| if other == role { choice } else { worker.legal(other)[0] })
        .collect();
    worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
}

/// The number of descents of a short search.
const SHORT: u64 = 24;

/// The worst result of a short search, as `me`, over all sequences of replies.
fn worst(game: &Arc<dyn Game>, worker: &mut dyn Worker, search: &mut AzSearch, me: Role) -> f64 {
    if worker.terminal() {
        let mut goals = Vec::new();
        worker.goals(me, &mut goals);
        return goals[0];
    }
    let here = state(worker);
    let (role, legal) = turn(&**game, worker);
    let moves = if role == me && legal.len() > 1 {
        let mut rng = Seed::from(1).rng();
        search.run(&here, &mut Budget::iterations(SHORT), &mut rng).unwrap();
        vec![search.best(role).unwrap()]
    } else {
        legal
    };
    let mut least = f64::INFINITY;
    for choice in moves {
        after(&**game, worker, &here, role, choice);
        least = least.min(worst(game, worker, search, me));
    }
    least
}

#[test]
fn tictactoe_is_learned_to_perfect_play() {
    let game = open("tictactoe");
    let perfect = |games: u64, seed: u64| {
        let mut learner = AzLearner::new(&game, small(), seed).unwrap();
        learner.train(&plan(games, 1), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
        // Tic-Tac-Toe is a draw, so a perfect player never gets less than half.
        game.info().players().all(|me| {
            let mut search = learner.search(1.25, 1, 1 << 20);
            worst(&game, &mut *game.worker(), &mut search, me) >= 50.0
        })
    };
    // Short trainings differ: a mistake in one position is enough.
    let learned: Vec<bool> = (1..=5).map(|seed| perfect(2_500, seed)).collect();
    assert!(learned.iter().filter(|&&perfect| perfect).count() >= 3, "{learned:?}");
    // The search alone is too short.
    assert!(!(1..=5).any(|seed| perfect(32, seed)));
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let game = open("tictactoe");
    let settings = || AzSettings { games: 64, ..small() };
    let one = trained(&game, settings(), 200, 1);
    let two = trained(&game, settings(), 200, 2);
    assert!(one.file().to_bytes(true) == two.file().to_bytes(true));
    let other = AzLearner::new(&game, settings(), 2).unwrap();
    assert!(other.file().weights != AzLearner::new(&game, settings(), 1).unwrap().file().weights);
}

#[test]
fn files_are_read_as_written_and_training_goes_on() {
    let game = open("tictactoe");
    let learner = trained(&game, small(), 50, 1);
    let file = learner.file();
    let bytes = file.to_bytes(true);
    assert_eq!(AgentType::of(&bytes), Ok(AgentType::Network));
    assert_eq!(AzFile::from_bytes(&bytes).as_ref(), Ok(&file));
    let slim = AzFile::from_bytes(&file.to_bytes(false)).unwrap();
    assert_eq!((&slim.weights, slim.moments), (&file.weights, None));
    let games = learner.header().games;
    let mut resumed = AzLearner::open(&game, AzFile::from_bytes(&bytes).unwrap()).unwrap();
    resumed.train(&plan(games + 200, 1), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
    assert!(resumed.header().games >= games + 200);
    assert!(resumed.header().steps > learner.header().steps);
    assert!(resumed.file().weights != file.weights);
}

#[test]
fn broken_foreign_and_newer_files_are_refused() {
    let game = open("tictactoe");
    let settings = AzSettings { games: 1, ..small() };
    let learner = AzLearner::new(&game, settings, 1).unwrap();
    let file = learner.file();
    let bytes = file.to_bytes(false);
    assert_eq!(AzFile::from_bytes(b"(role x)"), Err(FileError::Foreign));
    for cut in (0..bytes.len()).step_by(97) {
        assert!(AzFile::from_bytes(&bytes[..cut]).is_err(), "{cut}");
    }
    for at in (0..bytes.len()).step_by(41) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        if let Ok(read) = AzFile::from_bytes(&changed) {
            assert_eq!(read.weights, file.weights, "{at}");
        }
    }
    let mut newer = file.clone();
    newer.header.version = 99;
    assert_eq!(AzFile::from_bytes(&newer.to_bytes(false)), Err(FileError::Newer(99)));
    let mut impossible = file.clone();
    impossible.header.shape.players = 0;
    let error = AzFile::from_bytes(&impossible.to_bytes(false)).unwrap_err();
    assert!(matches!(error, FileError::Damaged(_)), "{error}");
    // The other type of agent, in both directions.
    let error = AgentFile::from_bytes(&bytes).unwrap_err();
    assert_eq!(error, FileError::OtherType(AgentType::Network));
    assert!(error.to_string().contains("az:file=FILE"));
    let other = open("connect-four");
    let error = AzLearner::open(&other, file).unwrap_err();
    assert!(matches!(error, FileError::OtherRules { .. }), "{error}");
}

/// Three players, simultaneous moves, and one player with chance and rewards on the way.
#[test]
fn every_kind_of_game_with_perfect_information_can_be_learned() {
    for name in ["nim", "rock-paper-scissors", "2048"] {
        let game = open(name);
        let settings = AzSettings {
            simulations: 4,
            games: 4,
            longest: 40,
            batch: 16,
            size: Size { channels: Some(8), blocks: Some(1), ..Size::default() },
            ..AzSettings::default()
        };
        let learner = trained(&game, settings, 8, 1);
        assert!(learner.header().games >= 8 && learner.header().steps > 0, "{name}");
        let players: Vec<Role> = game.info().players().collect();
        let mut worker = game.worker();
        let (mut rng, mut joint) = (Seed::from(1).rng(), Vec::new());
        while !players.iter().any(|&role| worker.legal(role).len() > 1) {
            joint.clear();
            for role in game.info().all_roles() {
                let legal = worker.legal(role);
                joint.push(legal[rng.below(legal.len() as u64) as usize]);
            }
            worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
        }
        let here = state(&*worker);
        let mut search = learner.search(1.25, 0, 1 << 22);
        search.run(&here, &mut Budget::iterations(60), &mut rng).unwrap();
        let mut positions = Positions::new(game.info().roles.len(), players[0]);
        positions.push(&here, []);
        for &role in players.iter().filter(|&&role| worker.legal(role).len() > 1) {
            let legal = worker.legal(role);
            assert!(legal.contains(&search.best(role).unwrap()), "{name}");
            positions.choice(role, legal);
        }
        let mut answers = Evaluations::default();
        answers.reset(&positions, 0.0);
        learner.evaluator().evaluate(&positions, &mut answers, &Stop::never()).unwrap();
        assert!(answers.values(0).iter().all(|value| value.is_finite()), "{name}");
        let sum: f32 = answers.priors(0, 0).iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{name}: {sum}");
    }
}

#[test]
fn games_that_do_not_fit_give_an_error() {
    let hidden = open("kuhn-poker");
    let said = AzLearner::new(&hidden, AzSettings::default(), 1).unwrap_err().to_string();
    assert!(said.contains("perfect information"), "{said}");
    let flat = open("nim");
    let size = Size { form: Some(Form::Conv), ..Size::default() };
    let error = AzLearner::new(&flat, AzSettings { size, ..AzSettings::default() }, 1).unwrap_err();
    assert!(matches!(error, TrainError::Recipe(_)), "{error}");
}

#[test]
fn small_networks_have_half_the_channels() {
    let game = open("connect-four");
    let channels = |size| {
        let settings = AzSettings { size, ..AzSettings::default() };
        AzLearner::new(&game, settings, 1).unwrap().file().header.shape.channels
    };
    assert_eq!(channels(Size::default()), 32);
    assert_eq!(channels(Size { small: true, ..Size::default() }), 16);
    let given = Size { small: true, channels: Some(24), ..Size::default() };
    assert_eq!(channels(given), 24, "a given number counts");
}

/// With enough iterations the search proves a win, and says so.
#[test]
fn forced_wins_are_proven() {
    let game = open("connect-four");
    let settings = AzSettings {
        size: Size { channels: Some(8), blocks: Some(0), ..Size::default() },
        ..small()
    };
    let learner = AzLearner::new(&game, settings, 1).unwrap();
    let mut worker = game.worker();
    // Two discs of the first player in the middle with both ends open: a third one wins.
    for column in [3, 3, 4, 4] {
        let here = state(&*worker);
        let (role, _) = turn(&*game, &*worker);
        after(&*game, &mut *worker, &here, role, Move(column));
    }
    let (role, _) = turn(&*game, &*worker);
    let mut search = learner.search(1.25, 4, 1 << 24);
    let mut rng = Seed::from(1).rng();
    search.run(&state(&*worker), &mut Budget::iterations(3_000), &mut rng).unwrap();
    let best = search.best(role).unwrap();
    assert!([2, 5].contains(&best.0), "{best:?}");
    let thoughts = search.thoughts(role);
    let thought = thoughts.iter().find(|thought| thought.choice == best).unwrap();
    assert!(thought.proven && thought.value == Some(100.0), "{thought:?}");
}

/// Although many games are played at the same time, no more than asked are begun.
#[test]
fn as_many_games_are_played_as_asked() {
    let game = open("tictactoe");
    for (games, threads) in [(1, 1), (20, 2), (150, 1)] {
        let settings = AzSettings { games: 64, ..small() };
        let learner = trained(&game, settings, games, threads);
        assert_eq!(learner.header().games, games);
        assert!(learner.header().moves >= 4 * games, "whole games");
        if games > 1 {
            assert!(learner.header().steps > 0, "a short training learns, too");
        }
    }
    // More games can follow.
    let mut learner = AzLearner::new(&game, small(), 1).unwrap();
    for games in [10, 30, 31] {
        learner.train(&plan(games, 1), &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
        assert_eq!(learner.header().games, games);
    }
}

/// A game may last long, so the training also ends in the middle of games.
#[test]
fn training_ends_between_two_moves() {
    let game = open("connect-four");
    let settings = AzSettings { simulations: 64, random_start: Some(0), ..small() };
    let mut learner = AzLearner::new(&game, settings, 1).unwrap();
    let asked = std::sync::atomic::AtomicU64::new(0);
    let plan = Plan { games: None, ..plan(0, 1) };
    let few = |now: &Progress| {
        assert_eq!((now.fresh, now.games), (0, 0));
        if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 5 {
            ControlFlow::Continue(0.0)
        } else {
            ControlFlow::Break(())
        }
    };
    let progress = learner.train(&plan, &few).unwrap();
    assert_eq!(progress.games, 0);
    assert!(progress.error.is_nan(), "nothing was learned");
}
