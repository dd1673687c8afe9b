//! The number of moves of a player that preserve the best class (win, draw or loss) in solved
//! positions of Connect Four.
//!
//! The positions are in `benches/connect-four-hard.txt`.

mod make;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use magister_arena::{Deadline, interval};
use magister_core::{Budget, Clock, Game, Move, Observation, Role, Seed, Step, Stop, Turn, View};
use magister_learn::connect_four::Solved;
use magister_players::Spec;

use crate::learn::Watch;

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
    /// Also show the shares of positions with 4 to 7, 8 to 11, 12 to 15 and 16 to 20 discs
    #[arg(long)]
    discs: bool,
    /// The number of positions that run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Solve positions until the file has N, half of them hard; an interrupted run continues
    #[arg(long)]
    make: Option<usize>,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benches/connect-four-hard.txt")
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(number) = options.make {
        return make::make(&file(), number);
    }
    let all = make::read(&file())?;
    ensure!(!all.is_empty(), "no positions; `cargo xtask hard --make 1000` solves some");
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
            let right = exam(&game.game, &spec, &positions, options)?;
            let kept = right.iter().filter(|&&right| right).count();
            let (low, high) = interval(positions.len() as u64, kept as f64, kept as f64);
            println!(
                "{name:40} {:>6} {:>6} {:>5.1} %  {:.1} to {:.1}",
                if hard { "hard" } else { "other" },
                positions.len(),
                100.0 * kept as f64 / positions.len().max(1) as f64,
                100.0 * low,
                100.0 * high
            );
            if options.discs {
                by_discs(&positions, &right);
            }
        }
    }
    Ok(())
}

/// Shows the shares of kept classes by the number of discs on the board.
#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn by_discs(positions: &[&Solved], right: &[bool]) {
    for (least, most) in [(4, 7), (8, 11), (12, 15), (16, 20)] {
        let here = |solved: &Solved| (least..=most).contains(&solved.columns.len());
        let asked = positions.iter().filter(|solved| here(solved)).count();
        let kept = positions.iter().zip(right).filter(|(solved, right)| here(solved) && **right);
        let share = 100.0 * kept.count() as f64 / asked.max(1) as f64;
        println!("{:40} {:>6} {asked:>6} {share:>5.1} %", "", format!("{least}-{most}"));
    }
}

/// For each position, whether a player preserves the class.
fn exam(
    game: &Arc<dyn Game>,
    spec: &Spec,
    positions: &[&Solved],
    options: &Options,
) -> Result<Vec<bool>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<usize>> {
        let mut kept = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(solved) = positions.get(at) else { return Ok(kept) };
            if solved.keeping.contains(&ask(game, spec, solved, options)?) {
                kept.push(at);
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        let mut right = vec![false; positions.len()];
        for thread in threads {
            match thread.join() {
                Ok(kept) => kept?.into_iter().for_each(|at| right[at] = true),
                Err(_) => bail!("a player panicked"),
            }
        }
        Ok(right)
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
            Budget::until(stop).with_clock(Arc::new(ProcessorTime::new(time)))
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
    /// When the processor time was read last, and what remained then.
    read: Mutex<(Instant, Duration)>,
}

/// The elapsed time after which the processor time is read again. Reading it opens a file, which
/// took a fifth of a search that asked every 200 microseconds.
const REREAD: Duration = Duration::from_millis(5);

impl ProcessorTime {
    fn new(time: Duration) -> Self {
        ProcessorTime { watch: Watch::start(), time, read: Mutex::new((Instant::now(), time)) }
    }
}

impl Clock for ProcessorTime {
    fn remaining(&self) -> Option<Duration> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread spends at most the elapsed time.
        let elapsed = read.0.elapsed();
        if elapsed >= REREAD || elapsed >= read.1 {
            let spent = Duration::try_from_secs_f64(self.watch.seconds()).unwrap_or_default();
            *read = (Instant::now(), self.time.saturating_sub(spent));
            return Some(read.1);
        }
        Some(read.1.saturating_sub(elapsed))
    }
}

/// The column in the text of a move such as `(drop 3)`.
fn column_of(text: &str) -> Option<u32> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_learn::connect_four::{Position, Solver};

    /// Sleeping costs no processor time, work does.
    #[test]
    fn processor_time_is_not_elapsed_time() {
        let time = Duration::from_millis(20);
        let clock = ProcessorTime::new(time);
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
        let all = make::read(&file()).expect("readable");
        assert!(all.len() >= 1000 && all.iter().filter(|s| s.hard).count() * 2 >= all.len());
        let mut solver = Solver::new(20);
        // Late positions are solved quickly. A solver without bounds by pairing made the file.
        let late = all.iter().filter(|solved| solved.columns.len() >= 12);
        for solved in late.step_by(7).take(60) {
            let columns: Vec<u32> = solved.columns.iter().map(|column| column - 1).collect();
            let position = Position::of_columns(&columns).expect("a position");
            let again = Solved::new(solved.columns.clone(), &position, &mut solver, &Stop::never());
            assert_eq!(again.expect("solved").as_ref(), Some(solved));
        }
    }
}
