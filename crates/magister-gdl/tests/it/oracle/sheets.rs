//! The location of the oracle's rulesheets, if they exist.

use std::io::Write as _;
use std::path::PathBuf;

/// The oracle's folder, or a visible note that the test is skipped.
pub(crate) fn oracle() -> Option<PathBuf> {
    let folder = std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    // Bypasses the capture of the test runner, so that a skipped test is visible.
    let note = format!("SKIPPED: no oracle at {} (set MAGISTER_ORACLE)\n", folder.display());
    let _ = std::io::stderr().write_all(note.as_bytes());
    None
}

/// Every file of a folder with one of these endings, in order, with its text.
pub(crate) fn sheets(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let Some(oracle) = oracle() else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(oracle.join(folder))
        .expect("the oracle has this folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| endings.iter().any(|e| p.to_string_lossy().ends_with(e)))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no rulesheets in {folder}");
    let read = |p: PathBuf| {
        let bytes = std::fs::read(&p).expect("readable");
        (
            p.file_name().unwrap().to_string_lossy().into_owned(),
            String::from_utf8_lossy(&bytes).into_owned(),
        )
    };
    files.into_iter().map(read).collect()
}

/// All rulesheets of the oracle in a supported language.
pub(crate) fn all_sheets() -> Vec<(String, String)> {
    [
        ("gdl/games", ".kif"),
        ("gdl/test_cases", ".kif"),
        ("gdl2/games", ".kif"),
        ("gdl2/games_infix", ".gdl"),
        ("gamemaster/games", ".hrf"),
    ]
    .into_iter()
    .flat_map(|(folder, ending)| sheets(folder, &[ending]))
    .collect()
}
