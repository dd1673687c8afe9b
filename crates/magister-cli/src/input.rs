//! Where rules come from: bundled games, files, standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use magister_games::catalogue::{self, Found, Version, squeezed};
use magister_gdl::{Limits, nearest_all};

/// Rules as text.
pub(crate) struct Input {
    /// What to call them in messages.
    pub(crate) name: String,
    /// Their text. Bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
    /// Whether the text is what the file holds, byte for byte.
    pub(crate) exact: bool,
}

/// Reads what an argument names: `-`, a file, or a bundled game.
pub(crate) fn open(argument: &str) -> Result<Input> {
    if argument == "-" {
        return decode("standard input", io::stdin().lock());
    }
    let path = Path::new(argument);
    if let Some(found) = bundled(argument) {
        let Version::Sheet(sheet) = found.version else {
            bail!("{argument} is written in Rust and has no rulesheet");
        };
        return Ok(Input { name: sheet.path.to_owned(), text: sheet.text.to_owned(), exact: true });
    }
    if !path.exists() {
        bail!(unknown(argument));
    }
    if path.is_dir() {
        bail!("{argument} is a folder; name the files in it, as in {argument}/*.kif");
    }
    let file = File::open(path).with_context(|| format!("cannot open {argument}"))?;
    decode(argument, file)
}

/// Reads a file or standard input that holds no rules.
pub(crate) fn read(argument: &str) -> Result<Input> {
    if argument == "-" {
        return decode("standard input", io::stdin().lock());
    }
    let file = File::open(argument).with_context(|| format!("cannot open {argument}"))?;
    decode(argument, file)
}

/// The bundled game that an argument names; a file of that name is meant rather than the game, but
/// not a folder.
pub(crate) fn bundled(argument: &str) -> Option<Found> {
    let path = Path::new(argument);
    if argument == "-" || (path.exists() && !path.is_dir()) {
        return None;
    }
    catalogue::look_up(argument)
}

/// The message for a name that is neither a file nor a game.
pub(crate) fn unknown(argument: &str) -> String {
    let (game, version) = argument.rsplit_once('/').unwrap_or((argument, ""));
    if let Some(entry) = catalogue::find(game).filter(|_| !version.is_empty()) {
        let mut versions: Vec<String> = entry.sheets().map(|(name, _)| name).collect();
        versions.extend(entry.native.then(|| format!("{}/rust", entry.name)));
        return format!("there is no {argument}; there is {}", versions.join(", "));
    }
    let similar = similar(argument);
    let help = if similar.is_empty() {
        "`magister games` lists the games".to_owned()
    } else {
        format!("did you mean {}?", similar.join(" or "))
    };
    format!("no file or bundled game is called {argument}; {help}")
}

/// How many names to suggest.
const SUGGESTED: usize = 4;

/// Names of games that may be meant: mistyped, or given in part.
fn similar(argument: &str) -> Vec<&'static str> {
    let wanted = squeezed(argument);
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

/// Reads text, but not more than the reader of rules would accept.
fn decode(name: &str, from: impl Read) -> Result<Input> {
    let limit = Limits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    from.take(limit).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    let (text, exact) = match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    };
    Ok(Input { name: name.to_owned(), text, exact })
}
