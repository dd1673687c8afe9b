//! `magister show --json`: the description of a game for programs, which is the same in every
//! process.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn magister(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister")).args(args).output().expect("the binary runs")
}

fn show(game: &str) -> Value {
    let output = magister(&["show", game, "--json"]);
    serde_json::from_slice(&output.stdout).expect("one object")
}

#[test]
fn what_programs_need_is_there() {
    let shown = show("tictactoe");
    assert_eq!(shown["name"], "tictactoe");
    assert_eq!(shown["language"], "GDL");
    assert_eq!(shown["roles"], serde_json::json!(["x", "o"]));
    assert_eq!(shown["moves"], 10, "nine marks and noop");
    for hash in ["rules_hash", "text_hash"] {
        assert_eq!(shown[hash].as_str().map(str::len), Some(64), "{hash}");
    }
    let board = &shown["board"];
    assert_eq!(board["layout"], "grid");
    assert_eq!((&board["columns"], &board["rows"]), (&Value::from(3), &Value::from(3)));
    assert_eq!(board["cells"].as_array().map(Vec::len), Some(9));
    assert_eq!(board["values"].as_array().map(Vec::len), Some(3));
    for what in ["state", "view"] {
        let tensors = shown["observations"][what].as_array().expect("a list");
        assert!(tensors.iter().any(|tensor| tensor["name"] == "board"), "{what}");
    }
}

#[test]
fn the_same_rules_in_another_syntax() {
    let (kif, hrf) = ("tictactoe", Path::new(env!("CARGO_TARGET_TMPDIR")).join("identity.hrf"));
    let converted = magister(&["convert", kif, "--to", "infix"]);
    std::fs::write(&hrf, &converted.stdout).unwrap();
    let (one, two) = (show(kif), show(hrf.to_str().unwrap()));
    assert_eq!(one["rules_hash"], two["rules_hash"]);
    assert_ne!(one["text_hash"], two["text_hash"]);
    for field in ["moves", "roles", "board", "observations"] {
        assert_eq!(one[field], two[field], "{field}");
    }
    assert_eq!(show(kif), one, "another process prints the same");
    std::fs::remove_file(hrf).unwrap();
}

#[test]
fn rules_that_do_not_ground_have_no_fixed_moves() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("identity-endless.kif");
    let rules = "(role a) (init (count 0)) (legal a go) (goal a 50)
        (<= (next (count (s ?x))) (true (count ?x)))
        (<= terminal (true (count (s (s 0)))))";
    std::fs::write(&path, rules).unwrap();
    let shown = show(path.to_str().unwrap());
    assert!(shown["moves"].is_null() && shown["board"].is_null(), "{shown}");
    assert_eq!(shown["rules_hash"].as_str().map(str::len), Some(64));
    std::fs::remove_file(path).unwrap();
}
