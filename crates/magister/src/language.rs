//! The languages that games are written in, and the one place where a front end is chosen.
//!
//! A further language is a variant of [`Language`] and of [`Rules`], a line in [`recognise`] and
//! one in [`read`], and what [`Rules`] is asked for.

use std::fmt;

use magister_gdl::{Diagnostics, Dialect, Options, Rulesheet, Syntax};

/// The language of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// GDL, GDL-II or Gamemaster's operations, in prefix or infix form.
    Gdl(Dialect, Syntax),
    /// Rust.
    Rust,
}

impl Language {
    /// The name people use.
    pub fn name(self) -> &'static str {
        match self {
            Language::Gdl(dialect, _) => dialect.name(),
            Language::Rust => "Rust",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The front ends.
enum FrontEnd {
    Gdl,
}

/// Rules as a front end reads them.
pub(crate) enum Rules {
    Gdl(Box<Rulesheet>),
}

impl Rules {
    pub(crate) fn language(&self) -> Language {
        match self {
            Rules::Gdl(sheet) => Language::Gdl(sheet.dialect, sheet.syntax),
        }
    }
}

/// The front end for a text, by the ending of its file's name and by its content. GDL in both
/// forms, with or without errors, is told apart by its own reader.
fn recognise(_file: &str, _text: &str) -> FrontEnd {
    FrontEnd::Gdl
}

/// Reads rules with the front end that suits them. `file` is what the text is called.
pub(crate) fn read(file: &str, text: &str, options: &Options) -> (Rules, Diagnostics) {
    match recognise(file, text) {
        FrontEnd::Gdl => {
            let sheet = magister_gdl::read(text, options);
            (Rules::Gdl(Box::new(sheet.rules)), sheet.diagnostics)
        }
    }
}

/// Reads rules and checks them: everything that can be said about them without playing.
pub(crate) fn check(file: &str, text: &str, options: &Options) -> Diagnostics {
    match recognise(file, text) {
        FrontEnd::Gdl => magister_gdl::examine(text, options).diagnostics,
    }
}
