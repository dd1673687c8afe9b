//! Diagnostics with the codes of this crate.

use crate::code::Code;

/// One thing that is wrong with rules, and where.
pub type Diagnostic = magister_diagnostic::Diagnostic<Code>;

/// A bounded list of diagnostics.
pub type Diagnostics = magister_diagnostic::Diagnostics<Code>;
