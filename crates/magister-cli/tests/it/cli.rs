//! The binary as a user runs it: exit codes, files, pipes.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;
use serde_json::Value;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magister"));
    command.args(args);
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

fn with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // It stops reading at its limit, which closes the pipe.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const GOOD: &str = "(role x)
(legal x go)
(<= (next over) (does x go))
(<= terminal (true over))
(goal x 100)
";

#[test]
fn exit_codes_say_what_was_found() {
    let folder = Folder::new("codes");
    let good = folder.file("good.kif", GOOD.as_bytes());
    let warned = folder.file("warned.kif", format!("{GOOD}(unused 1)\n").as_bytes());
    let wrong = folder.file("wrong.kif", format!("{GOOD}(<= (p ?x) (q ?y))\n").as_bytes());
    assert_eq!(code(&run(&["check", &good])), 0);
    assert_eq!(code(&run(&["check", &warned])), 0);
    assert_eq!(code(&run(&["check", "--strict", &warned])), 1);
    assert_eq!(code(&run(&["check", &good, &wrong])), 1);
    assert_eq!(code(&run(&["check", &good, "no-such-file.kif"])), 2);
    assert_eq!(code(&run(&["check", &folder.0.to_string_lossy()])), 2);
    assert_eq!(code(&run(&["check"])), 2);
    assert_eq!(code(&run(&["check", "--explain", "G000"])), 2);
    assert_eq!(code(&run(&["show", "tictacto"])), 2);
    assert!(text(&run(&["show", "tictacto"]).stderr).contains("did you mean tictactoe"));
}

#[test]
fn json_has_every_field_that_is_promised() {
    let output = with_input(&["check", "--json", "-"], b"(role x) (<= (p ?x) (q ?y))");
    assert_eq!(code(&output), 1);
    let lines = text(&output.stdout);
    assert!(lines.lines().count() >= 2);
    for line in lines.lines() {
        let object: Value = serde_json::from_str(line).expect("one object a line");
        for field in ["file", "code", "severity", "message"] {
            assert!(object[field].is_string(), "{field}: {line}");
        }
        for field in ["line", "column", "end_line", "end_column"] {
            assert!(object[field].as_u64().is_some_and(|n| n >= 1), "{field}: {line}");
        }
        assert!(object.get("help").is_some(), "{line}");
    }
}

#[test]
fn languages_are_recognised_by_content_and_by_flag() {
    let language = |args: &[&str], input: &str| {
        let mut all = vec!["show", "--json", "-"];
        all.extend(args);
        let output = with_input(&all, input.as_bytes());
        let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        format!("{} {}", object["language"].as_str().unwrap(), object["syntax"].as_str().unwrap())
    };
    assert_eq!(language(&[], "(role x)"), "GDL kif");
    assert_eq!(language(&[], "role(x). role(random)."), "GDL-II infix");
    assert_eq!(language(&[], "role(x) a :: b ==> c"), "Gamemaster infix");
    assert_eq!(language(&["--language", "gamemaster"], "role(x)"), "Gamemaster infix");
    assert_eq!(language(&["--language", "infix"], "(role x)"), "GDL infix");
    assert_eq!(language(&["--language", "gdl2"], "(role x)"), "GDL-II kif");
}

#[test]
fn formatting_changes_layout_only_and_never_half_a_file() {
    let folder = Folder::new("fmt");
    let messy = "(role   x)(legal x go) ; why\n(<= (next over)\n (does x go))\n\n\n(<= terminal (true over))(goal x 100)";
    let file = folder.file("messy.kif", messy.as_bytes());
    assert_eq!(code(&run(&["fmt", "--check", &file])), 1);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), messy);
    assert_eq!(code(&run(&["fmt", &file])), 0);
    let formatted = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        formatted,
        "(role x)\n(legal x go)  ; why\n(<= (next over) (does x go))\n\n(<= terminal (true over))\n(goal x 100)\n"
    );
    assert_eq!(code(&run(&["fmt", "--check", &file])), 0);
    // Input that cannot be read, or is not text, is not changed.
    let broken = folder.file("broken.kif", b"(role x");
    assert_eq!(code(&run(&["fmt", &broken])), 1);
    assert_eq!(std::fs::read(&broken).unwrap(), b"(role x");
    let latin = folder.file("latin.kif", b"(role x) ; caf\xe9\n");
    assert_eq!(code(&run(&["fmt", &latin])), 2);
    assert_eq!(std::fs::read(&latin).unwrap(), b"(role x) ; caf\xe9\n");
    assert_eq!(code(&run(&["fmt", "tictactoe"])), 2, "bundled games cannot be formatted");
    // No temporary file remains.
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3);
    let piped = with_input(&["fmt", "-"], messy.as_bytes());
    assert_eq!(text(&piped.stdout), formatted);
}

/// The catalogue tests that all of them are clean and formatted.
#[test]
fn bundled_games_are_found_by_all_their_names() {
    let games = run(&["games", "--json"]);
    let names: Vec<Value> =
        text(&games.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(names.len() > 100 && names.iter().any(|game| game["name"] == "tictactoe"));
    for name in ["tictactoe", "tictactoe/infix", "Tic-Tac-Toe", "connect4/operations"] {
        assert_eq!(code(&run(&["show", name])), 0, "{name}");
        let output = run(&["check", "--strict", name]);
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stdout));
        let rules = run(&["show", name, "--rules"]).stdout;
        let formatted = with_input(&["fmt", "-"], &rules).stdout;
        assert_eq!(text(&formatted), text(&rules), "{name} is not formatted");
    }
    for name in ["rust:nim-1-5-4-2", "2048", "nim-1-5-4-2/rust"] {
        assert_eq!(code(&run(&["step", name, "--moves", "*"])), 0, "{name}");
    }
    let few = run(&["games", "--language", "rust", "--tag", "line", "--players", "2"]);
    let few = text(&few.stdout);
    assert!(few.contains("connect-four") && few.contains("tictactoe") && !few.contains("chess"));
    let unknown = text(&run(&["step", "tictactoe/basic"]).stderr);
    assert!(unknown.contains("there is tictactoe, tictactoe/infix"), "{unknown}");
}

#[test]
fn a_bundled_game_is_checked() {
    let output = run(&["games", "--check", "rock-paper-scissors"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("1 game checked"), "{}", text(&output.stdout));
    assert_eq!(code(&run(&["games", "--check", "no-such-game"])), 2);
}

#[test]
fn conversion_there_and_back_keeps_every_bundled_game() {
    for game in ["tictactoe", "blind-tictactoe", "monty-hall", "exploding-bomb"] {
        let kif = run(&["convert", game, "--to", "kif"]).stdout;
        let infix = with_input(&["convert", "-", "--to", "infix"], &kif).stdout;
        let again = with_input(&["convert", "-", "--to", "kif"], &infix).stdout;
        assert_eq!(text(&kif), text(&again), "{game}");
    }
}

#[test]
fn hostile_files_give_an_error_and_no_crash() {
    let inputs: [Vec<u8>; 5] = [
        b"(".repeat(1 << 20),
        vec![0xff; 1 << 20],
        vec![0; 1 << 20],
        b"a :- ".repeat(100_000),
        b" ".repeat(17 << 20),
    ];
    for input in inputs {
        for command in [&["check", "--json", "-"][..], &["check", "-"], &["show", "-"]] {
            let output = with_input(command, &input);
            assert!(matches!(code(&output), 0..=2), "{}", text(&output.stderr));
            assert!(output.stdout.len() < 4 << 20);
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command(&["show", "tictactoe"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(output.stderr.is_empty());
}

#[test]
fn completions_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(text(&output.stdout).contains("magister"));
    }
}

#[test]
fn the_network_of_a_game_can_be_counted_and_drawn() {
    let output = run(&["network", "tictactoe", "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let counted: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(counted["fluents"], 29);
    assert_eq!(counted["moves"], 20);
    // The number must not grow unnoticed; a better network may change it.
    let step = |part: &str| counted["gates_by_section"][part].as_u64().expect("a number");
    assert_eq!(step("legal") + step("next"), 117);
    let drawing = text(&run(&["network", "tictactoe", "--dot"]).stdout);
    assert!(drawing.starts_with("digraph") && drawing.contains("next (cell 1 1 x)"));
    assert_eq!(code(&run(&["network", "rust:tictactoe"])), 2);
}
