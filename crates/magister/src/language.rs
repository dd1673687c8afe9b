//! The languages of games, and the one place where a front end is chosen.
//!
//! A new language is a variant of [`Language`], of [`Rules`] and of [`Found`], and a line in
//! [`recognise`], [`read`] and [`check`]; the compiler reports the other places.

use std::fmt;
use std::path::Path;

use magister_gdl::{Dialect, Rulesheet, Syntax};
use magister_recycle::CardGame;

use crate::findings::Found;
use crate::{Findings, Input, Reading};

/// The language of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// GDL, GDL-II or Gamemaster's operations, in prefix or infix form.
    Gdl(Dialect, Syntax),
    /// RECYCLE, the language of card games.
    Recycle,
    /// Rust.
    Rust,
}

impl Language {
    /// The usual name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Gdl(dialect, _) => dialect.name(),
            Language::Recycle => "RECYCLE",
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrontEnd {
    /// GDL, GDL-II and Gamemaster's operations.
    Gdl,
    /// RECYCLE.
    Recycle,
}

/// Rules as read by a front end.
pub(crate) enum Rules {
    Gdl(Box<Rulesheet>),
    Recycle(CardGame),
}

impl Rules {
    pub(crate) fn language(&self) -> Language {
        match self {
            Rules::Gdl(sheet) => Language::Gdl(sheet.dialect, sheet.syntax),
            Rules::Recycle(_) => Language::Recycle,
        }
    }
}

/// The front end for a text, by the extension of its file and by its content. The GDL reader itself
/// distinguishes the forms of GDL.
pub fn recognise(input: &Input) -> FrontEnd {
    let recycle =
        Path::new(&input.name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("rcy"))
            || magister_recycle::looks_like(&input.text);
    if recycle { FrontEnd::Recycle } else { FrontEnd::Gdl }
}

/// Reads rules with the front end that suits them, or returns the findings.
pub(crate) fn read(
    name: &str,
    input: Input,
    options: &Reading,
) -> Result<(Input, Rules), Box<Findings>> {
    match options.front_end_of(&input) {
        FrontEnd::Gdl => {
            let sheet = magister_gdl::read(&input.text, &options.gdl);
            if sheet.diagnostics.has_errors() {
                return Err(Box::new(Findings::new(input, Found::Gdl(sheet.diagnostics))));
            }
            Ok((input, Rules::Gdl(Box::new(sheet.rules))))
        }
        FrontEnd::Recycle => {
            let found = magister_recycle::examine(name, &input.text, &options.recycle);
            match found.game {
                Some(game) => Ok((input, Rules::Recycle(game))),
                None => Err(Box::new(Findings::new(input, Found::Recycle(found.diagnostics)))),
            }
        }
    }
}

/// Reads rules and checks them without playing.
pub fn check(input: &Input, options: &Reading) -> Findings {
    let found = match options.front_end_of(input) {
        FrontEnd::Gdl => Found::Gdl(magister_gdl::examine(&input.text, &options.gdl).diagnostics),
        FrontEnd::Recycle => {
            let found = magister_recycle::examine(&input.name, &input.text, &options.recycle);
            Found::Recycle(found.diagnostics)
        }
    };
    Findings::new(input.clone(), found)
}
