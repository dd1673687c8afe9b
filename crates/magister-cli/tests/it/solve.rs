//! Games solved and players audited, from the command line.

use std::process::{Command, Output};

use serde_json::Value;

fn magister(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister")).args(args).output().expect("the binary runs")
}

fn json(args: &[&str]) -> (i32, Vec<Value>) {
    let output = magister(args);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (output.status.code().expect("an exit code"), lines)
}

fn text(args: &[&str]) -> (i32, String) {
    let output = magister(args);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().expect("an exit code"), text)
}

#[test]
fn poker_is_solved() {
    let (code, lines) = json(&["solve", "kuhn-poker", "--json", "--strategy"]);
    assert_eq!((code, lines.len()), (0, 1));
    let found = &lines[0];
    assert_eq!(found["solved"], true);
    let value = found["value"]["first"].as_f64().expect("a value");
    assert!((value - (50.0 - 25.0 / 18.0)).abs() < 0.01, "{value}");
    assert!(found["exploitability_share"].as_f64().expect("a share") < 0.005);
    let strategy = found["strategy"].as_array().expect("sets");
    assert_eq!(strategy.len(), 12);
    // No player bets first with the queen.
    let queen = strategy
        .iter()
        .find(|set| set["role"] == "first" && set["turns"][0] == "noop => (card queen)")
        .expect("the first turn with the queen");
    let bet = queen["moves"].as_array().expect("moves").iter().find(|one| one["move"] == "bet");
    assert!(bet.expect("a bet")["probability"].as_f64().expect("a share") < 0.01);
}

#[test]
fn all_kinds_of_games_are_solved() {
    let (code, said) = text(&["solve", "exploding-bomb"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("value: agent 90\n") && said.contains("100 %  ask"), "{said}");
    let (code, said) = text(&["solve", "tictactoe"]);
    assert_eq!(code, 0);
    assert!(said.contains("5478 positions, all solved\nvalue: x 50, o 50\n"), "{said}");
    let (code, said) = text(&["solve", "hanoi"]);
    assert_eq!(code, 0);
    assert!(said.contains("shortest solution: 31 steps"), "{said}");
}

#[test]
fn what_is_too_large_says_what_to_do() {
    let (code, said) = text(&["solve", "blind-tictactoe", "--memory", "8"]);
    assert_eq!(code, 1);
    assert!(said.contains("it is too large") && said.contains("Raise --memory (now 8 MiB)"));
    assert!(said.contains("--players oos"), "{said}");
    let (code, lines) = json(&["solve", "connect-four", "--nodes", "1000", "--json"]);
    assert_eq!(code, 1);
    assert_eq!(lines[0]["solved"], false);
}

#[test]
fn players_are_audited() {
    let few = ["--matches", "10", "--decisions", "50", "--sample", "50", "--json"];
    let audit = |player: &str| {
        json(&[&["audit", "rust:monty-hall", "--player", player], &few[..]].concat())
    };
    let (code, lines) = audit("random");
    assert_eq!(code, 0, "{lines:?}");
    assert_eq!(lines[0]["honest"], true);
    assert!(lines[0]["verdict"]["answers"].as_u64().expect("a number") > 0);
    let (code, lines) = audit("clairvoyant");
    assert_eq!(code, 1, "{lines:?}");
    let finding = &lines[0]["verdict"]["findings"][0];
    assert_eq!(finding["test"], "twin");
    let what = finding["what"].as_str().expect("a sentence");
    assert!(what.contains(" instead of ") && !what.contains("Decision {"), "{what}");
    let output = magister(&["audit", "kuhn-poker", "--player", "minimax"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("does not play games with hidden information")
    );
}

#[test]
fn who_was_not_compared_is_not_acquitted() {
    let nothing = ["--matches", "0", "--sample", "0", "--decisions", "0", "--twins", "0"];
    let audit = ["audit", "rust:kuhn-poker", "--player", "random"];
    let output = magister(&[&audit[..], &nothing, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("this says nothing about random; raise"), "{said}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    for line in lines.lines() {
        let said: Value = serde_json::from_str(line).expect("JSON");
        assert!(said["honest"].is_null() && said["verdict"]["permutation"].is_null(), "{said}");
    }
    let output = magister(&[&audit[..], &["--role", "random"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the roles are first, second"));
}

#[test]
fn a_strategy_is_of_information_sets() {
    let (code, said) = text(&["solve", "tictactoe", "--strategy"]);
    assert_eq!(code, 0);
    let advice = "--strategy is for games with hidden information; `magister inspect tictactoe";
    assert!(said.replace("\n    ", " ").contains(advice), "{said}");
    let (code, said) = text(&["solve", "kuhn-poker", "--strategy"]);
    assert!(code == 0 && !said.contains("magister inspect"), "{said}");
}

#[test]
fn players_have_an_exploitability() {
    let share = |player: &str| {
        let args = ["solve", "rust:kuhn-poker", "--player", player, "--iterations", "300"];
        let (code, lines) = json(&[&args[..], &["--times", "20", "--json"]].concat());
        assert_eq!(code, 0, "{lines:?}");
        lines[0]["exploitability_share"].as_f64().expect("a share")
    };
    let (random, solved) = (share("random"), share("cfr+"));
    assert!(solved < 0.005 && random > 0.05, "{solved} {random}");
}
