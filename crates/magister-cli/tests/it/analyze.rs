//! The estimates of a player, the analysis of a game, and refused arguments.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn magister(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister")).args(args).output().expect("the binary runs")
}

/// The output of a command that succeeds.
fn report(args: &[&str]) -> String {
    let output = magister(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&report(&[args, &["--json"]].concat())).expect("JSON")
}

/// The error of a command that refuses its arguments.
fn refused(args: &[&str]) -> String {
    let output = magister(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rules(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("analyze-{name}.kif"));
    std::fs::write(&path, text).expect("writable");
    path
}

#[test]
fn players_that_cannot_be_asked_are_rejected() {
    let list = "does not play games with hidden information";
    for command in ["inspect", "analyze", "solve", "audit"] {
        let human = refused(&[command, "kuhn-poker", "--player", "human"]);
        assert!(human.contains("is a person") && human.contains("magister play"), "{human}");
        let blind = refused(&[command, "kuhn-poker", "--player", "uct"]);
        assert!(blind.contains(list), "{blind}");
    }
    let shown = refused(&["solve", "kuhn-poker", "--player", "clairvoyant"]);
    assert!(shown.contains("such as honest"), "{shown}");
    let weak = refused(&["analyze", "tictactoe", "--weak", "human"]);
    assert!(weak.contains("is a person"), "{weak}");
    let log = std::env::temp_dir().join("magister-no-such-log.jsonl");
    let log = log.to_str().expect("UTF-8");
    let meeting = refused(&["tournament", "kuhn-poker", "--players", "uct,random", "--log", log]);
    assert!(meeting.contains(list), "{meeting}");
}

#[test]
fn games_that_hide_information_are_inspected() {
    let few = ["--iterations", "50"];
    let asked = json(&[&["inspect", "monty-hall"], &few[..]].concat());
    assert_eq!(asked["player"], "honest");
    let clairvoyant = ["inspect", "monty-hall", "--player", "clairvoyant"];
    let moves = ["--moves", "(choose 1) (hide 2); noop (open 3)"];
    let asked = json(&[&clairvoyant[..], &few].concat());
    assert!(asked["move"].as_str().is_some_and(|choice| choice.starts_with("(choose")));
    // A player that sees the car switches to it.
    let asked = magister(&[&clairvoyant[..], &few, &moves].concat());
    let text = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert!(text.contains("plays switch"), "{text}{}", String::from_utf8_lossy(&asked.stderr));
    assert!(
        refused(&["inspect", "monty-hall", "--role", "random"]).contains("the roles are candidate")
    );
}

#[test]
fn a_value_takes_no_longer_than_the_move() {
    let begun = std::time::Instant::now();
    let player = ["--player", "minimaxdepth:depth=20", "--time", "100ms"];
    json(&[&["inspect", "chess"], &player[..]].concat());
    // Reading the rules takes most of this time; the value alone once took over ten seconds.
    assert!(begun.elapsed() < std::time::Duration::from_secs(9), "{:?}", begun.elapsed());
}

const NEVER: &str = "(role x) (role o) (init (control x))
(<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
(<= (legal ?r a) (true (control ?r))) (<= (legal ?r b) (true (control ?r)))
(<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
(<= terminal (true (control none))) (goal x 50) (goal o 50)";

#[test]
fn a_game_that_never_ends_has_no_figures() {
    let path = rules("never", NEVER);
    let path = path.to_str().expect("UTF-8");
    let few = ["analyze", path, "--games", "2", "--iterations", "2", "--max-steps", "1200"];
    let few = [&few[..], &["--playouts", "10", "--player", "legal"]].concat();
    let text = report(&few);
    assert!(text.contains("none of 2 matches ended within 1200 steps"), "{text}");
    assert!(text.contains("--max-steps") && text.contains("magister playable"), "{text}");
    assert!(text.contains("legal against random: no match ended"), "{text}");
    for figure in ["inf", "reward", "score", "draws", "advantage"] {
        assert!(!text.contains(figure), "{figure} in {text}");
    }
    // The number of positions doubles with every step.
    assert!(text.contains("game tree: more than 3 * 10^361 nodes"), "{text}");
    let found = &json(&few)["findings"];
    assert!(found["strong"].is_null() && found["skill"].is_null(), "{found}");
    assert!(found["random"]["rewards"].is_null(), "{found}");
}

#[test]
fn omitted_parts_are_reported() {
    let over = rules(
        "over",
        "(role x) (role o) (init (done)) (<= terminal (true (done))) (legal x a) (legal o a)
         (<= (next (done)) (true (done))) (goal x 75) (goal o 25)",
    );
    let over = over.to_str().expect("UTF-8");
    assert!(report(&["analyze", over, "--games", "2"]).contains("solved: x 75, o 25"));
    let few = ["--games", "3", "--iterations", "30", "--playouts", "20"];
    let text = report(&[&["analyze", "blocks-world"], &few[..]].concat());
    assert!(text.contains("uct alone, 3 matches\n"), "{text}");
    assert!(text.contains("mean reward of random in its place: "), "{text}");
    assert_eq!(text.matches("mean reward of robot: ").count(), 2, "{text}");
    let text = report(&[&["analyze", "kuhn-poker"], &few[..]].concat());
    assert!(text.contains("`magister solve kuhn-poker`"), "{text}");
    assert!(text.contains("advantage of first, who moves first: "), "{text}");
    let text = report(&[&["analyze", "rock-paper-scissors"], &few[..]].concat());
    assert!(text.contains("is listed first: "), "{text}");
}

#[test]
fn numbers_that_are_too_small() {
    for option in ["--games", "--playouts", "--iterations", "--max-steps"] {
        assert!(refused(&["analyze", "tictactoe", option, "0"]).contains("of 1 or more"));
    }
    assert!(refused(&["inspect", "tictactoe", "--iterations", "0"]).contains("of 1 or more"));
    let game = ["match", "tictactoe", "--players", "random"];
    let with = |option, value| refused(&[&game[..], &[option, value]].concat());
    for option in ["--time", "--start", "--grace"] {
        assert!(with(option, "-1s").contains("write a time of"));
    }
    for value in ["-1", "many"] {
        assert!(with("--games", value).contains("write a whole number of 1 or more"));
        assert!(with("--seed", value).contains("write a whole number that is not negative"));
    }
    assert!(refused(&["solve", "tictactoe", "--seconds", "-1"]).contains("from 0.001"));
    assert!(refused(&["solve", "tictactoe", "--target", "-1"]).contains("from 0 to 1"));
}

#[test]
fn a_game_of_chance_alone_has_no_role_to_ask() {
    let dice = rules(
        "dice",
        "(role random) (init (step 1)) (<= (legal random (roll 1)) (true (step 1)))
         (<= (legal random (roll 2)) (true (step 1))) (<= (next (rolled ?n)) (does random (roll ?n)))
         (<= terminal (true (rolled ?n)))",
    );
    let dice = dice.to_str().expect("UTF-8");
    let language = ["--language", "gdl2"];
    for args in [&["solve", dice][..], &["infoset", dice], &["audit", dice, "--player", "random"]] {
        let said = refused(&[args, &language].concat());
        assert!(said.contains("chance alone decides"), "{args:?}: {said}");
    }
}
