//! The site in a real browser: runs the tests of `web/e2e` against a server on a loopback port.
//!
//! They need Node, the packages of the client (`npm ci` in `web`) and Chromium. Where one of them is
//! missing, the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use magister_server::{Config, Limits, Site};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web")
}

/// Why the browser tests cannot run here.
fn missing() -> Option<&'static str> {
    let runs = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success())
    };
    let chromium = std::env::var("MAGISTER_CHROMIUM");
    let chromium = chromium.unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    if !runs("node") {
        Some("Node is not installed")
    } else if !Path::new(&chromium).exists() {
        Some("Chromium is not installed")
    } else if !web().join("node_modules/playwright-core").exists() {
        Some("the packages of the client are not installed")
    } else if !magister_server::has_client() {
        Some("the client is not part of this build")
    } else {
        None
    }
}

/// Runs the named browser tests against a new site.
#[expect(clippy::print_stdout, reason = "skipped tests and the steps of the browser show")]
fn in_browser(tests: &[&str]) {
    if let Some(what) = missing() {
        println!("SKIPPED: {what}");
        return;
    }
    let folder =
        std::env::temp_dir().join(format!("magister-browser-{}-{}", std::process::id(), tests[0]));
    std::fs::create_dir_all(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = runtime.block_on(async {
        let limits = Limits { rate: 1e6, burst: 1e6, ..Limits::default() };
        let store = format!("sqlite:{}", folder.join("site.db").display());
        let config = Config { store, limits, ..Config::default() };
        let (site, _) = Site::open(&config).await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(magister_server::serve(site, listener, std::future::pending()));
        address
    });
    let done = Command::new("node")
        .arg("e2e/run.js")
        .arg(format!("http://{address}"))
        .args(tests)
        .current_dir(web())
        .output()
        .unwrap();
    runtime.shutdown_background();
    let _ = std::fs::remove_dir_all(&folder);
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    print!("{out}");
    assert!(done.status.success(), "{out}\n{err}");
}

#[test]
fn games_are_played_by_clicking() {
    in_browser(&["tictactoe-by-clicking", "connect-four-on-the-front-page", "one-player-game"]);
}

#[test]
fn games_are_played_by_dragging_and_keys() {
    in_browser(&["breakthrough-by-dragging", "keyboard-only", "typed-moves"]);
}

#[test]
fn a_position_is_left_and_found_again() {
    in_browser(&["undo-redo-jump", "reconnects-without-loss"]);
}

#[test]
fn a_small_screen_is_enough() {
    in_browser(&["narrow-screen", "hint-and-evaluation"]);
}

#[test]
fn a_puzzle_is_solved() {
    in_browser(&["puzzle-of-the-day"]);
}

#[test]
fn hidden_information_stays_hidden() {
    in_browser(&["hidden-game-in-two-browsers"]);
}

#[test]
fn matches_are_watched() {
    in_browser(&["live-match-is-watched", "manager-runs-a-match"]);
}

#[test]
fn a_tournament_fills_its_table() {
    in_browser(&["tournament-to-its-table"]);
}

#[test]
fn broken_rules_are_fixed_and_played() {
    in_browser(&["broken-rules-are-fixed-and-played"]);
}

#[test]
fn students_players_win_and_stay_sealed() {
    in_browser(&["student-player-wins", "student-player-is-sealed"]);
}

#[test]
fn positions_are_accessible_and_addresses_work() {
    in_browser(&["match-pages-are-accessible", "addresses-and-back-button"]);
}

#[test]
fn every_page_is_clean_and_accessible_1() {
    in_browser(&["pages-light-1", "pages-dark-1"]);
}

#[test]
fn every_page_is_clean_and_accessible_2() {
    in_browser(&["pages-light-2", "pages-dark-2"]);
}

#[test]
fn every_page_is_clean_and_accessible_3() {
    in_browser(&["pages-light-3", "pages-dark-3"]);
}

#[test]
fn every_page_is_clean_and_accessible_4() {
    in_browser(&["pages-light-4", "pages-dark-4"]);
}
