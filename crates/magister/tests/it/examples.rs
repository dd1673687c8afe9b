//! Every example runs to its end and prints the documented output.
//!
//! `cargo test` builds the examples anyway; this test runs them from there, so that nothing is
//! compiled twice.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example and returns its output.
fn run(name: &str) -> String {
    // This test is `target/PROFILE/deps/examples-HASH`, the programs are in
    // `target/PROFILE/examples`.
    let mut folder: PathBuf = std::env::current_exe().expect("a test is a file");
    folder.pop();
    folder.pop();
    let program =
        folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is missing: `cargo test -p magister` builds it, `--test examples` alone does not",
        program.display()
    );
    let output = Command::new(program).output().expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("examples print text")
}

#[test]
fn load_and_play() {
    let text = run("load_and_play");
    assert!(text.contains("tictactoe (GDL, by "), "{text}");
    assert!(text.contains("five matches (GDL, by "), "{text}");
    assert_eq!(text.matches(" gets [").count(), 4, "{text}");
}

#[test]
fn game_in_rust() {
    let text = run("game_in_rust");
    assert!(text.contains("battery: 0 failures, 0 warnings"), "{text}");
    // Dawson's Kayles: the player who moves first loses with 4, 8 and 14 cells.
    let lost: Vec<&str> = text.lines().filter(|line| line.contains("right wins")).collect();
    let cells: Vec<&str> = lost.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(cells, ["4", "8"], "{text}");
}

#[test]
fn player() {
    let text = run("player");
    assert_eq!(text.matches(" get [Some(").count(), 2, "{text}");
}

#[test]
fn tournament() {
    let text = run("tournament");
    assert!(text.contains("of 36: "), "{text}");
    let rated = text.lines().skip_while(|line| !line.starts_with("player")).skip(1);
    let rated: Vec<&str> = rated.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((rated.first(), rated.last()), (Some(&"uct"), Some(&"random")), "{text}");
}

#[test]
fn solve() {
    let text = run("solve");
    assert!(text.contains("tictactoe: x"), "{text}");
    assert!(text.contains("positions has a value"), "{text}");
    assert!(text.contains("exploitability 0.0"), "{text}");
}

#[test]
fn information_set() {
    let text = run("information_set");
    assert!(text.contains("states are consistent with what it saw"), "{text}");
}
