//! Tests of the machine on small rulesheets.

use std::fmt::Write as _;

use std::sync::Arc;

use magister_core::{Game, Halt, Step, Stop, battery};
use magister_gdl::{Options, read};

use super::DatalogGame;
use super::position::Position;
use super::prepare::{Compiled, compile};
use crate::program::Program;
use crate::reference::QueryLimits;

fn program(text: &str) -> Program {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    Program::new(&sheet.rules, text).expect("a program")
}

fn position(text: &str, limits: QueryLimits) -> Result<Position, Halt> {
    let Compiled { code, initial, .. } = compile(&program(text), limits, &Stop::never())?;
    let mut position = Position::new(code, limits);
    position.set_state(&initial);
    Ok(position)
}

/// The legal moves of the first role in the initial state, sorted.
fn legal(text: &str) -> Vec<String> {
    let mut position = position(text, QueryLimits::default()).expect("it compiles");
    let legal = position.legal(0, &Stop::never()).expect("legal moves").to_vec();
    let mut texts: Vec<String> =
        legal.iter().map(|&term| position.terms().export(term).to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn recursion_of_every_kind_ends() {
    let left = "(role a) (e 1 2) (e 2 3) (e 3 1) (<= (t ?x ?y) (e ?x ?y))
                (<= (t ?x ?z) (t ?x ?y) (t ?y ?z)) (<= (legal a ?y) (t 1 ?y))";
    assert_eq!(legal(left), ["1", "2", "3"]);
    let mutual = "(role a) (init (p 1)) (<= (q ?y ?x) (r ?x ?y)) (<= (r ?x ?y) (q ?y ?x))
                  (<= (r ?x 2) (true (p ?x))) (<= (legal a (m ?x ?y)) (q ?x ?y))";
    assert_eq!(legal(mutual), ["(m 2 1)"]);
    let unsupported = "(role a) (<= p q) (<= q p) (<= (legal a yes) p) (<= (legal a no) (not p))";
    assert_eq!(legal(unsupported), ["no"]);
}

#[test]
fn recursion_over_the_state() {
    let text = "(role a) (init (e 1 2)) (init (e 2 3)) (init (e 3 1)) (init (e 4 5))
                (<= (t ?x ?y) (true (e ?x ?y))) (<= (t ?x ?z) (t ?x ?y) (t ?y ?z))
                (<= (u ?x ?z) (true (e ?x ?y)) (u ?y ?z)) (<= (u ?x ?y) (true (e ?x ?y)))
                (v 1) (v 4) (v 5)
                (<= (legal a (t ?y)) (t 1 ?y)) (<= (legal a (back ?x)) (u ?x 3))
                (<= (legal a (alone ?x)) (v ?x) (not (t ?x 3)))";
    let expected =
        ["(alone 4)", "(alone 5)", "(back 1)", "(back 2)", "(back 3)", "(t 1)", "(t 2)", "(t 3)"];
    assert_eq!(legal(text), expected);
}

#[test]
fn only_the_queried_part_of_an_infinite_relation_is_computed() {
    let text = "(role a) (n 0) (<= (n (s ?x)) (n ?x)) (<= (legal a two) (n (s (s 0))))
                (<= (legal a never) (n (s (t 0))))";
    assert_eq!(legal(text), ["two"]);
}

#[test]
fn the_constant_p_is_not_the_compound_p() {
    let text = "(role a) (init (p)) (<= (legal a constant) (true p))
                (<= (legal a compound) (true (p)))";
    assert_eq!(legal(text), ["compound"]);
}

#[test]
fn infinite_rules_are_reported() {
    let text = "(role a)\n(init (n 0))\n(<= (m ?x) (true (n ?x)))\n(<= (m (s ?x)) (m ?x))\n\
                (<= (legal a ?x) (m ?x))";
    let mut position = position(text, QueryLimits::default()).expect("it compiles");
    let halt = position.legal(0, &Stop::never()).expect_err("no end");
    assert!(matches!(&halt, Halt::Limit(what) if what.contains("line 4")), "{halt}");
    // The machine is usable afterwards.
    assert_eq!(position.terminal(&Stop::never()), Ok(false));
}

#[test]
fn the_work_limit_is_respected() {
    let mut text = "(role a) (init on)".to_owned();
    for number in 0..60 {
        let _ = write!(text, "(d {number})");
    }
    text.push_str(
        "(<= far (true on) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (p ?a ?b ?c ?e ?f))
         (<= (p ?a ?b ?c ?e ?f) (true (never ?a ?b ?c ?e ?f))) (<= (legal a x) far)",
    );
    let limits = QueryLimits { steps: 100_000, ..QueryLimits::default() };
    let halt = match position(&text, limits) {
        Ok(mut position) => position.legal(0, &Stop::never()).map(<[_]>::to_vec),
        Err(halt) => Err(halt),
    };
    // Some orders find the answer without any work; otherwise the error names the rule.
    match halt {
        Ok(legal) => assert!(legal.is_empty()),
        Err(Halt::Limit(what)) => assert!(what.contains("`far`") || what.contains("`p`"), "{what}"),
        Err(halt) => panic!("{halt}"),
    }
}

#[test]
fn long_chains_need_no_stack() {
    let mut text = "(role a) (init on) (<= (p 0) (true on)) (<= (q 0) (true on))".to_owned();
    for number in 1..3000 {
        let _ = write!(text, "(s {} {number})(<= r{number} r{})", number - 1, number - 1);
    }
    text.push_str(
        "(<= r0 (true on)) (<= (p ?y) (s ?x ?y) (p ?x)) (<= (legal a p) (p 2999))
         (<= (legal a r) r2999)",
    );
    assert_eq!(legal(&text), ["p", "r"]);
}

#[test]
fn an_evaluation_can_be_stopped() {
    let text = "(role a) (init on) (<= (legal a x) (true on))";
    let stop = Stop::new();
    stop.set();
    assert_eq!(
        compile(&program(text), QueryLimits::default(), &stop).map(|_| ()),
        Err(Halt::Stopped)
    );
    let mut position = position(text, QueryLimits::default()).expect("it compiles");
    assert_eq!(position.legal(0, &stop).map(<[_]>::len), Err(Halt::Stopped));
}

const SWITCHES: &str = "role(you)\nrole(me)\n\
    init(control(you))\ninit(off(1))\ninit(off(2))\ninit(count(0))\n\
    legal(press(X)) :- off(X)\nlegal(reset)\n\
    press(X) :: control(R) & other(R,S) ==> ~control(R) & control(S)\n\
    press(X) :: true ==> turn(X) & step\n\
    press(X) :: distinct(X,1) ==> second(X)\n\
    turn(X) :: true ==> ~off(X) & on(X)\n\
    step :: count(N) & evaluate(plus(N,1),M) ==> ~count(N) & count(M)\n\
    other(you,me)\nother(me,you)\n\
    goal(R,V) :- role(R) & countofall(X,on(X),N) & evaluate(times(N,50),V)\n\
    terminal :- ~off(1) & ~off(2)\n";

#[test]
fn operations() {
    let program = program(SWITCHES);
    let program = Arc::new(program);
    let limits = QueryLimits::default();
    let game = DatalogGame::new(&program, None, limits, SWITCHES, "switches", &Stop::never())
        .expect("a game");
    let mut worker = game.worker();
    let roles: Vec<_> = game.info().all_roles().collect();
    let mut out = Step::new();
    for text in ["press(1)", "press(2)"] {
        let joint: Vec<_> = roles
            .iter()
            .map(|&role| {
                let choice = game.text().parse_move(role, text).expect("a move");
                if worker.legal(role).contains(&choice) { choice } else { worker.legal(role)[0] }
            })
            .collect();
        worker.step(&joint, &mut out, &Stop::never()).expect("legal");
    }
    assert!(worker.terminal());
    let mut goals = Vec::new();
    worker.goals(roles[0], &mut goals);
    assert_eq!(goals, [100.0]);
    let mut state = Vec::new();
    worker.save(&mut state);
    let text = game.text().state_text(&state);
    assert!(text.contains("count(2)"), "{text}");
    // The condition of an operation needs its variables to be bound.
    assert!(text.contains("second(2)") && !text.contains("second(1)"), "{text}");
}

#[test]
fn the_battery() {
    let text = "(role x) (role o) (init (control x)) (init (step 0))
        (init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b)) (other x o) (other o x)
        (n 0 1) (n 1 2) (n 2 3)
        (<= (legal ?r (mark ?c)) (true (control ?r)) (true (cell ?c b)))
        (<= (legal ?r noop) (true (control ?s)) (other ?s ?r))
        (<= (next (cell ?c ?r)) (does ?r (mark ?c)))
        (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (distinct ?v b))
        (<= (next (cell ?c b)) (true (cell ?c b)) (not (taken ?c)))
        (<= (taken ?c) (does ?r (mark ?c)))
        (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
        (<= (next (step ?y)) (true (step ?x)) (n ?x ?y))
        (<= terminal (true (step 3))) (<= terminal (not (true (cell 2 b))))
        (<= (goal ?r 100) (true (cell 2 ?r)) (role ?r))
        (<= (goal ?r 0) (role ?r) (not (true (cell 2 ?r))))";
    let (program, limits) = (Arc::new(program(text)), QueryLimits::default());
    let game = DatalogGame::new(&program, None, limits, text, "row", &Stop::never());
    battery::assert_game(&game.expect("a game"));
}
