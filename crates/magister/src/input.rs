//! Sources of rules: bundled games, files, and readers.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use magister_games::catalogue::{self, Found, Version, squeezed};
use magister_gdl::{ReadLimits, nearest_all};

use crate::{Error, subgame};

/// Rules as text.
#[derive(Clone, Debug)]
pub struct Input {
    /// Their name in messages.
    pub name: String,
    /// Their text. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether the text equals the file, byte for byte.
    pub exact: bool,
}

impl Input {
    /// The rulesheet of a bundled game, the text of a file, or the rules of a subgame.
    pub fn open(name: &str) -> Result<Self, Error> {
        if let Some((game, number)) = subgame::parse(name) {
            return subgame::open(game, number, name);
        }
        if let Some(found) = bundled(name) {
            return match found.version {
                Version::Sheet(sheet) => Ok(Input {
                    name: sheet.path.to_owned(),
                    text: sheet.text.to_owned(),
                    exact: true,
                }),
                Version::Rust => Err(Error::NoRulesheet { name: name.to_owned() }),
            };
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(unknown(name));
        }
        if path.is_dir() {
            return Err(Error::Folder { name: name.to_owned() });
        }
        Input::file(name)
    }

    /// The text of a file.
    pub fn file(path: &str) -> Result<Self, Error> {
        let file = File::open(path)
            .map_err(|error| Error::Io { what: format!("cannot open {path}"), error })?;
        Input::read(path, file)
    }

    /// The contents of a reader, up to the size that the reader of rules accepts.
    pub fn read(name: &str, from: impl Read) -> Result<Self, Error> {
        let limit = ReadLimits::default().bytes as u64 + 1;
        let mut bytes = Vec::new();
        let read = from.take(limit).read_to_end(&mut bytes);
        read.map_err(|error: io::Error| Error::Io { what: format!("cannot read {name}"), error })?;
        let (text, exact) = match String::from_utf8(bytes) {
            Ok(text) => (text, true),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        };
        Ok(Input { name: name.to_owned(), text, exact })
    }
}

/// The bundled game with a name; `None` if there is a file with that name, which has precedence. A
/// folder has no precedence.
pub fn bundled(name: &str) -> Option<Found> {
    let path = Path::new(name);
    if path.exists() && !path.is_dir() {
        return None;
    }
    catalogue::look_up(name)
}

/// The error for a name that is neither a file nor a game, with suggestions.
pub fn unknown(name: &str) -> Error {
    let (game, version) = name.rsplit_once('/').unwrap_or((name, ""));
    if let Some(entry) = catalogue::find(game).filter(|_| !version.is_empty()) {
        let mut versions: Vec<String> = entry.sheets().map(|(name, _)| name).collect();
        versions.extend(entry.native.then(|| format!("{}/rust", entry.name)));
        return Error::UnknownVersion { name: name.to_owned(), versions };
    }
    let files = ENDINGS.iter().map(|ending| format!("{name}.{ending}"));
    let mut similar_names: Vec<String> = files.filter(|file| Path::new(file).is_file()).collect();
    similar_names.extend(similar(name).into_iter().map(str::to_owned));
    Error::Unknown { name: name.to_owned(), similar: similar_names }
}

/// The extensions of rules files.
const ENDINGS: [&str; 4] = ["kif", "hrf", "gdl", "rcy"];

/// The maximum number of suggestions.
const SUGGESTED: usize = 4;

/// Similar names of games: misspelt names or parts of names.
fn similar(name: &str) -> Vec<&'static str> {
    let wanted = squeezed(name);
    let names: Vec<(String, &'static str)> = catalogue::all()
        .iter()
        .flat_map(|entry| catalogue::names(entry).map(|name| (squeezed(name), entry.name)))
        .collect();
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |name: &str| {
        let game = names.iter().find(|(squeezed, _)| squeezed == name).map(|&(_, game)| game);
        found.extend(game.filter(|game| !found.contains(game)));
    };
    nearest_all(&wanted, names.iter().map(|(name, _)| name.as_str()))
        .into_iter()
        .for_each(&mut add);
    if wanted.len() > 2 {
        let part =
            |(name, _): &&(String, &str)| name.contains(&wanted) || wanted.contains(name.as_str());
        names.iter().filter(part).for_each(|(name, _)| add(name));
    }
    found.truncate(SUGGESTED);
    found
}
