//! `magister infoset`: the knowledge of a role.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn infoset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister"))
        .arg("infoset")
        .args(args)
        .output()
        .expect("the binary runs")
}

fn object(args: &[&str]) -> Value {
    let output = infoset(&[args, &["--json"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn said(args: &[&str], code: i32) -> String {
    let output = infoset(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Exercise 1 of the chapter, in its original form and with the rules in prefix form.
#[test]
fn exercise_1() {
    let kif = prefix();
    let cases = [
        ("nil", "ok", 8, 8, 5.0 / 96.0),
        ("nil", "nil", 1, 1, 1.0 / 288.0),
        ("ok", "nil", 8, 8, 47.0 / 288.0),
        ("ok", "ok", 36, 29, 25.0 / 32.0),
    ];
    for (first, second, states, boards, probability) in cases {
        for (game, marks) in [
            ("blind-tictactoe", ["mark(2,2)", "mark(1,3)"]),
            (kif.to_str().unwrap(), ["(mark 2 2)", "(MARK 1 3)"]),
        ] {
            let first = format!("{} => {first}", marks[0]);
            let second = format!("{} => {second}", marks[1].to_lowercase());
            let found = object(&[game, "--role", "white", "--turn", &first, "--turn", &second]);
            assert_eq!(found["states"], states, "{game} {first}, {second}");
            assert_eq!(found["boards"], boards, "{game} {first}, {second}");
            let close = found["probability"].as_f64().unwrap() - probability;
            assert!(close.abs() < 1e-12, "{game} {first}, {second}");
        }
    }
    std::fs::remove_file(kif).unwrap();
}

fn prefix() -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(["convert", "blind-tictactoe", "--to", "kif"])
        .output()
        .expect("the binary runs");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("infoset-blind.kif");
    std::fs::write(&path, output.stdout).unwrap();
    path
}

#[test]
fn what_is_certain_and_what_is_likely() {
    let turns = ["--turn", "(choose 1) => nil", "--turn", "noop => (open 3)"];
    let found = object(&[&["monty-hall"], &turns[..]].concat());
    assert_eq!(found["states"], 2);
    assert!((found["probability"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    let certain: Vec<&str> =
        found["certain"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(certain, ["(chosen 1)", "(open 3)", "(step 3)"]);
    assert_eq!(found["likely"][0]["fact"], "(car 2)");
    let likely = found["likely"][0]["probability"].as_f64().unwrap();
    assert!((likely - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(found["legal"], serde_json::json!(["noop", "switch"]));
    let sample = object(&[&["monty-hall", "--sample", "3000"], &turns[..]].concat());
    assert_eq!((&sample["exact"], &sample["states"]), (&Value::Bool(false), &2.into()));
    let likely = sample["likely"][0]["probability"].as_f64().unwrap();
    assert!((likely - 2.0 / 3.0).abs() < 0.05, "{likely}");
    // A fact that holds in all states of a sample is not certain.
    assert!(sample["certain"].is_null(), "{sample}");
    assert!(sample["in_all_of_sample"].as_array().is_some_and(|facts| facts.len() == 3));
    let text = infoset(&[&["monty-hall", "--sample", "10"], &turns[..]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("probability: about ") && !text.contains('/'), "{text}");
    assert!(text.contains("in all of the sample: ") && !text.contains("certain:"), "{text}");
    let text = infoset(&[&["monty-hall", "--states"], &turns[..]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("candidate after 2 turns: 2 states\n"), "{text}");
    assert!(text.contains("probability: 0.500000 (1/2)"), "{text}");
}

#[test]
fn mistakes_say_what_to_do() {
    let blind = "blind-tictactoe";
    assert!(said(&[blind], 2).contains("with --role: white, black"));
    assert!(said(&[blind, "--role", "red"], 2).contains("the roles are white, black"));
    let turn = |turns: &[&str], code| {
        let mut args = vec![blind, "--role", "white"];
        turns.iter().for_each(|turn| args.extend(["--turn", turn]));
        said(&args, code)
    };
    assert!(turn(&["mark(1,1)"], 2).contains("MOVE => PERCEPT"));
    assert!(turn(&["mark(7,7) => ok"], 2).contains("legal moves: (mark 1 1)"));
    assert!(turn(&["mark(1,1) => ok, nil"], 2).contains("leave out one of them"));
    assert!(turn(&["mark(1,1) => seen"], 2).contains("no role ever perceives `seen`"));
    assert!(turn(&["mark(1,1) => ok", "mark(1,1) => ok"], 1).contains("cannot play (mark 1 1)"));
    let bomb = said(&["exploding-bomb", "--turn", "noop => red"], 1);
    assert!(bomb.contains("it may perceive `nil`"), "{bomb}");
    assert!(said(&["tictactoe", "--role", "x"], 2).contains("perfect information"));
    let limit = [blind, "--role", "white", "--turn", "mark(1,1) => ok", "--limit", "2"];
    assert!(said(&limit, 2).contains("--sample"));
}

#[test]
fn hostile_turns() {
    let long = "(".repeat(50_000) + "=>" + &")".repeat(50_000);
    for turn in ["=>", "=> =>", "nil => nil", "\u{1} => \u{7f}", "mark(1,1) => ((((", &long] {
        let output = infoset(&["blind-tictactoe", "--role", "white", "--turn", turn]);
        let code = output.status.code();
        assert!(matches!(code, Some(1 | 2)), "{code:?}");
        assert!(output.stderr.len() < 2_000, "the output is short");
    }
}

/// An infinite counter prevents grounding, so the vocabulary is not fixed.
#[test]
fn rules_that_do_not_ground() {
    let rules = "(role a) (role random) (init (count 0)) (legal a look)
        (legal random (deal 1)) (legal random (deal 2)) (legal random (deal 3))
        (<= (next (count (s ?x))) (true (count ?x)))
        (<= (next (dealt ?n)) (does random (deal ?n)))
        (<= (sees a (got ?n)) (does random (deal ?n)) (distinct ?n 2))
        (<= terminal (true (count (s (s (s (s 0))))))) (goal a 50)";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("infoset-endless.kif");
    std::fs::write(&path, rules).unwrap();
    let game = path.to_str().unwrap();
    for more in [&[][..], &["--sample", "50"]] {
        let turns = ["--turn", "look => nil", "--turn", "look => (got 3)", "--turn", "look => nil"];
        let found = object(&[&[game, "--role", "a"], &turns[..], more].concat());
        assert_eq!(found["states"], 1, "{found}");
        assert_eq!(found["legal"], serde_json::json!(["look"]));
    }
    let wrong = said(&[game, "--role", "a", "--turn", "look => (got 2)"], 2);
    assert!(wrong.contains("no role ever perceives `(got 2)`"), "{wrong}");
    let wrong = said(&[game, "--role", "a", "--turn", "listen => nil"], 2);
    assert!(wrong.contains("`listen` is not a move"), "{wrong}");
    std::fs::remove_file(path).unwrap();
}
