//! The languages of general game playing, from text to checked rules.
//!
//! One syntax tree represents GDL and GDL-II in prefix (KIF) and infix form, and Gamemaster's
//! operations. Readers never panic and never stop at the first error; checks say what is wrong,
//! where, and what to do about it; printers reproduce the text with its comments.
//!
//! ```
//! use magister_gdl::{examine, print, Options, Source, Syntax};
//!
//! let text = "(role x) (<= (legal x ?m) (true (free ?c)))";
//! let found = examine(text, &Options::default());
//! let source = Source::new("mine.kif", text);
//! let lines: Vec<String> =
//!     found.diagnostics.as_slice().iter().map(|d| source.line(d)).collect();
//! assert!(lines.iter().any(|l| l.starts_with("mine.kif:1:23: error[G201]")));
//! assert!(print(&found.rules, text, Syntax::Infix).unwrap().contains("legal(x,M) :- true(free(C))"));
//! ```
//!
//! The modules:
//!
//! | module | holds |
//! |---|---|
//! | `ast` | the syntax tree |
//! | `read` | text to tree: lexers and parsers, and detection of the language |
//! | `check` | the requirements of the languages beyond the grammar |
//! | `print` | tree to text, in either syntax |
//! | `canonical` | one form for all equivalent texts |
//! | `translate` | operations to GDL, GDL to GDL-II |
//! | `diagnostic`, `code` | diagnostics, in the types of `magister-diagnostic` |
#![forbid(unsafe_code)]

mod ast;
mod builtins;
mod canonical;
mod check;
mod code;
mod diagnostic;
mod examine;
mod limits;
mod name;
mod print;
mod read;
mod same;
mod scc;
mod suggest;
mod translate;
mod vocabulary;

pub use ast::{
    Comment, Dialect, Effect, EffectKind, Formula, FormulaKind, Operation, Rule, Rulesheet,
    Statement, StatementKind, Style, Syntax, Term, TermKind,
};
pub use builtins::{Builtin, Use};
pub use canonical::{Canonical, canonical};
pub use check::check;
pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use examine::{Examined, examine};
pub use limits::ReadLimits;
pub use magister_diagnostic::{Lines, Place, Related, Severity, Source, Span};
pub use name::Name;
pub use print::print;
pub use read::{Options, Read, read};
pub use same::{same_rules, same_statement};
pub use scc::components;
pub use suggest::{nearest, nearest_all};
pub use translate::{Translated, translate};
