//! The bundled games, with their rules as text if they have rulesheets.
//!
//! A game is a folder `games/NAME/` with a `game.toml` and, unless it is written in Rust only, a
//! rulesheet `rules.kif`, `rules.hrf` or, for a card game in RECYCLE, `rules.rcy`. Further rulesheets
//! of the same game, its twins, are `prefix.kif`, `infix.hrf`, `operations.hrf` and `recycle.rcy`; on
//! the command line they are `NAME/prefix` and so on. The folders are part of the program.

mod card;
mod find;

use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use magister_core::{Game, Style};

use crate::native;

pub use card::{Card, Facts};
pub use find::{Found, Version, find, look_up, names, squeezed};

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../games");

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(load);

/// The tags for kinds of games.
pub const TAGS: &[&str] = &[
    "board",
    "puzzle",
    "cards",
    "dice",
    "numbers",
    "maze",
    "one player",
    "two players",
    "three players",
    "more players",
    "hidden information",
    "chance",
    "simultaneous moves",
    "compound",
    "badly written",
    "connection",
    "capture",
    "line",
    "territory",
    "race",
    "mathematical",
];

/// The games that people try first, by kind.
pub const FEATURED: &[(&str, &[&str])] = &[
    (
        "Two players, perfect information",
        &[
            "tictactoe",
            "connect-four",
            "chess",
            "checkers",
            "othello",
            "hex-7",
            "breakthrough",
            "nine-mens-morris",
        ],
    ),
    (
        "Dice, cards and hidden information",
        &["hearts", "battleships", "kuhn-poker", "liars-dice", "mastermind", "minesweeper"],
    ),
    ("One player", &["2048", "sudoku", "sokoban", "lights-out"]),
];

/// A bundled rulesheet.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// Its path below `games/`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Sheet {
    /// Whether it is written in RECYCLE; all other rulesheets are GDL in one of its forms.
    pub fn is_recycle(&self) -> bool {
        std::path::Path::new(self.path).extension().is_some_and(|end| end == "rcy")
    }
}

/// The same game in another language.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// The suffix of its name: `prefix`, `infix`, `operations` or `recycle`.
    pub name: &'static str,
    /// The rules.
    pub sheet: Sheet,
}

/// A game of the catalogue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its description.
    pub card: Card,
    /// Its main rulesheet, if there is one.
    pub sheet: Option<Sheet>,
    /// Further rulesheets of the same game.
    pub twins: Vec<Twin>,
    /// Whether there is a version in Rust.
    pub native: bool,
    /// Overrides for drawing its board.
    pub style: Style,
    /// The text of its `style.toml`; empty if it has none.
    pub style_text: &'static str,
    /// One recorded match, if there is one.
    pub playthrough: Option<&'static str>,
}

impl Entry {
    /// The version in Rust, if there is one.
    pub fn native(&self) -> Option<Arc<dyn Game>> {
        native::find(self.name)
    }

    /// All rulesheets, each with its name on the command line.
    pub fn sheets(&self) -> impl Iterator<Item = (String, Sheet)> + '_ {
        let main = self.sheet.map(|sheet| (self.name.to_owned(), sheet));
        let twins = self.twins.iter().map(|t| (format!("{}/{}", self.name, t.name), t.sheet));
        main.into_iter().chain(twins)
    }

    /// All rulesheets in GDL.
    pub fn gdl_sheets(&self) -> impl Iterator<Item = (String, Sheet)> + '_ {
        self.sheets().filter(|(_, sheet)| !sheet.is_recycle())
    }
}

/// All games, sorted by name.
pub fn all() -> &'static [Entry] {
    &ALL
}

/// Parses a style; the error says what is wrong.
pub fn parse_style(text: &str) -> Result<Style, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

fn load() -> Vec<Entry> {
    let mut all: Vec<Entry> = FOLDER.dirs().map(entry).collect();
    all.sort_by_key(|entry| entry.name);
    all
}

/// The files of twins and their names.
const TWINS: [(&str, &str); 4] = [
    ("prefix", "prefix.kif"),
    ("infix", "infix.hrf"),
    ("operations", "operations.hrf"),
    ("recycle", "recycle.rcy"),
];

/// The entry of a folder. The folders are ours and tested, so an invalid one is a bug.
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
    let style = file("style.toml").map(|sheet| parse_style(sheet.text));
    let style = style.transpose().unwrap_or_else(|e| panic!("games/{name}/style.toml: {e}"));
    let twins = TWINS.iter().filter_map(|&(name, path)| Some(Twin { name, sheet: file(path)? }));
    Entry {
        name,
        card,
        sheet: ["rules.kif", "rules.hrf", "rules.rcy"].into_iter().find_map(file),
        twins: twins.collect(),
        native: native::find(name).is_some(),
        style: style.unwrap_or_default(),
        style_text: file("style.toml").map_or("", |sheet| sheet.text),
        playthrough: file("playthrough.txt").map(|sheet| sheet.text),
    }
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
            for tag in &entry.card.tags {
                assert!(TAGS.contains(&tag.as_str()), "{}: there is no tag {tag}", entry.name);
            }
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(entry.name.chars().all(kebab), "{}", entry.name);
        }
    }

    #[test]
    fn every_file_of_a_folder_has_a_meaning() {
        let known =
            ["game.toml", "rules.kif", "rules.hrf", "rules.rcy", "style.toml", "playthrough.txt"];
        for folder in FOLDER.dirs() {
            for file in folder.files() {
                let name = file.path().file_name().and_then(|name| name.to_str());
                let twin = TWINS.iter().any(|&(_, path)| Some(path) == name);
                let fine = twin || name.is_some_and(|name| known.contains(&name));
                assert!(fine, "{} is not a known file", file.path().display());
            }
        }
    }

    #[test]
    fn every_native_game_is_in_the_catalogue() {
        for (name, ..) in native::all() {
            assert!(find(name).is_some_and(|e| e.native), "{name} has no folder");
        }
    }
}
