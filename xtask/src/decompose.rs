//! The subgames of every game: the findings, whether they are as expected, and their benefit.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use magister_core::{Budget, Role, Stop};
use magister_decompose::{Decomposition, Solved, solve};
use magister_engine::{Compiled, within};
use magister_solve::{Solution, SolveLimits};

use crate::sheets::{Sheet, sheets};

mod duels;
mod paper;
mod puzzles;
mod sums;
mod trees;

/// The games to split.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Options {
    /// Bundled games and files; by default all bundled rulesheets and the oracle's
    games: Vec<String>,
    /// Only the games whose parts are known
    #[arg(long)]
    known: bool,
    /// The time limit in seconds for preparing a game, and for splitting it
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Solve useful games with and without their parts, and compare values and states
    #[arg(long)]
    solve: bool,
    /// Search for false positives among all games except those whose parts are known: useful
    /// without a proof, or more states searched by parts than without
    #[arg(long)]
    false_positives: bool,
    /// Solve puzzles of placements: constraint puzzles of the catalogue and the oracle
    #[arg(long)]
    puzzles: bool,
    /// The numbers of Zhao, Schiffel and Thielscher (2009): the Nim table, the sequences of Double
    /// Tic-Tac-Toe and where the paper's rule errs, beside the sound search
    #[arg(long)]
    paper: bool,
    /// Draw the time by depth, as in figure 4 of that paper, as SVG into this file
    #[arg(long, value_name = "FILE")]
    curves: Option<String>,
    /// Puzzles with one tree per subgame and with a single tree: simulations to the solution,
    /// median over seeds
    #[arg(long)]
    trees: bool,
    /// `uct` with decomposition against `uct` without at equal time: five sums
    #[arg(long)]
    duels: bool,
    /// The same on ten games that do not decompose, taken together
    #[arg(long)]
    no_loss: bool,
    /// Seeds of --trees
    #[arg(long, default_value_t = 30)]
    seeds: u64,
    /// The maximum number of simulations of --trees
    #[arg(long, default_value_t = 1_000_000)]
    simulations: u64,
    /// Milliseconds per move of --duels and --no-loss
    #[arg(long, default_value_t = 30)]
    move_ms: u64,
    /// Milliseconds of the start clock of --duels and --no-loss
    #[arg(long, default_value_t = 1_000)]
    start_ms: u64,
    /// The maximum number of matches of each duel
    #[arg(long, default_value_t = 200)]
    matches: u64,
    /// The maximum number of positions of the search without parts
    #[arg(long, default_value_t = 2_000_000)]
    positions: usize,
}

/// Games whose parts are known: a name, the number of subgames, and kinds that must be found.
const KNOWN: &[(&str, usize, &[&str])] = &[
    ("nim1", 4, &["asynchronous", "impartial"]),
    ("nim2", 4, &["asynchronous", "impartial"]),
    ("nim3", 4, &["asynchronous", "impartial"]),
    ("nim4", 4, &["asynchronous", "impartial"]),
    ("double_tictactoe_dengji", 2, &["asynchronous"]),
    ("doubletictactoe", 2, &["synchronous"]),
    ("doubletoetictac", 2, &["synchronous"]),
    ("ticTacToeParallel", 2, &["compound moves", "synchronous"]),
    ("ticTacToeSerial", 2, &["serial"]),
    ("blockerParallel", 2, &["compound moves", "synchronous"]),
    ("blockerSerial", 2, &["serial"]),
    ("dualConnect4", 2, &["asynchronous"]),
    ("ticTacHeaven", 2, &["asynchronous", "pass"]),
    ("ticTacHeavenFC", 2, &["asynchronous", "pass"]),
    ("chinook", 2, &["synchronous"]),
    ("hodgepodge", 2, &["separate roles", "synchronous"]),
    ("incredible", 2, &["asynchronous"]),
    ("asteroidsParallel", 2, &["compound moves"]),
    ("asteroidsSerial", 2, &["serial"]),
    ("blocksWorldParallel", 2, &["compound moves"]),
    ("blocksWorldSerial", 2, &["serial"]),
    ("lightsOnParallel", 4, &["asynchronous"]),
    ("lightsOnSimul4", 4, &["compound moves"]),
    ("lightsOnSimultaneous", 4, &["compound moves", "coupled moves"]),
    ("simultaneousWin2", 4, &["compound moves"]),
    ("snakeParallel", 2, &["asynchronous"]),
    ("factoringEasyTurtleBrain", 3, &["serial"]),
    ("factoringMediumTurtleBrain", 21, &["serial"]),
    ("factoringImpossibleTurtleBrain", 21, &["serial"]),
    ("factoringMutuallyAssuredDestruction", 5, &["asynchronous"]),
    ("factoringGeorgeForman", 1, &[]),
    ("ticTacToe", 1, &[]),
    ("connectFour", 1, &[]),
    ("tictactoex9", 1, &[]),
    ("nineBoardTicTacToePie", 1, &[]),
    ("connectFourSimultaneous", 2, &["synchronous"]),
    ("chomp", 1, &[]),
];

fn known(name: &str) -> Option<&'static (&'static str, usize, &'static [&'static str])> {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.strip_suffix(".kif").unwrap_or(stem);
    KNOWN.iter().find(|row| row.0 == stem)
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if options.paper {
        return paper::run();
    }
    if let Some(file) = &options.curves {
        return paper::curves(file, options.seconds as f64);
    }
    if options.trees {
        return trees::run(&options.games, options.seeds, options.simulations);
    }
    let limits = duels::Match {
        time: Duration::from_millis(options.move_ms),
        start: Duration::from_millis(options.start_ms),
        games: options.matches,
    };
    if options.duels {
        return duels::sums(limits);
    }
    if options.no_loss {
        return duels::whole(limits);
    }
    let mut all = sheets(&options.games)?;
    if options.puzzles {
        return puzzles::run(&all, options.seconds, options.games.is_empty());
    }
    if options.false_positives {
        all.retain(|sheet| known(&sheet.name).is_none());
    }
    if options.known {
        all.retain(|sheet| known(&sheet.name).is_some());
    }
    let mut out = std::io::stdout();
    let (mut wrong, mut useful, mut split, mut seen) = (Vec::new(), 0, 0, 0);
    for sheet in &all {
        seen += 1;
        let row = match look(sheet, options) {
            Ok(row) => row,
            Err(why) => {
                writeln!(out, "{:<40} {why}", sheet.name)?;
                continue;
            }
        };
        split += usize::from(row.subgames > 1);
        useful += usize::from(row.useful);
        let mut notes = row.notes.clone();
        if let Some((_, expected, kinds)) = known(&sheet.name) {
            let missing = kinds.iter().any(|kind| !row.kinds.contains(kind));
            let soon = row.prepared + row.took < Duration::from_secs(5);
            let right = row.subgames == *expected && !missing && soon;
            if !right {
                wrong.push(sheet.name.clone());
            }
            notes.push(if right {
                "as expected".to_owned()
            } else {
                format!("EXPECTED {expected} {}", kinds.join(", "))
            });
        }
        if !row.sound {
            wrong.push(sheet.name.clone());
        }
        writeln!(
            out,
            "{:<40} {:>3} {:<8} {:>8.3} s {:>8.3} s  {}{}{}",
            sheet.name,
            row.subgames,
            if row.useful { "useful" } else { "" },
            row.prepared.as_secs_f64(),
            row.took.as_secs_f64(),
            row.kinds.join(", "),
            if notes.is_empty() { "" } else { "; " },
            notes.join("; "),
        )?;
    }
    writeln!(out, "{seen} games, {split} with several subgames, {useful} useful")?;
    if !wrong.is_empty() {
        bail!("{} not as expected: {}", wrong.len(), wrong.join(", "));
    }
    Ok(())
}

/// The findings for one game.
struct Row {
    subgames: usize,
    kinds: Vec<&'static str>,
    useful: bool,
    sound: bool,
    prepared: Duration,
    took: Duration,
    notes: Vec<String>,
}

fn look(sheet: &Sheet, options: &Options) -> Result<Row, String> {
    let time = Duration::from_secs(options.seconds);
    let opening = paper::processor();
    let playable = sheet.open(None, time)?;
    let prepared = paper::processor().saturating_sub(opening);
    let Some(network) = playable.network() else { return Err("no network".to_owned()) };
    let compiled: &Compiled = network.compiled();
    let begun = paper::processor();
    let whole = within(time, &Stop::never(), |stop| Decomposition::new(compiled, stop))
        .map_err(|halt| halt.to_string())?;
    let took = paper::processor().saturating_sub(begun);
    // A game with one part may have several parts later.
    let parts = whole.later.as_deref().map_or(&whole, |later| &later.whole);
    let mut row = Row {
        subgames: parts.subgames.len(),
        kinds: parts.kinds.iter().map(|kind| kind.name()).collect(),
        useful: whole.worth.useful,
        sound: true,
        prepared,
        took,
        notes: whole.later.iter().map(|_| "after decisions".to_owned()).collect(),
    };
    // A claim that was not measured has no proof.
    if whole.worth.useful && !whole.worth.measured {
        row.sound = false;
        row.notes.push("USEFUL WITHOUT PROOF".to_owned());
    }
    if (options.solve || options.false_positives) && whole.worth.useful {
        compare(&playable, compiled, &whole, options, &mut row);
    }
    Ok(row)
}

/// Solves a game with and without its parts.
fn compare(
    playable: &magister::Playable,
    compiled: &Compiled,
    whole: &Decomposition,
    options: &Options,
    row: &mut Row,
) {
    let time = Duration::from_secs(options.seconds);
    let limits = SolveLimits { nodes: options.positions, ..SolveLimits::default() };
    let begun = Instant::now();
    let with = within(time, &Stop::never(), |stop| solve(compiled, whole, &limits, stop));
    let took = begun.elapsed();
    let begun = Instant::now();
    let without = within(time, &Stop::never(), |stop| {
        let mut budget = Budget::until(stop.clone());
        Solution::of_game(&*playable.game, Role(0), &limits, &mut budget)
    });
    let plain = begun.elapsed();
    let with: Solved = match with {
        Ok(solved) => solved,
        Err(why) => {
            row.notes.push(format!("not solved by parts: {why}"));
            return;
        }
    };
    row.notes.push(format!(
        "{} {:?}, {} states in {:.3} s",
        with.method.name(),
        with.value,
        with.states,
        took.as_secs_f64()
    ));
    match without {
        Ok(without) => {
            let same = with.value.iter().zip(without.value()).all(|(a, b)| (a - b).abs() < 1e-6);
            row.sound = same && with.states <= without.positions();
            row.notes.push(format!(
                "plain {:?}, {} states in {:.3} s{}",
                without.value(),
                without.positions(),
                plain.as_secs_f64(),
                if same { "" } else { " DIFFERENT VALUE" }
            ));
        }
        Err(why) => row.notes.push(format!("plain search: {why}")),
    }
}
