//! Rulesheets as text.

use magister_gdl::{Options, Severity, Source, examine, print};

use crate::catalogue::Sheet;

/// The defects of a rulesheet, including warnings.
pub(super) fn wrong(name: &str, sheet: Sheet) -> Vec<String> {
    let examined = examine(sheet.text, &Options::default());
    let source = Source::new(sheet.path, sheet.text);
    let found = examined.diagnostics.as_slice().iter();
    let found = found.filter(|d| matches!(d.severity, Severity::Error | Severity::Warning));
    let mut wrong: Vec<String> = found.map(|d| source.line(d)).collect();
    let rules = &examined.rules;
    let formatted = print(rules, sheet.text, rules.syntax).is_ok_and(|text| text == sheet.text);
    if wrong.is_empty() && !formatted {
        wrong.push(format!("{name} is not formatted; run `magister fmt games/{}`", sheet.path));
    }
    wrong
}
