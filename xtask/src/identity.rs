//! Ids, hashes and observations of games must be the same everywhere.
//!
//! Every game is prepared on all evaluators in this process, examined by several threads at once,
//! and prepared again in another process, while busy threads load the machine.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use magister_core::{Game, Stop};
use magister_engine::grounder::Progress;
use magister_engine::inspect::{Identity, Walks, identity};
use magister_engine::{Prepared, prepare, prepare_each};
use magister_games::catalogue;
use magister_gdl::{Options as Language, read};

use crate::sheets::{Sheet, named};

/// The settings.
#[derive(Args)]
pub(crate) struct Options {
    /// Bundled games and files; by default all rulesheets of the catalogue
    games: Vec<String>,
    /// The number of threads that examine a game at the same time
    #[arg(long, default_value_t = 4)]
    threads: usize,
    /// The number of threads that keep the machine busy
    #[arg(long, default_value_t = 4)]
    load: usize,
    /// The number of random matches to examine
    #[arg(long, default_value_t = 3)]
    matches: u64,
    /// The maximum length of each match
    #[arg(long, default_value_t = 60)]
    steps: u32,
    /// Print only the data to compare
    #[arg(long, hide = true)]
    print: bool,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let sheets = if options.games.is_empty() { bundled() } else { named(&options.games)? };
    let walks = Walks { matches: options.matches, steps: options.steps };
    if options.print {
        for sheet in &sheets {
            println!("{}\t{}", sheet.name, there(sheet, walks));
        }
        return Ok(());
    }
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..options.load {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let compared = compare(&sheets, walks, options);
        over.store(true, Ordering::Relaxed);
        compared
    })
}

/// All rulesheets of the catalogue, including twins.
fn bundled() -> Vec<Sheet> {
    let sheets = catalogue::all().iter().flat_map(magister_games::catalogue::Entry::gdl_sheets);
    sheets.map(|(name, sheet)| Sheet { name, text: sheet.text.to_owned() }).collect()
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
fn compare(sheets: &[Sheet], walks: Walks, options: &Options) -> Result<()> {
    let mut other = spawn(options)?;
    let output = other.stdout.take().context("the other process has no output")?;
    let mut lines = BufReader::new(output).lines();
    let (mut wrong, mut fixed) = (0, 0);
    for sheet in sheets {
        let (found, evaluators) = here(sheet, walks, options.threads);
        let line = lines.next().context("the other process ended early")??;
        let elsewhere = line.split_once('\t').map_or("", |(_, text)| text);
        let found = found.and_then(|identity| {
            let text = summary(&identity);
            if text == elsewhere {
                Ok(identity)
            } else {
                Err(format!("another process says\n    {elsewhere}\n  and not\n    {text}"))
            }
        });
        match found {
            Ok(identity) => {
                fixed += usize::from(identity.moves.is_some());
                let moves = identity.moves.map_or("no fixed".to_owned(), |moves| moves.to_string());
                let rules = &identity.rules_hash[..12];
                println!("{}: {moves} moves, rules {rules}, {evaluators}", sheet.name);
            }
            Err(what) => {
                wrong += 1;
                println!("{}: DIFFERS: {what}", sheet.name);
            }
        }
    }
    other.wait()?;
    println!(
        "\n{} rulesheets, {fixed} with fixed ids, {wrong} differ; {} threads, {} busy threads, two \
         processes",
        sheets.len(),
        options.threads,
        options.load
    );
    if wrong > 0 {
        bail!("games are not the same everywhere");
    }
    Ok(())
}

/// Starts this program again for the same games.
fn spawn(options: &Options) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("identity").args(&options.games).arg("--print");
    command.args(["--matches", &options.matches.to_string()]);
    command.args(["--steps", &options.steps.to_string()]);
    Ok(command.stdout(Stdio::piped()).spawn()?)
}

/// A game on all evaluators, and on the best one in several threads at once; also the evaluators.
fn here(sheet: &Sheet, walks: Walks, threads: usize) -> (Result<Identity, String>, String) {
    let rules = read(&sheet.text, &Language::default()).rules;
    let never = Stop::never();
    let each = prepare_each(&rules, &sheet.text, &sheet.name, &never, &Progress::default());
    let all = match each {
        Ok(each) => each.taken,
        Err(error) => return (Err(error.to_string()), String::new()),
    };
    let names: Vec<&str> = all.iter().map(|prepared| prepared.evaluator.name()).collect();
    let names = names.join(" ");
    let mut found: Option<Identity> = None;
    for Prepared { game, evaluator, .. } in &all {
        let mut of_threads = at_once(game, walks, threads);
        let one = of_threads.pop().expect("at least one thread");
        if of_threads.iter().any(|other| *other != one) {
            return (Err(format!("{evaluator} differs from thread to thread")), names);
        }
        let known = found.get_or_insert_with(|| one.clone());
        if (known.moves, &known.rules_hash, &known.play) != (one.moves, &one.rules_hash, &one.play)
        {
            return (Err(format!("{evaluator} differs from {}", all[0].evaluator)), names);
        }
    }
    (found.ok_or_else(|| "no evaluator supports it".to_owned()), names)
}

/// The results of several threads at the same time.
fn at_once(game: &Arc<dyn Game>, walks: Walks, threads: usize) -> Vec<Identity> {
    thread::scope(|scope| {
        let look = || identity(game, walks, &Stop::never());
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(look)).collect();
        threads.into_iter().map(|thread| thread.join().expect("games do not panic")).collect()
    })
}

/// The identity of a game in this process, on the best evaluator.
fn there(sheet: &Sheet, walks: Walks) -> String {
    let rules = read(&sheet.text, &Language::default()).rules;
    match prepare(&rules, &sheet.text, &sheet.name, None, &Stop::never()) {
        Ok(prepared) => summary(&identity(&prepared.game, walks, &Stop::never())),
        Err(error) => error.to_string(),
    }
}

/// The data that must be the same in every process, as one line.
fn summary(identity: &Identity) -> String {
    let Identity { moves, rules_hash, text_hash, play, .. } = identity;
    format!("{moves:?} {rules_hash} {text_hash} {play}")
}
