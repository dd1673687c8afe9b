//! Hostile input: huge, deep, wide and senseless. It gives a clear error, without a crash or a
//! flood of messages.

use magister_gdl::{
    Code, Diagnostics, Dialect, Options, ReadLimits, Source, Syntax, examine, print, read,
    translate,
};

const SYNTAXES: [Syntax; 2] = [Syntax::Kif, Syntax::Infix];

fn examine_as(text: &str, syntax: Syntax) -> Diagnostics {
    let options = Options { syntax: Some(syntax), ..Options::default() };
    let found = examine(text, &options);
    // Whatever was read can be printed, translated and shown.
    let _ = print(&found.rules, text, Syntax::Kif);
    let _ = print(&found.rules, text, Syntax::Infix);
    let _ = translate(&found.rules, Dialect::Gdl);
    let source = Source::new("hostile", text);
    for diagnostic in found.diagnostics.as_slice().iter().take(3) {
        assert!(source.terminal(diagnostic, false).len() < 20_000);
        assert!(source.line(diagnostic).len() < 2_000);
        assert!(source.json(diagnostic).len() < 20_000);
    }
    found.diagnostics
}

fn has(found: &Diagnostics, code: Code) -> bool {
    found.as_slice().iter().any(|d| d.code == code)
}

#[test]
fn a_text_beyond_the_limit_is_refused_at_once() {
    let text = " ".repeat(50 << 20);
    for syntax in SYNTAXES {
        let found = examine_as(&text, syntax);
        assert!(has(&found, Code::TooLarge));
        assert_eq!(found.as_slice().len(), 1);
    }
}

#[test]
fn a_million_opening_parentheses() {
    for syntax in SYNTAXES {
        for text in ["(".repeat(1 << 20), "(\n".repeat(1 << 20), "f(".repeat(1 << 20)] {
            let found = examine_as(&text, syntax);
            assert!(found.has_errors());
            assert!(found.as_slice().len() <= 3 * ReadLimits::default().diagnostics);
        }
    }
    assert!(has(&examine_as(&"(".repeat(1 << 20), Syntax::Kif), Code::TooDeep));
    assert!(has(&examine_as(&"f(".repeat(1 << 20), Syntax::Infix), Code::TooDeep));
}

#[test]
fn a_million_of_anything() {
    let pieces = [
        ")", "]", "[", "~", "a!", "a & ", "a | ", "a ==> ", "a :- ", "a :: ", "a := ", "not ", "'",
        "\"", ".", "?", "?x ", "(not ", "(or ", "(<= ", "a(", "a,", "\u{0}", "é", "%\n", ";\n",
        "-", "- ", "_ ", "(a) ", "a.b", "<=", "!=", "\\+", "\u{feff}", "\u{202e}",
    ];
    for piece in pieces {
        let text = piece.repeat(200_000);
        for syntax in SYNTAXES {
            let found = examine_as(&text, syntax);
            assert!(found.as_slice().len() <= 3 * ReadLimits::default().diagnostics, "{piece:?}");
        }
    }
}

#[test]
fn too_many_nodes_end_the_reading_with_one_error() {
    let text = "a ".repeat(3_000_000);
    for syntax in SYNTAXES {
        let options = Options { syntax: Some(syntax), ..Options::default() };
        let read = read(&text, &options);
        assert!(has(&read.diagnostics, Code::TooLarge), "{syntax:?}");
        assert_eq!(read.diagnostics.as_slice().len(), 1);
    }
}

#[test]
fn limits_can_be_set() {
    let limits = ReadLimits { depth: 3, ..ReadLimits::default() };
    let options = Options { limits, ..Options::default() };
    assert!(has(&read("(a (b (c (d))))", &options).diagnostics, Code::TooDeep));
    assert!(!has(&read("(a (b (c)))", &options).diagnostics, Code::TooDeep));
    let limits = ReadLimits { bytes: 4, ..ReadLimits::default() };
    assert!(has(&read("(role x)", &Options { limits, ..options }).diagnostics, Code::TooLarge));
    let limits = ReadLimits { nodes: 4, ..ReadLimits::default() };
    assert!(has(
        &read("(role x) (role y)", &Options { limits, ..options }).diagnostics,
        Code::TooLarge
    ));
}

#[test]
fn rules_that_are_costly_to_check() {
    // A long chain of relations, a wide rule, a wide disjunction, many similar names, and nested
    // disjunctions: none of them may take much more time than its size justifies.
    let chain: String = (0..50_000).map(|i| format!("(<= (p{i} ?x) (p{} ?x))", i + 1)).collect();
    let cycle: String =
        (0..20_000).map(|i| format!("(<= (p ?x {i}) (not (p ?x {})))", (i + 1) % 20_000)).collect();
    let variables: String = (0..50_000).map(|i| format!(" ?v{i}")).collect();
    let wide = format!("(<= (h{variables}) (b{variables}))");
    let members: String = (0..50_000).map(|i| format!(" (not (q ?v{i}))")).collect();
    let disjunction = format!("(<= h (b{variables}) (or{members}))");
    let names: String = (0..50_000).map(|i| format!("(<= h{i} (missing{i} x))")).collect();
    let nested = format!("(<= h {} a {})", "(or x ".repeat(150), ")".repeat(150));
    let many =
        |what: &str| -> String { (0..30_000).map(|i| what.replace('#', &i.to_string())).collect() };
    let roles = many("(role r#)");
    let strangers = many("(role r#)(<= p (does q# go))");
    let fluents = many("(init (f#))(<= p (true (g#)))");
    let recursive = format!("(<= (p ?x) {})", many("(p ?x#)(q ?y#)"));
    let clashing: String = (0..30_000)
        .map(|i| {
            let digits: String = format!("{i:b}").replace('0', "+").replace('1', "-");
            format!(" ?a{digits}")
        })
        .collect();
    let clashing = format!("(<= (p{clashing}) (q{clashing}))");
    let deep =
        format!("(<= h {}(or{}){})", "(not ".repeat(190), " x".repeat(100_000), ")".repeat(190));
    for text in [
        chain,
        cycle,
        wide,
        disjunction,
        names,
        nested,
        roles,
        strangers,
        fluents,
        recursive,
        clashing,
        deep,
    ] {
        examine_as(&text, Syntax::Kif);
    }
}

#[test]
fn operations_that_are_costly() {
    let many =
        |what: &str| -> String { (0..30_000).map(|i| what.replace('#', &i.to_string())).collect() };
    let fluents = many("init(f#) p :- g#\n");
    let operations = many("a# :: b# ==> c# & ~d# & a#\n legal(a#)\n");
    let conditions = format!("a :: {} x ==> y", many("(p# | ~q(X#)) & "));
    for text in [fluents, operations, conditions] {
        examine_as(&text, Syntax::Infix);
    }
}

#[test]
fn warnings_never_hide_an_error() {
    let warnings = "(<= p (and a b))".repeat(1000);
    let found = examine_as(&format!("{warnings} (<= (next ?z) (true s))"), Syntax::Kif);
    assert!(has(&found, Code::UnsafeHead));
    assert!(has(&found, Code::TooMany));
}

#[test]
fn names_cannot_steer_the_terminal() {
    let text = "(role \u{202e}x\u{9b}31m) (<= (legal ?a\u{9b}2J b) c)";
    let found = examine_as(text, Syntax::Kif);
    let source = Source::new("evil", text);
    for diagnostic in found.as_slice() {
        for shown in [source.line(diagnostic), source.terminal(diagnostic, false)] {
            assert!(!shown.contains('\u{9b}'), "{shown:?}");
            assert!(!shown.contains('\u{202e}'), "{shown:?}");
        }
    }
}

#[test]
fn a_very_long_name_is_not_repeated_in_full() {
    let name = "n".repeat(1 << 20);
    let found = examine_as(&format!("(<= (legal {name} ?x) ({name}a ?y))"), Syntax::Kif);
    assert!(found.as_slice().iter().all(|d| d.message.len() < 500));
}
