//! Faults that first-time users found.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;
use crate::interrupts::{interrupt, interruptible};
use serde_json::Value;

fn magister(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister")).args(args).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn say(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // It may end before it has read everything.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    stdout(&child.wait_with_output().expect("it ends"))
}

/// A game whose sheet has an error: `over` is also written as `(over)`.
const BOTH_SPELLINGS: &str = "(role x)\n(init (p))\n(<= (legal x go) (true (p)))\n\
    (<= (next (p)) (true (p)))\n(<= (over) (true (p)))\n(<= terminal over)\n(goal x 100)\n";

#[test]
fn rules_with_errors_are_refused_unless_forced() {
    let folder = Folder::new("force");
    let file = folder.file("both.kif", BOTH_SPELLINGS);
    for command in [
        &["play", &file][..],
        &["match", &file, "--players", "random", "--max-steps", "5"],
        &["step", &file, "--moves", "go"],
    ] {
        let refused = magister(command);
        assert_eq!(refused.status.code(), Some(2), "{command:?}");
        assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("G518"), "{}", stderr(&refused));
        let forced = magister(&[command, &["--force"]].concat());
        assert_eq!(forced.status.code(), Some(0), "{command:?}: {}", stderr(&forced));
    }
    // Recorded matches are compared with the rules as written.
    let trace = folder.file("none.jsonl", "");
    assert!(!stderr(&magister(&["conform", &file, &trace])).contains("--force"));
}

#[test]
fn a_tournament_shows_late_and_illegal_moves() {
    let folder = Folder::new("mistakes");
    let path = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let (log, csv, svg) = (path("t.jsonl"), path("t.csv"), path("t.svg"));
    let args = ["tournament", "tictactoe", "--players", "legal,random", "--log", &log];
    let rest = ["--iterations", "1", "--csv", &csv, "--svg", &svg];
    let run = |more: &[&str]| stdout(&magister(&[&args[..], &rest, more].concat()));
    let clean = run(&[]);
    assert!(clean.contains("late  illegal  failed"), "{clean}");
    // The first match of the log gets a late and two illegal moves of its first player.
    let text = std::fs::read_to_string(&log).expect("there");
    let fault =
        |kind: &str| format!(r#"{{"step":1,"seat":0,"kind":"{kind}","what":"it was {kind}"}}"#);
    let faults = [fault("late"), fault("illegal"), fault("illegal")].join(",");
    let with = format!("\"errors\":[{faults}]");
    let text = text.replacen("\"errors\":[]", &with, 1);
    std::fs::write(&log, &text).expect("writable");
    let table = run(&[]);
    assert!(table.contains("1 move of ") && table.contains("2 moves were illegal"), "{table}");
    let object: Value = serde_json::from_str(&run(&["--json"])).expect("an object");
    let counts = |key: &str| -> u64 {
        let mistakes = object["mistakes"].as_array().expect("a list");
        mistakes.iter().map(|one| one[key].as_u64().expect("a number")).sum()
    };
    assert_eq!((counts("late"), counts("illegal"), counts("other")), (1, 2, 0));
    let csv = std::fs::read_to_string(&csv).expect("there");
    assert!(csv.lines().next().expect("a line").ends_with("late,illegal,other"), "{csv}");
    assert!(csv.contains(",1,2,0\n"), "{csv}");
    let svg = std::fs::read_to_string(&svg).expect("there");
    assert!(svg.contains("1 late, 2 illegal, 0 failed"), "{svg}");
    // The cross table has a heading for every column.
    assert!(svg.contains(">1.</text>") && svg.contains(">2.</text>"), "{svg}");
}

#[test]
fn games_that_never_end_or_end_at_once_are_not_playable() {
    let folder = Folder::new("endings");
    let endless = "(role x)\n(init (p))\n(<= (legal x go) (true (p)))\n(<= (next (p)) (true (p)))\n\
                   (<= terminal (not (true (p))))\n(goal x 100)\n";
    let at_once = "(role x)\n(init (p))\n(<= (legal x go) (true (p)))\n(<= (next (p)) (true (p)))\n\
                   (<= terminal (true (p)))\n(goal x 100)\n";
    for (rules, kind) in [(endless, "endless"), (at_once, "over-at-once")] {
        let file = folder.file("game.kif", rules);
        let output = magister(&["playable", &file, "--json", "--playouts", "5"]);
        assert_eq!(output.status.code(), Some(1), "{kind}: {}", stdout(&output));
        let object: Value = serde_json::from_str(&stdout(&output)).expect("an object");
        assert_eq!(object["playable"], false);
        assert_eq!(object["problems"][0]["kind"], kind, "{object}");
    }
}

/// A role that cannot see whether a cell is occupied cannot know whether it may go there.
#[test]
fn a_role_that_cannot_know_its_moves_is_reported() {
    let folder = Folder::new("blind");
    let file = folder.file(
        "blind.kif",
        "(role x)\n(role random)\n(side l)\n(side r)\n(init (s 0))\n(succ 0 1)\n(succ 1 2)\n\
         (<= (legal random (hide ?a)) (true (s 0)) (side ?a))\n(<= (legal random noop) (true (s 1)))\n\
         (<= (legal x noop) (true (s 0)))\n\
         (<= (legal x (go ?a)) (true (s 1)) (true (hidden ?a)))\n\
         (<= (next (hidden ?a)) (does random (hide ?a)))\n\
         (<= (next (s ?m)) (true (s ?n)) (succ ?n ?m))\n\
         (<= (sees x started) (true (s 0)))\n(<= terminal (true (s 2)))\n(goal x 100)\n",
    );
    let text = stdout(&magister(&["playable", &file, "--playouts", "5"]));
    assert!(text.contains("`x` cannot always know its legal moves"), "{text}");
    let fine = stdout(&magister(&["playable", "kuhn-poker", "--playouts", "5"]));
    assert!(!fine.contains("know its legal moves"), "{fine}");
}

#[test]
fn show_says_why_there_is_no_board() {
    let folder = Folder::new("show");
    let file = folder.file("both.kif", BOTH_SPELLINGS);
    let text = stdout(&magister(&["show", &file]));
    assert!(text.contains("The board is not drawn, because the rules have errors"), "{text}");
}

#[test]
fn templates_of_all_kinds() {
    let folder = Folder::new("templates");
    for (name, language, template, ending) in [
        ("a", "gamemaster", "turns", "hrf"),
        ("b", "operations", "turns", "hrf"),
        ("c", "kif", "simultaneous", "kif"),
        ("d", "kif", "hidden", "kif"),
        ("e", "infix", "hidden", "hrf"),
        ("f", "infix", "simultaneous", "hrf"),
        ("g", "kif", "gdl2", "kif"),
    ] {
        let file = folder.0.join(format!("{name}.{ending}")).to_string_lossy().into_owned();
        let options = ["--language", language, "--template", template, "--output", &file];
        let made = magister(&[&["new", name][..], &options].concat());
        assert_eq!(made.status.code(), Some(0), "{name}: {}", stderr(&made));
        for command in [
            &["check", "--strict", &file][..],
            &["fmt", "--check", &file],
            &["playable", &file, "--playouts", "20"],
            &["convert", &file, "--to", "kif"],
        ] {
            let output = magister(command);
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(0), "{command:?}: {said}");
        }
    }
}

#[test]
fn an_interrupted_match_prints_its_summary() {
    for json in [false, true] {
        let mut command = interruptible();
        command.args(["match", "tictactoe", "--players", "random,legal", "--games", "100000000"]);
        command.args(["--iterations", "1", "--jobs", "1"]).args(json.then_some("--json"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("a line");
        interrupt(&child);
        let mut rest = String::new();
        lines.read_to_string(&mut rest).expect("readable");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let last = rest.lines().last().expect("a line");
        if json {
            let object: Value = serde_json::from_str(last).expect("an object");
            assert!(object["summary"]["games"].as_u64().is_some_and(|games| games > 0), "{last}");
        } else {
            assert!(rest.contains("player  score"), "{last}");
        }
    }
}

#[test]
fn an_interrupted_game_is_recorded() {
    let folder = Folder::new("interrupted");
    let record = folder.0.join("mine.jsonl").to_string_lossy().into_owned();
    let mut child = interruptible()
        .args(["play", "tictactoe", "--against", "legal", "--iterations", "1"])
        .args(["--record", &record])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    stdin.write_all(b"1\nhistory\n").expect("it reads");
    // The history is the answer to the second line.
    let mut line = String::new();
    while !line.starts_with("  1  ") {
        line.clear();
        assert!(output.read_line(&mut line).expect("readable") > 0, "it ended too early");
    }
    interrupt(&child);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{rest}");
    drop(stdin);
    let text = std::fs::read_to_string(&record).expect("there is a record");
    let object: Value = serde_json::from_str(&text).expect("a record");
    assert_eq!(object["end"], "left");
    assert_eq!(object["moves"].as_array().map(Vec::len), Some(2), "{object}");
}

#[test]
fn a_resigned_game_is_recorded() {
    let folder = Folder::new("resigned");
    let record = folder.0.join("mine.jsonl").to_string_lossy().into_owned();
    let args = ["play", "tictactoe", "--against", "legal", "--record", &record];
    say(&args, "1\nresign\nquit\n");
    let text = std::fs::read_to_string(&record).expect("there is a record");
    let object: Value = serde_json::from_str(&text).expect("a record");
    assert_eq!(object["end"], "resigned");
    assert_eq!(stdout(&magister(&["replay", &record])).lines().count(), 2);
}

#[test]
fn step_reports_what_chance_did() {
    let text = stdout(&magister(&["step", "monty-hall", "--moves", "(choose 1)"]));
    assert!(text.contains("step 1, random drew "), "{text}");
}

#[test]
fn answer_refuses_players_that_must_see_everything() {
    let refused = magister(&["answer", "kuhn-poker", "--player", "uct"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("hidden information"), "{}", stderr(&refused));
    // By default it uses a player that supports the game.
    let text = say(&["answer", "kuhn-poker", "--iterations", "5"], "random\ngo\nquit\n");
    assert!(text.contains("\"move\""), "{text}");
}

#[test]
fn perft_divides() {
    let text = stdout(&magister(&["perft", "tictactoe", "3", "--divide"]));
    let parts: Vec<u64> =
        text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    let (total, parts) = parts.split_last().expect("lines");
    assert_eq!((*total, parts.len()), (504, 9), "{text}");
    assert!(parts.iter().all(|&part| part == 56), "{text}");
    let json = stdout(&magister(&["perft", "connect-four", "4", "--divide", "--json"]));
    let object: Value = serde_json::from_str(&json).expect("an object");
    assert_eq!(object["nodes"], 2401);
}

#[test]
fn sizes_of_game_trees_are_readable() {
    let args = ["analyze", "tictactoe", "--games", "2", "--iterations", "10"];
    let text = stdout(&magister(&args));
    assert!(text.contains("game tree: about ") && !text.contains("10^5."), "{text}");
}

#[test]
fn progress_of_solve_is_shown_on_a_terminal() {
    let binary = env!("CARGO_BIN_EXE_magister");
    let command = format!("{binary} solve connect-four --seconds 4 --memory 2000");
    let Ok(output) = Command::new("script").args(["-qec", &command, "/dev/null"]).output() else {
        println!("SKIPPED: `script` is not installed");
        return;
    };
    assert!(stdout(&output).contains("solving connect-four: "), "{}", stdout(&output));
}

/// The reason for an illegal pawn move is in the rules for pawns.
#[test]
fn reasons_are_about_the_piece_that_moves() {
    let text = stdout(&magister(&["explain", "chess", "(legal white (move e 2 e 5))"]));
    assert!(text.contains("(ahead white 3 5)"), "{text}");
    assert!(!text.contains("queen"), "{text}");
}

#[test]
fn one_argument_is_not_several() {
    let folder = Folder::new("arguments");
    let file = folder.file(
        "unused.kif",
        "(role x)\n(init (p))\n(lonely a)\n(<= (legal x go) (true (p)))\n(<= (next (q)) (true (p)))\n\
         (<= terminal (true (q)))\n(goal x 100)\n",
    );
    let text = stdout(&magister(&["playable", &file, "--playouts", "2"]));
    assert!(text.contains("`lonely` with 1 argument in line 3"), "{text}");
}

/// If a limit is reached, the message names an option or none, but never a field of the library.
#[test]
fn limits_are_named_for_people() {
    let folder = Folder::new("limits");
    let file = folder.file(
        "growing.kif",
        "(role x)\n(init (p))\n(number 0)\n(<= (number (s ?n)) (number ?n))\n\
         (<= (legal x (go ?n)) (number ?n))\n(<= (next (p)) (true (p)))\n(<= terminal (true (q)))\n\
         (goal x 100)\n",
    );
    let output = magister(&["step", &file, "--force", "--moves", "(go 0)"]);
    assert!(stderr(&output).contains("a limit was reached"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("::"), "{}", stderr(&output));
}

#[test]
fn escapes_in_help_are_written_out() {
    for command in ["play", "step"] {
        let text = stdout(&magister(&["help", command]));
        let example = text.lines().find(|line| line.contains("printf")).expect("an example");
        assert!(example.contains("\\n") && example.contains("| magister"), "{example}");
    }
}
