//! Translations between the dialects.

mod lift;
mod operations;

use crate::ast::{Dialect, Rulesheet};
use crate::check::check;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::ReadLimits;
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

/// A rulesheet in another dialect, with warnings.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The rules.
    pub rules: Rulesheet,
    /// Warnings, such as those about rules that never hold and were omitted.
    pub diagnostics: Diagnostics,
}

/// Translates a rulesheet to a dialect.
///
/// Gamemaster's operations become GDL rules with the same positions; GDL becomes GDL-II by the rule
/// that every role sees every move. The other directions would lose information and are refused
/// with the reason.
pub fn translate(rules: &Rulesheet, to: Dialect) -> Result<Translated, Diagnostics> {
    let unchanged = |rules: Rulesheet| Translated { rules, diagnostics: fresh_list() };
    match (rules.dialect, to) {
        (from, to) if from == to => Ok(unchanged(rules.clone())),
        (Dialect::Operations, Dialect::Gdl) => sound(operations::to_gdl(rules)?),
        (Dialect::Operations, Dialect::Gdl2) => {
            let mut gdl = sound(operations::to_gdl(rules)?)?;
            lift::to_gdl2(&mut gdl.rules);
            Ok(gdl)
        }
        (Dialect::Gdl, Dialect::Gdl2) => {
            let mut lifted = rules.clone();
            lift::to_gdl2(&mut lifted);
            Ok(unchanged(lifted))
        }
        (from, to) => {
            let mut problems = fresh_list();
            let why = match (from, to) {
                (Dialect::Gdl2, Dialect::Gdl) => "GDL has no hidden information and no chance",
                _ => "operations are performed by one role at a time",
            };
            problems.push(
                Diagnostic::new(
                    Code::NotExpressible,
                    Span::default(),
                    format!("{} cannot be translated to {}", from.name(), to.name()),
                )
                .help(why),
            );
            Err(problems)
        }
    }
}

/// The translation, if it passes our own checks: a variable that only the query binds works in
/// Gamemaster, but not in GDL.
fn sound(done: Translated) -> Result<Translated, Diagnostics> {
    let found = check(&done.rules);
    // Definitions that are missing now were missing before.
    let made = |d: &&Diagnostic| d.severity == Severity::Error && d.code < Code::NoRole;
    let mut problems = fresh_list();
    found.as_slice().iter().filter(made).cloned().for_each(|d| problems.push(d));
    if problems.has_errors() { Err(problems) } else { Ok(done) }
}

fn fresh_list() -> Diagnostics {
    Diagnostics::new(ReadLimits::default().diagnostics)
}
