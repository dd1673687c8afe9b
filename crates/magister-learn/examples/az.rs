//! Measures learning with policy-and-value networks:
//! `cargo run --release -p magister-learn --example az -- PART`.
//!
//! | part | what it does |
//! |---|---|
//! | `kernels` | the rate of the layers of a network, forwards and backwards |
//! | `nets` | positions per second of networks of several shapes for Connect Four |
//! | `train` | trains Connect Four and asks for the moves of solved positions in between |
//! | `exam` | asks a file for the moves of solved positions |
//!
//! Options are written as `name=value`: `seconds` (of processor time of the main thread), `every`
//! (seconds between two exams), `threads`, `channels`, `blocks`, `mlp` (1 for dense layers),
//! `simulations`, `seed`, `positions` (of each kind), `time` (seconds for a move of an exam),
//! `file` (to write, or to ask). A file fits the game `rust:connect-four`.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::{Budget, Clock, Game, Move, Native, Role, Seed, Step, Stop};
use magister_learn::az::matrix::{
    Channels, Panels, Taps, backward_input, backward_weights, forward,
};
use magister_learn::az::{AzFile, AzLearner, AzSettings, Form, Size};
use magister_learn::driver::{Plan, Progress};

/// The catalogue's game, without the catalogue, which would multiply the time to compile.
#[path = "../../magister-games/src/native/connect_four.rs"]
#[allow(dead_code, unreachable_pub, reason = "the module is part of another crate")]
mod connect_four;

/// The options.
struct Given(BTreeMap<String, String>);

impl Given {
    fn number(&self, name: &str, default: f64) -> f64 {
        self.0.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    fn settings(&self) -> AzSettings {
        let whole = |name: &str| self.0.get(name).and_then(|text| text.parse().ok());
        let form = if self.number("mlp", 0.0) > 0.0 { Form::Mlp } else { Form::Conv };
        let default = AzSettings::default();
        AzSettings {
            size: Size {
                form: Some(form),
                channels: whole("channels"),
                blocks: whole("blocks"),
                ..Size::default()
            },
            simulations: whole("simulations").unwrap_or(default.simulations),
            ..default
        }
    }
}

/// The processor time of this thread in seconds, or the elapsed time if the system does not report
/// it.
fn processor(start: Instant) -> f64 {
    let report = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = report.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n as f64 * 1e-9)
}

fn main() {
    let mut words = std::env::args().skip(1);
    let part = words.next().unwrap_or_default();
    let pair = |word: String| word.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
    let given = Given(words.filter_map(pair).collect());
    match part.as_str() {
        "kernels" => kernels(),
        "nets" => nets(),
        "train" => train(&given),
        "exam" => {
            let bytes = given.0.get("file").and_then(|path| std::fs::read(path).ok());
            let file = bytes.and_then(|bytes| AzFile::from_bytes(&bytes).ok());
            match file.and_then(|file| AzLearner::open(&game(), file).ok()) {
                Some(learner) => exam(&learner, &given),
                None => println!("file=FILE names no network for Connect Four"),
            }
        }
        _ => println!("parts: kernels, nets, train, exam"),
    }
}

fn game() -> Arc<dyn Game> {
    Arc::new(Native::new(connect_four::ConnectFour))
}

/// Repeats something for about half a second of processor time and returns its seconds.
fn measured(mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let begin = processor(start);
    let mut count = 0_u32;
    loop {
        work();
        count += 1;
        let spent = processor(start) - begin;
        if spent > 0.5 {
            return spent / f64::from(count);
        }
    }
}

/// The layers of networks for Connect Four, at the sizes of a batch of self-play.
fn kernels() {
    println!("{:28} {:>9} {:>9} {:>9}", "layer", "forward", "weights", "input");
    println!("{:28} {:>29}", "", "billion products and sums/s");
    let layers = [
        ("conv 3x3, 32 to 32, 32 x 42", Taps::grid(6, 7), 32, 32, 32),
        ("conv 3x3, 64 to 64, 32 x 42", Taps::grid(6, 7), 64, 64, 32),
        ("dense 128 to 128, 32", Taps::single(1), 128, 128, 32),
        ("dense 256 to 256, 256", Taps::single(1), 256, 256, 256),
    ];
    for (name, taps, from, to, positions) in layers {
        let rows = positions * taps.cells();
        let (input, slope) = (vec![0.5; rows * from], vec![0.25; rows * to]);
        let weights = vec![0.125; taps.taps() * from * to];
        let (mut out, mut back) = (vec![0.0; rows * to], vec![0.0; rows * from]);
        let mut gradient = vec![0.0; weights.len()];
        let channels = Channels { from, to };
        let (mut panels, mut reversed) = (Panels::default(), Vec::new());
        let work = (rows * taps.taps() * from * to) as f64 * 1e-9;
        let one =
            work / measured(|| forward(&taps, channels, &input, &weights, &mut out, &mut panels));
        let two = work
            / measured(|| {
                backward_weights(&taps, channels, &input, &slope, &mut gradient, &mut panels);
            });
        let three = work
            / measured(|| {
                let back = &mut back;
                backward_input(&taps, channels, &weights, &slope, back, &mut reversed, &mut panels);
            });
        println!("{name:28} {one:>9.1} {two:>9.1} {three:>9.1}");
    }
}

/// The speed of whole networks.
fn nets() {
    let game = game();
    println!(
        "{:>6} {:>9} {:>7} {:>9} {:>12}",
        "form", "channels", "blocks", "weights", "positions/s"
    );
    for (form, channels, blocks) in [
        (Form::Conv, 16, 2),
        (Form::Conv, 32, 2),
        (Form::Conv, 32, 4),
        (Form::Conv, 64, 4),
        (Form::Mlp, 128, 2),
        (Form::Mlp, 256, 2),
    ] {
        let size = Size {
            form: Some(form),
            channels: Some(channels),
            blocks: Some(blocks),
            ..Size::default()
        };
        let settings = AzSettings { size, ..AzSettings::default() };
        let Ok(learner) = AzLearner::new(&game, settings, 1) else { continue };
        let mut evaluator = learner.evaluator();
        let mut worker = game.worker();
        let mut state = Vec::new();
        worker.reset();
        worker.save(&mut state);
        let mut positions = magister_core::Positions::new(2, Role(0));
        for _ in 0..32 {
            positions.push(&state, []);
            positions.choice(Role(0), worker.legal(Role(0)));
        }
        let mut answers = magister_core::Evaluations::default();
        let seconds = measured(|| {
            use magister_core::Evaluate as _;
            answers.reset(&positions, 0.0);
            let _ = evaluator.evaluate(&positions, &mut answers, &Stop::never());
        });
        let weights = learner.file().weights.len();
        let rate = 32.0 / seconds;
        println!("{form:>6?} {channels:>9} {blocks:>7} {weights:>9} {rate:>12.0}");
    }
}

fn train(given: &Given) {
    let game = game();
    let seed = given.number("seed", 1.0) as u64;
    let learner = AzLearner::new(&game, given.settings(), seed);
    let Ok(mut learner) = learner else {
        println!("these settings do not fit");
        return;
    };
    let (seconds, every) = (given.number("seconds", 600.0), given.number("every", 120.0));
    let start = Instant::now();
    let (mut done, mut spent) = (0.0, 0.0);
    while done < 1.0 {
        let begin = processor(start);
        let before = spent;
        let plan = Plan {
            games: None,
            before: 0,
            done,
            actors: given.number("threads", 1.0) as usize,
            report: 1,
            seed: Seed::from(seed),
        };
        let share = |_: &Progress| {
            let now = before + processor(start) - begin;
            if now >= (before + every).min(seconds) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(now / seconds)
        };
        let progress = match learner.train(&plan, &share) {
            Ok(progress) => progress,
            Err(error) => {
                println!("{error}");
                return;
            }
        };
        spent += processor(start) - begin;
        done = spent / seconds;
        let header = learner.header();
        println!(
            "{spent:>7.0} s, {:.0} s elapsed, {} games, {} moves, {} steps, error {:.3}",
            start.elapsed().as_secs_f64(),
            header.games,
            header.moves,
            header.steps,
            progress.error,
        );
        exam(&learner, given);
        if let Some(path) = given.0.get("file")
            && let Err(error) = std::fs::write(path, learner.file().to_bytes(true))
        {
            println!("{path}: {error}");
        }
    }
}

/// Processor time as the clock of a search, because the machine may be shared.
struct Deadline {
    start: Instant,
    end: f64,
}

impl Clock for Deadline {
    fn remaining(&self) -> Option<Duration> {
        let left = self.end - processor(self.start);
        Some(Duration::try_from_secs_f64(left.max(0.0)).unwrap_or_default())
    }
}

/// The share of solved positions in which the best class is preserved, by the policy alone and by
/// the search.
fn exam(learner: &AzLearner, given: &Given) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/connect-four-hard.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let time = given.number("time", 0.0);
    let count = given.number("positions", 200.0) as usize;
    for kind in ["hard", "other"] {
        let lines = text.lines().filter(|line| line.ends_with(kind)).take(count);
        let (mut asked, mut kept, mut searched, mut descents) = (0_u32, 0_u32, 0_u32, 0_u64);
        for line in lines {
            let mut words = line.split(' ');
            let columns = words.next().unwrap_or_default();
            let keeping = words.nth(1).unwrap_or_default();
            let game = game();
            let mut worker = game.worker();
            worker.reset();
            let digits = |text: &str| text.chars().filter_map(|c| c.to_digit(10)).collect();
            let columns: Vec<u32> = digits(columns);
            let mut step = Step::new();
            for (ply, column) in columns.iter().enumerate() {
                let mut joint = [Move::IDLE; 2];
                joint[ply % 2] = Move(column - 1);
                if worker.step(&joint, &mut step, &Stop::never()).is_err() {
                    println!("a line that cannot be played: {line}");
                }
            }
            let keeping: Vec<u32> = digits(keeping);
            let role = Role((columns.len() % 2) as u8);
            let mut state = Vec::new();
            worker.save(&mut state);
            let mut rng = Seed::from(1).rng();
            let mut ask = |budget: &mut Budget| {
                let mut search = learner.search(1.25, 0, 1 << 29);
                let made = search.run(&state, budget, &mut rng).unwrap_or(0);
                let best = search.best(role).map_or(0, |choice| choice.0 + 1);
                (u32::from(keeping.contains(&best)), made)
            };
            asked += 1;
            kept += ask(&mut Budget::iterations(1)).0;
            if time > 0.0 {
                let start = Instant::now();
                let end = processor(start) + time;
                let clock = Arc::new(Deadline { start, end });
                let (right, made) = ask(&mut Budget::until(Stop::never()).with_clock(clock));
                searched += right;
                descents += made;
            }
        }
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(asked.max(1));
        print!("  {kind:5} {asked} positions: policy {:.1} %", share(kept));
        if time > 0.0 {
            let mean = descents as f64 / f64::from(asked.max(1));
            print!(", search of {time} s {:.1} % ({mean:.0} descents)", share(searched));
        }
        println!();
    }
}
