//! Reading and checking in one call.

use crate::ast::{Dialect, Rulesheet};
use crate::check::check;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::read::{Options, Read, read};
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

/// The rules of a text, and all its defects.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The rules that could be read.
    pub rules: Rulesheet,
    /// The defects, in the order of the text.
    pub diagnostics: Diagnostics,
    /// Whether the whole text could be read.
    pub complete: bool,
}

/// Reads a rulesheet and checks it.
///
/// If parts could not be read, missing and unused names are not reported: the unreadable part may
/// contain them.
///
/// ```
/// use magister_gdl::{examine, Options};
/// let found = examine("(role x", &Options::default());
/// let codes: Vec<&str> = found.diagnostics.as_slice().iter().map(|d| d.code.id()).collect();
/// assert_eq!(codes, ["G003"]);
/// ```
pub fn examine(text: &str, options: &Options) -> Examined {
    let read = read(text, options);
    let complete = !read.diagnostics.has_errors();
    let torn = torn(&read);
    let mut diagnostics = Diagnostics::new(options.limits.diagnostics);
    // Gamemaster's own reader accepts stray formulas, and published games have some.
    let strict = read.rules.dialect != Dialect::Operations;
    diagnostics.append(read.diagnostics, |found| {
        let raised = strict && found.code == Code::Stray;
        Some(if raised { found.severity(Severity::Error) } else { found })
    });
    let is_torn = |span: Span| torn.iter().any(|t| t.start <= span.start && span.end <= t.end);
    diagnostics.append(check(&read.rules), |found| {
        let absent = !complete && is_about_absence(found.code);
        (!absent && !is_torn(found.span)).then_some(found)
    });
    diagnostics.sort();
    if diagnostics.dropped() > 0 {
        let (more, end) = (diagnostics.dropped(), text.len().min(options.limits.bytes));
        diagnostics.push(
            Diagnostic::new(
                Code::TooMany,
                Span::new(end, end),
                format!("there are {more} more errors and warnings that are not shown"),
            )
            .help("fix those that are shown and check again"),
        );
    }
    Examined { rules: read.rules, diagnostics, complete }
}

/// Statements that were split because a connective is missing, with the split-off part. The mistake
/// is reported once; other defects in them are consequences.
fn torn(read: &Read) -> Vec<Span> {
    let strays = read.diagnostics.as_slice().iter().filter(|d| d.code == Code::Stray);
    let whole = strays.filter_map(|stray| {
        let statements = &read.rules.statements;
        let at = statements.partition_point(|s| s.span.start < stray.span.start);
        Some(statements.get(at.checked_sub(1)?)?.span.to(stray.span))
    });
    whole.collect()
}

fn is_about_absence(code: Code) -> bool {
    code.severity() == Severity::Warning
        || matches!(
            code,
            Code::NoRole
                | Code::NoTerminal
                | Code::NoGoal
                | Code::NoLegal
                | Code::NoControl
                | Code::UndeclaredRole
        )
}
