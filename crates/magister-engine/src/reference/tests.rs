//! Tests of the semantics of rules, on small rulesheets.

use std::fmt::Write as _;
use std::sync::Arc;

use magister_core::{Game, Halt, Stop, battery};
use magister_gdl::{Dialect, Options, Syntax, read};

use super::{QueryLimits, Reference, ReferenceGame};
use crate::program::Program;
use crate::{Error, Ground};

fn program(text: &str) -> Program {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    Program::new(&sheet.rules, text).expect("a program")
}

fn reference(text: &str) -> Reference {
    Reference::new(Arc::new(program(text)), QueryLimits::default())
}

fn texts(reference: &Reference, terms: &[crate::term::TermId]) -> Vec<String> {
    terms.iter().map(|&term| reference.terms().export(term).to_string()).collect()
}

/// The legal moves of the first role in the initial state. Most tests express their question as a
/// legal move.
fn legal(text: &str) -> Vec<String> {
    let mut reference = reference(text);
    let stop = Stop::never();
    let state = reference.initial(&stop).expect("an initial state");
    reference.set_state(&state);
    let legal = reference.legal(0, &stop).expect("legal moves");
    texts(&reference, &legal)
}

fn halts(text: &str, limits: QueryLimits) -> Halt {
    let mut reference = Reference::new(Arc::new(program(text)), limits);
    let halt = reference.legal(0, &Stop::never()).expect_err("no end");
    // The interpreter is usable afterwards.
    assert!(!reference.terminal(&Stop::never()).expect("an answer"));
    halt
}

#[test]
fn recursion_of_every_kind_ends() {
    let left = "(role a) (e 1 2) (e 2 3) (e 3 1) (<= (t ?x ?y) (e ?x ?y))
                (<= (t ?x ?z) (t ?x ?y) (t ?y ?z)) (<= (legal a ?y) (t 1 ?y))";
    assert_eq!(legal(left), ["1", "2", "3"]);
    let mutual = "(role a) (p 1) (<= (q ?y ?x) (r ?x ?y)) (<= (r ?x ?y) (q ?y ?x))
                  (<= (r ?x 2) (p ?x)) (<= (legal a (m ?x ?y)) (q ?x ?y))";
    assert_eq!(legal(mutual), ["(m 2 1)"]);
    let unsupported = "(role a) (<= p q) (<= q p) (<= (legal a yes) p) (<= (legal a no) (not p))";
    assert_eq!(legal(unsupported), ["no"]);
}

#[test]
fn only_the_queried_part_of_an_infinite_relation_is_computed() {
    let text = "(role a) (n 0) (<= (n (s ?x)) (n ?x)) (<= (legal a two) (n (s (s 0))))
                (<= (legal a never) (n (s (t 0))))";
    assert_eq!(legal(text), ["two"]);
}

#[test]
fn negation_waits_for_everything_below_it() {
    let text = "(role a) (v 1) (v 2) (v 3) (e 1 2) (<= (r 1)) (<= (r ?y) (r ?x) (e ?x ?y))
                (<= (out ?x) (v ?x) (not (r ?x))) (<= (in ?x) (v ?x) (not (out ?x)))
                (<= (legal a (in ?x)) (in ?x)) (<= (legal a (out ?x)) (out ?x))";
    assert_eq!(legal(text), ["(in 1)", "(in 2)", "(out 3)"]);
}

#[test]
fn a_relation_may_depend_on_its_negation_if_no_atom_does() {
    let text = "(role a) (role b) (won a) (<= (goal ?r 100) (role ?r) (won ?r))
                (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
    let mut reference = reference(text);
    for (role, expected) in [(0, "100"), (1, "0")] {
        let goals = reference.goals(role, &Stop::never()).expect("goals");
        assert_eq!(texts(&reference, &goals), [expected]);
    }
}

#[test]
fn an_atom_that_depends_on_its_negation_is_an_error() {
    let text = "(role a)\n(<= p (not q))\n(<= q (not p))";
    let sheet = read(text, &Options::default());
    let error = Program::new(&sheet.rules, text).expect_err("no meaning");
    assert!(matches!(error, Error::Statement { line: 2 | 3, .. }), "{error}");
}

#[test]
fn filters_wait_until_their_variables_are_bound() {
    let text = "(role a) (v 1) (v 2) (<= (legal a (m ?x ?y)) (distinct ?x ?y) (v ?x) (v ?y))
                (<= (legal a (n ?x)) (not (w ?x)) (v ?x)) (w 2)";
    assert_eq!(legal(text), ["(m 1 2)", "(m 2 1)", "(n 1)"]);
}

#[test]
fn filters_over_variables_that_nothing_binds_are_dropped_in_gdl() {
    let text = "(role a) (role b) (listed a) (<= (legal ?p yes) (not (listed ?p)))
                (<= (legal ?p no) (listed ?p))";
    assert_eq!(legal(text), ["no", "yes"]);
}

#[test]
fn connectives() {
    let facts = "(role a) (v 1) (v 2) (v 3) (v 4) (p 1) (q 2) ";
    let rule = |body: &str| legal(&format!("{facts} (<= (legal a ?x) (v ?x) {body})"));
    assert_eq!(rule("(or (p ?x) (q ?x))"), ["1", "2"]);
    assert_eq!(rule("(not (or (p ?x) (q ?x)))"), ["3", "4"]);
    assert_eq!(rule("(not (not (p ?x)))"), ["1"]);
    assert_eq!(rule("(not (distinct ?x 3))"), ["3"]);
    assert_eq!(rule("(or (and (p ?x) (not (q ?x))) (distinct ?x 4))"), ["1", "2", "3"]);
    assert_eq!(rule("(not (and (v ?x) (distinct ?x 4)))"), ["4"]);
    assert_eq!(rule("(not (undefined ?x))").len(), 4);
    assert_eq!(rule("(undefined ?x)").len(), 0);
}

#[test]
fn too_many_cases_are_refused_with_the_line() {
    let or = "(or (p 1) (p 2) (p 3) (p 4))".repeat(12);
    let text = format!("(role a)\n(<= (legal a x) {or})");
    let sheet = read(&text, &Options::default());
    let error = Program::new(&sheet.rules, &text).expect_err("too many");
    assert!(error.to_string().starts_with("line 2: the disjunctions"), "{error}");
}

#[test]
fn a_proposition_is_not_a_relation_without_arguments() {
    let text = "(role a) (<= (open)) (<= (legal a bare) open) (<= (legal a list) (open))";
    assert_eq!(legal(text), ["list"]);
}

#[test]
fn one_gdl2_step() {
    let text = "(role random) (role a) (init (s 0)) (legal random heads) (legal random tails)
        (legal a wait) (<= (next (s 1)) (does a wait)) (<= (next (coin ?c)) (does random ?c))
        (<= (sees a ?c) (does random ?c) (true (s 0))) (<= terminal (true (s 1)))
        (<= (goal a 100) (true (coin heads))) (<= (goal a 0) (true (coin tails)))";
    let mut reference = reference(text);
    let stop = Stop::never();
    let state = reference.initial(&stop).expect("a state");
    reference.set_state(&state);
    let moves = ["tails", "wait"].map(|name| Some(reference.terms_mut().constant_named(name)));
    reference.set_moves(&moves);
    let seen = reference.percepts(1, &stop).expect("percepts");
    assert_eq!(texts(&reference, &seen), ["tails"]);
    assert!(reference.percepts(0, &stop).expect("percepts").is_empty());
    let next = reference.next(&stop).expect("a state");
    assert_eq!(texts(&reference, &next), ["(coin tails)", "(s 1)"]);
    reference.set_state(&next);
    assert!(reference.terminal(&stop).expect("an answer"));
}

fn after(text: &str, action: &str) -> Vec<String> {
    let mut reference = reference(text);
    let stop = Stop::never();
    let state = reference.initial(&stop).expect("a state");
    reference.set_state(&state);
    let action = Ground::read(action, Syntax::Infix).expect("a term");
    let action = reference.terms_mut().import(&action);
    reference.set_moves(&[Some(action)]);
    let next = reference.next(&stop).expect("a state");
    next.iter().map(|&t| reference.terms().export(t).text(Syntax::Infix)).collect()
}

#[test]
fn operations_refer_to_the_old_state_and_additions_win() {
    let text = "role(r) init(p(1)) init(q) init(control(r)) legal(a) action(a)
        a :: p(X) ==> ~p(X) & p(2)
        a :: p(2) ==> wrong
        a :: q ==> q & ~q & helper(3)
        a :: ~absent
        helper(X) :: p(Y) ==> made(X,Y)
        helper(X) :: helped";
    assert_eq!(after(text, "a"), ["helped", "q", "control(r)", "made(3,1)", "p(2)"]);
    assert_eq!(
        after(text, "typo(1)"),
        ["q", "control(r)", "p(1)", "typo(1)"],
        "an action without an operation is added as a fact"
    );
}

#[test]
fn operations_that_perform_each_other_end() {
    let text = "role(r) init(c(0)) legal(a) a :: grow(0) grow(X) :: grow(s(X))";
    let mut reference = reference(text);
    let a = reference.terms_mut().constant_named("a");
    reference.set_moves(&[Some(a)]);
    assert!(matches!(reference.next(&Stop::never()), Err(Halt::Limit(_))));
}

fn answers(body: &str) -> Vec<String> {
    legal(&format!(
        "role(r) init(control(r)) init(n(3)) init(n(10)) init(m(3)) view(1) view(2) go :: done
         legal(X) :- {body}"
    ))
}

#[test]
fn views_fluents_and_builtins_of_operations() {
    assert_eq!(answers("n(X)"), ["3", "10"]);
    assert_eq!(answers("view(X)"), ["1", "2"]);
    assert_eq!(answers("n(X) & ~m(X)"), ["10"]);
    assert_eq!(answers("~m(X) & n(X)"), ["10"], "a negation waits until its variables are bound");
    assert_eq!(answers("view(X) & ~m(Y)"), [""; 0], "an unbound variable is existential");
    assert_eq!(answers("view(X) & ~z(Y)"), ["1", "2"]);
    assert_eq!(answers("view(X) & ~(n(Y) & ~m(Y))"), [""; 0]);
    assert_eq!(answers("n(X) | view(X)"), ["1", "2", "3", "10"]);
    assert_eq!(answers("plus(A,B,X) & n(A) & view(B)"), ["4", "5", "11", "12"]);
    assert_eq!(answers("n(X) & less(X,10)"), ["3"]);
    assert_eq!(answers("n(X) & symless(X,3)"), ["10"]);
    assert_eq!(answers("evaluate(plus(times(2,3),1),X)"), ["7"]);
    assert_eq!(answers("member(X,[b,a])"), ["a", "b"]);
    assert_eq!(answers("same(X,f(Y)) & view(Y)"), ["(f 1)", "(f 2)"]);
    assert_eq!(answers("countofall(Y,n(Y),X)"), ["2"]);
    assert_eq!(answers("countofall(Y,n(Y) & ~m(Y),X)"), ["1"]);
    assert_eq!(answers("view(Z) & countofall(Y,z(Y,Z),X)"), ["0"]);
    assert_eq!(answers("setofall(f(Y),n(Y),X)"), ["(cons (f 3) (cons (f 10) nil))"]);
    assert_eq!(answers("view(X) & exists(Y,n(Y) & m(Y))"), ["1", "2"]);
    assert_eq!(answers("n(X) & distinct(X,3)"), ["10"]);
    assert_eq!(answers("view(X) & distinct(X,Y)"), [""; 0], "an unbound variable may be equal");
    assert_eq!(answers("view(X) & mutex(X,2,3)"), ["1"]);
    assert_eq!(answers("view(X) & true & ~false"), ["1", "2"]);
}

#[test]
fn definitions_are_used_inside_evaluate() {
    let text = "role(r) init(control(r)) go :: done twice(X) := times(2,X)
                loop(X) := loop(plus(X,1)) legal(X) :- evaluate(twice(twice(3)),X)";
    assert_eq!(legal(text), ["12"]);
    let text = format!("{text} legal(X) :- evaluate(loop(1),X)");
    assert!(matches!(halts(&format!("{text} control(r)"), QueryLimits::default()), Halt::Limit(_)));
}

#[test]
fn infinite_rules_are_reported() {
    let growth = "(role a) (n 0)\n(<= (n (s ?x)) (n ?x))\n(<= (legal a ?x) (n ?x))";
    let Halt::Limit(what) = halts(growth, QueryLimits::default()) else { panic!("no limit") };
    assert!(what.contains("`n` with 1 argument in line 2"), "{what}");
    // The calls grow, but not the answers.
    let calls = "(role a)\n(<= (p ?x) (p (s ?x)))\n(<= (legal a x) (p 0))";
    assert!(matches!(halts(calls, QueryLimits::default()), Halt::Limit(_)));
    let counting =
        "role(r) control(r) go :: done n(0)\nn(Y) :- n(X) & plus(X,1,Y)\nlegal(X) :- n(X)";
    let limits = QueryLimits { answers: 10_000, ..QueryLimits::default() };
    let Halt::Limit(what) = halts(counting, limits) else { panic!("no limit") };
    assert!(what.contains("`n` with 1 argument in line 2"), "{what}");
    let limits = QueryLimits { steps: 10_000, ..QueryLimits::default() };
    assert!(matches!(halts(counting, limits), Halt::Limit(_)));
}

#[test]
fn an_unbound_head_is_reported() {
    let text = "(role a) (v 1)\n(<= (p ?x) (v ?y))\n(<= (legal a ?x) (p ?x))";
    let Halt::Rules(what) = halts(text, QueryLimits::default()) else { panic!("no fault") };
    assert!(what.contains("in line 2"), "{what}");
}

#[test]
fn an_evaluation_can_be_stopped() {
    let mut reference = reference("(role a) (legal a x)");
    let stop = Stop::new();
    stop.set();
    assert_eq!(reference.legal(0, &stop), Err(Halt::Stopped));
    assert_eq!(reference.legal(0, &Stop::never()).map(|legal| legal.len()), Ok(1));
}

#[test]
fn a_long_chain_needs_no_stack() {
    let mut text =
        "(role a) (<= (r ?y) (e ?x ?y) (r ?x)) (r 0) (<= (legal a ok) (r 20000))".to_owned();
    for n in 0..20_000 {
        write!(text, "(e {n} {})", n + 1).expect("strings take everything");
    }
    assert_eq!(legal(&text), ["ok"]);
}

fn game(text: &str) -> ReferenceGame {
    let rules = read(text, &Options::default()).rules;
    ReferenceGame::new(&rules, text, "test").expect("a game")
}

const NIM: &str = "(role x) (role y) (init (heap 5)) (init (control x)) (take 1) (take 2)
    (less 0 1) (less 1 2) (less 2 3) (less 3 4) (less 4 5)
    (<= (minus ?a 1 ?b) (less ?b ?a)) (<= (minus ?a 2 ?c) (less ?b ?a) (less ?c ?b))
    (<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (minus ?h ?n ?m))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (heap ?m)) (does ?r (take ?n)) (true (heap ?h)) (minus ?h ?n ?m))
    (<= (next (control x)) (true (control y))) (<= (next (control y)) (true (control x)))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 0) (true (control ?r))) (<= (goal ?r 100) (role ?r) (not (true (control ?r))))";

#[test]
fn a_gdl_game_passes_the_battery() {
    battery::assert_game(&game(NIM));
}

#[test]
fn a_gdl2_game_passes_the_battery() {
    battery::assert_game(&game(
        "(role random) (role guesser) (coin heads) (coin tails) (init (turn 1))
         (<= (legal random (toss ?c)) (coin ?c) (true (turn 1)))
         (<= (legal random noop) (not (true (turn 1))))
         (<= (legal guesser noop) (true (turn 1)))
         (<= (legal guesser (guess ?c)) (coin ?c) (true (turn 2)))
         (<= (next (turn 2)) (true (turn 1))) (<= (next (turn 3)) (true (turn 2)))
         (<= (next (shown ?c)) (does random (toss ?c))) (<= (next (shown ?c)) (true (shown ?c)))
         (<= (next (said ?c)) (does guesser (guess ?c)))
         (<= (sees guesser tossed) (does random (toss ?c)))
         (<= (sees guesser (it_was ?c)) (true (shown ?c)))
         (<= terminal (true (turn 3)))
         (<= won (true (shown ?c)) (true (said ?c)))
         (<= (goal guesser 100) won) (<= (goal guesser 0) (not won))",
    ));
}

const SWITCHES: &str = "role(left) role(right) init(off(a)) init(off(b)) init(control(left))
    legal(press(X)) :- off(X)
    press(X) :: off(X) ==> ~off(X) & on(X)
    press(X) :: control(left) ==> ~control(left) & control(right)
    press(X) :: control(right) ==> ~control(right) & control(left)
    terminal :- ~off(a) & ~off(b)
    goal(R,50) :- ~terminal
    goal(left,100) :- terminal goal(right,0) :- terminal";

#[test]
fn an_operations_game_passes_the_battery() {
    let game = game(SWITCHES);
    battery::assert_game(&game);
    let worker = game.worker();
    let mut words = Vec::new();
    worker.save(&mut words);
    assert_eq!(game.text().state_text(&words), "(control(left) off(a) off(b))");
    let kif = "((off b) (control left) (off a))";
    assert_eq!(game.text().parse_state(kif), Some(words), "both syntaxes are read");
}

#[test]
fn dialects_are_kept() {
    assert_eq!(program(NIM).dialect, Dialect::Gdl);
    let switches = program(SWITCHES);
    assert_eq!(switches.dialect, Dialect::Operations);
    let is_view =
        |name| switches.terms.find_symbol(name).is_some_and(|s| switches.views.contains(&s));
    assert!(is_view("press") && is_view("legal") && !is_view("off") && !is_view("control"));
}

#[test]
fn a_role_without_a_move_is_an_error() {
    let text = "(role a) (init p) (<= (legal a go) (true q)) (<= terminal (true q)) (goal a 0)";
    let rules = read(text, &Options::default()).rules;
    let error = ReferenceGame::new(&rules, text, "stuck").expect_err("no move");
    assert!(error.to_string().contains("`a` has no legal move"), "{error}");
}
