//! Diagnostics with the codes of this crate.

use crate::code::Code;

/// One defect of the rules, with its position.
pub type Diagnostic = magister_diagnostic::Diagnostic<Code>;

/// A bounded list of diagnostics.
pub type Diagnostics = magister_diagnostic::Diagnostics<Code>;
