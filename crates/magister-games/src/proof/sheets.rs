//! Checks of rulesheets as text.

use magister_gdl::{Options, Severity, Source, examine, print};
use magister_recycle::CardGame;

use crate::catalogue::Sheet;

/// The defects of a rulesheet, including warnings.
pub(super) fn wrong(name: &str, sheet: Sheet) -> Vec<String> {
    if sheet.is_recycle() {
        return wrong_cards(name, sheet);
    }
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

fn wrong_cards(name: &str, sheet: Sheet) -> Vec<String> {
    let examined =
        magister_recycle::examine(name, sheet.text, &magister_recycle::Options::default());
    let source = Source::new(sheet.path, sheet.text);
    let found = examined.diagnostics.as_slice().iter();
    let found = found.filter(|d| matches!(d.severity, Severity::Error | Severity::Warning));
    let mut wrong: Vec<String> = found.map(|d| source.line(d)).collect();
    let limits = magister_recycle::CardLimits::default();
    let formatted = magister_recycle::format(sheet.text, &limits);
    if wrong.is_empty() && formatted.as_deref() != Some(sheet.text) {
        wrong.push(format!("{name} is not formatted; run `magister fmt games/{}`", sheet.path));
    }
    wrong
}

/// The card game of a rulesheet in RECYCLE.
pub(super) fn cards(name: &str, sheet: Sheet) -> Result<CardGame, String> {
    let options = magister_recycle::Options::default();
    magister_recycle::examine(name, sheet.text, &options)
        .game
        .ok_or_else(|| "its rules have errors".to_owned())
}
