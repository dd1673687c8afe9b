//! A compiled game held against its twin in plain Rust.

use std::sync::Arc;

use magister_core::playout::{leaves_one_by_one, one_by_one, tries_one_by_one};
use magister_core::{
    Batch, Detail, Game, Information, LeafResults, Leaves, Move, Observation, Results, Rng, Role,
    Seed, Step, Stop, Stream, Tried, Tries, Turn, Worker, battery,
};
use magister_engine::agree::{Amount, lanes};
use magister_engine::compiled::Compiled;
use magister_engine::evaluator::{CompiledGame, Playouts, Width};
use magister_engine::{Error, Evaluator};

/// The game by every evaluator of networks that this machine has.
pub(crate) fn games(compiled: Compiled) -> Vec<(String, CompiledGame)> {
    let compiled = Arc::new(compiled);
    let make = |evaluator: Evaluator| CompiledGame::new(Arc::clone(&compiled), evaluator).unwrap();
    let mut games: Vec<(String, CompiledGame)> = Vec::new();
    for evaluator in [Evaluator::Incremental, Evaluator::Sweep, Evaluator::Code, Evaluator::Batch] {
        let game = make(evaluator);
        if evaluator == Evaluator::Code && !game.has_code() {
            println!("SKIPPED: this machine runs no code");
            continue;
        }
        games.push((evaluator.to_string(), game));
    }
    for &width in Width::ALL {
        let game = make(Evaluator::Sweep).playing(Playouts::Lanes(width));
        games.push((format!("{width} lanes"), game));
    }
    games.push(("measured".to_owned(), make(Evaluator::Code).playing(Playouts::Measured)));
    for evaluator in [Evaluator::Datalog, Evaluator::Reference] {
        let made = CompiledGame::new(Arc::clone(&compiled), evaluator);
        assert!(matches!(made, Err(Error::Halt(_))), "{evaluator} runs no networks");
    }
    games
}

/// Everything about a compiled game is as its twin has it.
pub(crate) fn assert_twins(twin: &dyn Game, compiled: Compiled, max_steps: u32) {
    for (name, game) in games(compiled) {
        let info = game.info();
        assert_eq!(info.moves, twin.info().moves);
        assert_eq!(info.payment, twin.info().payment);
        assert_eq!(info.information, twin.info().information);
        assert_eq!((&info.roles, info.chance), (&twin.info().roles, twin.info().chance));
        battery::assert_game(&game);
        let starts = walk(&name, twin, &game);
        playouts(&name, twin, &game, &starts, max_steps);
        if name == "code" {
            let amount = Amount { streams: 19, quota: 40, max_steps: [max_steps, 3] };
            let found = lanes(&game, amount, &Stop::never()).unwrap();
            assert_eq!(found.different, Vec::<String>::new());
        }
    }
}

/// A state of the twin, and of the game.
type Pair = (Vec<u64>, Vec<u64>);

fn words(worker: &dyn Worker) -> Vec<u64> {
    let mut words = Vec::new();
    worker.save(&mut words);
    words
}

fn joint(info: &magister_core::Info, worker: &dyn Worker, rng: &mut Rng) -> Vec<Move> {
    info.all_roles()
        .map(|role| {
            let legal = worker.legal(role);
            legal[rng.below(legal.len() as u64) as usize]
        })
        .collect()
}

/// Random walks side by side; gives the states met.
fn walk(name: &str, twin: &dyn Game, game: &CompiledGame) -> Vec<Pair> {
    let mut states = Vec::new();
    let (mut a, mut b) = (twin.worker(), game.worker());
    let (mut step_a, mut step_b) = (Step::new(), Step::new());
    let (mut goals_a, mut goals_b) = (Vec::new(), Vec::new());
    let never = Stop::never();
    let mut silent = 0;
    for seed in 0..60 {
        let mut rng = Seed::from(seed).rng();
        a.reset();
        b.reset();
        let mut length = 0;
        loop {
            let (words_a, words_b) = (words(&*a), words(&*b));
            let text = twin.text().state_text(&words_a);
            assert_eq!(text, game.text().state_text(&words_b), "{name}");
            assert_eq!(game.text().parse_state(&text).as_ref(), Some(&words_b), "{name}: {text}");
            assert_eq!(a.terminal(), b.terminal(), "{name}: {text}");
            assert_eq!(a.weights(), b.weights(), "{name}: {text}");
            assert_eq!(a.silent(), b.silent(), "{name}: {text}");
            silent += u32::from(a.silent());
            for role in twin.info().all_roles() {
                assert_eq!(a.legal(role), b.legal(role), "{name}: {text}");
                a.goals(role, &mut goals_a);
                b.goals(role, &mut goals_b);
                if a.terminal() {
                    assert_eq!(goals_a, goals_b, "{name}: {text}");
                }
                for &choice in a.legal(role) {
                    let text = twin.text().move_text(choice);
                    assert_eq!(text, game.text().move_text(choice));
                    assert_eq!(game.text().parse_move(role, &text), Some(choice));
                }
            }
            board(twin, game, &words_a, &words_b);
            states.push((words_a.clone(), words_b.clone()));
            if a.terminal() {
                break;
            }
            let weights = a.weights().to_vec();
            let joint = joint(twin.info(), &*a, &mut rng);
            if b.perceive(&joint, &mut step_b, &never).unwrap() {
                assert_eq!(words(&*b), words_b, "{name}: nothing was made");
            }
            a.step(&joint, &mut step_a, &never).unwrap();
            b.step(&joint, &mut step_b, &never).unwrap();
            assert_eq!(step_a, step_b, "{name}: {text}");
            for role in twin.info().all_roles() {
                for &percept in step_a.percepts.of(role) {
                    let text = twin.text().percept_text(percept);
                    assert_eq!(text, game.text().percept_text(percept));
                    assert_eq!(game.text().parse_percept(&text), Some(percept));
                }
            }
            length += 1;
            if length % 5 == 2 {
                assert!(b.undo());
                assert_eq!(words(&*b), words_b, "{name}");
                assert_eq!(b.weights(), weights, "{name}");
                b.step(&joint, &mut step_b, &never).unwrap();
                assert_eq!(step_a, step_b, "{name}: a second time");
            }
        }
    }
    let expected = game.compiled().network().silent != magister_engine::network::Edge::FALSE;
    assert_eq!(silent > 0, expected);
    states
}

fn board(twin: &dyn Game, game: &CompiledGame, state_a: &[u64], state_b: &[u64]) {
    let (Some(a), Some(b)) = (twin.board(), game.board()) else {
        assert!(twin.board().is_none() && game.board().is_none());
        return;
    };
    assert_eq!(a.shape(), b.shape());
    let mut cells = [vec![0; a.shape().cells.len()], vec![9; a.shape().cells.len()]];
    a.cells(state_a, &mut cells[0]);
    b.cells(state_b, &mut cells[1]);
    assert_eq!(cells[0], cells[1]);
}

/// Playouts, leaves and tries from states of all kinds, by the contract.
fn playouts(name: &str, twin: &dyn Game, game: &CompiledGame, states: &[Pair], max_steps: u32) {
    let never = Stop::never();
    let (mut a, mut b) = (twin.worker(), game.worker());
    let starts: Vec<&Pair> = (0..23).map(|n| &states[n * n * 7 % states.len()]).collect();
    for (detail, max_steps) in [
        (Detail::Sums, max_steps),
        (Detail::PerPlayout, max_steps),
        (Detail::Moves, max_steps),
        (Detail::PerPlayout, 4),
    ] {
        let stream = |n: usize, start| Stream {
            id: n as u64 * 0x1_0000_0003,
            start,
            quota: (n * 37 % 71) as u32,
        };
        let own: Vec<_> = starts.iter().enumerate().map(|(n, s)| stream(n, &s.0[..])).collect();
        let others: Vec<_> = starts.iter().enumerate().map(|(n, s)| stream(n, &s.1[..])).collect();
        let (mut out_a, mut out_b) = (Results::default(), Results::default());
        let batch = Batch { seed: 0xfeed_beef_0123, streams: &own, max_steps, detail };
        one_by_one(&mut *a, &batch, &mut out_a, &never).unwrap();
        b.playouts(&Batch { streams: &others, ..batch }, &mut out_b, &never).unwrap();
        for (n, (one, other)) in out_a.streams.iter().zip(&out_b.streams).enumerate() {
            assert_eq!(one, other, "{name}, {detail:?}, stream {n}");
        }
    }
    for each in [1, 4, 32] {
        let count = 700 / each as usize;
        let starts: Vec<&Pair> = (0..count).map(|n| &states[n * 11 % states.len()]).collect();
        let own: Vec<&[u64]> = starts.iter().map(|start| &start.0[..]).collect();
        let others: Vec<&[u64]> = starts.iter().map(|start| &start.1[..]).collect();
        let (mut out_a, mut out_b) = (LeafResults::default(), LeafResults::default());
        for max_steps in [max_steps, 3] {
            let leaves = Leaves { seed: 77, first: 5, starts: &own, each, max_steps };
            leaves_one_by_one(&mut *a, &leaves, &mut out_a, &never).unwrap();
            b.leaves(&Leaves { starts: &others, ..leaves }, &mut out_b, &never).unwrap();
            assert_eq!(out_a, out_b, "{name}, {each} playouts of a leaf");
        }
    }
    if game.compiled().network().silent == magister_engine::network::Edge::FALSE {
        tries(name, twin, game, states);
    }
}

fn tries(name: &str, twin: &dyn Game, game: &CompiledGame, states: &[Pair]) {
    let never = Stop::never();
    let (mut a, mut b) = (twin.worker(), game.worker());
    let mut rng = Seed::from(3).rng();
    let mut agreed = 0;
    for (number, pair) in states.iter().step_by(17).enumerate() {
        a.load(&pair.0, &never).unwrap();
        if a.terminal() {
            continue;
        }
        let role = Role((number % twin.info().roles.len()) as u8);
        let joint = joint(twin.info(), &*a, &mut rng);
        let mut step = Step::new();
        a.step(&joint, &mut step, &never).unwrap();
        let seen = match twin.info().information {
            Information::Hidden => Observation::Percepts(step.percepts.of(role).into()),
            Information::Perfect => Observation::Joint(joint[..].into()),
        };
        let turn = Turn { own: joint[role.index()], seen };
        let starts: Vec<&Pair> = (0..90)
            .map(|n| if n % 2 == 0 { pair } else { &states[n * 7 % states.len()] })
            .collect();
        let own: Vec<&[u64]> = starts.iter().map(|start| &start.0[..]).collect();
        let others: Vec<&[u64]> = starts.iter().map(|start| &start.1[..]).collect();
        let tries = Tries { seed: 9, first: 3, starts: &own, role, turn: &turn };
        let (mut out_a, mut out_b) = (Tried::default(), Tried::default());
        tries_one_by_one(&mut *a, &tries, &mut out_a, &never).unwrap();
        b.tries(&Tries { starts: &others, ..tries }, &mut out_b, &never).unwrap();
        assert_eq!(out_a.places, out_b.places, "{name}");
        assert_eq!(out_a.joints, out_b.joints, "{name}");
        assert_eq!(out_a.over, out_b.over, "{name}");
        let texts = |game: &dyn Game, out: &Tried| -> Vec<String> {
            let words = game.info().state_words.unwrap();
            out.states.chunks(words).map(|state| game.text().state_text(state)).collect()
        };
        assert_eq!(texts(twin, &out_a), texts(game, &out_b), "{name}");
        agreed += out_a.places.len();
    }
    assert!(agreed > 10, "{name}: {agreed} steps agreed");
}
