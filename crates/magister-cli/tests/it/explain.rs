//! `magister explain`: its output for people.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_magister"))
        .arg("explain")
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

fn explain(args: &[&str]) -> String {
    shown(&run(args, ""))
}

fn shown(output: &Output) -> String {
    format!(
        "{}{}exit code {}\n",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().expect("it ended by itself"),
    )
}

const ROW: &str = "(put 1 1); (put 2 1); (put 1 2); (put 2 2); (put 1 3)";

#[test]
fn why_it_holds() {
    let win = explain(&["tictactoe", "(goal x 100)", "--moves", ROW]);
    insta::assert_snapshot!("win", win);
    // The other syntax gives the same answer.
    assert_eq!(win, explain(&["tictactoe", "goal(x,100)", "--moves", ROW]));
    insta::assert_snapshot!(
        "history",
        explain(&[
            "tictactoe",
            "(legal o noop)",
            "--moves",
            "(put 1 1); (put 2 2)",
            "--history",
            "3"
        ])
    );
    insta::assert_snapshot!("answers", explain(&["tictactoe", "(legal x ?move)", "--width", "2"]));
    insta::assert_snapshot!(
        "next",
        explain(&["tictactoe", "(next (cell 1 2 ?mark))", "--does", "(put 1 1)"])
    );
    insta::assert_snapshot!(
        "depth",
        explain(&["tictactoe", "terminal", "--moves", ROW, "--depth", "2"])
    );
    insta::assert_snapshot!(
        "percept",
        explain(&[
            "blind-tictactoe",
            "sees(white,ok)",
            "--does",
            "mark(1,1), mark(1,1), tiebreak(x)"
        ])
    );
    insta::assert_snapshot!(
        "chance",
        explain(&["monty-hall", "(goal candidate 0)", "--moves", "(choose 1) (hide 2); noop"])
    );
}

#[test]
fn why_it_does_not() {
    insta::assert_snapshot!(
        "not-legal",
        explain(&["tictactoe", "(legal o (put 1 1))", "--moves", "(put 1 1)"])
    );
    insta::assert_snapshot!("not-terminal", explain(&["tictactoe", "terminal"]));
    insta::assert_snapshot!(
        "not-next",
        explain(&["tictactoe", "(next (cell 1 1 b))", "--does", "(put 1 1)"])
    );
    insta::assert_snapshot!(
        "nearly",
        explain(&[
            "tictactoe",
            "(line x)",
            "--moves",
            "(put 1 1); (put 2 1); (put 1 2); (put 2 2)"
        ])
    );
    insta::assert_snapshot!(
        "not-seen",
        explain(&[
            "blind-tictactoe",
            "sees(white,ok)",
            "--does",
            "mark(1,1), mark(1,1), tiebreak(o)"
        ])
    );
    insta::assert_snapshot!("no-head", explain(&["tictactoe", "(legal x (mark 1 1))"]));
    insta::assert_snapshot!("misspelt", explain(&["tictactoe", "(lines x)"]));
    // People ask about positions from which the game cannot continue.
    insta::assert_snapshot!(
        "stuck",
        explain(&["stuck.kif", "(legal x ?move)", "--moves", "go", "--history", "1"])
    );
}

#[test]
fn operations() {
    insta::assert_snapshot!("bright", explain(&["buttonsandlights", "bright", "--moves", "a; b"]));
    insta::assert_snapshot!(
        "operation",
        explain(&["buttonsandlights", "step(3)", "--moves", "a; b", "--history", "2"])
    );
    insta::assert_snapshot!(
        "deleted",
        explain(&["buttonsandlights", "next(p)", "--moves", "a", "--does", "a"])
    );
    insta::assert_snapshot!("not-added", explain(&["buttonsandlights", "next(q)", "--does", "b"]));
}

#[test]
fn invalid_questions_are_rejected() {
    insta::assert_snapshot!("needs-moves", explain(&["tictactoe", "(next (cell 1 1 b))"]));
    insta::assert_snapshot!("no-atom", explain(&["tictactoe", "(and terminal"]));
    insta::assert_snapshot!("illegal", explain(&["tictactoe", "terminal", "--moves", "(put 9 9)"]));
    insta::assert_snapshot!("rust", explain(&["rust:2048", "terminal"]));
    let args = ["tictactoe", "terminal", "--state", "-"];
    insta::assert_snapshot!("bad-state", shown(&run(&args, "(cell 1 1")));
}

#[test]
fn states_from_files() {
    let args = ["tictactoe", "(line x)", "--state", "-"];
    let fluents = "(cell 1 1 x) (cell 2 2 x) (cell 3 3 x) (control o)";
    let line = shown(&run(&args, fluents));
    assert!(line.starts_with("(line x) holds: by the rule in line 78"), "{line}");
    let infix = "cell(1,1,x) cell(2,2,x) cell(3,3,x) control(o)";
    for same in [
        format!("({fluents})"),
        infix.to_owned(),
        "(true (cell 1 1 x)) (true (cell 2 2 x)) (true (cell 3 3 x))".to_owned(),
        format!("{{\"state\": \"({fluents})\"}}"),
    ] {
        assert_eq!(shown(&run(&args, &same)), line, "{same}");
    }
    // The moves of such a position are known too, unless it cannot be played at all.
    let next = ["tictactoe", "(next (control x))", "--state", "-", "--does", "(put 1 2)"];
    let open = "(cell 1 1 x) (cell 1 2 b) (cell 1 3 b) (control o)";
    assert!(shown(&run(&next, open)).starts_with("(next (control x)) holds"));
    let two = ["tictactoe", "(touched 1 ?y)", "--state", "-", "--does", "(put 1 2)"];
    assert!(shown(&run(&two, "(control x)")).contains("one move for each role here: 2 roles"));
}

#[test]
fn objects() {
    let output = run(&["tictactoe", "(goal x 100)", "--moves", ROW, "--json"], "");
    let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(object["question"], "(goal x 100)");
    assert_eq!(object["holds"], true);
    let root = object["roots"][0].as_u64().expect("a number") as usize;
    let node = &object["nodes"][root];
    assert_eq!(node["because"], "rule");
    assert_eq!(node["instance"], "(<= (goal x 100) (role x) (line x))");
    assert_eq!(node["values"]["?player"], "x");
    let output = run(&["tictactoe", "(goal x 100)", "--json"], "");
    let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!((&object["holds"], output.status.code()), (&Value::Bool(false), Some(1)));
    assert!(
        object["nodes"]
            .as_array()
            .is_some_and(|nodes| { nodes.iter().any(|node| node["because"] == "not-in-state") })
    );
}

#[test]
fn time_and_size_are_limited() {
    let links: String = (0..20_000).map(|n| format!("(succ {n} {})\n", n + 1)).collect();
    let rules = format!("(role a) {links} (reach 0)\n(<= (reach ?y) (succ ?x ?y) (reach ?x))");
    let deep = shown(&run(&["-", "(reach 20000)", "--depth", "3"], &rules));
    assert!(deep.contains("(reach 19997): …") && deep.ends_with("exit code 0\n"), "{deep}");
    let wide = "(role a) (n 0) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9)
        (<= (all ?a ?b ?c ?d ?e ?f ?g) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f) (n ?g))
        (<= p (all ?a ?b ?c ?d ?e ?f ?g) (all ?g ?f ?e ?d ?c ?b ?a) (q ?a))";
    let late = shown(&run(&["-", "p", "--seconds", "0.3"], wide));
    assert!(
        late.contains("--seconds allows more time") && late.ends_with("exit code 2\n"),
        "{late}"
    );
}
