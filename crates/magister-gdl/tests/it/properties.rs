//! Properties of arbitrary text.

use magister_gdl::{Dialect, Options, Source, Syntax, examine, print, read, same_rules, translate};
use proptest::prelude::*;

/// Tokens of both syntaxes in any order.
fn soup() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "(",
        ")",
        "(",
        ")",
        "<=",
        "not",
        "or",
        "and",
        "distinct",
        "role",
        "init",
        "true",
        "next",
        "legal",
        "does",
        "goal",
        "terminal",
        "sees",
        "random",
        "base",
        "input",
        "cell",
        "x",
        "100",
        "?x",
        "?y",
        "X",
        "Y",
        "_",
        "_a",
        ":-",
        "::",
        "==>",
        ":=",
        "&",
        "|",
        "~",
        ",",
        ".",
        "[",
        "]",
        "!",
        "+",
        "-",
        "*",
        "\"s\"",
        "'q'",
        "'",
        "\"",
        "; c\n",
        "% c\n",
        "\n",
        "control",
        "plus",
        "countofall",
        "A-b",
        "-5",
        "é",
        "legal(a)",
        "p(X,Y)",
        "(p ?x)",
        "!=",
        "\\+",
    ]);
    let gap = prop::sample::select(vec!["", " ", " ", "\n", "\t", "\r\n"]);
    prop::collection::vec((word, gap), 0..60)
        .prop_map(|words| words.into_iter().flat_map(|(w, g)| [w, g]).collect())
}

/// Well-formed prefix rules.
fn rules() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "a", "b", "nil", "7", "+", "<", "Upper", "it's", "x.y", "-3", "\"s t\""
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec!["?x", "?y", "?X", "?x+1", "?_", "?1"]).prop_map(str::to_owned),
    ];
    let term = leaf.prop_recursive(3, 12, 3, |inner| {
        (prop::sample::select(vec!["f", "g", "cons", "h-1"]), prop::collection::vec(inner, 0..3))
            .prop_map(|(name, args)| format!("({name} {})", args.join(" ")))
    });
    let atom = (
        prop::sample::select(vec!["p", "q", "true", "does", "distinct"]),
        prop::collection::vec(term, 0..3),
    )
        .prop_map(|(name, args)| format!("({name} {})", args.join(" ")));
    let literal = atom.clone().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| format!("(not {f})")),
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|f| format!("(or {})", f.join(" "))),
            prop::collection::vec(inner, 1..3).prop_map(|f| format!("(and {})", f.join(" "))),
        ]
    });
    let comment = prop::sample::select(vec!["", " ; note\n", "\n;; own line\n", "\n\n"]);
    let rule = (atom, prop::collection::vec((literal, comment.clone()), 0..4), comment).prop_map(
        |(head, body, after)| {
            let body: String = body.into_iter().map(|(f, c)| format!(" {f}{c}")).collect();
            format!("(<= {head}{body}){after}")
        },
    );
    prop::collection::vec(rule, 0..6).prop_map(|rules| rules.join("\n"))
}

/// Well-formed infix rules and operations, in either punctuation.
fn infix() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "nil",
        "7",
        "-3",
        "X",
        "Y",
        "_",
        "_z",
        "'Quo ted'",
        "\"s t\"",
        "[]",
        "x.y",
        "it-1",
    ])
    .prop_map(str::to_owned);
    let term = leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            (prop::sample::select(vec!["f", "g"]), prop::collection::vec(inner.clone(), 1..3))
                .prop_map(|(name, args)| format!("{name}({})", args.join(","))),
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(","))),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a})!({b})")),
        ]
    });
    let atom = (prop::sample::select(vec!["p", "q", "cell"]), prop::collection::vec(term, 1..3))
        .prop_map(|(name, args)| format!("{name}({})", args.join(",")));
    let literal = atom.clone().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| format!("~{f}")),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|f| format!("({})", f.join(" | "))),
            prop::collection::vec(inner, 1..3).prop_map(|f| format!("({})", f.join(" & "))),
        ]
    });
    let body = prop::collection::vec(literal, 1..4);
    let effect = (atom.clone(), any::<bool>())
        .prop_map(|(atom, delete)| if delete { format!("~{atom}") } else { atom });
    let effects = prop::collection::vec(effect, 1..3).prop_map(|e| e.join(" & "));
    let statement = prop_oneof![
        atom.clone(),
        (atom.clone(), body.clone()).prop_map(|(h, b)| format!("{h} :- {}", b.join(" & "))),
        (atom.clone(), effects.clone()).prop_map(|(a, e)| format!("{a} :: {e}")),
        (atom.clone(), body.clone(), effects.clone())
            .prop_map(|(a, b, e)| format!("{a} :: {} ==> {e}", b.join(" & "))),
        (atom, body, effects).prop_map(|(a, b, e)| {
            format!("{a} :: ({} ==> {e}) & (x ==> ({} ==> {e}))", b.join(" & "), b.join(" & "))
        }),
    ];
    let comment = prop::sample::select(vec!["", " % note", "\n%% own line", "\n", " /* block */"]);
    let statements = prop::collection::vec((statement, comment), 0..6);
    (statements, any::<bool>()).prop_map(|(all, stops)| {
        let stop = if stops { "." } else { "" };
        all.into_iter().map(|(s, c)| format!("{s}{stop}{c}\n")).collect()
    })
}

/// Prints in a syntax and reads again: the rules and comments are the same, and a second printing
/// changes nothing.
fn survives(
    rules: &magister_gdl::Rulesheet,
    text: &str,
    syntax: Syntax,
) -> Result<(), TestCaseError> {
    let failed = |e: magister_gdl::Diagnostics| TestCaseError::fail(format!("{:?}", e.as_slice()));
    let printed = print(rules, text, syntax).map_err(failed)?;
    let options = Options { syntax: Some(syntax), ..Options::default() };
    let again = read(&printed, &options);
    prop_assert!(!again.diagnostics.has_errors(), "{printed}\n{:?}", again.diagnostics.as_slice());
    prop_assert!(same_rules(rules, &again.rules), "{printed}");
    let texts = |r: &magister_gdl::Rulesheet| -> Vec<String> {
        r.comments.iter().map(|c| c.text.clone()).collect()
    };
    prop_assert_eq!(texts(rules), texts(&again.rules), "{}", printed);
    let twice = print(&again.rules, &printed, syntax).map_err(failed)?;
    prop_assert_eq!(&twice, &printed);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_examined_printed_and_shown(text in soup()) {
        for syntax in [None, Some(Syntax::Kif), Some(Syntax::Infix)] {
            for dialect in [None, Some(Dialect::Operations)] {
                let options = Options { syntax, dialect, ..Options::default() };
                let found = examine(&text, &options);
                let source = Source::new("soup", &text);
                for diagnostic in found.diagnostics.as_slice() {
                    prop_assert!(diagnostic.span.end as usize <= text.len());
                    prop_assert!(diagnostic.span.start <= diagnostic.span.end);
                    let _ = source.terminal(diagnostic, true);
                    let _ = source.line(diagnostic);
                    prop_assert!(!source.json(diagnostic).contains('\n'));
                }
                let _ = translate(&found.rules, Dialect::Gdl);
                let _ = translate(&found.rules, Dialect::Gdl2);
                let _ = print(&found.rules, &text, Syntax::Kif);
                let _ = print(&found.rules, &text, Syntax::Infix);
            }
        }
    }

    #[test]
    fn well_formed_rules_survive_both_syntaxes(text in rules()) {
        let options = Options { syntax: Some(Syntax::Kif), ..Options::default() };
        let sheet = read(&text, &options);
        prop_assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
        for syntax in [Syntax::Kif, Syntax::Infix] {
            survives(&sheet.rules, &text, syntax)?;
        }
    }

    #[test]
    fn infix_rules_and_operations_survive_formatting(text in infix()) {
        let options = Options { syntax: Some(Syntax::Infix), ..Options::default() };
        let sheet = read(&text, &options);
        prop_assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
        survives(&sheet.rules, &text, Syntax::Infix)?;
    }
}
