//! Hostile rules, and stop flags that are set at an unfavourable moment: every evaluation ends
//! soon, within its limits, and gives the reason.
#![allow(clippy::print_stderr)]
#![allow(clippy::disallowed_methods, reason = "tests may read the clock")]

mod interrupt;
mod sheets;
mod watch;

use std::fmt::Write as _;
use std::sync::Arc;

use magister_core::{Game, Halt, Move, Role, Step, Stop};
use magister_engine::grounder::{GroundLimits, ground};
use magister_engine::{Error, Evaluator, Prepared, Program, QueryLimits, ReferenceGame, prepare};
use magister_gdl::{Options, Rulesheet, read};

use sheets::{ENDLESS, exploding, pigeons};
use watch::watch;

fn rules(text: &str) -> Rulesheet {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    sheet.rules
}

fn prepared(text: &str, evaluator: Option<Evaluator>) -> Result<Prepared, Error> {
    prepare(&rules(text), text, "hostile", evaluator, &Stop::never())
}

fn game(text: &str, evaluator: Option<Evaluator>) -> Arc<dyn Game> {
    prepared(text, evaluator).expect("a game").game
}

/// Asserts that preparation fails with these words in the message.
fn refused(text: &str, words: &[&str]) {
    let error = prepared(text, None).expect_err("no game").to_string();
    for word in words {
        assert!(error.contains(word), "{word}: {error}");
    }
}

/// Small limits keep the test short.
#[test]
fn rules_that_explode() {
    let watch = watch();
    let small = QueryLimits { steps: 1_000_000, answers: 100_000, ..QueryLimits::default() };
    let few = GroundLimits { instances: 50_000, rows: 1_000_000, ..GroundLimits::default() };
    for (text, limit, rule) in [
        (exploding(), "answers", "the rule for `all` with 10 arguments in line 2"),
        (pigeons(), "steps", "the rule for `fits` in line 2"),
    ] {
        let program = Arc::new(Program::new(&rules(&text), &text).expect("a program"));
        let never = Stop::never();
        let game =
            ReferenceGame::with_limits(Arc::clone(&program), None, small, &text, "it", &never);
        let error = game.expect_err("no game").to_string();
        assert!(error.contains(limit) && error.contains(rule), "{error}");
        let error = ground(&program, &few, &never).expect_err("too much").to_string();
        assert!(error.contains("limit") && error.contains("line 2"), "{error}");
    }
    watch.end("exploding rules, small limits");
}

/// The limits of normal play; needs `MAGISTER_LONG=1`.
#[test]
fn rules_that_explode_end_within_the_usual_limits() {
    if std::env::var_os("MAGISTER_LONG").is_none_or(|value| value == "0") {
        eprintln!("SKIPPED: explosions with the usual limits (set MAGISTER_LONG=1)");
        return;
    }
    let watch = watch();
    refused(&exploding(), &["answers", "the rule for `all` with 10 arguments in line 2"]);
    watch.end("exploding relation");
    let watch = self::watch();
    refused(&pigeons(), &["steps", "the rule for `fits` in line 2"]);
    watch.end("exploding join");
}

#[test]
fn terms_of_unbounded_depth() {
    let watch = watch();
    let text = "(role a) (p 0)\n(<= (p (s ?x)) (p ?x))\n(<= (legal a ?x) (p ?x))
                (<= terminal (true (at 1))) (goal a 0)";
    refused(text, &["nested", "the rule for `p` with 1 argument in line 2"]);
    watch.end("infinite relation");
}

#[test]
fn unbounded_counters() {
    let watch = watch();
    let text = "(role a) (init (count 0)) (legal a go)
(<= (next (count (s ?x))) (true (count ?x)))
(<= terminal (true (count end))) (goal a 0)";
    let game = game(text, None);
    let mut worker = game.worker();
    let halt = (0..2000).find_map(|_| {
        let go = worker.legal(Role(0))[0];
        worker.step(&[go], &mut Step::new(), &Stop::never()).err()
    });
    let halt = halt.expect("a limit").to_string();
    assert!(halt.contains("the rule for `next` with 1 argument in line 2"), "{halt}");
    watch.end("growing counter");
}

#[test]
fn goals_that_are_missing_or_too_many() {
    let watch = watch();
    for &evaluator in Evaluator::ALL {
        let none = "(role a) (init (at 0)) (legal a go) (<= (next (at 1)) (does a go))
                    (<= terminal (true (at 1)))";
        let many = format!("{none} (goal a 0) (<= (goal a 100) (true (at 1)))");
        for (text, expected) in [(none, &[][..]), (&many, &[0.0, 100.0])] {
            let game = game(text, Some(evaluator));
            let mut worker = game.worker();
            let go = worker.legal(Role(0))[0];
            worker.step(&[go], &mut Step::new(), &Stop::never()).expect("a step");
            let mut goals = Vec::new();
            worker.goals(Role(0), &mut goals);
            assert!(worker.terminal() && goals == expected, "{evaluator}: {goals:?}");
        }
    }
    watch.end("goals");
}

#[test]
fn roles_without_a_move() {
    let watch = watch();
    let at_once = "(role a) (role b) (init (at 0)) (legal a go) (<= terminal (true (at 1)))
                   (<= (next (at 1)) (does a go))";
    refused(at_once, &["`b` has no legal move"]);
    let later = "(role a) (role b) (init (at 0)) (legal a go) (<= (legal b go) (true (at 0)))
                 (<= terminal (true (at 2))) (<= (next (at 1)) (does a go))";
    for &evaluator in Evaluator::ALL {
        let game = game(later, Some(evaluator));
        let mut worker = game.worker();
        let joint: Vec<Move> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
        let halt = worker.step(&joint, &mut Step::new(), &Stop::never()).expect_err("stuck");
        assert!(halt.to_string().contains("`b` has no legal move"), "{evaluator}: {halt}");
        // The state is unchanged.
        assert_eq!(worker.legal(Role(1)), &joint[1..], "{evaluator}");
    }
    watch.end("roles without moves");
}

#[test]
fn games_without_an_end_or_without_roles() {
    let watch = watch();
    let endless = "(role a) (init (at 0)) (legal a go) (<= (next (at 0)) (does a go)) (goal a 0)";
    for &evaluator in Evaluator::ALL {
        assert!(!game(endless, Some(evaluator)).worker().terminal(), "{evaluator}");
    }
    refused("(init (at 0)) (legal a go) terminal (goal a 0)", &["no role", "(role r)"]);
    let many: String = (0..100_000).map(|n| format!("(role r{n}) (legal r{n} go)")).collect();
    refused(&format!("{many} terminal"), &["100000 roles"]);
    refused("(role a) (<= (legal a go) (not (legal a go)))", &["line 1", "its own negation"]);
    watch.end("no end, no roles");
}

#[test]
fn long_chains() {
    let watch = watch();
    let mut text = "(role a) (init (at 0)) (legal a go) (goal a 0) (reach 0)\n".to_owned();
    for n in 0..200_000 {
        let _ = writeln!(text, "(succ {n} {})", n + 1);
    }
    text.push_str(
        "(<= (reach ?y) (succ ?x ?y) (reach ?x)) (<= (next (at 1)) (does a go) (reach 200000))
         (<= terminal (true (at 1)))",
    );
    let game = game(&text, None);
    let mut worker = game.worker();
    let go = worker.legal(Role(0))[0];
    worker.step(&[go], &mut Step::new(), &Stop::never()).expect("a step");
    assert!(worker.terminal());
    watch.end("a chain of 200000 facts");
}

#[test]
fn invalid_moves_and_states() {
    let watch = watch();
    for &evaluator in Evaluator::ALL {
        let game = game(ENDLESS, Some(evaluator));
        let mut worker = game.worker();
        let stop = Stop::never();
        let mut step = Step::new();
        let halt = worker.step(&[Move(77)], &mut step, &stop);
        assert!(matches!(halt, Err(Halt::IllegalMove { role: Role(0), .. })), "{evaluator}");
        let halt = worker.step(&[], &mut step, &stop);
        assert!(matches!(halt, Err(Halt::JointLength { expected: 1, given: 0 })), "{evaluator}");
        assert_eq!(game.text().parse_state("((at 0) (nowhere 7"), None);
        assert_eq!(game.text().parse_state("((at 0) (nowhere 7))"), None, "{evaluator}");
        for words in [vec![u64::MAX], vec![1 << 40; 3], vec![u64::MAX; 100]] {
            assert_eq!(worker.load(&words, &stop), Err(Halt::BadState), "{evaluator}");
        }
    }
    watch.end("moves and states");
}
