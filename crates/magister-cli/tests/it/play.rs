//! The commands that play games: their output, and counts that must be correct.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use magister_engine::Evaluator;
use serde_json::Value;

fn run(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unplayable"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn magister(args: &[&str]) -> Output {
    run(args, "")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

fn shown(output: &Output) -> String {
    format!("{}{}exit code {}\n", text(&output.stdout), text(&output.stderr), code(output))
}

/// A rulesheet of the oracle, or a visible note that the test is skipped.
fn oracle(path: &str) -> Option<String> {
    let folder = std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    let file = folder.join(path);
    if file.is_file() {
        return Some(file.to_string_lossy().into_owned());
    }
    // Bypasses the capture of the test runner, so that a skipped test is visible.
    let mut out = std::io::stderr();
    let _ = writeln!(out, "SKIPPED: no {} (set MAGISTER_ORACLE)", file.display());
    None
}

// The snapshots name an evaluator if they must not depend on the choice of the best one.
const REFERENCE: [&str; 2] = ["--evaluator", "reference"];

#[test]
fn a_session_from_a_script() {
    let script = "5\n(put 1 1)\npercepts\nundo 2\nredo\nhistory\nrandom\n\
                  (put 9 9)\nstate\n";
    insta::assert_snapshot!("step-script", shown(&run(&["step", "tictactoe"], script)));
    let script = "help\nlegal\n*\npercepts\ndo (choose 1)\nstate\njump 7\n";
    insta::assert_snapshot!("step-hidden", shown(&run(&["step", "monty-hall"], script)));
    let script = "undo\n";
    insta::assert_snapshot!("step-undo", shown(&run(&["step", "rust:2048"], script)));
    assert_eq!(code(&run(&["step", "tictactoe"], "quit\nnonsense\n")), 0);
    assert_eq!(code(&run(&["step", "tictactoe"], "nonsense\n")), 1);
    assert_eq!(code(&run(&["step", "-"], "(role x)")), 2);
}

#[test]
fn moves_from_the_command_line() {
    let moves = |game: &str, moves: &str| shown(&magister(&["step", game, "--moves", moves]));
    let win = "(put 1 1); (put 2 1); 1; (put 2 2); noop; (put 1 3)";
    assert!(moves("tictactoe", win).contains("x cannot play noop here"));
    let win = "(put 1 1); noop (put 2 1); #1; (put 2 2); (put 1 3) noop";
    insta::assert_snapshot!("step-win", moves("tictactoe", win));
    insta::assert_snapshot!("step-over", moves("tictactoe", &format!("{win}; (put 3 3)")));
    insta::assert_snapshot!("step-illegal", moves("tictactoe", "(put 1 1); (put 1 1)"));
    insta::assert_snapshot!("step-count", moves("rock-paper-scissors", "(show rock)"));
    insta::assert_snapshot!("step-both", moves("rock-paper-scissors", "(show rock) (show paper)"));
    // Moves of chance are drawn if they are not given, and used if they are.
    insta::assert_snapshot!("step-chance", moves("rust:kuhn-poker", "check; bet; call"));
    let dealt = moves("rust:kuhn-poker", "(deal jack king); check");
    assert!(dealt.contains("dealt jack king"), "{dealt}");
}

#[test]
fn a_position_as_json() {
    let mut args = vec!["step", "monty-hall", "--json", "--moves", "*; *"];
    args.extend(REFERENCE);
    let position = object(&magister(&args));
    assert_eq!(position["roles"], serde_json::json!(["candidate", "random"]));
    assert_eq!(position["step"], 2);
    assert_eq!(position["terminal"], false);
    assert!(position["state"].as_str().is_some_and(|state| state.contains("(step 3)")));
    assert_eq!(position["legal"]["candidate"], serde_json::json!(["noop", "switch"]));
    assert_eq!(position["percepts"]["candidate"].as_array().map(Vec::len), Some(1));
    assert!(position["goals"]["random"].as_array().is_some_and(Vec::is_empty));
    assert_eq!(position["evaluator"], "reference");
    // The same seed gives the same match, and another seed another match.
    let line = |seed| magister(&["step", "rust:2048", "--seed", seed, "--json", "--moves", "*;*"]);
    assert_eq!(line("1").stdout, line("1").stdout);
    assert_ne!(line("1").stdout, line("2").stdout);
}

#[test]
fn every_evaluator_counts_tictactoe_alike() {
    insta::assert_snapshot!("perft", shown(&magister(&["perft", "rust:tictactoe"])));
    insta::assert_snapshot!("perft-deep", shown(&magister(&["perft", "tictactoe", "2"])));
    for evaluator in Evaluator::ALL {
        let counted = object(&magister(&[
            "perft",
            "tictactoe",
            "--json",
            "--all",
            "--evaluator",
            evaluator.name(),
        ]));
        assert_eq!(counted["complete_games"], 255_168, "{evaluator}");
        assert_eq!(counted["positions"], 5478, "{evaluator}");
        assert_eq!(counted["over"], true);
        assert_eq!(counted["depths"][9]["terminals"], 127_872);
    }
}

#[test]
fn counts_that_do_not_end() {
    insta::assert_snapshot!("perft-endless", shown(&magister(&["perft", "circle.kif"])));
    insta::assert_snapshot!("perft-circle", shown(&magister(&["perft", "circle.kif", "3"])));
    let few = magister(&["perft", "tictactoe", "--limit", "1000"]);
    insta::assert_snapshot!("perft-limit", shown(&few));
    insta::assert_snapshot!(
        "perft-stuck",
        shown(&magister(&["perft", "stuck.kif", "--evaluator", "reference"]))
    );
    let much = magister(&["perft", "circle.kif", "200"]);
    assert!(text(&much.stderr).contains("more paths than 128 bits"), "{}", shown(&much));
}

#[test]
fn counts_of_the_oracle() {
    for (game, positions) in [("nim1", 344), ("nim2", 2162)] {
        let Some(file) = oracle(&format!("gdl/games/{game}.kif")) else { return };
        let counted = object(&magister(&["perft", &file, "--json"]));
        assert_eq!(counted["positions"], positions, "{game}");
        assert_eq!(counted["over"], true, "{game}");
    }
    let Some(file) = oracle("gdl/games/connect4.kif") else { return };
    let counted = object(&magister(&["perft", &file, "6", "--json"]));
    let depths = counted["depths"].as_array().expect("a list");
    let nodes: Vec<u64> = depths.iter().map(|d| d["nodes"].as_u64().expect("small")).collect();
    assert_eq!(nodes, [1, 7, 49, 343, 2401, 16_807, 117_649]);
}

#[test]
fn playable_and_unplayable() {
    let playable = |game: &str| {
        // All matches are examined, however slow the machine is.
        let mut args = vec!["playable", game, "--playouts", "50", "--seconds", "600"];
        args.extend(REFERENCE);
        shown(&magister(&args))
    };
    insta::assert_snapshot!("playable", playable("tictactoe"));
    insta::assert_snapshot!("playable-chance", playable("monty-hall"));
    for file in ["stuck.kif", "no-goal.kif", "two-goals.kif", "circle.kif"] {
        insta::assert_snapshot!(format!("playable-{}", file.replace('.', "-")), playable(file));
    }
    insta::assert_snapshot!("playable-unused", playable("unused.kif"));
    let bomb = "../../../magister-gdl/tests/it/chapter/exploding-bomb.hrf";
    insta::assert_snapshot!("playable-bomb", playable(bomb));
    let object = object(&magister(&["playable", "two-goals.kif", "--json"]));
    assert_eq!(object["playable"], false);
    assert_eq!(object["problems"][0]["kind"], "many-goals");
    assert_eq!(object["problems"][0]["moves"], "go");
    let object = self::object(&magister(&["playable", "unused.kif", "--json"]));
    assert_eq!(object["never_applied"][0]["line"], 8);
    assert_eq!(object["never_asked"][0]["what"], "`weight` with 2 arguments");
    assert!(object["rules_looked_at"]["positions"].as_u64().is_some_and(|n| n > 0));
    assert_eq!(code(&magister(&["playable", "rust:2048", "--playouts", "5"])), 0);
    assert_eq!(code(&magister(&["playable", "no-such-game"])), 2);
}

#[test]
fn rules_with_errors_are_reported_and_not_played() {
    for command in ["step", "perft", "playable", "bench"] {
        let output = magister(&[command, "../broken/01-unclosed.kif"]);
        assert_eq!(code(&output), 2, "{command}");
        assert!(text(&output.stderr).contains("G0"), "{command}: {}", text(&output.stderr));
        let output = magister(&[command, "rust:tictacto"]);
        assert_eq!(code(&output), 2, "{command}");
        assert!(text(&output.stderr).contains("did you mean tictactoe?"), "{command}");
        let output = magister(&[command, "rust:tictactoe", "--evaluator", "reference"]);
        assert!(text(&output.stderr).contains("leave out --evaluator"), "{command}");
    }
}

#[test]
fn measurements_have_every_field_that_is_promised() {
    let fields =
        ["states_per_s", "playouts_per_s", "mean_length", "prepare_ms", "gates", "peak_bytes"];
    let args = ["bench", "tictactoe", "rust:kuhn-poker", "--seconds", "0.1", "--evaluator", "all"];
    let output = magister(&[&args[..], &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert_eq!(lines.lines().count(), Evaluator::ALL.len() + 1, "{lines}");
    for line in lines.lines() {
        let object: Value = serde_json::from_str(line).expect("one object a line");
        assert!(object["game"].is_string() && object["evaluator"].is_string(), "{line}");
        for field in fields {
            assert!(object.get(field).is_some(), "{field}: {line}");
        }
        assert!(object["states_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{line}");
    }
    assert!(text(&magister(&args).stdout).contains("states/s"));
}

#[test]
fn every_evaluator_signs_alike() {
    let sign = |evaluator: &str| {
        let output = magister(&[
            "bench",
            "tictactoe",
            "monty-hall",
            "--signature",
            "--evaluator",
            evaluator,
        ]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stdout).trim().parse::<u64>().expect("a number")
    };
    // It changes only if the rules of these games or the contract of playouts do.
    let pinned = 1_634_135_499_154_739;
    assert_eq!(pinned, sign("all"));
    for evaluator in Evaluator::ALL {
        assert_eq!(pinned, sign(evaluator.name()), "{evaluator}");
    }
}

#[test]
fn conform_tells_each_evaluator() {
    let Some(rules) = oracle("gdl/games/ticTacToe.kif") else { return };
    let Some(trace) = oracle("gdl/traces/ticTacToe.jsonl.gz") else { return };
    let output = magister(&["conform", "--evaluator", "all", &rules, &trace]);
    assert_eq!(code(&output), 0, "{}", shown(&output));
    let lines = text(&output.stdout);
    for evaluator in Evaluator::ALL {
        assert!(lines.contains(&format!("evaluator {evaluator}: positions ")), "{lines}");
    }
    let last = lines.lines().last().expect("a line");
    assert!(last.starts_with("positions ") && last.ends_with(", mismatches 0"), "{lines}");
}
