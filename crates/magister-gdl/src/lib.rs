//! The languages of general game playing, from text to checked rules.
#![forbid(unsafe_code)]

mod ast;
mod code;
mod diagnostic;
mod limits;
mod name;
mod print;
mod read;
mod same;
mod source;
mod vocabulary;

pub use ast::*;
pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use limits::Limits;
pub use name::Name;
pub use print::print;
pub use read::{Options, Read, read};
pub use same::{same_rules, same_statement};
pub use source::{Lines, Place, Span};
