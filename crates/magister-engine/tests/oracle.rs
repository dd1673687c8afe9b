//! Replays matches that other programs recorded.
//!
//! A normal run replays the first positions of the first match of every game, within a few seconds
//! per game. With `MAGISTER_LONG=1` it replays every match of every game, with a minute for each,
//! and prints a line per game; `MAGISTER_GAME` restricts it to games whose name contains a text.
#![allow(clippy::print_stderr)]
#![allow(clippy::disallowed_methods, reason = "tests may read the clock")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use magister_core::{Halt, Stop};
use magister_engine::trace::{Report, Trace, conform, read as read_traces};
use magister_engine::{Evaluator, Ground, Program, QueryLimits, Reference, prepare};
use magister_gdl::{Dialect, Options, Syntax, print, read, translate};

/// The reference prover misreads this rulesheet, so its trace contradicts the rules.
const SKIPPED: &str = "sjl__mastermind448";

/// The folder of the oracle; prints SKIPPED if it is missing.
fn oracle() -> Option<PathBuf> {
    let folder = std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no oracle at {} (set MAGISTER_ORACLE)", folder.display());
    None
}

fn long() -> bool {
    std::env::var_os("MAGISTER_LONG").is_some_and(|value| value != "0")
}

/// The part of a game that is replayed.
struct Extent {
    /// Larger files are replayed in the long run only.
    bytes: u64,
    matches: usize,
    positions: usize,
    seconds: u64,
}

const SHORT: Extent = Extent { bytes: 40_000, matches: 1, positions: 10, seconds: 5 };
const LONG: Extent =
    Extent { bytes: u64::MAX, matches: usize::MAX, positions: usize::MAX, seconds: 60 };

/// Runs `work` with a flag that is set after this number of seconds.
fn within<T>(seconds: u64, work: impl FnOnce(&Stop) -> T) -> T {
    let stop = Stop::new();
    let flag = stop.clone();
    let (done, wait) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            flag.set();
        }
    });
    let result = work(&stop);
    drop(done);
    watch.join().expect("the watch never panics");
    result
}

/// The comparison of one game; `None` if it timed out.
fn replay(rules: &Path, traces: &Path, extent: &Extent) -> Result<Option<Report>, String> {
    let bytes = std::fs::read(rules).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let sheet = read(&text, &Options::default());
    if sheet.diagnostics.has_errors() {
        return Err("the rules contain errors".to_owned());
    }
    let program = Program::new(&sheet.rules, &text).map_err(|e| e.to_string())?;
    let bytes = std::fs::read(traces).map_err(|e| e.to_string())?;
    let mut traces = read_traces(&bytes).map_err(|e| e.to_string())?;
    traces.truncate(extent.matches);
    traces.iter_mut().for_each(|trace| trace.positions.truncate(extent.positions));
    let mut reference = Reference::new(Arc::new(program), QueryLimits::default());
    match within(extent.seconds, |stop| conform(&mut reference, &traces, stop)) {
        Ok(report) => Ok(Some(report)),
        Err(Halt::Stopped) => Ok(None),
        Err(halt) => Err(halt.to_string()),
    }
}

fn collection(name: &str, traces: &str, rules: &str, ending: &str) {
    let Some(oracle) = oracle() else { return };
    let only = std::env::var("MAGISTER_GAME").unwrap_or_default();
    let extent = if long() { LONG } else { SHORT };
    let mut files: Vec<PathBuf> = std::fs::read_dir(oracle.join(traces))
        .expect("the oracle contains this folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    let (mut agree, mut positions, mut slow, mut failures) = (0, 0, Vec::new(), Vec::new());
    for file in files {
        let game = file.file_name().unwrap_or_default().to_string_lossy();
        let game = game.trim_end_matches(".gz").trim_end_matches(".jsonl").to_owned();
        let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
        if game == SKIPPED || !game.contains(&only) || size > extent.bytes {
            continue;
        }
        let begin = Instant::now();
        let result = replay(&oracle.join(rules).join(format!("{game}{ending}")), &file, &extent);
        let time = begin.elapsed();
        match result {
            Ok(Some(report)) => {
                positions += report.positions;
                if long() {
                    let bad = report.mismatches.len();
                    eprintln!(
                        "{name} {game}: positions {}, mismatches {bad}, {time:.2?}",
                        report.positions
                    );
                }
                match report.mismatches.first() {
                    None => agree += 1,
                    Some(first) => failures.push(format!(
                        "{game}: {} mismatches, first: {first}",
                        report.mismatches.len()
                    )),
                }
            }
            Ok(None) => slow.push(game),
            Err(what) => failures.push(format!("{game}: {what}")),
        }
    }
    eprintln!("{name}: {agree} games agree in {positions} positions; out of time: {slow:?}");
    assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
    if only.is_empty() {
        assert!(agree > 10, "only {agree} games of {name} were compared");
    }
}

#[test]
fn gdl() {
    collection("gdl", "gdl/traces", "gdl/games", ".kif");
}

#[test]
fn test_cases() {
    collection("test_cases", "gdl/test_cases/traces", "gdl/test_cases", ".kif");
}

#[test]
fn gdl2() {
    collection("gdl2", "gdl2/traces", "gdl2/games", ".kif");
}

#[test]
fn gamemaster() {
    collection("gamemaster", "gamemaster/traces", "gamemaster/games", ".rulesheet.hrf");
}

/// Converts a recorded position of a Gamemaster game to the translated GDL game: the role in
/// control makes the move, the others make the idle move.
fn as_gdl(trace: &mut Trace, idle: &Ground) {
    for position in &mut trace.positions {
        for legal in position.legal.iter_mut().flatten() {
            if legal.is_empty() {
                legal.push(idle.clone());
            }
        }
        for choice in position.joint.iter_mut().flatten() {
            choice.get_or_insert_with(|| idle.clone());
        }
        // A role without a goal has zero in the Gamemaster game and no goal in GDL.
        position.goals = None;
    }
}

#[test]
fn operations_translated_to_gdl_play_the_same() {
    let Some(oracle) = oracle() else { return };
    let folder = oracle.join("gamemaster");
    let extent = if long() { LONG } else { SHORT };
    let mut agree = 0;
    for file in std::fs::read_dir(folder.join("games")).expect("a folder").flatten() {
        let path = file.path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let Some(game) = name.strip_suffix(".rulesheet.hrf") else { continue };
        let traces = folder.join(format!("traces/{game}.jsonl.gz"));
        let Ok(recorded) = std::fs::read(&traces) else { continue };
        let bytes = std::fs::read(&path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        let sheet = read(&text, &Options::default());
        let Ok(translated) = translate(&sheet.rules, Dialect::Gdl) else { continue };
        // The translation is printed and read again, as another program would do.
        let printed = print(&translated.rules, &text, Syntax::Kif).expect("it can be written");
        let again = read(&printed, &Options::default());
        let program = Program::new(&again.rules, &printed).expect("it is a game");
        let idle = printed
            .lines()
            .filter_map(|line| line.strip_prefix("(<= (legal ?r ")?.strip_suffix(')'))
            .find(|word| !word.starts_with('?'))
            .unwrap_or("noop");
        let idle = Ground::constant(idle);
        let mut traces = read_traces(&recorded).expect("recorded");
        traces.truncate(extent.matches);
        for trace in &mut traces {
            trace.positions.truncate(extent.positions);
            as_gdl(trace, &idle);
        }
        let mut reference = Reference::new(Arc::new(program), QueryLimits::default());
        let report = within(extent.seconds, |stop| conform(&mut reference, &traces, stop));
        match report {
            Ok(report) => {
                let first = report.mismatches.first().map(ToString::to_string);
                assert!(first.is_none(), "{game}: {first:?}");
                agree += 1;
            }
            Err(Halt::Stopped) => {}
            Err(halt) => panic!("{game}: {halt}"),
        }
    }
    assert!(agree >= 40, "{agree} games agree");
}

/// Replays every game on every given evaluator that supports it in time; returns the number of runs
/// that agree.
fn prepared(evaluators: &[Evaluator], bytes: usize) -> Option<u32> {
    let oracle = oracle()?;
    let only = std::env::var("MAGISTER_GAME").unwrap_or_default();
    let (extent, patience) = if long() { (LONG, 30) } else { (SHORT, 1) };
    let collections = [
        ("gdl/games", "gdl/traces", ".kif"),
        ("gdl/test_cases", "gdl/test_cases/traces", ".kif"),
        ("gdl2/games", "gdl2/traces", ".kif"),
        ("gamemaster/games", "gamemaster/traces", ".rulesheet.hrf"),
    ];
    let (mut agree, mut other, mut failures) = (0, Vec::new(), Vec::new());
    for (rules, traces, ending) in collections {
        let mut files: Vec<PathBuf> = std::fs::read_dir(oracle.join(traces))
            .expect("the oracle contains this folder")
            .map(|entry| entry.expect("readable").path())
            .collect();
        files.sort();
        for file in files {
            let game = file.file_name().unwrap_or_default().to_string_lossy();
            let game = game.trim_end_matches(".gz").trim_end_matches(".jsonl").to_owned();
            let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
            if game == SKIPPED || !game.contains(&only) || size > extent.bytes {
                continue;
            }
            let path = oracle.join(rules).join(format!("{game}{ending}"));
            let Ok(rules) = std::fs::read(&path) else { continue };
            // Long rulesheets take seconds in a debug build; only the long run includes them.
            if !long() && rules.len() > bytes {
                continue;
            }
            let text = String::from_utf8_lossy(&rules);
            let sheet = read(&text, &Options::default());
            let recorded = std::fs::read(&file).expect("readable");
            let mut recorded = read_traces(&recorded).expect("recorded");
            recorded.truncate(extent.matches);
            recorded.iter_mut().for_each(|trace| trace.positions.truncate(extent.positions));
            for &evaluator in evaluators {
                let prepared = within(patience, |stop| {
                    prepare(&sheet.rules, &text, &game, Some(evaluator), stop)
                });
                let Ok(prepared) = prepared else {
                    other.push(game.clone());
                    break;
                };
                match conform(prepared.stepper().as_mut(), &recorded, &Stop::never()) {
                    Ok(report) => match report.mismatches.first() {
                        None => agree += 1,
                        Some(first) => failures.push(format!("{game} {evaluator}: {first}")),
                    },
                    Err(halt) => failures.push(format!("{game} {evaluator}: {halt}")),
                }
            }
        }
    }
    eprintln!("{evaluators:?}: {agree} runs agree; not taken in time: {other:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    only.is_empty().then_some(agree)
}

#[test]
fn networks() {
    // The number of games that finish in time depends on the machine, so the test requires only
    // some.
    if let Some(agree) =
        prepared(&[Evaluator::Sweep, Evaluator::Incremental, Evaluator::Code], 8_000)
    {
        assert!(agree > 100, "only {agree} runs");
    }
}

#[test]
fn compiled_rules() {
    if let Some(agree) = prepared(&[Evaluator::Datalog], 40_000) {
        assert!(agree > 200, "only {agree} runs");
    }
}
