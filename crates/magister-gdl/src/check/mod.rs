//! The checks: the requirements of the languages on a rulesheet beyond the grammar.
//!
//! Each module checks one aspect of the same [`Model`]. The checks do not play the game; defects
//! that only show in play are not reported.

mod arithmetic;
mod domain;
mod form;
mod game;
mod graph;
mod model;
mod names;
mod operations;
mod safety;
mod slips;

use rustc_hash::FxHashSet;

use crate::ast::{Dialect, Rulesheet};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::ReadLimits;
use crate::name::Name;
use magister_diagnostic::Severity;

use model::Model;

/// Checks a rulesheet.
///
/// ```
/// use magister_gdl::{check, read, Code, Options};
/// let sheet = read("(role x) (legal x go) (<= (goal x ?n) (score x)) terminal", &Options::default());
/// let found = check(&sheet.rules);
/// assert!(found.as_slice().iter().any(|d| d.code == Code::UnsafeHead));
/// ```
pub fn check(rules: &Rulesheet) -> Diagnostics {
    let mut report = Report {
        dialect: rules.dialect,
        found: Diagnostics::new(ReadLimits::default().diagnostics),
        said: FxHashSet::default(),
    };
    let model = Model::new(rules);
    slips::two_spellings(&model, &mut report);
    form::check(&model, &mut report);
    safety::check(&model, &mut report);
    graph::check(&model, &mut report);
    names::check(&model, &mut report);
    game::check(&model, &mut report);
    if rules.dialect == Dialect::Operations {
        operations::check(&model, &mut report);
    }
    // Conditions that never hold are found from all rules together; broken rules would mislead that
    // check.
    if !report.found.has_errors() {
        let domains = domain::Domains::new(&model);
        if let Some(domains) = &domains {
            domain::check(&model, domains, &mut report);
        }
        slips::check(&model, domains.as_ref(), &mut report);
    }
    report.found.sort();
    report.found
}

/// Collects diagnostics with the severity that the dialect gives them.
struct Report {
    dialect: Dialect,
    found: Diagnostics,
    /// Names that have already been reported, for checks that report once.
    said: FxHashSet<(Code, Name)>,
}

impl Report {
    /// Whether this is the first report of its kind about a name.
    fn once(&mut self, code: Code, name: &Name) -> bool {
        self.said.insert((code, name.clone()))
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        let diagnostic = match severity(diagnostic.code, self.dialect) {
            Some(severity) if diagnostic.severity < severity => diagnostic.severity(severity),
            _ => diagnostic,
        };
        self.found.push(diagnostic);
    }
}

/// The severity of a code if the dialect is more lenient than the others.
///
/// Gamemaster evaluates queries top-down, so a variable that only the query binds works there, and
/// published games rely on it. Its reader accepts stray formulas and ignores relations of the older
/// dialect; published games contain both.
fn severity(code: Code, dialect: Dialect) -> Option<Severity> {
    if dialect != Dialect::Operations {
        return None;
    }
    match code {
        Code::UnsafeHead
        | Code::UnsafeDistinct
        | Code::VariableInFact
        | Code::NotAnAtom
        | Code::Stray
        | Code::UnboundedRecursion
        | Code::KeywordInBody
        | Code::KeywordInHead
        | Code::Capitals
        | Code::WrongDialect => Some(Severity::Warning),
        _ => None,
    }
}
