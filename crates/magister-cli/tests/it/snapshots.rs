//! Output for people: help, lists, and the diagnostics of broken rules.

use std::path::Path;
use std::process::{Command, Output};

use crate::help::COMMANDS;

fn magister(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .env("COLUMNS", "80")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken"))
        .output()
        .expect("the binary runs")
}

fn shown(output: &Output) -> String {
    format!(
        "{}{}exit code {}\n",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().unwrap_or(-1),
    )
}

/// The output of `magister check` for every broken file.
#[test]
fn check_of_broken_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert!(files.len() >= 10);
    for file in files {
        let output = magister(&["check", "--strict", &file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        insta::assert_snapshot!(file.replace('.', "-"), shown(&output));
    }
}

#[test]
fn one_line_and_json() {
    insta::assert_snapshot!(
        "short",
        shown(&magister(&["check", "--short", "02-typing-slips.kif"]))
    );
    insta::assert_snapshot!("json", shown(&magister(&["check", "--json", "02-typing-slips.kif"])));
}

#[test]
fn explanations_and_help() {
    insta::assert_snapshot!("explain", shown(&magister(&["check", "--explain", "G304"])));
    insta::assert_snapshot!("codes", shown(&magister(&["check", "--codes"])));
    insta::assert_snapshot!("help", shown(&magister(&["--help"])));
    for &command in COMMANDS {
        let text = shown(&magister(&["help", command]));
        assert!(text.contains("Example"), "{command} has no example");
        insta::assert_snapshot!(format!("help-{command}"), text);
    }
}

#[test]
fn games_and_show() {
    insta::assert_snapshot!("games", shown(&magister(&["games", "--tag", "dice"])));
    insta::assert_snapshot!("games-no-tag", shown(&magister(&["games", "--tag", "dices"])));
    insta::assert_snapshot!("show-board", shown(&magister(&["show", "connect-four"])));
    insta::assert_snapshot!("show-unknown", shown(&magister(&["show", "conect-four"])));
    insta::assert_snapshot!("show", shown(&magister(&["show", "exploding-bomb"])));
    insta::assert_snapshot!("show-rust", shown(&magister(&["show", "2048"])));
    insta::assert_snapshot!("show-file", shown(&magister(&["show", "05-goal-looks-at-moves.hrf"])));
}

#[test]
fn conversions() {
    let to = |game: &str, to: &str| shown(&magister(&["convert", game, "--to", to]));
    insta::assert_snapshot!("convert-infix", to("tictactoe", "infix"));
    insta::assert_snapshot!("convert-operations", to("buttonsandlights", "gdl"));
    insta::assert_snapshot!("convert-lift", to("rock-paper-scissors", "gdl2"));
    insta::assert_snapshot!("convert-refused", to("monty-hall", "gdl"));
}
