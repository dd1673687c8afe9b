//! We report everything that the reference validator reports, and nothing on good sheets.

use std::collections::BTreeSet;

use super::sheets;
use magister_gdl::{Code, Options, Severity, check, read};

/// A message of the reference validator, and our codes for it.
const KINDS: &[(&str, &[Code])] = &[
    ("unusual in GDL", &[Code::UnusualCharacters]),
    ("is defined, but is not used", &[Code::Unused]),
    ("used in both functions and sentences", &[Code::RelationAndFunction]),
    ("same arity", &[Code::TwoArities]),
    ("not produced by any rule", &[Code::Undefined]),
    ("empty body", &[Code::EmptyBody]),
    ("unnecessary parentheses", &[Code::NeedlessParentheses, Code::TwoSpellings]),
    ("used in the head but not defined", &[Code::UnsafeHead]),
    ("used in a negated sentence but not", &[Code::UnsafeNegation]),
    ("used in a distinct clause but not", &[Code::UnsafeDistinct]),
    ("Only sentences may be negated", &[Code::NegatedFormula]),
];

/// Sheets on which we report more than the validator, and why that is correct.
const MORE: &[(&str, Code)] = &[
    // Goals for `mummy`, which is not a role of the one-player version.
    ("mummymaze1p", Code::UndeclaredRole),
    // The validator stopped on this sheet before it looked for unused relations.
    ("test_case_3b", Code::Unused),
];

/// Checks that the validator does not have.
const BEYOND: &[Code] =
    &[Code::TwoSpellings, Code::SingleVariable, Code::OutsideDomain, Code::DisjointDomains];

/// A sheet with an error that the validator accepts: it writes `open2` and `(open2)`.
const STRICTER: &[&str] = &["test_case_3a"];

fn ours(text: &str) -> (BTreeSet<Code>, bool) {
    let sheet = read(text, &Options::default());
    let found = check(&sheet.rules);
    let all = sheet.diagnostics.as_slice().iter().chain(found.as_slice());
    let codes: BTreeSet<Code> = all.clone().map(|d| d.code).collect();
    let errors = all.into_iter().any(|d| d.severity == Severity::Error);
    (codes, errors)
}

#[test]
fn the_static_rows_of_the_validator_are_reported_in_kind() {
    let Some(oracle) = sheets::oracle() else { return };
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (table, folder) in
        [("gdl/validator.tsv", "gdl/games"), ("gdl/test_cases/validator.tsv", "gdl/test_cases")]
    {
        let rows = std::fs::read_to_string(oracle.join(table)).expect("the table is there");
        for row in rows.lines().skip(1) {
            let columns: Vec<&str> = row.splitn(5, '\t').collect();
            let [key, "Static", result, _, detail] = columns[..] else { continue };
            let path = oracle.join(folder).join(format!("{key}.kif"));
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let (codes, errors) = ours(&String::from_utf8_lossy(&bytes));
            compared += 1;
            if (result != "ok" || STRICTER.contains(&key)) != errors {
                wrong.push(format!("{key}: the validator says {result}, we say {codes:?}"));
            }
            let mut expected = BTreeSet::new();
            for (phrase, ours) in KINDS {
                if detail.contains(phrase) {
                    expected.extend(ours.iter().copied());
                    if !ours.iter().any(|c| codes.contains(c)) {
                        wrong.push(format!("{key}: not reported by us: {phrase}"));
                    }
                }
            }
            for code in codes {
                let cut_off = detail.ends_with("...");
                let more = MORE.contains(&(key, code)) || BEYOND.contains(&code);
                if !expected.contains(&code) && !more && !cut_off {
                    wrong.push(format!("{key}: only we report {code} ({})", code.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 250, "{compared} rulesheets were compared");
}

#[test]
fn no_gamemaster_rulesheet_has_an_error() {
    for (name, text) in sheets::sheets("gamemaster/games", &[".hrf"]) {
        let (codes, errors) = ours(&text);
        assert!(!errors, "{name}: {codes:?}");
    }
}

#[test]
fn every_rulesheet_is_read_without_an_error() {
    for (name, text) in sheets::all_sheets() {
        let sheet = read(&text, &Options::default());
        assert!(!sheet.diagnostics.has_errors(), "{name}: {:?}", sheet.diagnostics.as_slice());
    }
}
