//! Games that the language's first program recorded, replayed.

use std::path::{Path, PathBuf};
use std::process::Command;

use magister_recycle::{Options, conform, examine};

fn oracle() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.ancestors().find_map(|folder| {
        let folder = folder.join("shared/oracle/recycle");
        folder.is_dir().then_some(folder)
    });
    if folder.is_none() {
        eprintln!("SKIPPED: there is no oracle here");
    }
    folder
}

fn games(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("games")).expect("the oracle has games");
    let mut games: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    games.retain(|path| path.extension().is_some_and(|ext| ext == "rcy"));
    games.sort();
    games
}

fn unzip(path: &Path) -> String {
    let out = Command::new("gzip").arg("-dc").arg(path).output().expect("gzip runs");
    assert!(out.status.success(), "{}", path.display());
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn every_game_is_read() {
    let Some(folder) = oracle() else { return };
    let options = Options { compat: true, ..Options::default() };
    let mut wrong = Vec::new();
    for path in games(&folder) {
        let text = std::fs::read_to_string(&path).expect("a readable game");
        let name = path.display().to_string();
        let source = magister_diagnostic::Source::new(&name, &text);
        let found = examine(&text, &options);
        if found.game.is_none() {
            wrong.extend(found.diagnostics.as_slice().iter().map(|d| source.line(d)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn full_records_are_replayed() {
    let Some(folder) = oracle() else { return };
    let only = std::env::var("MAGISTER_RECYCLE_GAME").ok();
    let options = Options { compat: true, ..Options::default() };
    let (mut exact, mut all, mut wrong) = (0, 0, Vec::new());
    for path in games(&folder) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable game");
        let Some(game) = examine(&text, &options).game else { continue };
        let record = unzip(&folder.join(format!("traces/{name}.full.gz")));
        let report = conform::replay(&game, &record);
        all += 1;
        if report.differences.is_empty() {
            exact += 1;
        } else {
            wrong.push(format!("{name}: {:?}", report.differences));
        }
    }
    for line in &wrong {
        eprintln!("{line}");
    }
    assert_eq!(exact, all, "games that are replayed exactly");
}
