//! Where rules come from: bundled games, files, standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use magister_games::catalogue;
use magister_gdl::{Limits, nearest};

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
    let bundled = catalogue::find(argument).is_some();
    if !path.exists() || (bundled && path.is_dir()) {
        if let Some(entry) = catalogue::find(argument) {
            let Some(sheet) = entry.sheet else {
                bail!("{argument} is written in Rust and has no rulesheet");
            };
            let text = sheet.text.to_owned();
            return Ok(Input { name: sheet.path.to_owned(), text, exact: true });
        }
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

/// The message for a name that is neither a file nor a game.
pub(crate) fn unknown(argument: &str) -> String {
    let names = catalogue::all().iter().map(|e| e.name);
    match nearest(argument, names) {
        Some(near) => format!("no file or bundled game is called {argument}; did you mean {near}?"),
        None => format!(
            "no file or bundled game is called {argument}; `magister games` lists the games"
        ),
    }
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
