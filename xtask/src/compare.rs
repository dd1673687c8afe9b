//! Compares an old build with a new one in one run: nothing may become slower.

mod ratios;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use magister_benches::games::GAMES;
use serde_json::Value;

use crate::binary;
use ratios::{Row, geometric_mean};

/// What to compare.
#[derive(Args)]
pub(crate) struct Options {
    /// The old program
    old: PathBuf,
    /// The new program; by default a release build of this folder
    #[arg(long)]
    new: Option<PathBuf>,
    /// The number of pairs of measurements per row. A row that does not show with 95 % confidence on
    /// which side of the bar it is gets more pairs, up to four times as many
    #[arg(long, default_value_t = 10)]
    pairs: usize,
    /// Seconds of processor time per measurement
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// Only rows whose names contain this word
    #[arg(long)]
    only: Option<String>,
    /// A player that the new program uses instead, such as uct=uct:tactics=0, to compare the
    /// machinery if a default has changed
    #[arg(long, value_name = "OLD=NEW", value_parser = replacement)]
    instead: Vec<(String, String)>,
}

/// Parses the name of a player and its replacement in the new program.
fn replacement(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("write OLD=NEW, such as uct=uct:tactics=0")?;
    Ok((old.to_owned(), new.to_owned()))
}

/// The minimum of the geometric mean of all rows, and of each row.
const MEAN: f64 = 0.97;
const WORST: f64 = 0.93;

/// The games whose single steps are measured, with their evaluators.
const STEPS: [(&str, &[&str]); 5] = [
    ("tictactoe", &["incremental", "sweep", "code", "datalog", "reference"]),
    ("connect-four", &["incremental", "sweep", "code", "datalog"]),
    ("breakthrough", &["incremental", "sweep", "code", "datalog"]),
    ("othello", &["incremental", "sweep", "code"]),
    ("krieg-tictactoe", &["incremental", "datalog"]),
];

/// The games and players whose searches are measured.
const SEARCHES: [(&str, &str); 6] = [
    ("connect-four", "uct"),
    ("breakthrough", "uct"),
    ("othello", "uct"),
    ("tictactoe-3-players", "uct"),
    ("connect-four", "mcts"),
    ("krieg-tictactoe", "so-ismcts"),
];

/// One task for both programs.
enum Task {
    /// Random play by an evaluator.
    Play { game: &'static str, evaluator: &'static str },
    /// Decisions of a player in the initial position.
    Search { game: &'static str, player: &'static str },
}

impl Task {
    fn name(&self) -> String {
        match self {
            Task::Play { game, evaluator } => format!("{game} by {evaluator}"),
            Task::Search { game, player } => format!("{game}, search of {player}"),
        }
    }

    /// The rate of a program per second of processor time; `None` if it does not support the game,
    /// the evaluator or the player.
    fn rate(
        &self,
        program: &Path,
        instead: &[(String, String)],
        seconds: f64,
    ) -> Result<Option<f64>> {
        match self {
            Task::Play { game, evaluator } => play(program, game, evaluator, seconds),
            Task::Search { game, player } => {
                let other = instead.iter().find(|(old, _)| old == player);
                search(program, game, other.map_or(player, |(_, new)| new), seconds)
            }
        }
    }
}

/// All tasks: yardsticks in batches, single games step by step, searches.
fn tasks() -> Vec<Task> {
    let yardsticks = GAMES.iter().map(|game| Task::Play { game: game.name, evaluator: "batch" });
    let steps = STEPS.iter().flat_map(|&(game, evaluators)| {
        evaluators.iter().map(move |&evaluator| Task::Play { game, evaluator })
    });
    let searches = SEARCHES.iter().map(|&(game, player)| Task::Search { game, player });
    yardsticks.chain(steps).chain(searches).collect()
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let new = match &options.new {
        Some(path) => path.clone(),
        None => binary::magister()?,
    };
    let old = options.old.canonicalize().context("the old program")?;
    let mut rows: Vec<Row> = Vec::new();
    println!("new over old, {} pairs of {} s each", options.pairs, options.seconds);
    for task in tasks() {
        let name = task.name();
        if options.only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        match measure(&task, &old, &new, options)? {
            Some(row) => {
                println!("{row}");
                rows.push(row);
            }
            None => println!("{name:36} left out: one of the programs does not support it"),
        }
    }
    let Some(worst) = rows.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio)) else {
        bail!("nothing was compared");
    };
    let mean = geometric_mean(rows.iter().map(|row| row.ratio));
    println!(
        "\n{} rows: geometric mean {mean:.3}, worst {:.3} ({})",
        rows.len(),
        worst.ratio,
        worst.name
    );
    if mean < MEAN || worst.ratio < WORST {
        bail!(
            "slower than allowed: the mean must be at least {MEAN}, and every row at least {WORST}"
        );
    }
    Ok(())
}

/// The row of a task; `None` if one of the programs does not support it.
fn measure(task: &Task, old: &Path, new: &Path, options: &Options) -> Result<Option<Row>> {
    let mut ratios = Vec::new();
    loop {
        for pair in 0..options.pairs {
            // The second program may run on a warmer machine, so they alternate.
            let order = if pair % 2 == 0 { [old, new] } else { [new, old] };
            let mut rates = Vec::new();
            for program in order {
                let instead: &[_] = if program == new { &options.instead } else { &[] };
                rates.push(task.rate(program, instead, options.seconds)?);
            }
            if pair % 2 == 1 {
                rates.reverse();
            }
            if let [Some(old), Some(new)] = rates[..] {
                ratios.push(new / old);
            }
        }
        let row = Row::new(&task.name(), &ratios);
        let open = row.as_ref().is_some_and(|row| !row.decides(WORST));
        if !open || ratios.len() >= 4 * options.pairs {
            return Ok(row);
        }
    }
}

/// States per second of random play.
fn play(program: &Path, game: &str, evaluator: &str, seconds: f64) -> Result<Option<f64>> {
    let output = Command::new(program)
        .args(["bench", game, "--json", "--evaluator", evaluator])
        .args(["--seconds", &seconds.to_string()])
        .stderr(Stdio::null())
        .output()
        .with_context(|| program.display().to_string())?;
    let first = output.stdout.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let found: Option<Value> = serde_json::from_slice(first).ok();
    Ok(found.and_then(|found| found["states_per_s"].as_f64()))
}

/// Iterations per second of a player that searches the initial position repeatedly.
fn search(program: &Path, game: &str, player: &str, seconds: f64) -> Result<Option<f64>> {
    let time = format!("{seconds}s");
    let mut child = Command::new(program)
        .args(["answer", game, "--player", player, "--time", &time, "--cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| program.display().to_string())?;
    let mut input = child.stdin.take().context("no input")?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let mut lines = output.lines();
    // A program that refuses its arguments prints nothing and closes its input.
    let asked = input.write_all(b"go\nquit\n").and_then(|()| input.flush());
    let position = lines.next().transpose()?;
    let answer = lines.next().transpose()?;
    drop(input);
    child.wait()?;
    let (Ok(()), Some(_), Some(answer)) = (asked, position, answer) else { return Ok(None) };
    let answer: Value = serde_json::from_str(&answer)?;
    let iterations = answer["iterations"].as_f64();
    let time = answer["cpu_ms"].as_f64().or_else(|| answer["time_ms"].as_f64());
    Ok(iterations.zip(time).map(|(iterations, time)| iterations / time * 1e3))
}
