//! The bundled games: what each is, and its rules as text where it has a rulesheet.
//!
//! A game is a folder `games/NAME/` with a `game.toml` and, unless it is written in Rust only, a
//! rulesheet `rules.kif` or `rules.hrf`. The folders are part of the program.

use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use magister_core::Game;
use serde::Deserialize;

use crate::native;

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../games");

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(load);

/// What `game.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The name people use.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The rules as a person would explain them.
    pub rules: String,
    /// What kind of game it is.
    pub tags: Vec<String>,
    /// Who invented it, if that is known.
    #[serde(default)]
    pub author: Option<String>,
}

/// A rulesheet that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// The file, below `games/`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// A game of the catalogue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub card: Card,
    /// Its rules as text, if there are any.
    pub sheet: Option<Sheet>,
    /// Whether there is a version in Rust.
    pub native: bool,
}

impl Entry {
    /// The game as it is written in Rust, if it is.
    pub fn native(&self) -> Option<Arc<dyn Game>> {
        native::find(self.name)
    }
}

/// All games, in the order of their names.
pub fn all() -> &'static [Entry] {
    &ALL
}

/// The game of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

fn load() -> Vec<Entry> {
    let mut all: Vec<Entry> = FOLDER.dirs().map(entry).collect();
    all.sort_by_key(|entry| entry.name);
    all
}

/// The entry of a folder. The folders are ours and tested, so a broken one is a bug.
fn entry(folder: &'static Dir<'static>) -> Entry {
    let name = folder.path().to_str().expect("game folders have plain names");
    let file = |file: &str| {
        let path = folder.path().join(file);
        folder.get_file(path).map(|f| Sheet {
            path: f.path().to_str().expect("game files have plain names"),
            text: f.contents_utf8().expect("game files are text"),
        })
    };
    let card = file("game.toml").unwrap_or_else(|| panic!("games/{name} has no game.toml"));
    let card: Card =
        toml::from_str(card.text).unwrap_or_else(|e| panic!("games/{name}/game.toml: {e}"));
    let sheet = file("rules.kif").or_else(|| file("rules.hrf"));
    Entry { name, card, sheet, native: native::find(name).is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_is_a_game_with_rules() {
        assert!(all().len() >= 9);
        for entry in all() {
            assert!(entry.sheet.is_some() || entry.native, "{} cannot be played", entry.name);
            assert!(!entry.card.rules.trim().is_empty(), "{}", entry.name);
            assert!(!entry.card.tags.is_empty(), "{}", entry.name);
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(entry.name.chars().all(kebab), "{}", entry.name);
        }
    }

    #[test]
    fn every_native_game_is_in_the_catalogue() {
        for (name, ..) in native::all() {
            assert!(find(name).is_some_and(|e| e.native), "{name} has no folder");
        }
    }
}
