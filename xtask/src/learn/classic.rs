//! Tic-Tac-Toe and Connect Four against perfect play, and the tools of the solver.
#![expect(clippy::print_stdout, reason = "printing is the purpose of the command")]

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result};
use magister_core::{Rng, Seed, Stop};
use magister_learn::connect_four::{Book, Position, Solved, Solver};
use magister_learn::driver::{Chain, Progress, Settings, train};
use magister_learn::environment::Cells as _;
use magister_learn::games::connect_four::ConnectFour;
use magister_learn::games::tictactoe::TicTacToe;
use magister_learn::measure::{Greedy, against_perfect, mistakes, preserved};
use magister_learn::ntuple::{NTuple, Shape};
use magister_learn::tuples::TupleChoice;

use super::given::{Given, Watch, mean, rates};

/// Solved positions of Connect Four.
const POSITIONS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/connect-four-hard.txt"));

/// The book that is part of the program.
const BOOK: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/magister-learn/src/connect_four/opening.book");

pub(crate) fn tictactoe(given: &Given) -> Result<()> {
    let default = Settings { epsilon: (0.3, 0.1), random_start: 2, ..Settings::default() };
    let settings = given.settings(&default);
    let (mut right, mut count, mut games, mut seconds) = (0, 0, 0, 0.0);
    for seed in given.seeds(25) {
        let tuples = vec![(0..9).collect()];
        let shape = Shape::new(&TicTacToe.layout(), tuples, given.flag("symmetric", true));
        let network = NTuple::new(shape.map_err(anyhow::Error::msg)?, 2, 1, 0.0, given.steps(true));
        let (plan, report) = given.plan(10_000.0, seed);
        let watch = Watch::start();
        let done = train(&|| TicTacToe, &network, &settings, &plan, &report)?;
        seconds += watch.seconds();
        games += done.games;
        let wrong = mistakes(&TicTacToe, &network, settings.chain, 2);
        count += 1;
        right += u32::from(wrong == 0);
        if wrong > 0 {
            println!("  seed {seed}: {wrong} mistakes");
        }
    }
    let rate = games as f64 / seconds;
    println!("tictactoe: {right} of {count} seeds without a mistake, {rate:.0} episodes/s");
    Ok(())
}

/// Settings of Connect Four for matches from the empty board. The recommended recipe explores to the
/// end and values all positions well; this one ends with the best moves of both players, so that it
/// knows the positions of such matches better. The discount makes a player that loses prefer late
/// losses, as the player does that measures it.
fn from_the_start() -> Settings {
    let (alpha, epsilon, gamma) = ((3.7, 3.7), (0.1, 0.0), 0.99);
    Settings { alpha, epsilon, gamma, chain: Chain::Own, ..Settings::default() }
}

/// Matches against the distant-loss player in the second half of the training. It ends when one of
/// these checks reaches the goal; otherwise the weights of the best check are kept.
struct Checks<'a> {
    goal: Option<f64>,
    games: u32,
    /// The processor time between two checks, and the time of the next one.
    every: f64,
    next: f64,
    solver: &'a mut Solver,
    chain: Chain,
    rng: Rng,
    best: (f64, Vec<f32>),
}

impl<'a> Checks<'a> {
    fn new(given: &Given, solver: &'a mut Solver, chain: Chain, seed: u64) -> Self {
        Checks {
            goal: given.text("goal").map(|_| given.number("goal", 1.0)),
            games: given.whole("checks", 200),
            every: given.number("check-every", 20.0),
            next: 0.0,
            solver,
            chain,
            // Other matches than those that measure the result.
            rng: Seed::from(seed).derive("checks").rng(),
            best: (f64::NEG_INFINITY, Vec::new()),
        }
    }

    /// Whether the goal is reached, if it is time for a check.
    #[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
    fn passed(&mut self, network: &NTuple, done: f64, watch: &Watch) -> bool {
        let Some(goal) = self.goal.filter(|_| done >= 0.5 && watch.seconds() >= self.next) else {
            return false;
        };
        let mut greedy = Greedy::new(&ConnectFour, network, self.chain);
        let (games, rng, stop) = (self.games, &mut self.rng, Stop::never());
        let Ok(mean) = against_perfect(&mut greedy, self.solver, true, games, rng, &stop) else {
            return false;
        };
        println!("  check after {:.0} s: {mean:.3} in {games} games", watch.seconds());
        if mean > self.best.0 {
            self.best = (mean, network.weights.values());
        }
        self.next = watch.seconds() + self.every;
        mean >= goal
    }

    fn keep_best(self, network: &NTuple) {
        for (at, &value) in self.best.1.iter().enumerate() {
            network.weights.set(at, value);
        }
    }
}

pub(crate) fn connect_four(given: &Given) -> Result<()> {
    let book = match given.text("book") {
        Some(path) => Book::from_bytes(&std::fs::read(path)?).map_err(anyhow::Error::msg)?,
        None => Book::opening(),
    };
    let mut solver = Solver::new(given.whole("bits", 22)).with_book(book);
    let solved = POSITIONS.lines().map(str::parse).collect::<Result<Vec<Solved>, String>>();
    let solved = solved.map_err(anyhow::Error::msg)?;
    let mut results = [Vec::new(), Vec::new()];
    for seed in given.seeds(1) {
        let settings = given.settings(&from_the_start());
        let layout = ConnectFour.layout();
        let walks = TupleChoice::Walks {
            count: given.whole("tuples", 70) as usize,
            length: given.whole("length", 8) as usize,
        };
        let tuples = walks.choose(&layout, &mut Seed::from(seed).derive("tuples").rng());
        let shape = tuples.and_then(|t| Shape::new(&layout, t, given.flag("symmetric", true)));
        let steps = given.with("tc", 2.0).steps(true);
        let network = NTuple::new(shape.map_err(anyhow::Error::msg)?, 2, 1, 0.0, steps);
        let (plan, report) = given.plan(500_000.0, seed);
        let watch = Watch::start();
        let checks = Mutex::new(Checks::new(given, &mut solver, settings.chain, seed));
        let share = |now: &Progress| match report(now) {
            ControlFlow::Continue(done) if now.fresh > 0 => {
                let played = |games: u64| now.games as f64 / games.max(1) as f64;
                let done = plan.games.map_or(done, played);
                let mut checks = checks.lock().unwrap_or_else(PoisonError::into_inner);
                if checks.passed(&network, done, &watch) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(done)
                }
            }
            other => other,
        };
        let done = train(&|| ConnectFour, &network, &settings, &plan, &share)?;
        checks.into_inner().unwrap_or_else(PoisonError::into_inner).keep_best(&network);
        rates(&format!("connect-four, seed {seed}"), &done, watch.seconds());
        for hard in [true, false] {
            let of: Vec<&Solved> = solved.iter().filter(|one| one.hard == hard).collect();
            let kept = preserved(&network, settings.chain, of.iter().copied())?;
            let share = 100.0 * f64::from(kept) / of.len().max(1) as f64;
            let kind = if hard { "hard" } else { "other" };
            println!("  preserves the class in {share:.1} % of {} {kind} positions", of.len());
        }
        let games = given.whole("matches", 1000);
        let mut measure = |plies: u32, distant: bool| -> Result<f64> {
            let mut rng = Seed::from(seed).derive("matches").rng();
            let mut greedy = Greedy::new(&ConnectFour, &network, settings.chain).searching(plies);
            let stop = Stop::never();
            let result =
                against_perfect(&mut greedy, &mut solver, distant, games, &mut rng, &stop)?;
            let name = if distant { "distant-loss" } else { "perfect" };
            println!("  {plies} plies against the {name} player: {result:.3} in {games} games");
            Ok(result)
        };
        if games > 0 {
            results[0].push(measure(1, false)?);
            results[1].push(measure(1, true)?);
            for plies in 2..=given.whole("plies", 1) {
                measure(plies, true)?;
            }
        }
    }
    let [perfect, distant] = results.map(|all| mean(&all));
    println!(
        "connect-four: {:.3} ± {:.3} against the perfect player, {:.3} ± {:.3} against the \
         distant-loss player",
        perfect.0, perfect.1, distant.0, distant.1
    );
    Ok(())
}

pub(crate) fn book(given: &Given) -> Result<()> {
    let path = given.text("out").unwrap_or(BOOK).to_owned();
    let known = match std::fs::read(&path) {
        Ok(bytes) => Book::from_bytes(&bytes).map_err(anyhow::Error::msg)?,
        Err(_) => Book::default(),
    };
    let seconds = given.number("seconds", f64::INFINITY);
    let mut solver = Solver::new(given.whole("bits", 25)).with_book(known.clone());
    let wall = Instant::now();
    let mut shown = 0;
    let mut progress = |done: usize, all: usize| {
        if done >= shown {
            println!("{done} of {all} positions, {:.0} s", wall.elapsed().as_secs_f64());
            shown = done + (all / 100).max(1);
        }
        wall.elapsed().as_secs_f64() < seconds
    };
    let plies = given.whole("plies", 7);
    let book = Book::make(plies, &known, &mut solver, &Stop::never(), &mut progress)?;
    let bytes = book.to_bytes();
    println!("{} positions, {} bytes", book.len(), bytes.len());
    std::fs::write(&path, bytes).with_context(|| path)
}

/// Solves positions without a book; the empty board if none are given.
pub(crate) fn solve(given: &Given, positions: &[String]) -> Result<()> {
    let mut solver = Solver::new(given.whole("bits", 23));
    let empty = [String::new()];
    let positions = if positions.is_empty() { &empty[..] } else { positions };
    for text in positions {
        let columns: Vec<u32> = text.bytes().filter_map(|b| u32::from(b).checked_sub(49)).collect();
        let Some(position) = Position::of_columns(&columns) else {
            println!("{text}: not a position in which the game goes on");
            continue;
        };
        let name = if text.is_empty() { "empty board" } else { text };
        let (watch, before) = (Watch::start(), solver.nodes());
        let score = solver.score(&position, &Stop::never())?;
        println!(
            "{name}: score {}, the end in {} plies; {:.2} s, {} nodes",
            score.0,
            score.distance(position.plies()),
            watch.seconds(),
            solver.nodes() - before,
        );
    }
    Ok(())
}

/// The time that the solver with its book needs for random positions by the number of discs. It
/// knows nothing from the positions before.
pub(crate) fn solver(given: &Given) -> Result<()> {
    let mut solver = Solver::new(given.whole("bits", 22)).with_book(Book::opening());
    println!("{:>5} {:>9} {:>9} {:>9} {:>12}", "discs", "positions", "mean, s", "most, s", "nodes");
    let mut rng = Seed::from(given.seeds(1).next().unwrap_or(0)).derive("solver").rng();
    for discs in given.whole("first", 0)..=given.whole("longest", 24) {
        let (mut count, mut sum, mut most, mut nodes) = (given.whole("matches", 100), 0.0, 0.0, 0);
        let asked = count;
        while count > 0 {
            let Some(position) = random(discs, &mut rng) else { continue };
            solver.forget();
            let (watch, before) = (Watch::start(), solver.nodes());
            solver.score(&position, &Stop::never())?;
            let seconds = watch.seconds();
            count -= 1;
            sum += seconds;
            most = f64::max(most, seconds);
            nodes += solver.nodes() - before;
        }
        println!(
            "{discs:>5} {asked:>9} {:>9.4} {most:>9.4} {:>12}",
            sum / f64::from(asked),
            nodes / u64::from(asked)
        );
    }
    Ok(())
}

/// A random position with this many discs; `None` if the game ends before.
fn random(discs: u32, rng: &mut Rng) -> Option<Position> {
    let mut position = Position::new();
    while position.plies() < discs {
        let column = rng.below(7) as u32;
        if !position.can_play(column) || position.wins(column) {
            return None;
        }
        position = position.play(column);
    }
    Some(position)
}
