//! Saving a match to a file without destroying another one.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use magister_core::MatchRecord;

/// The maximum size of a file that is read before it is replaced.
const LARGEST: u64 = 1 << 28;

/// Where a match is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Save {
    pub(crate) path: PathBuf,
    /// Whether any existing file may be replaced.
    replace: bool,
}

impl Save {
    /// Parses `save FILE` or `save! FILE`, given the command and its argument.
    pub(super) fn read(word: &str, file: &str) -> Result<Self> {
        if file.is_empty() {
            bail!("`{word}` needs the name of a file, such as `{word} mine.json`");
        }
        Ok(Save { path: PathBuf::from(file), replace: word.ends_with('!') })
    }

    /// Writes a match. A file that is not an earlier save of this match is not replaced.
    pub(crate) fn write(&self, record: &MatchRecord) -> Result<()> {
        let shown = self.path.display();
        if !self.replace && self.path.exists() && !self.holds_earlier(record) {
            bail!(
                "{shown} exists and is not a save of this match; choose another name, or write \
                 `save! {shown}`"
            );
        }
        let text = serde_json::to_string(record)? + "\n";
        fs::write(&self.path, text).with_context(|| format!("{shown} cannot be written"))
    }

    /// Whether the file contains only this match, at any step.
    fn holds_earlier(&self, record: &MatchRecord) -> bool {
        if !fs::metadata(&self.path).is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST) {
            return false;
        }
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let (Some(line), None) = (lines.next(), lines.next()) else { return false };
        let Ok(old) = serde_json::from_str::<MatchRecord>(line) else { return false };
        !old.seed.is_empty()
            && (&old.game, &old.seed, &old.players) == (&record.game, &record.seed, &record.players)
    }
}
