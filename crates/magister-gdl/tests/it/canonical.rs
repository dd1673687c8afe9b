//! The canonical form: significant and insignificant differences.

use magister_gdl::{Dialect, Options, Rulesheet, Syntax, canonical, print, read};

fn rules(text: &str) -> Rulesheet {
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    sheet.rules
}

fn form(text: &str) -> String {
    canonical(&rules(text)).text
}

const GAME: &str = "(role x) (role o) (init (cell 1 b)) (init (cell 2 b))
    (<= (legal ?r (mark ?c)) (role ?r) (true (cell ?c b)))
    (<= (next (cell ?c ?r)) (does ?r (mark ?c)))
    (<= (next (cell ?c ?v)) (true (cell ?c ?v)) (distinct ?v b))
    (<= terminal (not open)) (<= open (true (cell ?c b)))
    (<= (goal ?r 100) (role ?r) (or (true (cell 1 ?r)) (true (cell 2 ?r))))";

#[test]
fn layout_order_and_names_of_variables_do_not_count() {
    let other = "; a comment
        (<= terminal (not open))
        (<= (goal ?who 100) (role ?who) (or (true (cell 1 ?who)) (true (cell 2 ?who))))
        (<= open (true (cell ?n b))) (role x)
        (<= (next (cell ?a ?b)) (true (cell ?a ?b)) (distinct ?b b))
        (<= (next (cell ?x ?y)) (DOES ?y (mark ?x))) (init (cell 2 b))
        (role o) (<= (legal ?x (mark ?y)) (and (role ?x) (true (cell ?y b))))
        (<= (init (cell 1 b))) (init (cell 2 b))";
    assert_eq!(form(GAME), form(other));
}

#[test]
fn both_syntaxes_have_one_form() {
    let infix = print(&rules(GAME), GAME, Syntax::Infix).expect("it can be written");
    assert_eq!(form(GAME), form(&infix), "{infix}");
}

#[test]
fn significant_differences_change_the_form() {
    for (from, to) in [
        ("(role x) (role o)", "(role o) (role x)"),
        ("(role ?r) (true (cell ?c b))", "(true (cell ?c b)) (role ?r)"),
        ("(true (cell 1 ?r)) (true (cell 2 ?r))", "(true (cell 2 ?r)) (true (cell 1 ?r))"),
        ("(distinct ?v b)", "(distinct ?c b)"),
        ("(mark ?c)", "(Mark ?c)"),
        ("(not open)", "(not (open))"),
        ("(goal ?r 100)", "(goal ?r 50)"),
    ] {
        let other = GAME.replacen(from, to, 1);
        assert_ne!(GAME, other);
        assert_ne!(form(GAME), form(&other), "{from}");
    }
}

#[test]
fn the_dialect_counts() {
    let of = |dialect| {
        let options = Options { dialect: Some(dialect), ..Options::default() };
        canonical(&read(GAME, &options).rules).text
    };
    assert_ne!(of(Dialect::Gdl), of(Dialect::Gdl2));
}

#[test]
fn lists_and_anonymous_variables_of_operations() {
    let one = "role(a) control(a) p([x,y]) f(X) := g(X) f(X) := h(X) legal(m) :- q(X,_) & p(X)
        m :: q(A,B) ==> ~q(A,B) & r(A)";
    let other = "control(a)  m :: q(X,Y) ==> ~q(X,Y) & r(X)
        f(Z) := g(Z)  legal(m) :- q(U,V) & p(U)  f(Z) := h(Z)  p(cons(x,cons(y,nil)))  role(a)";
    let read = |text: &str| {
        let options = Options { dialect: Some(Dialect::Operations), ..Options::default() };
        canonical(&read(text, &options).rules).text
    };
    assert_eq!(read(one), read(other));
    // The first matching definition applies, so their order is significant.
    let swapped = one.replace("f(X) := g(X) f(X) := h(X)", "f(X) := h(X) f(X) := g(X)");
    assert_ne!(read(one), read(&swapped));
}

#[test]
fn no_name_looks_like_punctuation() {
    let options = Options { syntax: Some(Syntax::Infix), ..Options::default() };
    let of = |text: &str| canonical(&read(text, &options).rules).text;
    assert_ne!(of("role(x) p('a b')"), of("role(x) p(a,b)"));
    assert_ne!(of("role(x) p('?v1')"), of("role(x) p(V)"));
    assert_ne!(of("role(x) p('(a)')"), of("role(x) p(a())"));
}

#[test]
fn the_form_is_its_own_form() {
    let once = canonical(&rules(GAME));
    assert_eq!(canonical(&once.rules).text, once.text);
}
