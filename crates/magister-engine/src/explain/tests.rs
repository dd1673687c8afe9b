//! Explanations on small rulesheets, and a check that every explanation is true.

mod checker;
mod games;

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::{Options, read};

use super::{Explainer, Explanation, Extent, Reason, Scene};
use crate::{Error, Program, QueryLimits, Reference};
use checker::check;

/// The program of a text.
fn program(text: &str) -> (Program, magister_gdl::Syntax) {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    (Program::new(&sheet.rules, text).expect("a program"), sheet.rules.syntax)
}

/// The initial position of a program.
fn beginning(program: &Program) -> Scene {
    let mut reference = Reference::new(Arc::new(program.clone()), QueryLimits::default());
    let state = reference.initial(&Stop::never()).expect("an initial state");
    let state = state.iter().map(|&fluent| reference.terms().export(fluent)).collect();
    Scene { state, ..Scene::default() }
}

fn explained(text: &str, question: &str, extent: Extent) -> (Explainer, Explanation) {
    let (program, syntax) = program(text);
    let scene = beginning(&program);
    let mut explainer = Explainer::new(program, syntax, question, &scene).expect("a question");
    let explanation = explainer.explain(extent, &Stop::never()).expect("an answer");
    check(&mut explainer, &explanation);
    (explainer, explanation)
}

fn explain_text(text: &str, question: &str) -> String {
    let (explainer, explanation) = explained(text, question, Extent::default());
    explainer.text(&explanation)
}

#[test]
fn a_proof_is_well_founded() {
    // The first rule of each of them is circular.
    let text = "(role a)
(<= (p ?x) (q ?x))
(<= (q ?x) (p ?x))
(<= (q ?x) (r ?x))
(r 1)";
    let explain_text = explain_text(text, "(p 1)");
    assert_eq!(
        explain_text,
        "(p 1) holds: by the rule in line 2
  (q 1): by the rule in line 4
    (r 1): fact in line 5
line 2: (<= (p ?x) (q ?x))
line 4: (<= (q ?x) (r ?x))
"
    );
}

#[test]
fn the_smaller_proof_is_shown() {
    let text = "(role a)
(<= (t ?x ?z) (t ?x ?y) (t ?y ?z))
(<= (t ?x ?y) (e ?x ?y))
(e 1 2) (e 2 3) (e 3 4) (e 1 4)";
    let (_, explanation) = explained(text, "(t 1 4)", Extent::default());
    assert_eq!(explanation.nodes.len(), 2);
}

/// The instance that fits the position explains more than instances that would need another
/// position.
#[test]
fn a_miss_fits_the_position() {
    let text = "(role a) (init (pile 2)) (init (keeper 3 3)) (init (crate 4 3))
(floor 3 3) (floor 4 3) (floor 5 3) (after 2 3) (after 3 4) (after 4 5)
(minus 3 3 0) (minus 4 3 1) (minus 2 2 0) (minus 2 1 1)
(<= (legal a (take ?n)) (true (pile ?pile)) (minus ?pile ?n ?left))
(<= (way up ?row ?column ?next ?column)
    (after ?next ?row) (floor ?row ?column) (floor ?next ?column))
(<= (legal a ?d) (true (keeper ?row ?column)) (way ?d ?row ?column ?row2 ?column2)
    (not (true (crate ?row2 ?column2))))
(<= (legal a ?d) (true (keeper ?row ?column)) (way ?d ?row ?column ?row2 ?column2)
    (true (crate ?row2 ?column2)) (way ?d ?row2 ?column2 ?row3 ?column3)
    (not (true (crate ?row3 ?column3))))";
    let take = explain_text(text, "(legal a (take 3))");
    assert!(take.contains("?pile = 2: 1 of 2 conditions fails"), "{take}");
    assert!(take.contains("(minus 2 3 ?left): not among the facts"), "{take}");
    assert!(!take.contains("(pile 3)"), "{take}");
    let up = explain_text(text, "(legal a up)");
    assert!(up.contains("(way up 3 3 ?row2 ?column2)"), "{up}");
    assert!(up.contains("(floor 2 3)"), "{up}");
    assert!(!up.contains("(keeper 4 3)") && !up.contains("(keeper 5 3)"), "{up}");
    // The rules say where the marker must be, so the marker is what is missing.
    let marker = "(role a) (init (at 1 1)) (target 5 5)
(<= (legal a stop) (target ?x ?y) (true (at ?x ?y)))";
    let stop = explain_text(marker, "(legal a stop)");
    assert!(stop.contains("(true (at 5 5)): not in the state, which has (at 1 1)"), "{stop}");
}

#[test]
fn repeated_proofs_are_shown_once() {
    let text = "(role a)
(<= p q r)
(<= q s)
(<= r s)
(<= s (not t))
(<= t (u 1))
(<= (u ?x) (role ?x))";
    let explain_text = explain_text(text, "p");
    assert!(
        explain_text.contains("  q: by the rule in line 3\n    s: by the rule in line 5\n"),
        "{explain_text}"
    );
    assert!(
        explain_text.contains("  r: by the rule in line 4\n    s: see above\n"),
        "{explain_text}"
    );
    assert!(explain_text.contains("(not t): t does not hold"), "{explain_text}");
}

#[test]
fn conditions_of_every_kind_hold() {
    let text = "(role a) (init (f 1)) (n 1) (n 2)
(<= (p ?x) (true (f ?x)) (n ?y) (distinct ?x ?y) (not (and (n ?x) (true (f ?y)))))
(<= (q ?x) (or (n ?x) (true (g ?x))) (not (true (g ?x))))";
    let p = explain_text(text, "(p ?x)");
    assert!(p.contains("(distinct 1 2): different"), "{p}");
    assert!(p.contains("(not (and (n 1) (true (f 2)))): "), "{p}");
    assert!(explain_text(text, "(q 2)").contains("(not (true (g 2))): not in the state"));
    let operations = "role(robot)
init(cell(1,b)) init(cell(2,x)) init(cell(3,b))
free(N) :- countofall(X,cell(X,b),N)
sum(X) :- evaluate(plus(1,2),X)
some :- exists(X,cell(X,x))
legal(go)
go :: cell(1,x)
control(robot)";
    assert!(
        explain_text(operations, "free(N)").contains("countofall(X,cell(X,b),2): by 2 answers")
    );
    assert!(
        explain_text(operations, "free(3)").contains("countofall(X,cell(X,b),3): it would be 2")
    );
    assert!(explain_text(operations, "sum(3)").contains("evaluate(plus(1,2),3): computed"));
    assert!(explain_text(operations, "sum(4)").contains("evaluate(plus(1,2),4): it would be 3"));
    assert!(explain_text(operations, "some").contains("  cell(2,x): in the state"));
}

#[test]
fn the_nearest_miss_is_shown() {
    let text = "(role a) (init (at 1 1)) (init (at 1 2)) (init (at 2 1)) (row 1) (row 2) (row 3)
(<= (full ?r) (row ?r) (true (at ?r 1)) (true (at ?r 2)) (true (at ?r 3)))
(<= some (full ?r))";
    let full = explain_text(text, "(full ?r)");
    // Row 1 lacks one, row 2 lacks two, and row 3 lacks three.
    assert!(full.contains("line 2, ?r = 1: 1 of 4 conditions fails"), "{full}");
    assert!(full.contains("(true (at 1 3)): not in the state, which has (at 1 1), (at 1 2)"));
    assert!(!full.contains("?r = 2"), "{full}");
    // The state has two values, so it does not force one of them.
    let many = "(role a) (init (f 0)) (init (f 9)) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6)
(<= p (n ?x) (true (f ?x)))";
    assert!(
        explain_text(many, "p").contains("and 5 more like this"),
        "{}",
        explain_text(many, "p")
    );
    // A failing condition that would have bound a variable of another condition.
    let open = "(role a) (n 1) (<= p (q ?x) (distinct ?x 1) (n 1)) (<= (q ?x) (r ?x)) (r 1)";
    let open = explain_text(open, "p");
    assert!(open.contains("(distinct 1 1): equal"), "{open}");
    let open = "(role a) (n 1) (<= p (q ?x) (distinct ?x 1) (n 1))";
    let open = explain_text(open, "p");
    assert!(open.contains("1 of 3 conditions fails, 1 cannot be evaluated"), "{open}");
    assert!(open.contains("nothing defines `q` with 1 argument"), "{open}");
}

#[test]
fn a_rule_that_gives_something_else() {
    let text = "(role a) (n 1 2) (<= (p ?x ?y) (n ?x ?y)) (<= p1 (p ?x ?x)) (<= (q ?x) (n ?x ?y))";
    let explained_p = explain_text(text, "p1");
    assert!(
        explained_p.contains("line 1, ?x = 1, ?y = 2: it derives (p 1 2) instead"),
        "{explained_p}"
    );
    assert!(explain_text(text, "(q (f ?x))").contains("it derives (q 1) instead"));
}

#[test]
fn a_failing_cycle_is_shown_once() {
    let text = "(role a) (<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (<= (q ?x) (r ?x) (s ?x)) (r 1)";
    let explain_text = explain_text(text, "(p 1)");
    assert!(
        explain_text.contains("(p 1): see above") || explain_text.contains("and 1 more rule"),
        "{explain_text}"
    );
}

#[test]
fn negation_is_explained_by_what_holds() {
    let text = "(role a) (init on) (<= p (not q)) (<= q (true on))";
    let explain_text = explain_text(text, "p");
    assert!(
        explain_text.contains("(not q): q holds\n      q: by the rule in line 1"),
        "{explain_text}"
    );
    let not = explained(text, "(not p)", Extent::default()).1;
    assert!(not.holds && !not.node(not.node(not.roots[0]).children[0]).holds);
}

#[test]
fn names_that_nothing_defines() {
    let text = "(role a) (init (cell 1 b)) (<= (line ?x) (true (cell ?x x)))";
    assert!(explain_text(text, "(lime 1)").contains("did you mean `line`?"));
    assert!(
        explain_text(text, "(line 1 2)").contains("with 2 arguments; this name has 1 argument")
    );
    // A fluent without `true` is accepted.
    assert!(explain_text(text, "(cell 1 b)").starts_with("(true (cell 1 b)) holds: in the state"));
    assert!(explain_text(text, "cell(1,b)").starts_with("(true (cell 1 b)) holds"));
    assert!(
        explain_text(text, "(true (cel 1 b))")
            .contains("the rules have no such fluent; did you mean")
    );
}

#[test]
fn invalid_questions_are_refused() {
    let (program, syntax) = program("(role a) (<= (next f) (does a go))");
    for question in ["", "(", "?x", "(and p q)", "p q", "p :- q", "X", "\"", "(p", "(not ?x)"] {
        let scene = Scene::default();
        let asked = Explainer::new(program.clone(), syntax, question, &scene);
        assert!(matches!(asked, Err(Error::Game(_))), "{question}");
    }
    let asked = Explainer::new(program, syntax, "next(f)", &Scene::default()).expect("a question");
    assert!(asked.needs_moves());
}

#[test]
fn limited_depth_is_reported() {
    let text = "(role a) (<= p q) (<= q r) (<= r s) (<= s (role a))";
    let (explainer, explanation) = explained(text, "p", Extent { depth: 2, ..Extent::default() });
    let explain_text = explainer.text(&explanation);
    assert!(explain_text.contains("    r: …\n"), "{explain_text}");
    assert!(explain_text.contains("--depth N shows more"), "{explain_text}");
    let whole = explained(text, "p", Extent::default()).1;
    assert!(!whole.cut && !whole.nodes.iter().any(|node| node.reason == Reason::Deeper));
}

#[test]
fn deep_proofs_and_deep_failures_need_no_stack() {
    let links: String = (0..20_000).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "(role a) {links} (reach 0) (<= (reach ?y) (succ ?x ?y) (reach ?x))
         (<= (lead ?x) (succ ?x ?y) (lead ?y)) (<= (lead 20000) (true never))"
    );
    let all = Extent { depth: u32::MAX, ..Extent::default() };
    let (explainer, explanation) = explained(&text, "(reach 20000)", all);
    assert_eq!(explanation.nodes.len(), 40_001);
    assert!(explainer.json(&explanation)["nodes"].as_array().is_some_and(|n| n.len() == 40_001));
    let some = Extent { depth: 300, ..Extent::default() };
    assert!(!explained(&text, "(lead 0)", some).1.holds);
}

#[test]
fn infinite_relations_are_a_limit_or_left_open() {
    // Queried with a value it is finite; without one it is not.
    let text = "(role a) (n 0) (<= (n (s ?x)) (n ?x)) (<= p (q ?x) (n ?x)) (<= r (n ?x) (q ?x))";
    let (_, explanation) = explained(text, "p", Extent::default());
    assert!(!explanation.holds);
    let (program, syntax) = program(text);
    let mut asked = Explainer::new(program, syntax, "r", &Scene::default()).expect("a question");
    let halt = asked.explain(Extent::default(), &Stop::never()).expect_err("no end");
    assert!(matches!(&halt, Halt::Limit(what) if what.contains("line 1")), "{halt}");
}

#[test]
fn explanations_can_be_interrupted() {
    let (program, syntax) = program("(role a) (<= p (not q))");
    let mut asked = Explainer::new(program, syntax, "p", &Scene::default()).expect("a question");
    let stop = Stop::new();
    stop.set();
    assert_eq!(asked.explain(Extent::default(), &stop), Err(Halt::Stopped));
}
