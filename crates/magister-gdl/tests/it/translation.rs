//! The translation of operations, rule by rule.

use magister_gdl::{Code, Dialect, Options, Severity, Syntax, print, read, translate};

/// The translation in infix, or the codes of the errors.
fn translated(text: &str) -> Result<String, Vec<Code>> {
    let options = Options { dialect: Some(Dialect::Operations), ..Options::default() };
    let sheet = read(text, &options);
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    match translate(&sheet.rules, Dialect::Gdl) {
        Ok(done) => Ok(print(&done.rules, text, Syntax::Infix).expect("it can be written")),
        Err(why) => Err(why
            .as_slice()
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| d.code)
            .collect()),
    }
}

const BASE: &str = "role(x) init(control(x)) init(cell(1,b)) terminal :- cell(1,x) goal(x,100)
    action(a) a :: cell(1,b) ==> ~cell(1,b) & cell(1,x)\n";

#[track_caller]
fn has(text: &str, rule: &str) {
    let printed = translated(text).unwrap_or_else(|codes| panic!("{codes:?}"));
    let flat = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&printed).contains(&flat(rule)), "{rule} is not in\n{printed}");
}

#[test]
fn conditions_refer_to_the_old_state_and_additions_win() {
    let text = format!("{BASE} legal(a) :- cell(1,b)");
    has(&text, "added(cell(1,x)) :- does(R,a) & true(cell(1,b))");
    has(&text, "deleted(cell(1,b)) :- does(R,a) & true(cell(1,b))");
    has(&text, "next(P) :- added(P)");
    has(&text, "next(P) :- true(P) & ~deleted(P)");
    has(&text, "legal(R,A) :- role(R) & true(control(R)) & legal_action(A)");
    has(&text, "legal(R,noop) :- role(R) & ~true(control(R))");
}

#[test]
fn a_negation_keeps_its_variables_inside_other_formulas() {
    let text = format!("{BASE} legal(a) :- (cell(X,b) & ~cell(X,x)) | cell(1,x)");
    has(&text, "condition1 :- true(cell(X,b)) & ~true(cell(X,x))");
    let text = format!("{BASE} legal(a) :- ~(cell(X,b) & ~cell(X,x))");
    has(&text, "condition1 :- true(cell(X,b)) & ~true(cell(X,x))");
    has(&text, "legal_action(a) :- ~condition1");
}

#[test]
fn the_role_of_a_goal_is_bound_before_negations() {
    let text = format!("{BASE} legal(a) goal(R,50) :- cell(1,b) & ~control(R)");
    has(&text, "goal(R,50) :- role(R) & true(cell(1,b)) & ~true(control(R))");
}

#[test]
fn an_operation_that_is_called_may_also_be_an_action() {
    let text = format!("{BASE} action(b) legal(a) legal(b) b :: a");
    has(&text, "performs_a :- does(R,b)");
    has(&text, "performs_a :- does(R,a)");
    has(&text, "added(cell(1,x)) :- performs_a & true(cell(1,b))");
}

#[test]
fn an_action_without_an_operation_becomes_a_fact() {
    let text =
        format!("{BASE} action(stop(X)) :- cell(X,b) legal(a) legal(stop(1)) terminal :- stop(1)");
    has(&text, "added(stop(X1)) :- does(R,stop(X1))");
    has(&text, "terminal :- true(stop(1))");
}

#[test]
fn open_actions_must_be_listed() {
    let open = "role(x) init(control(x)) init(p) legal(A) :- option(A) option(a) a :: ~p
        terminal :- ~p goal(x,100)";
    assert_eq!(translated(open).unwrap_err(), [Code::NotExpressible]);
    has(&format!("{open} action(a)"), "legal_action(A) :- option(A)");
}

#[test]
fn names_that_are_keywords_of_gdl_are_renamed_everywhere() {
    let text = "role(x) init(control(x)) init(next(1)) action(set(next)) s(next)
        legal(set(next)) :- action(set(next)) & s(next)
        set(X) :: next(Y) ==> ~next(Y) terminal :- ~next(1) goal(x,100)";
    has(text, "action(set(next_))");
    has(text, "legal_action(set(next_)) :- action(set(next_)) & s(next_)");
    has(text, "terminal :- ~true(next_(1))");
}

#[test]
fn rules_without_a_counterpart_in_gdl_are_refused() {
    let codes = |more: &str| translated(&format!("{BASE} {more}")).unwrap_err();
    assert_eq!(codes("legal(a) :- plus(1,2,X)"), [Code::NoCounterpart]);
    assert_eq!(codes("legal(a) :- distinct(X,1) & cell(1,b)"), [Code::UnsafeDistinct]);
    assert_eq!(codes("legal(a) p(X) :- cell(1,b)"), [Code::NotExpressible, Code::UnsafeHead][..1]);
    assert!(codes("legal(a) a :: ~(cell(1,b) & cell(1,x))").contains(&Code::ConnectiveAsName));
}

#[test]
fn omitted_rules_are_reported() {
    let text = format!("{BASE} legal(a) terminal :- cel(1,x)");
    let options = Options { dialect: Some(Dialect::Operations), ..Options::default() };
    let sheet = read(&text, &options);
    let done = translate(&sheet.rules, Dialect::Gdl).expect("it can be said");
    let found = done.diagnostics.as_slice();
    assert!(found.iter().any(|d| d.code == Code::NeverTrue && d.message.contains("`cel`")));
}

#[test]
fn lifting_lets_everyone_see_every_move() {
    let text = "(role x) (legal x go) (<= terminal (true s)) (goal x 100)";
    let sheet = read(text, &Options::default());
    let lifted = translate(&sheet.rules, Dialect::Gdl2).expect("it can be lifted");
    let printed = print(&lifted.rules, text, Syntax::Kif).expect("it can be written");
    assert!(printed.contains("(<= (sees ?p (move ?q ?m))\n    (role ?p)\n    (does ?q ?m))"));
    assert_eq!(read(&printed, &Options::default()).rules.dialect, Dialect::Gdl2);
    // A name that the game already uses is not chosen.
    let text = text.replace("go", "(move 1)");
    let sheet = read(&text, &Options::default());
    let lifted = translate(&sheet.rules, Dialect::Gdl2).expect("it can be lifted");
    assert!(print(&lifted.rules, &text, Syntax::Kif).expect("written").contains("(did ?q ?m)"));
}
