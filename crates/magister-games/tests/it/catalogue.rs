//! Every game of the catalogue matches its description: see [`magister_games::proof`].
//!
//! `MAGISTER_PLAYTHROUGHS=update cargo test -p magister-games --test catalogue` records the matches
//! again; read the difference from the point of view of a player.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magister_core::Stop;
use magister_games::catalogue::{self, Entry};
use magister_games::proof::{Effort, paths, prove, record};

/// Runs `work` on all games, on all cores.
fn each(work: impl Fn(&'static Entry) + Sync) {
    let next = AtomicUsize::new(0);
    let games = catalogue::all();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(entry) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(entry);
                }
            });
        }
    });
}

fn updates() -> bool {
    std::env::var("MAGISTER_PLAYTHROUGHS").is_ok_and(|value| value == "update")
}

#[test]
fn every_game_matches_its_description() {
    if updates() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        each(|entry| {
            let text = record(entry).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            std::fs::write(folder.join(entry.name).join("playthrough.txt"), text).unwrap();
        });
        return;
    }
    // A short test of every kind for every game; `magister games --check` takes longer.
    let effort = Effort {
        walk: 40,
        matches: 6,
        positions: 6_000,
        playouts: 512,
        patience: Duration::from_millis(250),
    };
    let wrong: Mutex<Vec<String>> = Mutex::new(Vec::new());
    each(|entry| {
        let proof = prove(entry, &effort, &Stop::never());
        wrong.lock().unwrap().extend(proof.findings);
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_game_has_a_recorded_match() {
    let missing: Vec<&str> = catalogue::all()
        .iter()
        .filter(|entry| entry.playthrough.is_none())
        .map(|entry| entry.name)
        .collect();
    assert!(updates() || missing.is_empty(), "no playthrough.txt: {}", missing.join(", "));
}

/// Well-known counts.
#[test]
fn well_known_counts_are_on_the_cards() {
    let perft = |name: &str| catalogue::find(name).unwrap().card.facts.perft.clone();
    assert!(perft("chess").starts_with(&[20, 400, 8_902, 197_281]));
    assert!(perft("othello").starts_with(&[4, 12, 56, 244, 1_396, 8_200]));
    assert!(perft("connect-four").starts_with(&[7, 49, 343, 2_401, 16_807, 117_649]));
    assert!(perft("tictactoe").starts_with(&[9, 72, 504, 3_024, 15_120]));
}

/// Four games in four languages.
#[test]
fn the_same_games_in_all_languages() {
    for name in ["tictactoe", "connect-four", "nim-1-5-4-2", "breakthrough"] {
        let entry = catalogue::find(name).unwrap();
        let twins: Vec<&str> = entry.twins.iter().map(|twin| twin.name).collect();
        assert_eq!(twins, ["infix", "operations"], "{name}");
        assert!(entry.native && entry.sheet.is_some(), "{name}");
    }
}

/// They agree to the counted depth: six moves, or four in Breakthrough, because six moves are
/// 149,264,638 paths, which `cargo xtask twins` counts.
#[test]
fn twins_have_the_same_numbers_of_paths() {
    for (name, depth) in
        [("tictactoe", 6), ("connect-four", 6), ("nim-1-5-4-2", 6), ("breakthrough", 4)]
    {
        let entry = catalogue::find(name).unwrap();
        let known = entry.card.facts.perft.iter().take(depth).map(|&nodes| u128::from(nodes));
        let known: Vec<u128> = known.collect();
        assert_eq!(known.len(), depth, "{name}");
        let versions = paths(entry, depth, 1_000_000, &Stop::never()).unwrap();
        assert_eq!(versions.len(), 4, "{name}");
        for version in versions {
            assert_eq!(version.nodes, known, "{}", version.version);
        }
    }
}
