//! Correct and incorrect traces of a small game.

use std::io::Write as _;
use std::sync::Arc;

use magister_core::Stop;
use magister_gdl::{Options, read as read_rules};

use super::{Report, conform, read};
use crate::{Program, QueryLimits, Reference};

const LAMP: &str = "(role random) (role you) (init (lamp off)) (legal random noop)
    (legal you press) (legal you wait)
    (<= (next (lamp on)) (does you press)) (<= (next (lamp off)) (does you wait))
    (<= (sees you click) (does you press)) (<= terminal (true (lamp on)))
    (<= (goal you 100) (true (lamp on))) (<= (goal you 0) (true (lamp off)))";

const LAMP_TRACE: &str = r#"{"game":"lamp","match":3,"seed":1,"roles":["random","you"],"steps":[
    {"state":["( lamp off )"],"legals":[["noop"],["wait","press"]],"joint":["noop","press"],
     "goal_values":[[],["0"]],"percepts":[[],["click"]]}],
    "terminal_state":["(lamp on)"],"goals":[null,100],"goal_values":[[],["100"]]}"#;

const SWITCH: &str = "role(you) init(off) init(control(you)) legal(press)
    press :: off ==> ~off & on  terminal :- on  goal(you,100) :- on";

const SWITCH_TRACE: &str = r#"{"play":0,"step":0,"control":"you","state":["off","control(you)"],"terminal":false,"goals":{"you":"0"},"legals":["press"],"first":"press","move":"press"}
{"play":0,"step":1,"control":"you","state":["on","control(you)"],"terminal":true,"goals":{"you":"100"},"legals":[],"first":false}"#;

fn replay(rules: &str, trace: &str) -> Report {
    let sheet = read_rules(rules, &Options::default()).rules;
    let program = Program::new(&sheet, rules).expect("a program");
    let mut reference = Reference::new(Arc::new(program), QueryLimits::default());
    let traces = read(trace.as_bytes()).expect("a trace");
    conform(&mut reference, &traces, &Stop::never()).expect("not stopped")
}

fn lamp(trace: &str) -> Report {
    replay(LAMP, &trace.replace('\n', " "))
}

#[test]
fn correct_traces_agree() {
    let report = lamp(LAMP_TRACE);
    assert_eq!((report.positions, report.mismatches), (2, vec![]));
    let report = replay(SWITCH, SWITCH_TRACE);
    assert_eq!((report.positions, report.mismatches), (2, vec![]));
}

#[test]
fn every_kind_of_difference_is_found() {
    for (from, to, what) in [
        (r#"["wait","press"]"#, r#"["wait"]"#, "legal moves of you"),
        (r#"["wait","press"]"#, r#"["wait","press","kick"]"#, "legal moves of you"),
        (r#"[[],["0"]]"#, r#"[[],["1"]]"#, "goal values of you"),
        (r#"[[],["100"]]"#, r#"[["5"],["100"]]"#, "goal values of random"),
        ("click", "bang", "percepts of you"),
        ("(lamp on)", "(lamp red)", "successor"),
        (r#""terminal_state""#, r#""last_state""#, "terminal"),
        ("( lamp off )", "( lamp dim )", "initial state"),
        (r#""roles":["random","you"]"#, r#""roles":["random","me"]"#, "roles"),
    ] {
        let report = lamp(&LAMP_TRACE.replace(from, to));
        let first = report.mismatches.iter().find(|mismatch| mismatch.what == what);
        assert!(first.is_some_and(|m| m.trace == 3), "{what}: {:?}", report.mismatches);
    }
    let wrong = SWITCH_TRACE.replace("\"100\"", "\"50\"");
    let report = replay(SWITCH, &wrong);
    assert_eq!(
        report.mismatches.first().map(ToString::to_string).as_deref(),
        Some("match 0, step 1: goal values of you: expected 50, found 100")
    );
}

#[test]
fn compressed_traces_are_read() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(SWITCH_TRACE.as_bytes()).expect("writing to memory succeeds");
    let packed = packed.finish().expect("writing to memory succeeds");
    assert_eq!(read(&packed), read(SWITCH_TRACE.as_bytes()));
}

#[test]
fn invalid_traces_are_rejected_with_the_line_number() {
    for (text, line) in [
        ("{}", 1),
        ("\n[1]", 2),
        (r#"{"play":0,"state":["f(X)"],"terminal":false,"goals":{},"legals":[]}"#, 1),
    ] {
        assert_eq!(read(text.as_bytes()).expect_err(text).line, line);
    }
    assert_eq!(read(&[0x1f, 0x8b, 1, 2, 3]).expect_err("no gzip").line, 0);
    assert_eq!(read(b""), Ok(vec![]));
}
