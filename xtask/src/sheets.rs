//! Rulesheets to process: the bundled ones, the oracle's, or those given by name.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use magister::{Input, Playable};
use magister_core::Stop;
use magister_engine::{Evaluator, within};
use magister_games::catalogue;

use crate::{binary, corpus};

/// A game before its preparation.
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Sheet {
    /// The game on an evaluator, or on the best that supports it; or why it could not be opened in
    /// time.
    pub(crate) fn open(
        &self,
        evaluator: Option<Evaluator>,
        time: Duration,
    ) -> Result<Playable, String> {
        let open = |stop: &Stop| {
            let stop = stop.clone();
            let options = magister::Options { evaluator, stop, ..magister::Options::default() };
            options.open_text(&self.name, &self.text)
        };
        within(time, &Stop::never(), open).map_err(|error| reason(&error))
    }

    /// The game on every evaluator that supports it; or why none could be prepared in time.
    pub(crate) fn open_each(&self, time: Duration) -> Result<Vec<Playable>, String> {
        let open = |stop: &Stop| {
            let options = magister::Options { stop: stop.clone(), ..magister::Options::default() };
            options.read_text(&self.name, &self.text)?.prepare_each()
        };
        let each = within(time, &Stop::never(), open).map_err(|error| reason(&error))?;
        Ok(each.taken)
    }

    /// A file with the rules, for another process.
    pub(crate) fn file(&self) -> Result<PathBuf> {
        let folder = binary::target().join("sheets");
        fs::create_dir_all(&folder)?;
        let ending = if magister_recycle::looks_like(&self.text) {
            "rcy"
        } else if self.name.starts_with("gamemaster") {
            "hrf"
        } else {
            "kif"
        };
        let path = folder.join(format!("{}.{ending}", self.name.replace(['/', '\\', '.'], "-")));
        fs::write(&path, &self.text)?;
        Ok(path)
    }
}

/// Why a game was not opened, for a list that already shows its name.
fn reason(error: &magister::Error) -> String {
    match error {
        magister::Error::Rules(_) => "the rules have errors".to_owned(),
        magister::Error::NotPlayable { error, .. } => error.to_string(),
        error => error.to_string(),
    }
}

/// The given games and files; all if none is given.
pub(crate) fn sheets(names: &[String]) -> Result<Vec<Sheet>> {
    if names.is_empty() { Ok(everything()) } else { named(names) }
}

/// Every bundled rulesheet, and every one of the oracle.
pub(crate) fn everything() -> Vec<Sheet> {
    let bundled = catalogue::all().iter().filter_map(|entry| {
        Some(Sheet { name: entry.name.to_owned(), text: entry.sheet?.text.to_owned() })
    });
    bundled.chain(oracle()).collect()
}

/// Every rulesheet of the oracle.
pub(crate) fn oracle() -> Vec<Sheet> {
    let mut all = Vec::new();
    let folders = [("gdl/games", ".kif"), ("gdl2/games", ".kif"), ("gamemaster/games", ".hrf")];
    for (folder, ending) in folders {
        for file in corpus::files(&corpus::oracle().join(folder), ending) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = fs::read(&file).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            all.push(Sheet { name: format!("{folder}/{stem}"), text });
        }
    }
    all
}

pub(crate) fn named(games: &[String]) -> Result<Vec<Sheet>> {
    let sheet = |name: &String| Ok(Sheet { name: name.clone(), text: Input::open(name)?.text });
    games.iter().map(sheet).collect()
}
