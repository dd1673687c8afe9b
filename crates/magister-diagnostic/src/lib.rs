//! What is wrong with a text, and where.
//!
//! Every language front end reports its findings with these types, so that a command or an editor
//! shows them in one way. A front end brings its own list of codes, an enumeration that implements
//! [`Code`]; this crate knows no language.
//!
//! | module | holds |
//! |---|---|
//! | `source` | byte spans, lines and columns |
//! | `diagnostic` | one finding, and bounded lists of findings |
//! | `render` | findings as people see them: with source lines, as one line, as JSON |
#![forbid(unsafe_code)]

mod diagnostic;
mod render;
mod source;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Related, Severity};
pub use render::Source;
pub use source::{Lines, Place, Span};
