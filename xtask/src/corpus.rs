//! The corpus of the fuzzer: our own examples and games, and the oracle's if it is present.

use std::path::{Path, PathBuf};

use magister_games::catalogue;
use magister_gdl::Code;

/// The maximum length of a text, because longer texts do not help a mutator and slow it down.
const LONGEST: usize = 6_000;

pub(crate) fn oracle() -> PathBuf {
    std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle"),
        PathBuf::from,
    )
}

/// The files of a folder with this extension, sorted; empty if the folder is missing.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// Card games in RECYCLE: examples of diagnostics, the catalogue, the oracle.
pub(crate) fn cards() -> Vec<Vec<u8>> {
    let codes = magister_recycle::Code::ALL.iter().filter_map(|code| code.examples());
    let mut all: Vec<Vec<u8>> = codes.flat_map(|(bad, good)| [bad.into(), good.into()]).collect();
    let sheets = catalogue::all().iter().flat_map(catalogue::Entry::sheets);
    all.extend(sheets.filter(|(_, s)| s.is_recycle()).map(|(_, s)| s.text.into()));
    for file in files(&oracle().join("recycle/games"), ".rcy") {
        all.extend(std::fs::read(file));
    }
    for text in &mut all {
        text.truncate(LONGEST);
    }
    all
}

pub(crate) fn texts() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (bad, good) in Code::ALL.iter().filter_map(|c| c.examples()) {
        all.push(bad.into());
        all.push(good.into());
    }
    let sheets = catalogue::all().iter().filter_map(|entry| entry.sheet);
    all.extend(sheets.filter(|sheet| !sheet.is_recycle()).map(|sheet| sheet.text.into()));
    let folders = [
        ("gdl/games", ".kif"),
        ("gdl/test_cases", ".kif"),
        ("gdl2/games", ".kif"),
        ("gdl2/games_infix", ".gdl"),
        ("gamemaster/games", ".hrf"),
    ];
    for (folder, ending) in folders {
        for file in files(&oracle().join(folder), ending) {
            all.extend(std::fs::read(file));
        }
    }
    for text in &mut all {
        text.truncate(LONGEST);
    }
    all
}
