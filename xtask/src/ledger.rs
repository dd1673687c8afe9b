//! Finished work, stored on disk so that an interrupted run can continue.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// The result of each finished part, by its name.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// A hash of the code. After a change, the results are invalid.
    #[serde(default)]
    code: String,
    done: BTreeMap<String, String>,
    #[serde(skip)]
    path: Option<PathBuf>,
}

impl Ledger {
    /// The ledger of `cargo xtask long`, if the code has not changed.
    pub(crate) fn open(fresh: bool) -> Result<Self> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = root.join("target");
        fs::create_dir_all(&folder)?;
        let path = folder.join("long.json");
        let code = fingerprint(&root)?;
        let mut ledger = match fs::read_to_string(&path) {
            Ok(text) if !fresh => serde_json::from_str(&text).context("target/long.json")?,
            _ => Ledger::default(),
        };
        if ledger.code != code {
            ledger = Ledger { code, ..Ledger::default() };
        }
        ledger.path = Some(path);
        Ok(ledger)
    }

    /// A ledger that is discarded at the end.
    pub(crate) fn in_memory() -> Self {
        Ledger::default()
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.done.contains_key(part)
    }

    /// Records the result of a part.
    pub(crate) fn note(&mut self, part: &str, result: String) -> Result<()> {
        self.done.insert(part.to_owned(), result);
        if let Some(path) = &self.path {
            fs::write(path, serde_json::to_string_pretty(self)?).context("target/long.json")?;
        }
        Ok(())
    }

    #[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
    pub(crate) fn print(&self) {
        for (part, result) in &self.done {
            println!("{part}: {result}");
        }
    }
}

/// A hash of all source files.
fn fingerprint(root: &Path) -> Result<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.join("crates"), root.join("xtask/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut all = String::new();
    for file in files {
        all.push_str(&fs::read_to_string(file)?);
    }
    Ok(magister_core::rules_hash(&all))
}
