//! The hot paths, one at a time, for `cargo xtask instructions` to count their instructions.
//!
//! `instructions PATH` prepares, does the work once inside [`measured`], and prints the result,
//! because a fast wrong answer is a failure. `instructions` alone lists the paths. The games, the
//! seeds, the evaluators and the number of threads are fixed, so that the same program on the same
//! processor executes the same instructions.

#![expect(clippy::print_stdout, reason = "printing is the purpose of the program")]

use std::hint::black_box;
use std::process::ExitCode;

use magister::core::{Batch, Budget, Detail, Results, Seed, Step, Stop, Stream, View, draw};
use magister::engine::Evaluator;
use magister::players::Spec;
use magister::{Options, Playable};

/// The work of a path, after its preparation, and its result.
type Work = Box<dyn FnMut() -> u64>;

/// A hot path.
struct Path {
    name: &'static str,
    prepare: fn() -> Work,
}

/// The paths.
const PATHS: [Path; 8] = [
    Path { name: "read", prepare: read },
    Path { name: "ground", prepare: ground },
    Path { name: "incremental", prepare: || walk(Evaluator::Incremental) },
    Path { name: "sweep", prepare: || walk(Evaluator::Sweep) },
    Path { name: "code", prepare: || walk(Evaluator::Code) },
    Path { name: "datalog", prepare: || walk(Evaluator::Datalog) },
    Path { name: "batch", prepare: batch },
    Path { name: "uct", prepare: uct },
];

/// The game of most paths: large enough not to be trivial, small enough not to be slow.
const GAME: &str = "connect-four";

fn main() -> ExitCode {
    let Some(wanted) = std::env::args().nth(1) else {
        PATHS.iter().for_each(|path| println!("{}", path.name));
        return ExitCode::SUCCESS;
    };
    let Some(path) = PATHS.iter().find(|path| path.name == wanted) else {
        println!("there is no path {wanted}");
        return ExitCode::from(2);
    };
    let mut work = (path.prepare)();
    println!("{}", measured(&mut *work));
    ExitCode::SUCCESS
}

/// The measured part: valgrind gets the name of this function.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

fn open(evaluator: Evaluator) -> Playable {
    let options = Options { evaluator: Some(evaluator), ..Options::default() };
    options.open(GAME).unwrap_or_else(|error| panic!("{error}"))
}

/// Reading and checking rules: the number of statements and diagnostics.
fn read() -> Work {
    let text = magister::Input::open("chess").unwrap_or_else(|error| panic!("{error}")).text;
    Box::new(move || {
        let found = magister::gdl::examine(&text, &magister::gdl::Options::default());
        (found.rules.statements.len() * 1000 + found.diagnostics.as_slice().len()) as u64
    })
}

/// From rules to a network: its fluents and moves.
fn ground() -> Work {
    let found = Options::default().find("breakthrough").unwrap_or_else(|error| panic!("{error}"));
    Box::new(move || {
        let network = found.network().expect("a rulesheet").expect("it becomes a network");
        (network.fluents.len() * 1000 + network.moves.len()) as u64
    })
}

/// Single steps of random matches: the number of steps.
fn walk(evaluator: Evaluator) -> Work {
    let game = open(evaluator).game;
    Box::new(move || {
        let (mut worker, mut rng) = (game.worker(), Seed::from(1).rng());
        let (mut step, mut joint, mut goals) = (Step::new(), Vec::new(), Vec::new());
        let (mut steps, mut won) = (0, 0.0);
        for _ in 0..20 {
            worker.reset();
            while !worker.terminal() {
                joint.clear();
                for role in game.info().all_roles() {
                    joint.extend(draw(worker.legal(role), &[], &mut rng));
                }
                worker.step(&joint, &mut step, &Stop::never()).expect("moves are legal");
                steps += 1;
            }
            for role in game.info().players().take(1) {
                worker.goals(role, &mut goals);
                won += goals.iter().sum::<f64>();
            }
        }
        steps * 10_000 + won as u64
    })
}

/// Playouts on vectors: the number of steps.
fn batch() -> Work {
    let game = open(Evaluator::Batch).game;
    let mut start = Vec::new();
    game.worker().save(&mut start);
    let mut worker = game.worker();
    let mut play = move |quota| {
        let streams: Vec<Stream<'_>> =
            (0..16).map(|id| Stream { id, start: &start, quota }).collect();
        let detail = Detail::Sums;
        let batch = Batch { seed: 1, streams: &streams, max_steps: 100, detail };
        let mut results = Results::default();
        worker.playouts(&batch, &mut results, &Stop::never()).expect("playouts end");
        results.streams.iter().map(|tally| tally.steps).sum()
    };
    // The first batch creates tapes and code, which is another path.
    play(32);
    Box::new(move || play(64))
}

/// Iterations of the strong player: their number, and the index of its move.
fn uct() -> Work {
    let game = open(Evaluator::Incremental).game;
    let player: Spec = "uct".parse().expect("a player of the list");
    Box::new(move || {
        let role = game.info().players().next().expect("a player");
        let view = View::new(game.clone(), role);
        let mut budget = Budget::iterations(500);
        let decision = player
            .agent()
            .decide(&view, &mut budget, &mut Seed::from(1).rng())
            .expect("uct plays this game");
        let worker = game.worker();
        let place = worker.legal(role).iter().position(|&choice| choice == decision.choice);
        decision.iterations * 100 + place.map_or(99, |place| place as u64)
    })
}
