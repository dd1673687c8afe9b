//! The games of the oracle, if it is present.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the oracle.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn folder() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named =
        std::env::var_os("MAGISTER_ORACLE").map(|oracle| Path::new(&oracle).join("recycle"));
    let beside = || here.ancestors().map(|folder| folder.join("shared/oracle/recycle"));
    let folder = match named {
        Some(named) => Some(named).filter(|folder| folder.is_dir()),
        None => beside().find(|folder| folder.is_dir()),
    };
    if folder.is_none() {
        eprintln!("SKIPPED: there is no oracle here");
    }
    folder
}

/// The names and texts of all games; empty if there is no oracle.
pub(crate) fn all() -> Vec<(String, String)> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = std::fs::read_dir(folder.join("games")).expect("the oracle has games");
    let mut games: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    games.retain(|path| path.extension().is_some_and(|ext| ext == "rcy"));
    games.sort();
    games
        .into_iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable game"))
        })
        .collect()
}

/// A record of a game, such as `full` or `trace`.
pub(crate) fn record(name: &str, kind: &str) -> String {
    let folder = folder().expect("the oracle is present");
    let path = folder.join(format!("traces/{name}.{kind}.gz"));
    let out = Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip runs");
    assert!(out.status.success(), "{}", path.display());
    String::from_utf8_lossy(&out.stdout).into_owned()
}
