//! `magister new` writes valid games, and overwrites nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The template in Rust compiles unchanged and passes the battery.
#[allow(dead_code, reason = "only its own test uses it")]
#[allow(unreachable_pub, reason = "it is a file of its own project")]
#[path = "../../src/commands/new/skeleton.rs"]
mod skeleton;

fn magister(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

/// An empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_language_has_a_game_to_start_from() {
    let folder = folder("languages");
    for (language, file) in
        [("kif", "first-game.kif"), ("infix", "second-game.hrf"), ("gamemaster", "third-game.hrf")]
    {
        let name = file.split('.').next().expect("a name");
        let made = magister(&folder, &["new", name, "--language", language]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        for command in [
            &["check", "--strict", file][..],
            &["fmt", "--check", file],
            &["playable", file, "--playouts", "50", "--seconds", "1"],
        ] {
            let out = magister(&folder, command);
            assert_eq!(out.status.code(), Some(0), "{command:?}: {}", text(&out.stdout));
        }
        // The same game in every language.
        let counted = magister(&folder, &["perft", file]);
        assert!(text(&counted.stdout).contains("complete games 274"), "{}", text(&counted.stdout));
        let source = std::fs::read_to_string(folder.join(file)).expect("it is there");
        assert!(source.contains(name) && !source.contains("NAME"), "{source}");
    }
}

#[test]
fn nothing_is_overwritten_and_names_are_plain() {
    let folder = folder("careful");
    std::fs::write(folder.join("mine.kif"), "mine").expect("written");
    let refused = magister(&folder, &["new", "mine"]);
    assert_eq!(refused.status.code(), Some(2));
    insta::assert_snapshot!("new-refused", text(&refused.stderr));
    assert_eq!(std::fs::read_to_string(folder.join("mine.kif")).expect("there"), "mine");
    let strange = magister(&folder, &["new", "My Game!"]);
    insta::assert_snapshot!("new-strange", text(&strange.stderr));
    let rust = magister(&folder, &["new", "my-game", "--language", "rust"]);
    insta::assert_snapshot!("new-rust", text(&rust.stdout));
    assert!(folder.join("my_game.rs").is_file());
    let other = magister(&folder, &["new", "my-game", "--output", "rules.kif"]);
    insta::assert_snapshot!("new", text(&other.stdout));
}
