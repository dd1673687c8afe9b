//! Finding games by name.

use super::{Entry, Sheet, all};

/// A game of the catalogue in one of its versions.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The game.
    pub entry: &'static Entry,
    /// The version.
    pub version: Version,
}

/// One version of a game.
#[derive(Clone, Copy, Debug)]
pub enum Version {
    /// A rulesheet.
    Sheet(Sheet),
    /// The version in Rust.
    Rust,
}

/// The game with this name or alias. Hyphens, underscores, blanks and case do not matter, unless
/// games differ only in these.
pub fn find(name: &str) -> Option<&'static Entry> {
    let wanted = squeezed(name);
    let by_name = all().iter().find(|entry| entry.name == name);
    let by_alias = || all().iter().find(|entry| names(entry).any(|n| n == name));
    let roughly = || all().iter().find(|entry| names(entry).any(|n| squeezed(n) == wanted));
    by_name.or_else(by_alias).or_else(roughly)
}

/// The game and version that an argument names: `NAME` is its main rulesheet, or the version in
/// Rust if there is no other; `NAME/infix` and similar names are its twins, `NAME/rust` is the
/// version in Rust.
pub fn look_up(argument: &str) -> Option<Found> {
    if let Some(entry) = find(argument) {
        let version = entry.sheet.map_or(Version::Rust, Version::Sheet);
        return Some(Found { entry, version });
    }
    let (name, version) = argument.rsplit_once('/')?;
    let entry = find(name)?;
    let twin = entry.twins.iter().find(|twin| twin.name == version).map(|twin| twin.sheet);
    let main =
        entry.sheet.filter(|sheet| version == "prefix" && sheet.path.ends_with("/rules.kif"));
    let version = match twin.or(main) {
        Some(sheet) => Version::Sheet(sheet),
        None if version == "rust" && entry.native => Version::Rust,
        None => return None,
    };
    Some(Found { entry, version })
}

/// The name of a game and its aliases.
pub fn names(entry: &'static Entry) -> impl Iterator<Item = &'static str> {
    std::iter::once(entry.name).chain(entry.card.aliases.iter().map(String::as_str))
}

/// A name without insignificant characters.
pub fn squeezed(name: &str) -> String {
    let matters = |c: &char| !matches!(c, '-' | '_' | ' ');
    name.chars().filter(matters).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn names_and_aliases_belong_to_one_game_each() {
        let mut owner: BTreeMap<&str, &str> = BTreeMap::new();
        for entry in all() {
            for name in names(entry) {
                let other = owner.insert(name, entry.name);
                assert_eq!(other, None, "{name} is a name of {} too", entry.name);
                assert_eq!(find(name).map(|e| e.name), Some(entry.name), "{name}");
            }
        }
    }

    #[test]
    fn spelling_does_not_matter_much() {
        for name in ["tictactoe", "tic-tac-toe", "TicTacToe", "Tic Tac Toe"] {
            assert_eq!(find(name).map(|e| e.name), Some("tictactoe"), "{name}");
        }
        assert!(find("").is_none() && find("/").is_none() && find("tictactoe/x").is_none());
    }

    #[test]
    fn versions_have_names() {
        let version = |argument: &str| look_up(argument).map(|found| found.version);
        assert!(matches!(version("tictactoe"), Some(Version::Sheet(_))));
        assert!(matches!(version("tictactoe/prefix"), Some(Version::Sheet(_))));
        assert!(matches!(version("tictactoe/rust"), Some(Version::Rust)));
        assert!(matches!(version("2048"), Some(Version::Rust)));
        assert!(version("2048/infix").is_none());
        for entry in all() {
            for (name, sheet) in entry.sheets() {
                let found = look_up(&name);
                let same = matches!(found, Some(Found { version: Version::Sheet(s), .. })
                    if s.path == sheet.path);
                assert!(same, "{name}");
            }
        }
    }
}
