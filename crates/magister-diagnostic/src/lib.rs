//! Findings in a text, with their positions.
//!
//! Every language front end reports its findings with these types, so that commands and editors
//! show them in one way. A front end has its own list of codes, an enumeration that implements
//! [`Code`]; this crate depends on no language.
//!
//! | module | holds |
//! |---|---|
//! | `source` | byte spans, lines and columns |
//! | `diagnostic` | one finding, and bounded lists of findings |
//! | `render` | findings for people and programs: with source lines, as one line, as JSON |
#![forbid(unsafe_code)]

mod diagnostic;
mod render;
mod source;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Related, Severity};
pub use render::Source;
pub use source::{Lines, Place, Span};
