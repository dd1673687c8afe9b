//! The output for newcomers: lines that fit, reasons that help, and moves as people type them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::folder::Folder;

/// The output and errors of a command at 80 columns, with its exit code.
fn run(folder: Option<&Path>, args: &[&str], input: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magister"));
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let mut child = command
        .args(args)
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(text).expect("UTF-8"))
}

fn said(args: &[&str]) -> String {
    run(None, args, "").1
}

#[test]
fn no_line_is_longer_than_80_columns() {
    let record = Folder::new("columns");
    let file = record.file("none.jsonl", "");
    let long = "uct:c=0.7,playouts=4,memory=64,uct:c=0.3,playouts=4,memory=64";
    let commands: [&[&str]; 14] = [
        &["players"],
        &["players", "honest"],
        &["players", "uct"],
        &["bench", "tictactoe", "--seconds", "0.01"],
        &["bench", "rust:tictactoe", "--seconds", "0.01", "--threads", "2"],
        &["show", "chess"],
        &["show", "banker-and-thief"],
        &["audit", "kuhn-poker", "--player", "random", "--seconds", "1", "--matches", "5"],
        &["solve", "kuhn-poker", "--strategy"],
        &["solve", "tictactoe", "--strategy"],
        &["match", "tictactoe", "--players", "uct,random", "--iterations", "1", "--games", "2"],
        &["match", "tictactoe", "--players", long, "--iterations", "1"],
        &["explain", "chess", "(legal white (move c 1 e 3))"],
        &["inspect", "tictactoe", "--iterations", "100"],
    ];
    for args in commands {
        for line in said(args).lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
    assert!(said(&["replay", &file]).contains("there is no match in"));
}

#[test]
fn reasons_are_about_the_piece_that_is_to_move() {
    let explain = |choice: &str| said(&["explain", "chess", &format!("(legal white {choice})")]);
    // A bishop and a queen behind a pawn, and a knight's move onto its own pawn.
    for (choice, reason) in [
        ("(move c 1 e 3)", "(true (cell d 2 wp)): in the state"),
        ("(move d 1 d 3)", "(true (cell d 2 wp)): in the state"),
        ("(move b 1 d 2)", "(not (own d 2)): (own d 2) holds"),
        ("(move e 2 d 3)", "(enemy d 3)"),
        ("(move e 2 e 5)", "(nextrank 3 5): not among the facts"),
    ] {
        let text = explain(choice);
        assert!(text.contains(reason), "{choice}: {text}");
        let pawn = choice.starts_with("(move e 2");
        assert!(pawn || !text.contains("pawngoes"), "{text}");
    }
}

#[test]
fn questions_that_cannot_be_right() {
    let (code, text) = run(None, &["explain", "chess", "(legal whit (move e 2 e 4))"], "");
    assert_eq!(code, 2);
    assert!(text.contains("`whit` is not a role") && text.contains("`white`?"), "{text}");
    let (code, text) = run(None, &["explain", "tictactoe", "(legal x (put 1 1)"], "");
    assert_eq!(code, 2);
    assert!(text.contains("lacks a closing parenthesis"), "{text}");
    let (_, text) = run(None, &["explain", "tictactoe", "(legal x noop))"], "");
    assert!(text.contains("has a closing parenthesis too many"), "{text}");
}

#[test]
fn why_speaks_to_players() {
    let script = "why c1e3\nBe3\nNf3\nquit\n";
    let args = ["play", "chess", "--against", "legal", "--seed", "1"];
    let (_, text) = run(None, &args, script);
    let reason = "move c 1 e 3 is not legal: `filled d 2` must not hold, but the position has\n    \
                  `cell d 2 wp`.";
    assert!(text.contains(reason), "{text}");
    assert!(text.contains("Be3 is not legal here"), "{text}");
    assert!(!text.contains("--depth") && !text.contains("(<="), "{text}");
    assert!(text.contains("3 . . . . . N . ."), "Nf3 was understood: {text}");
}

#[test]
fn a_forced_move_is_shown() {
    let script = "5\n2\n4\n7\nhistory\nquit\n";
    let (_, text) = run(None, &["play", "tictactoe", "--against", "legal"], script);
    assert!(text.contains("x: put 3 3 (your only move)"), "{text}");
    assert!(text.contains("  9  x: put 3 3 (your only move)"), "{text}");
    assert!(!text.contains("noop"), "{text}");
}

#[test]
fn a_match_is_saved_also_after_its_end() {
    let folder = Folder::new("saved-late");
    let script = "5\n2\n8\nsave\nsave end.jsonl\nquit\n";
    let play = ["play", "tictactoe", "--against", "legal"];
    let (_, text) = run(Some(&folder.0), &play, script);
    assert!(text.contains("`save` needs the name of a file"), "{text}");
    assert!(text.contains("Saved. `magister replay end.jsonl` shows the match."), "{text}");
    let (code, text) = run(Some(&folder.0), &["replay", "end.jsonl"], "");
    assert!(code == 0 && text.contains("The match agrees with the rules."), "{text}");
    // A match that goes on is continued, and its seed is not shown, because only its hash is known.
    run(Some(&folder.0), &play, "5\nsave open.json\nquit\n");
    let (_, text) = run(Some(&folder.0), &["play", "--resume", "open.json"], "quit\n");
    assert!(text.contains("The match continues after 2 steps."), "{text}");
    assert!(!text.contains("Seed"), "{text}");
}

#[test]
fn what_was_hidden_is_shown_at_the_end_of_the_game() {
    let args = ["play", "monty-hall", "--seed", "3"];
    let (_, text) = run(None, &args, "1\nswitch\nquit\n");
    let (game, _) = text.split_once("Type rematch").expect("a prompt after the game");
    assert!(game.contains("The position at the end, with what was hidden:\n"), "{text}");
    assert!(game.contains("car "), "{text}");
    assert!(!game.contains("undo"), "taking back would be unfair now: {text}");
}

#[test]
fn moves_are_written_in_the_same_ways_everywhere() {
    for moves in ["(put 2 2); (put 1 1)", "put 2 2; put 1 1", "22; 11", "5; 1"] {
        let (code, text) = run(None, &["step", "tictactoe", "--moves", moves], "");
        assert!(code == 0 && text.contains("1 O . .\n2 . X .\n"), "{moves}: {text}");
        let question = ["explain", "tictactoe", "(true (cell 1 1 o))", "--moves", moves];
        assert_eq!(run(None, &question, "").0, 0, "{moves}");
        let inspect = ["inspect", "tictactoe", "--iterations", "1", "--moves", moves];
        assert_eq!(run(None, &inspect, "").0, 0, "{moves}");
    }
    let (_, text) = run(None, &["step", "chess", "--moves", "e2e4; e7e5"], "");
    assert!(text.starts_with("step 2\n"), "{text}");
    let both = ["step", "rock-paper-scissors", "--moves", "rock, show paper"];
    assert!(said(&both).contains("left rock, right paper"));
    assert!(said(&["step", "tictactoe", "--moves", "1"]).contains("X . ."));
    assert!(said(&["step", "chess", "--moves", "move"]).contains("may mean"));
    assert!(said(&["step", "tictactoe", "--moves", "(put 2)"]).contains("cannot play (put 2)"));
}

#[test]
fn boards_look_the_same_everywhere() {
    let folder = Folder::new("boards");
    let args = ["play", "connect-four", "--against", "legal", "--record", "m.jsonl"];
    let (_, played) = run(Some(&folder.0), &args, "4\nquit\n");
    let row = "1 Y . . R . . .";
    assert!(played.contains(row), "{played}");
    let (_, replayed) = run(Some(&folder.0), &["replay", "m.jsonl", "--number", "1"], "");
    assert!(replayed.contains(row), "{replayed}");
    assert!(said(&["step", "connect-four", "--moves", "4; 1"]).contains(row));
    assert!(said(&["show", "connect-four"]).contains("R red, Y yellow"));
}

#[test]
fn a_file_that_holds_no_rules_gets_a_short_answer() {
    let folder = Folder::new("foreign");
    let prose = "# A title (with a remark)\n\nThis is (not) a rulesheet; it's prose, `code`.\n";
    let file = folder.file("notes.md", prose.repeat(100));
    let (code, text) = run(None, &["check", &file], "");
    assert_eq!(code, 1);
    assert!(text.contains("is probably not a rulesheet"), "{text}");
    assert!(text.lines().count() < 30, "{text}");
    assert!(text.contains("--all shows"), "{text}");
    assert!(said(&["check", "--all", &file]).lines().count() > 100);
    // For rules with many mistakes, the first twenty are shown.
    let rules = "(role a)\n".to_owned() + &"(<= (p ?x) (q ?y))\n".repeat(30);
    let file = folder.file("many.kif", rules);
    let text = said(&["check", &file]);
    assert_eq!(text.matches("error[").count() + text.matches("warning[").count(), 20, "{text}");
    let all = said(&["check", "--json", &file]);
    assert!(all.lines().count() > 25, "programs get everything");
    assert!(all.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn playable_points_to_the_repair_of_a_missing_noop() {
    let folder = Folder::new("no-noop");
    let broken = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixable/11-no-noop.kif");
    let file = folder.file("mine.kif", std::fs::read(broken).expect("a rulesheet"));
    let (code, text) = run(None, &["playable", &file], "");
    assert!(code == 1 && text.contains("has no legal move"), "{text}");
    assert!(text.replace("\n       ", " ").contains("magister check --fix"), "{text}");
    assert_eq!(run(None, &["check", "--fix", &file], "").0, 0);
    let (code, text) = run(None, &["playable", &file], "");
    assert!(code == 0, "{text}");
}

#[test]
fn advice_that_works() {
    // The first position of a card game is a deal.
    let (code, text) = run(None, &["inspect", "kuhn-poker", "--iterations", "50"], "");
    assert!(code == 0 && text.contains("draws (deal"), "{text}");
    let text = said(&["inspect", "connect-four", "--iterations", "100"]);
    assert!(text.contains(" of 100 iterations") && text.contains("to solve the game"), "{text}");
    // A name that is also the name of a bundled game.
    let folder = Folder::new("alias");
    let (code, text) = run(Some(&folder.0), &["new", "nim3"], "");
    assert_eq!(code, 0);
    assert!(text.contains("nim3 is also a name of the bundled game"), "{text}");
    // Our own records are for `replay`.
    let args = ["match", "tictactoe", "--players", "random", "--games", "1", "--json"];
    let record = folder.file("own.jsonl", said(&args));
    let (code, text) = run(None, &["conform", "tictactoe", &record], "");
    assert!(code == 2 && text.contains("`magister replay "), "{text}");
    for command in ["step", "bench", "conform"] {
        let help = said(&["help", command]);
        assert!(help.contains("- reference:"), "{command} explains the evaluators: {help}");
    }
}

#[test]
fn numbers_agree_with_their_nouns() {
    let one = ["match", "tictactoe", "--players", "random", "--games", "1", "--max-steps", "1"];
    let text = said(&one);
    assert!(text.contains(", 1 step\n") && text.contains("1 of 1 game undecided"), "{text}");
    let text = said(&["playable", "tictactoe", "--playouts", "1"]);
    assert!(text.contains("1 random match,"), "{text}");
}
