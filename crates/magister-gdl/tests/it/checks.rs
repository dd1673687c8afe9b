//! Edge cases: mistakes that are reported, and correct rules that are not.

use magister_gdl::{Code, Dialect, Options, Severity, Syntax, examine, print, read, same_rules};

const GDL: &str = "(role x)(init s)(<= (legal x go) (true s))(<= (next s) (true s))
    (<= terminal (not (true s)))(goal x 100)";

fn codes(text: &str) -> Vec<Code> {
    examine(text, &Options::default()).diagnostics.as_slice().iter().map(|d| d.code).collect()
}

fn gdl(more: &str) -> Vec<Code> {
    codes(&format!("{GDL} {more}"))
}

#[test]
fn recursion_is_bounded_by_real_conditions_only() {
    let ask = "(<= (next s) (num ?y) (true s))(num z)";
    let rule = |more: &str| gdl(&format!("{ask} (q z) (<= (num (s ?x)) (num ?x) {more})"));
    assert!(rule("").contains(&Code::UnboundedRecursion));
    assert!(rule("(distinct ?x a)").contains(&Code::UnboundedRecursion));
    assert!(rule("(or (q ?x) (true s))").contains(&Code::UnboundedRecursion));
    assert!(!rule("(q ?x)").contains(&Code::UnboundedRecursion));
    assert!(!rule("(or (q ?x) (true (f ?x)))").contains(&Code::UnboundedRecursion));
}

#[test]
fn fixed_relations_do_not_depend_on_the_state() {
    for more in ["(<= (init (t ?m)) (goal x ?m))", "(<= (base ?m) (legal x ?m))"] {
        assert!(gdl(more).contains(&Code::StaticDependsOnState), "{more}");
    }
    assert_eq!(gdl("(<= (base ?m) (q ?m)) (q s)"), []);
}

#[test]
fn an_undeclared_role_is_as_bad_as_its_worst_use() {
    let text = format!("{GDL} (<= (legal y go) (true s)) (<= (next s) (does y go))");
    let found = examine(&text, &Options::default()).diagnostics;
    let worst: Vec<Severity> = found
        .as_slice()
        .iter()
        .filter(|d| d.code == Code::UndeclaredRole)
        .map(|d| d.severity)
        .collect();
    assert_eq!(worst, [Severity::Error]);
}

#[test]
fn negation_of_another_instance_is_not_a_cycle() {
    let text = "(role x)(init s)(legal x go)(<= (next t) (does x go))(<= terminal (true t))
        (<= (goal ?r 100) (role ?r) (true s)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
    assert_eq!(codes(text), []);
    let text =
        text.replace("(not (goal ?r 100))", "(true t) (not (goal ?r ?n)) (value ?n)) (value 1");
    assert!(codes(&text).contains(&Code::Unstratified));
}

#[test]
fn builtins_must_follow_what_binds_them() {
    let sheet = "role(x) init(control(x)) init(step(1)) legal(a) terminal :- step(3)
        goal(x,100) action(a) a :: ";
    let late = format!("{sheet} plus(X,1,Y) & step(X) ==> ~step(X) & step(Y)");
    let right = format!("{sheet} step(X) & plus(X,1,Y) ==> ~step(X) & step(Y)");
    assert_eq!(codes(&late), [Code::UnboundInput]);
    assert_eq!(codes(&right), []);
}

#[test]
fn a_propositional_fluent_without_true_is_explained() {
    let text = "role(x) init(p) legal(x,go) next(p) :- does(x,go) terminal :- ~p goal(x,100)";
    let options = Options { dialect: Some(Dialect::Gdl), ..Options::default() };
    let found = examine(text, &options).diagnostics;
    let help =
        found.as_slice().iter().find(|d| d.code == Code::Undefined).and_then(|d| d.help.clone());
    assert_eq!(help.as_deref(), Some("for the fluent write `true(p)`"));
}

#[test]
fn a_whole_sheet_in_one_list_is_read() {
    let text = format!("({GDL} open (<= (next s) open))");
    assert!(!codes(&text).contains(&Code::Malformed));
    assert_eq!(read(&text, &Options::default()).rules.statements.len(), 8);
}

#[test]
fn old_line_ends_and_capitals_of_other_servers() {
    let upper = GDL.to_uppercase().replace('\n', "\r");
    assert_eq!(codes(&upper), []);
    let infix = "% a comment\rrole(x)\rinit(s)\rlegal(x,go)\rterminal :- true(s)\rgoal(x,100)\r";
    assert_eq!(read(infix, &Options::default()).rules.syntax, Syntax::Infix);
    assert_eq!(codes(infix), []);
}

#[test]
fn a_variable_has_no_arguments_and_a_comma_wants_a_term() {
    let infix = Options { syntax: Some(Syntax::Infix), ..Options::default() };
    for text in ["Legal(x,a) :- true(b)", "p(a,) :- q", "p(X", "p :- /* never"] {
        assert!(read(text, &infix).diagnostics.has_errors(), "{text}");
    }
}

#[test]
fn block_comments_are_comments() {
    let text = "/* The game,\n * by me */\nrole(x). /* first */ role(y).\n";
    let sheet = read(text, &Options::default());
    assert!(!sheet.diagnostics.has_errors());
    let comments: Vec<&str> = sheet.rules.comments.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(comments, [" The game,", " by me", " first"]);
    assert_eq!(sheet.rules.statements.len(), 2);
}

/// Printed, read and printed again: the same rules, the same text, the comments in place.
#[track_caller]
fn formatted(text: &str, wanted: &str) {
    let infix = Options { syntax: Some(Syntax::Infix), ..Options::default() };
    let sheet = read(text, &infix);
    assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
    let printed = print(&sheet.rules, text, Syntax::Infix).expect("it can be written");
    assert_eq!(printed, wanted);
    let again = read(&printed, &infix);
    assert!(same_rules(&sheet.rules, &again.rules));
    assert_eq!(print(&again.rules, &printed, Syntax::Infix).expect("again"), printed);
}

#[test]
fn comments_stay_behind_full_stops() {
    formatted("p :- q. % one\nr. % two\n", "p :- q.  % one\nr.  % two\n");
    formatted("p:-q.%c\nr.", "p :- q.  %c\nr.\n");
}

#[test]
fn lists_and_nested_transitions_keep_their_shape() {
    formatted("p((a!b)!c) :- q", "p((a!b)!c) :- q\n");
    formatted("p(a!b!c) :- q", "p(a!b!c) :- q\n");
    formatted("a :: p ==> (q ==> r)", "a :: p ==> (q ==> r)\n");
    formatted("a :: (p ==> q) & (r ==> ~s)", "a :: (p ==> q) & (r ==> ~s)\n");
}

#[test]
fn formulas_nested_as_deep_as_prefix_allows_can_be_written_in_infix() {
    let open = "(or a (and b ".repeat(60);
    let text = format!("(<= p {open} c {})", ")".repeat(120));
    let sheet = read(&text, &Options::default());
    assert!(!sheet.diagnostics.has_errors());
    let printed = print(&sheet.rules, &text, Syntax::Infix).expect("it can be written");
    let infix = Options { syntax: Some(Syntax::Infix), ..Options::default() };
    assert!(same_rules(&sheet.rules, &read(&printed, &infix).rules));
}

#[test]
fn update_forms_are_effects() {
    formatted("a :: +++p & -q", "a :: p & ~q\n");
    formatted("a :: insert(delete(p))", "a :: ~p\n");
}

#[test]
fn a_negated_conjunction_keeps_its_parentheses() {
    formatted("p :- q, \\+(x, y).\nr :- s, t.\n", "p :- q, not (x, y).\nr :- s, t.\n");
    formatted("p :- ~(x & y)", "p :- ~(x & y)\n");
}

#[test]
fn terminal_in_parentheses_is_terminal() {
    for terminal in ["(<= (terminal) (not (true s)))", "(<= (TERMINAL) (not (true s)))"] {
        let text = GDL.replace("(<= terminal (not (true s)))", terminal);
        assert_eq!(codes(&text), [Code::NeedlessParentheses], "{terminal}");
        let plain = read(GDL, &Options::default()).rules;
        let given = read(&text, &Options::default()).rules;
        assert!(same_rules(&plain, &given), "{terminal}");
    }
    // As a condition, too, it is the same relation.
    let text = format!("{GDL} (<= (goal x 0) (terminal))");
    assert_eq!(codes(&text), [Code::NeedlessParentheses]);
    let infix = "role(x) init(s) legal(x,go) :- true(s) next(s) :- true(s)
        terminal() :- ~true(s) goal(x,100)";
    let sheet = read(infix, &Options::default());
    assert_eq!(sheet.diagnostics.as_slice().len(), 1);
}

#[test]
fn two_spellings_of_one_name_are_an_error() {
    assert_eq!(gdl("(<= (open) (true s)) (<= (next s) open)"), [Code::TwoSpellings]);
    assert_eq!(gdl("(<= (open) (true s)) (<= (next s) (open))"), [Code::NeedlessParentheses]);
    // A fluent and a relation are never matched with each other, so each may have its own spelling.
    let apart = gdl("(<= (next (q)) (true s)) (<= q (true (q))) (<= (next s) q)");
    assert_eq!(apart, [Code::NeedlessParentheses]);
}

#[test]
fn names_outside_a_domain_are_found_and_others_are_not() {
    let nim = |init: &str, ask: &str| {
        gdl(&format!(
            "(init (pile {init})) (succ 1 2) (succ 2 3)
             (<= (next (pile ?n)) (true (pile ?m)) (succ ?n ?m))
             (<= (next s) (true (pile {ask})))"
        ))
    };
    assert_eq!(nim("3", "2"), []);
    assert_eq!(nim("3", "ten"), [Code::OutsideDomain]);
    // Two tables that share no value.
    let apart = "(colour red) (colour green) (succ 1 2) (<= (next s) (colour ?c) (succ ?c ?d))";
    assert_eq!(gdl(apart), [Code::DisjointDomains]);
    // `base` declares the values of a fluent.
    let base = |value: &str| {
        gdl(&format!(
            "(base (pile 1)) (base (pile 2)) (base s) (init (pile 1)) (init (pile {value})) \
             (<= (next s) (true (pile 1)))"
        ))
    };
    assert_eq!(base("2"), []);
    assert_eq!(base("pile"), [Code::OutsideDomain]);
    assert_eq!(base("ten"), [Code::OutsideDomain]);
    // `base` and `input` list all fluents and moves.
    let listed = |fluent: &str, choice: &str| {
        gdl(&format!(
            "(base s) (base ({fluent} 1)) (input x go) (input x ({choice} 1)) (init (pile 1))
             (<= (legal x (take 1)) (true (pile 1))) (<= (next s) (does x (take 1)))"
        ))
    };
    assert_eq!(listed("pile", "take"), []);
    assert_eq!(listed("pil", "take"), [Code::OutsideDomain]);
    assert_eq!(listed("pile", "tke"), [Code::OutsideDomain]);
    // A relation of two arguments may be called `next` as well.
    let own = "(next 1 2) (base s) (init s) (<= (next s) (true s) (next 1 2))";
    assert!(!gdl(own).contains(&Code::OutsideDomain));
}

#[test]
fn an_unused_name_like_a_used_one_is_probably_that() {
    let sheet = format!("{GDL} (succ 1 2) (suc 2 3) (<= (next s) (succ 1 2))");
    let found = examine(&sheet, &Options::default()).diagnostics;
    let [only] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((only.code, only.help.as_deref()), (Code::Unused, Some("did you mean `succ`?")));
}

#[test]
fn a_variable_used_once_is_a_slip_only_where_another_is_near() {
    let rule = |rule: &str| {
        let mut found = gdl(&format!("(succ 1 2) (succ 2 3) (size 2) (size 3) {rule}"));
        found.retain(|&code| code == Code::SingleVariable);
        found
    };
    assert_eq!(rule("(<= (next s) (succ ?n ?m) (size ?m))"), []);
    assert_eq!(rule("(<= (next s) (succ ?x ?y))"), []);
    assert_eq!(rule("(<= (next s) (succ ?n ?m) (size ?k) (true s))"), [Code::SingleVariable]);
    // Letters that are far apart on the keyboard are taken as two intended names.
    assert_eq!(rule("(<= (next s) (succ ?n ?m) (size ?q) (true s))"), []);
    assert_eq!(
        rule("(<= (next s) (succ ?row ?col) (size ?cal) (distinct ?row ?col))"),
        [Code::SingleVariable]
    );
    assert_eq!(rule("(<= (next s) (succ ?x1 ?x2) (size ?x3) (distinct ?x1 ?x2))"), []);
}

#[test]
fn an_operation_for_an_undeclared_action_is_reported() {
    let sheet = |action: &str| {
        codes(&format!(
            "role(x) init(control(x)) init(light(off)) action(press) legal(press)
             press :: light(on) {action} :: light(off)
             goal(x,100) :- light(on) terminal :- light(on)"
        ))
    };
    assert_eq!(sheet("pres"), [Code::UndeclaredAction]);
    assert_eq!(sheet("press"), []);
}

/// One pile, two players, in Gamemaster's dialect.
const NIM: &str = "role(white)
role(black)
action(take(N)) :- amount(N)
amount(1)
amount(2)
init(pile(5))
init(control(white))
legal(take(N)) :- pile(M) & amount(N) & leq(N,M)
take(N) :: pile(M) & minus(M,N,K) ==> ~pile(M) & pile(K)
take(N) :: control(white) ==> ~control(white) & control(black)
take(N) :: control(black) ==> ~control(black) & control(white)
goal(white,100) :- control(black)
goal(white,0) :- control(white)
goal(black,100) :- control(white)
goal(black,0) :- control(black)
terminal :- pile(0)
";

#[test]
fn a_slip_is_reported_once_at_its_position() {
    assert_eq!(codes(NIM), []);
    for (right, wrong, code, help) in [
        ("take(N) :: pile", "take(N) : pile", Code::Unexpected, "`::`"),
        ("terminal :- pile", "terminal : pile", Code::Unexpected, "`:-`"),
        ("(M,N,K) ==>", "(M,N,K) -->", Code::Unexpected, "`==>`"),
        ("(M,N,K) ==>", "(M,N,K) =>", Code::Unexpected, "`==>`"),
        ("pile(M) & amount", "pile(M) amount", Code::Stray, "`&`"),
        ("~pile(M) & pile(K)", "~pile(M) pile(K)", Code::Stray, "`&`"),
        ("terminal :- pile(0)", "terminal :- true(pile(0))", Code::WrongDialect, "alone"),
        (":: pile(M) &", ":: true(pile(M)) &", Code::WrongDialect, "alone"),
        ("legal(take(N)) :-", "legal(player,take(N)) :-", Code::KeywordArity, "leave out the role"),
    ] {
        assert!(NIM.contains(right), "{right}");
        let text = NIM.replace(right, wrong);
        let found = examine(&text, &Options::default()).diagnostics;
        let [only] = found.as_slice() else { panic!("{wrong}: {found:#?}") };
        assert_eq!(only.code, code, "{wrong}");
        // Published games of this dialect have stray formulas, so those are warnings.
        let severity = if code == Code::Stray { Severity::Warning } else { Severity::Error };
        assert_eq!(only.severity, severity, "{wrong}");
        assert!(only.help.as_deref().unwrap_or_default().contains(help), "{wrong}: {only:?}");
        let line = text[..=only.span.start as usize].lines().count();
        let meant = text.lines().position(|line| line.contains(wrong)).unwrap() + 1;
        assert_eq!(line, meant, "{wrong}: {only:?}");
    }
}

#[test]
fn a_role_that_looks_like_a_variable_is_explained() {
    let text = "role(x) role(o) init(control(x)) legal(player,mark) :- true(control(player))
        next(done) :- does(player,mark) terminal :- true(done) goal(x,100) goal(o,0)";
    let found = examine(text, &Options::default()).diagnostics;
    let [only] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(only.code, Code::UndeclaredRole);
    assert_eq!(only.help.as_deref(), Some("for any role write the variable `Player`"));
}

/// The help about each of these is one sentence that says how numbers are written in GDL.
#[test]
fn arithmetic_is_explained() {
    let help = |condition: &str| {
        let text = format!(
            "{GDL} (num 1) (<= (p ?k) (num ?k) (num ?n) {condition}) (<= (next (q ?x)) (p ?x))"
        );
        let found = examine(&text, &Options::default()).diagnostics;
        let helps = found.as_slice().iter().filter_map(|one| one.help.clone());
        helps.filter(|help| help.contains("GDL has no") || help.contains("distinct")).count()
    };
    for condition in ["(> ?k 0)", "(<= ?k ?n)", "(is ?k ?n)", "(= ?k ?n)", "(not (= ?k ?n))"] {
        assert_eq!(help(condition), 1, "{condition}");
    }
    assert_eq!(help("(true (r (- ?n ?k)))"), 1);
    assert_eq!(help("(distinct ?k ?n)"), 0);
    // Rules may define such a name themselves.
    let own = format!("{GDL} (> 2 1) (<= (next (q ?x)) (> ?x 1))");
    assert!(!codes(&own).contains(&Code::Undefined));
}
