//! The same streams with every batch method: the results must be equal.
//!
//! Widths, threads, details, step limits and start states are compared in one process; other
//! instruction sets, and the interpreter instead of emitted code, are compared in separate
//! processes, because a process chooses its instruction set when it starts. This test covers the
//! bundled games and a few of the oracle's; `cargo xtask lanes` covers all.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use magister_core::playout::Team;
use magister_core::{Batch, Detail, Game as _, Results, Stop, Stream};
use magister_engine::Evaluator;
use magister_engine::agree::{Amount, lanes, tries};
use magister_engine::evaluator::NetworkGame;
use magister_games::catalogue;

/// The variable that marks the child process.
const CHILD: &str = "MAGISTER_LANES_CHILD";

/// One game of each kind: turn-based or simultaneous, few goals or many, chance, long lists of
/// moves.
const ORACLE: &[&str] = &[
    "gdl/games/ticTacToe.kif",
    "gdl/games/connect4.kif",
    "gdl/games/biddingTicTacToe.kif",
    "gdl/games/connectFourSimultaneous.kif",
    "gdl/games/lightsOnSimul4.kif",
    "gdl/games/tictactoe_3player.kif",
    "gdl/games/knightThrough.kif",
    "gdl/games/reversi.kif",
    "gdl2/games/hharryyf__MontyHall.kif",
];

/// The same for the catalogue.
const BUNDLED: &[&str] = &[
    "tictactoe",
    "blind-tictactoe",
    "exploding-bomb",
    "monty-hall",
    "rock-paper-scissors",
    "buttonsandlights",
];

const AMOUNT: Amount = Amount { streams: 19, quota: 40, max_steps: [300, 5] };

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

/// The game on its network, if it has one.
fn network(name: &str, text: &str) -> Option<Arc<NetworkGame>> {
    let options =
        magister::Options { evaluator: Some(Evaluator::Batch), ..magister::Options::default() };
    options.open_text(name, text).ok()?.network().cloned()
}

fn from_oracle(name: &str) -> Option<Arc<NetworkGame>> {
    let text = std::fs::read_to_string(oracle()?.join(name)).ok()?;
    network(name, &text)
}

fn games() -> Vec<(String, Arc<NetworkGame>)> {
    let bundled = BUNDLED.iter().filter_map(|name| {
        let entry = catalogue::find(name)?;
        let game = network(entry.name, entry.sheet?.text)?;
        Some((entry.name.to_owned(), game))
    });
    let mut games: Vec<_> = bundled.collect();
    games.extend(ORACLE.iter().filter_map(|&name| Some((name.to_owned(), from_oracle(name)?))));
    games
}

#[test]
fn every_way_to_play_a_batch_gives_the_same() {
    let mut own = Vec::new();
    for (name, game) in games() {
        let found = lanes(&game, AMOUNT, &Stop::never()).unwrap();
        assert_eq!(found.different, Vec::<String>::new(), "{name}");
        own.push(format!("signature {name} {}", found.signature));
    }
    assert!(own.len() >= 3, "{own:?}");
    if std::env::var_os(CHILD).is_some() {
        own.iter().for_each(|line| println!("{line}"));
        return;
    }
    let settings = [("portable", "on"), ("avx2", "on"), ("avx2", "off"), ("best", "off")];
    for (vectors, code) in settings {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lanes::every_way_to_play_a_batch_gives_the_same", "--nocapture"])
            .env(CHILD, "1")
            .env("MAGISTER_VECTORS", vectors)
            .env("MAGISTER_CODE", code)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{vectors}, code {code}: {text}");
        for line in &own {
            assert!(
                text.contains(line.as_str()),
                "{vectors}, code {code}: {line} is not in {text}"
            );
        }
    }
}

/// In every bundled game with hidden information, batch tries from many states equal single tries.
/// The lists of moves, percepts and states differ from game to game.
#[test]
fn batch_tries_equal_single_tries() {
    let mut compared = 0;
    for entry in catalogue::all() {
        let Some(sheet) =
            entry.sheet.filter(|sheet| !sheet.is_recycle() && sheet.text.contains("sees"))
        else {
            continue;
        };
        let Some(game) = network(entry.name, sheet.text) else { continue };
        let different = tries(&game, &Stop::never()).unwrap();
        assert_eq!(different, Vec::<String>::new(), "{}", entry.name);
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}

/// The mean length of random matches, compared with the measurements of others.
#[test]
fn matches_are_as_long_as_others_find() {
    for (name, length, digit) in [
        ("ticTacToe", 7.626, 0.0005),
        ("connect4", 21.31, 0.005),
        ("breakthrough", 64.1, 0.05),
        ("reversi", 60.41, 0.005),
        ("gomoku_15x15", 112.8, 0.05),
        ("knightThrough", 33.6, 0.05),
    ] {
        let Some(game) = from_oracle(&format!("gdl/games/{name}.kif")) else { continue };
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let streams: Vec<Stream<'_>> =
            (0..64).map(|id| Stream { id, start: &start, quota: 1_000 }).collect();
        let detail = Detail::PerPlayout;
        let batch = Batch { seed: 3, streams: &streams, max_steps: 1_000, detail };
        let mut results = Results::default();
        Team::new(game.game(), 2).playouts(&batch, &mut results, &Stop::never()).unwrap();
        let playouts = results.streams.iter().flat_map(|tally| &tally.playouts);
        let lengths: Vec<f64> = playouts.map(|playout| f64::from(playout.steps)).collect();
        let count = lengths.len() as f64;
        let mean = lengths.iter().sum::<f64>() / count;
        let square = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / count;
        // The published means come from fewer matches than ours, so their error is added.
        let error = (square / count).sqrt();
        println!("{name}: {mean:.3} +- {error:.3}, others {length}");
        assert!((mean - length).abs() < 5.0 * error + digit, "{name}: {mean}, not {length}");
    }
}
