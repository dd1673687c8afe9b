//! The languages of general game playing, from text to checked rules.
#![forbid(unsafe_code)]

mod ast;
mod builtins;
mod check;
mod code;
mod diagnostic;
mod limits;
mod name;
mod print;
mod read;
mod render;
mod same;
mod scc;
mod source;
mod suggest;
mod translate;
mod vocabulary;

pub use ast::*;
pub use builtins::{Builtin, Use};
pub use check::check;
pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use limits::Limits;
pub use name::Name;
pub use print::print;
pub use read::{Options, Read, read};
pub use render::Source;
pub use same::{same_rules, same_statement};
pub use source::{Lines, Place, Span};
pub use translate::{Translated, translate};
