//! Agents in the files of a folder, such as those of `magister train --popular`. The operator of a
//! site offers them as opponents, so that a new site has strong players at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use magister_learn::LearnedAgent;
use serde_json::{Value, json};

use super::PREFIX;

/// The extension of files with agents. Other files are ignored.
const EXTENSION: &str = "agent";
/// The maximum number of agents.
const MOST: usize = 200;

/// An agent in a file.
#[derive(Clone, Debug)]
pub struct FolderAgent {
    /// The name of the file without its extension.
    pub id: String,
    /// The agent.
    pub agent: LearnedAgent,
}

impl FolderAgent {
    /// The agent in the list of players.
    pub(super) fn described(&self) -> Value {
        let agent = &self.agent;
        json!({
            "name": format!("{PREFIX}{}", self.id), "id": self.id, "game": agent.game(),
            "title": agent.game(), "rules_hash": agent.rules_hash(), "games": agent.games(),
            "reward": null, "strengths": agent.strengths(), "here": false,
        })
    }
}

/// The agents in a folder, by name. A file that cannot be used is an error, so that the operator
/// notices it; `largest` is the limit for its size in bytes.
pub(super) fn read(folder: &Path, largest: usize) -> Result<BTreeMap<String, FolderAgent>, String> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).map_err(|error| {
        format!("{shown}: {error}; `magister train --popular --out FOLDER` makes agents")
    })?;
    let mut all = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{shown}: {error}"))?.path();
        if path.extension().is_none_or(|extension| extension != EXTENSION) || !path.is_file() {
            continue;
        }
        let file = path.display();
        let id = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let usual = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if id.is_empty() || id.len() > 60 || !id.chars().all(usual) {
            return Err(format!(
                "{file}: players are named after their files, so rename it with up to 60 letters, \
                 digits, dots, hyphens and underscores"
            ));
        }
        let size = fs::metadata(&path).map_err(|error| format!("{file}: {error}"))?.len();
        if size > largest as u64 {
            return Err(format!("{file}: the limit for agents is {} MiB", largest >> 20));
        }
        let bytes = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
        let agent = LearnedAgent::from_bytes(&bytes).map_err(|error| format!("{file}: {error}"))?;
        all.insert(id.to_owned(), FolderAgent { id: id.to_owned(), agent });
        if all.len() > MOST {
            return Err(format!("{shown}: a site has up to {MOST} agents from files"));
        }
    }
    if all.is_empty() {
        return Err(format!(
            "{shown} has no file with the extension .{EXTENSION}; `magister train --popular --out \
             {shown}` makes some"
        ));
    }
    Ok(all)
}
