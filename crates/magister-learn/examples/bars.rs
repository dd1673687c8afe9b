//! Measures the targets of the learning crate:
//! `cargo run --release -p magister-learn --example bars -- PART`.
//!
//! | part | what it does |
//! |---|---|
//! | `tictactoe` | trains 25 seeds for 10,000 games each and counts mistakes against every reply |
//! | `connect-four` | trains, then plays the perfect player and the one that delays losses |
//! | `2048` | trains, then plays without search and with two plies of expectimax |
//! | `book` | makes an opening book of Connect Four; an interrupted run continues |
//! | `solve` | solves positions of Connect Four given as columns, such as 44444 |
//!
//! Options are written as `name=value`: `seconds` (of processor time), `games`, `seeds`, `seed`,
//! `matches`, `alpha`, `epsilon`, `lambda`, `own` (1 for the chain of own positions), `farl` (0
//! without final adaptation), `tc` (0 for plain steps), `symmetric`, `replay`, `tuples`, `length`,
//! `plies`, `out`, `book`, `bits`. Rates are per second of processor time.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use magister_core::{Seed, Stop};
use magister_learn::connect_four::{Book, Position, Solver};
use magister_learn::driver::{Chain, Plan, Progress, Settings, train};
use magister_learn::environment::Cells as _;
use magister_learn::games::connect_four::ConnectFour;
use magister_learn::games::tictactoe::TicTacToe;
use magister_learn::games::twenty48::Twenty48;
use magister_learn::measure::{against_perfect, mistakes};
use magister_learn::nibbles::{FOUR_TUPLES, Nibbles};
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tiles::play;
use magister_learn::tuples::TupleChoice;
use magister_learn::weights::Steps;

/// The options.
struct Given(BTreeMap<String, String>);

impl Given {
    fn number(&self, name: &str, default: f64) -> f64 {
        self.0.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    fn flag(&self, name: &str, default: bool) -> bool {
        self.number(name, f64::from(u8::from(default))) > 0.0
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn settings(&self, epsilon: (f64, f64), squash: bool) -> Settings {
        Settings {
            alpha: (
                self.number("alpha", 1.0) as f32,
                self.number("alpha-end", self.number("alpha", 1.0)) as f32,
            ),
            epsilon: (
                self.number("epsilon", epsilon.0) as f32,
                self.number("epsilon-end", epsilon.1) as f32,
            ),
            lambda: self.number("lambda", 0.0) as f32,
            chain: if self.flag("own", false) { Chain::Own } else { Chain::Every },
            final_adaptation: self.flag("farl", true),
            random_start: self.number("random-start", 0.0) as u32,
            replay: self.number("replay", 0.0) as usize,
            squash,
            ..Settings::default()
        }
    }

    fn steps(&self) -> Steps {
        if self.flag("tc", true) { Steps::Coherent } else { Steps::Plain }
    }
}

/// The processor time of this thread in seconds, or the elapsed time if the system does not report
/// it.
fn processor(start: Instant) -> f64 {
    let report = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = report.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanos.map_or_else(|| start.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// A plan that ends after `games` or `seconds`, and a function that reports progress.
fn schedule(
    given: &Given,
    games: f64,
    seed: u64,
) -> (Plan, impl Fn(&Progress) -> ControlFlow<(), f64> + Sync) {
    let seconds = given.text("seconds").and_then(|text| text.parse::<f64>().ok());
    let plan = Plan {
        games: if seconds.is_some() { None } else { Some(given.number("games", games) as u64) },
        before: 0,
        done: 0.0,
        actors: 1,
        report: given.number("report", 100.0) as u64,
        seed: Seed::from(seed),
    };
    let wall = Instant::now();
    let start = processor(wall);
    let shown = std::sync::Mutex::new(0.0);
    let every = given.number("every", 10.0);
    let report = move |now: &Progress| {
        let spent = processor(wall) - start;
        if let Ok(mut shown) = shown.lock()
            && spent >= *shown + every
        {
            *shown = spent;
            let rate = now.moves as f64 / spent;
            println!(
                "{} games, {spent:.0} s, {rate:.0} moves/s, mean {:.3}, error {:.4}",
                now.games, now.mean, now.error
            );
        }
        let share = seconds.map_or(0.0, |seconds| spent / seconds);
        if share >= 1.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(share) }
    };
    (plan, report)
}

fn rates(what: &str, done: &Progress, seconds: f64) {
    println!(
        "{what}: {} games, {} moves in {seconds:.1} s: {:.0} episodes/s, {:.0} moves/s",
        done.games,
        done.moves,
        done.games as f64 / seconds,
        done.moves as f64 / seconds,
    );
}

fn tictactoe(given: &Given) {
    let seeds = given.number("seeds", 25.0) as u64;
    let mut given_settings = given.settings((0.3, 0.1), true);
    given_settings.random_start = given.number("random-start", 2.0) as u32;
    let (mut right, mut games, mut seconds) = (0, 0, 0.0);
    for seed in 0..seeds {
        let layout = TicTacToe.layout();
        let tuples = vec![(0..9).collect()];
        let Ok(shape) = Shape::new(&layout, tuples, given.flag("symmetric", true)) else { return };
        let network = NTuple::new(shape, 2, 1, 0.0, given.steps());
        let (plan, report) = schedule(given, 10_000.0, seed);
        let wall = Instant::now();
        let start = processor(wall);
        let Ok(done) = train(&|| TicTacToe, &network, &given_settings, &plan, &report) else {
            return;
        };
        seconds += processor(wall) - start;
        games += done.games;
        let wrong = mistakes(&TicTacToe, &network, given_settings.chain, 2);
        right += u32::from(wrong == 0);
        if wrong > 0 {
            println!("seed {seed}: {wrong} mistakes");
        }
    }
    let rate = games as f64 / seconds;
    println!("tictactoe: {right} of {seeds} seeds without a mistake, {rate:.0} episodes/s");
}

fn connect_four(given: &Given) {
    let book = given.text("book").and_then(|path| std::fs::read(path).ok());
    let book = book.and_then(|bytes| Book::from_bytes(&bytes).ok()).unwrap_or_default();
    let mut solver = Solver::new(given.number("bits", 22.0) as u32).with_book(book);
    for seed in 0..given.number("seeds", 1.0) as u64 {
        let seed = seed + given.number("seed", 0.0) as u64;
        let settings = given.settings((0.1, 0.0), true);
        let layout = ConnectFour.layout();
        let walks = TupleChoice::Walks {
            count: given.number("tuples", 70.0) as usize,
            length: given.number("length", 8.0) as usize,
        };
        let tuples = walks.choose(&layout, &mut Seed::from(seed).derive("tuples").rng());
        let shape = tuples.and_then(|t| Shape::new(&layout, t, given.flag("symmetric", true)));
        let shape = match shape {
            Ok(shape) => shape,
            Err(error) => return println!("{error}"),
        };
        let network = NTuple::new(shape, 2, 1, 0.0, given.steps());
        let (plan, report) = schedule(given, 500_000.0, seed);
        let wall = Instant::now();
        let start = processor(wall);
        let Ok(done) = train(&|| ConnectFour, &network, &settings, &plan, &report) else { return };
        rates(&format!("connect-four, seed {seed}"), &done, processor(wall) - start);
        let games = given.number("matches", 1000.0) as u32;
        for distant in [false, true] {
            let mut rng = Seed::from(seed).derive("matches").rng();
            let (chain, stop) = (settings.chain, Stop::never());
            let result =
                against_perfect(&network, chain, &mut solver, distant, games, &mut rng, &stop);
            let name = if distant { "distant-loss" } else { "perfect" };
            match result {
                Ok(mean) => println!("against the {name} player: {mean:.3} in {games} games"),
                Err(error) => println!("{error}"),
            }
        }
    }
}

fn twenty48(given: &Given) {
    let env = Twenty48::default();
    let tuples = FOUR_TUPLES.iter().map(|tuple| tuple.to_vec()).collect();
    let initial = given.number("initial", 0.0) as f32;
    let network = match Nibbles::new(tuples, initial, given.steps()) {
        Ok(network) => network,
        Err(error) => return println!("{error}"),
    };
    let settings = given.settings((0.0, 0.0), false);
    let (plan, report) = schedule(given, 10_000.0, given.number("seed", 0.0) as u64);
    let wall = Instant::now();
    let start = processor(wall);
    let Ok(done) = train(&|| env.clone(), &network, &settings, &plan, &report) else { return };
    rates("2048", &done, processor(wall) - start);
    for plies in [1, 2] {
        let games = given.number(if plies == 1 { "matches" } else { "searched" }, 100.0) as u32;
        let mut rng = Seed::from(99).rng();
        let (mut scores, mut slides) = (Vec::new(), 0);
        let start = processor(wall);
        for _ in 0..games {
            let (score, made) = play(&env, &network, plies, &mut rng);
            scores.push(score);
            slides += made;
        }
        let spent = processor(wall) - start;
        let count = f64::from(games.max(1));
        let mean = scores.iter().sum::<f64>() / count;
        let spread = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        println!(
            "{plies} ply: mean score {mean:.0} (± {:.0}) in {games} games, {:.0} moves/s",
            1.96 * (spread / count).sqrt(),
            slides as f64 / spent,
        );
    }
}

fn book(given: &Given) {
    let plies = given.number("plies", 6.0) as u32;
    let path = given.text("out").unwrap_or("connect-four.book").to_owned();
    let known = std::fs::read(&path).ok().and_then(|bytes| Book::from_bytes(&bytes).ok());
    let known = known.unwrap_or_default();
    let seconds = given.number("seconds", f64::INFINITY);
    let mut solver = Solver::new(given.number("bits", 23.0) as u32).with_book(known.clone());
    let wall = Instant::now();
    let mut shown = 0;
    let mut progress = |done: usize, all: usize| {
        if done >= shown {
            println!("{done} of {all} positions, {:.0} s", wall.elapsed().as_secs_f64());
            shown = done + (all / 100).max(1);
        }
        wall.elapsed().as_secs_f64() < seconds
    };
    match Book::make(plies, &known, &mut solver, &Stop::never(), &mut progress) {
        Ok(book) => {
            let bytes = book.to_bytes();
            println!("{} positions, {} bytes", book.len(), bytes.len());
            if let Err(error) = std::fs::write(&path, bytes) {
                println!("{path}: {error}");
            }
        }
        Err(error) => println!("{error}"),
    }
}

fn solve(given: &Given, positions: &[String]) {
    let mut solver = Solver::new(given.number("bits", 23.0) as u32);
    let wall = Instant::now();
    for text in positions {
        let columns: Vec<u32> = text.bytes().filter_map(|b| u32::from(b).checked_sub(49)).collect();
        let Some(position) = Position::of_columns(&columns) else {
            println!("{text}: not a position in which the game goes on");
            continue;
        };
        let (start, before) = (processor(wall), solver.nodes());
        match solver.score(&position, &Stop::never()) {
            Ok(score) => println!(
                "{text}: score {}, the end in {} plies; {:.2} s, {} nodes",
                score.0,
                score.distance(position.plies()),
                processor(wall) - start,
                solver.nodes() - before,
            ),
            Err(error) => println!("{error}"),
        }
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let part = words.next().unwrap_or_default();
    let (options, others): (Vec<String>, Vec<String>) = words.partition(|word| word.contains('='));
    let pairs = options.iter().filter_map(|word| word.split_once('='));
    let given = Given(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
    match part.as_str() {
        "tictactoe" => tictactoe(&given),
        "connect-four" => connect_four(&given),
        "2048" => twenty48(&given),
        "book" => book(&given),
        "solve" => solve(&given, &others),
        _ => println!("name a part: tictactoe, connect-four, 2048, book or solve"),
    }
}
