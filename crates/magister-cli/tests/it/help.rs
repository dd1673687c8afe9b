//! Help at a terminal of 80 columns: no line is longer, and no word is split.

use std::process::{Command, Output};

/// All commands.
pub(crate) const COMMANDS: &[&str] = &[
    "analyze",
    "answer",
    "audit",
    "backup",
    "bench",
    "check",
    "completions",
    "conform",
    "convert",
    "decompose",
    "eval",
    "experiment",
    "explain",
    "export",
    "fmt",
    "games",
    "import",
    "infoset",
    "inspect",
    "leaderboard",
    "match",
    "matches",
    "network",
    "new",
    "perft",
    "play",
    "playable",
    "player",
    "players",
    "replay",
    "serve",
    "show",
    "solve",
    "step",
    "tournament",
    "train",
];

fn magister(args: &[&str], columns: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .env("COLUMNS", columns)
        .output()
        .expect("the binary runs")
}

fn page(args: &[&str], columns: &str) -> String {
    let output = magister(args, columns);
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// All pages that explain the program.
fn pages() -> Vec<Vec<&'static str>> {
    let mut pages = vec![vec![], vec!["--help"], vec!["-h"], vec!["games"]];
    for &command in COMMANDS {
        pages.push(vec!["help", command]);
        pages.push(vec![command, "-h"]);
    }
    pages
}

#[test]
fn no_line_is_longer_than_the_terminal() {
    for args in pages() {
        for line in page(&args, "80").lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
}

#[test]
fn no_word_is_split() {
    for args in pages().into_iter().filter(|args| args != &["games"]) {
        let (narrow, wide) = (page(&args, "80"), page(&args, "100"));
        assert_eq!(words(&narrow), words(&wide), "{args:?}");
    }
}

/// Examples are copied into a terminal: none is wrapped, and every line that is not a command is a
/// comment.
#[test]
fn examples_can_be_copied() {
    for args in pages() {
        let narrow = page(&args, "80");
        let Some((_, examples)) = narrow.split_once("\nExamples:\n") else { continue };
        let examples = examples.split("\n\n").next().unwrap_or_default();
        let wide = page(&args, "100");
        assert!(wide.contains(examples), "{args:?} wraps an example:\n{examples}");
        let mut continued = false;
        for line in examples.lines() {
            let command = line.trim_start().split(' ').next().unwrap_or_default();
            let known = ["magister", "printf", "curl", "source"].contains(&command);
            assert!(known || continued, "{args:?}: {line}");
            let body = line.split(" # ").next().unwrap_or_default().trim_end();
            assert!(!body.trim_start().contains("  "), "{args:?}: a remark without #: {line}");
            continued = line.ends_with('\\');
        }
    }
}

/// The list of commands in this file is complete.
#[test]
fn every_command_is_tested() {
    let help = page(&["--help"], "80");
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next());
    let listed = commands.expect("a list").lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then_some(name)
    });
    for name in listed {
        assert!(COMMANDS.contains(&name), "{name} is missing here");
    }
}

#[test]
fn the_start_page_and_the_games_fit_a_screen() {
    for args in [&[][..], &["games"]] {
        let text = page(args, "80");
        assert!(text.lines().count() <= 24, "{args:?} has {} lines", text.lines().count());
        assert!(!text.contains('\x1b'), "a pipe gets no colours");
    }
    insta::assert_snapshot!("start", page(&[], "80"));
    insta::assert_snapshot!("games-to-start-with", page(&["games"], "80"));
    let all = page(&["games", "--all"], "80");
    assert!(all.contains("badtictactoe") && !page(&["games"], "80").contains("badtictactoe"));
}
