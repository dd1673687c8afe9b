//! A card game as a [`Game`](magister_core::Game).

use std::sync::Arc;

use crate::check::{self, Options};
use crate::code::Diagnostics;
use crate::program::Program;
use crate::read;

/// Numbers that chance can draw from at once.
pub(crate) const MOST_DRAWS: i64 = 4096;

/// What came of a text.
#[derive(Debug)]
pub struct Examined {
    /// The game, if nothing is wrong with it.
    pub game: Option<CardGame>,
    /// What was found.
    pub diagnostics: Diagnostics,
}

/// A game of cards.
#[derive(Debug, Clone)]
pub struct CardGame {
    pub(crate) program: Arc<Program>,
}

/// Reads and checks a text, and makes a game of it if there is no error.
pub fn examine(text: &str, options: &Options) -> Examined {
    let read = read::read(text, &options.limits);
    let (checked, diagnostics) = check::check(&read.forms, options, read.diagnostics);
    let game = checked.map(|rules| CardGame {
        program: Arc::new(Program::new(rules, options.compat, options.limits)),
    });
    Examined { game, diagnostics }
}
