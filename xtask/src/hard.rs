//! The number of moves of a player that preserve the best class (win, draw or loss) in solved
//! positions of Connect Four.
//!
//! The positions are in `benches/connect-four-hard.txt`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use magister_arena::{Deadline, interval};
use magister_core::{Budget, Clock, Game, Move, Observation, Role, Seed, Step, Stop, Turn, View};
use magister_learn::connect_four::{COLUMNS, Position, Solved, Solver};
use magister_players::Spec;

use crate::learn::Watch;

/// The plies of the positions.
const PLIES: std::ops::RangeInclusive<u32> = 4..=20;
/// Positions before this ply take long to solve.
const EARLY: u32 = 9;
/// The game that the players are asked about.
const GAME: &str = "connect-four";

/// The positions and players.
#[derive(Args)]
pub(crate) struct Options {
    /// Players, with their settings
    #[arg(default_values_t = ["uct".to_owned()])]
    players: Vec<String>,
    /// The time per move in seconds
    #[arg(long, default_value_t = 1.0)]
    time: f64,
    /// Count the processor time of the asking thread, because the machine is shared; players that
    /// think on other threads do not fit
    #[arg(long)]
    processor: bool,
    /// Iterations per move, instead of a time limit
    #[arg(long)]
    iterations: Option<u64>,
    /// Only the first N positions of each kind
    #[arg(long)]
    first: Option<usize>,
    /// Only the hard positions
    #[arg(long)]
    hard: bool,
    /// The number of positions that run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Solve N new positions, half of them hard, and write the file
    #[arg(long)]
    make: Option<usize>,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benches/connect-four-hard.txt")
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(number) = options.make {
        let mut text = String::new();
        for solved in make(number)? {
            writeln!(text, "{solved}")?;
        }
        std::fs::write(file(), text)?;
        return Ok(());
    }
    let text = std::fs::read_to_string(file())
        .context("no positions; `cargo xtask hard --make 1000` solves some")?;
    let all = text
        .lines()
        .map(str::parse)
        .collect::<Result<Vec<Solved>, _>>()
        .map_err(anyhow::Error::msg)?;
    let game = magister::open(GAME)?;
    game.warm_up();
    println!("{:40} {:>6} {:>6} {:>7}  95 % interval", "player", "kind", "asked", "kept");
    for name in &options.players {
        let spec: Spec = name.parse()?;
        for hard in [true, false] {
            if options.hard && !hard {
                continue;
            }
            let positions: Vec<&Solved> = all
                .iter()
                .filter(|solved| solved.hard == hard)
                .take(options.first.unwrap_or(usize::MAX))
                .collect();
            let kept = exam(&game.game, &spec, &positions, options)?;
            let (low, high) = interval(positions.len() as u64, kept as f64, kept as f64);
            println!(
                "{name:40} {:>6} {:>6} {:>5.1} %  {:.1} to {:.1}",
                if hard { "hard" } else { "other" },
                positions.len(),
                100.0 * kept as f64 / positions.len().max(1) as f64,
                100.0 * low,
                100.0 * high
            );
        }
    }
    Ok(())
}

/// The number of positions in which a player preserves the class.
fn exam(
    game: &Arc<dyn Game>,
    spec: &Spec,
    positions: &[&Solved],
    options: &Options,
) -> Result<usize> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<usize> {
        let mut kept = 0;
        while let Some(solved) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
            kept += usize::from(solved.keeping.contains(&ask(game, spec, solved, options)?));
        }
        Ok(kept)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        let mut kept = 0;
        for thread in threads {
            match thread.join() {
                Ok(number) => kept += number?,
                Err(_) => bail!("a player panicked"),
            }
        }
        Ok(kept)
    })
}

/// The column that a new player chooses.
fn ask(game: &Arc<dyn Game>, spec: &Spec, solved: &Solved, options: &Options) -> Result<u32> {
    let (info, text, stop) = (game.info(), game.text(), Stop::never());
    let mut worker = game.worker();
    worker.reset();
    let mut joints: Vec<Box<[Move]>> = Vec::new();
    for &column in &solved.columns {
        let joint: Box<[Move]> = info
            .all_roles()
            .map(|role| {
                let legal = worker.legal(role);
                let drops = |&&choice: &&Move| column_of(&text.move_text(choice)) == Some(column);
                legal.iter().find(drops).or(legal.first()).copied().unwrap_or(Move::IDLE)
            })
            .collect();
        worker.step(&joint, &mut Step::new(), &stop)?;
        joints.push(joint);
    }
    let role = Role((solved.columns.len() % 2) as u8);
    ensure!(worker.legal(role).len() > 1, "the roles take turns, beginning with the first");
    let mut view = View::new(Arc::clone(game), role);
    for joint in joints {
        view.push(Turn { own: joint[role.index()], seen: Observation::Joint(joint) });
    }
    let mut agent = spec.try_agent()?;
    let mut rng = Seed::from(solved.columns.len() as u64).derive("hard").rng();
    // Preparation is not part of the time, but it must not include a search.
    agent.ready(&view, &mut Budget::iterations(0), &mut rng)?;
    let time = Duration::from_secs_f64(options.time);
    let mut budget = match options.iterations {
        Some(iterations) => Budget::iterations(iterations),
        None if options.processor => {
            Budget::until(stop).with_clock(Arc::new(ProcessorTime { watch: Watch::start(), time }))
        }
        None => Budget::until(stop).with_clock(Arc::new(Deadline::within(time))),
    };
    let choice = agent.decide(&view, &mut budget, &mut rng)?.choice;
    column_of(&text.move_text(choice)).context("a move without a column")
}

/// A limit on the processor time of a thread.
struct ProcessorTime {
    watch: Watch,
    time: Duration,
}

impl Clock for ProcessorTime {
    fn remaining(&self) -> Option<Duration> {
        let spent = Duration::try_from_secs_f64(self.watch.seconds()).unwrap_or_default();
        Some(self.time.saturating_sub(spent))
    }
}

/// The column in the text of a move such as `(drop 3)`.
fn column_of(text: &str) -> Option<u32> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// Positions from random play, half of them hard.
#[expect(clippy::print_stderr, reason = "progress of a long command")]
fn make(number: usize) -> Result<Vec<Solved>> {
    let mut solver = Solver::new(24);
    let mut rng = Seed::from(1).derive("hard positions").rng();
    let mut seen = BTreeSet::new();
    let (mut hard, mut others) = (Vec::new(), Vec::new());
    let half = number.div_ceil(2);
    while hard.len() < half || others.len() < half {
        // The first plies take long to solve, so there are few of them.
        let range =
            if rng.below(100) == 0 { *PLIES.start()..EARLY } else { EARLY..PLIES.end() + 1 };
        let plies = range.start + rng.below(u64::from(range.end - range.start)) as u32;
        let mut position = Position::new();
        let mut columns = Vec::new();
        while position.plies() < plies {
            let free: Vec<u32> = (0..COLUMNS)
                .filter(|&column| position.can_play(column) && !position.wins(column))
                .collect();
            // Random play overlooks no win in one move, so that the position continues.
            if free.is_empty() || position.can_win() {
                break;
            }
            let column = free[rng.below(free.len() as u64) as usize];
            position = position.play(column);
            columns.push(column + 1);
        }
        if position.plies() < plies || !seen.insert(position.canonical_key()) {
            continue;
        }
        let Some(solved) = Solved::new(columns, &position, &mut solver, &Stop::never())? else {
            continue;
        };
        let list = if solved.hard { &mut hard } else { &mut others };
        if list.len() < half {
            list.push(solved);
            if (hard.len() + others.len()).is_multiple_of(50) {
                eprintln!("{} hard, {} others", hard.len(), others.len());
            }
        }
    }
    hard.extend(others);
    Ok(hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sleeping costs no processor time, work does.
    #[test]
    fn processor_time_is_not_elapsed_time() {
        let time = Duration::from_millis(20);
        let clock = ProcessorTime { watch: Watch::start(), time };
        if std::fs::exists("/proc/thread-self/schedstat").is_ok_and(|found| found) {
            std::thread::sleep(2 * time);
            assert!(clock.remaining().is_some_and(|left| !left.is_zero()));
        }
        let mut sum = 0_u64;
        while clock.remaining().is_some_and(|left| !left.is_zero()) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
    }

    #[test]
    fn the_stored_positions_are_solved_rightly() {
        let text = std::fs::read_to_string(file()).expect("the file is part of the project");
        let all: Vec<Solved> =
            text.lines().map(str::parse).collect::<Result<_, _>>().expect("readable");
        assert!(all.len() >= 160 && all.iter().filter(|s| s.hard).count() * 2 >= all.len());
        let mut solver = Solver::new(20);
        // Late positions are solved quickly.
        for solved in all.iter().filter(|solved| solved.columns.len() >= 18).take(20) {
            let columns: Vec<u32> = solved.columns.iter().map(|column| column - 1).collect();
            let position = Position::of_columns(&columns).expect("a position");
            let again = Solved::new(solved.columns.clone(), &position, &mut solver, &Stop::never());
            assert_eq!(again.expect("solved").as_ref(), Some(solved));
        }
    }
}
