//! Reading and checking in one go.

use crate::ast::Rulesheet;
use crate::check::check;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::read::{Options, read};
use magister_diagnostic::Severity;
use magister_diagnostic::Span;

/// What a text says, and all that is wrong with it.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The rules that could be made out.
    pub rules: Rulesheet,
    /// What is wrong, in the order of the text.
    pub diagnostics: Diagnostics,
    /// The text could be read as a whole: nothing was left out.
    pub complete: bool,
}

/// Reads a rulesheet and checks it.
///
/// Where parts could not be read, nothing is said about what is missing or never used: the part
/// that was left out may have had it.
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
    let mut diagnostics = read.diagnostics;
    let found = check(&read.rules);
    if complete {
        diagnostics.append(found);
    } else {
        for diagnostic in found.as_slice() {
            if !is_about_absence(diagnostic.code) {
                diagnostics.push(diagnostic.clone());
            }
        }
    }
    diagnostics.sort();
    if diagnostics.dropped() > 0 {
        let (more, end) = (diagnostics.dropped(), text.len().min(options.limits.bytes));
        diagnostics.push(
            Diagnostic::new(
                Code::TooMany,
                Span::new(end, end),
                format!("there are {more} more errors and warnings that are not shown"),
            )
            .help("mend what is shown and check again"),
        );
    }
    Examined { rules: read.rules, diagnostics, complete }
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
