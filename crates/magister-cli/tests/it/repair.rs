//! `magister check --fix`: the repairs that it makes, and those that it does not.

use std::path::Path;
use std::process::{Command, Output};

use crate::folder::Folder;

fn magister(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_magister"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every sheet is broken, is repaired, and is then the same game as before it was broken.
#[test]
fn broken_sheets_are_repaired() {
    let sheets = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixable");
    let mut names: Vec<String> = std::fs::read_dir(&sheets)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 20);
    let folder = Folder::new("repair");
    let mut report = String::new();
    for name in &names {
        let broken = std::fs::read_to_string(sheets.join(name)).expect("readable");
        folder.file(name, &broken);
        let played = magister(&folder.0, &["playable", name, "--playouts", "20"]);
        assert_ne!(played.status.code(), Some(0), "{name} is not broken");
        let fixed = magister(&folder.0, &["check", "--fix", name]);
        assert_eq!(fixed.status.code(), Some(0), "{name}: {}", text(&fixed.stdout));
        let played = magister(&folder.0, &["playable", name, "--playouts", "20"]);
        assert_eq!(played.status.code(), Some(0), "{name}: {}", text(&played.stdout));
        // The sheets were made from the templates of `magister new`.
        let counted = text(&magister(&folder.0, &["perft", name]).stdout);
        let games = match name.as_str() {
            "17-simultaneous.kif" => "complete games 729,",
            "18-hidden.kif" => "complete games 18,",
            _ => "complete games 274,",
        };
        assert!(counted.contains(games), "{name}: {counted}");
        for line in text(&fixed.stdout).lines() {
            report.push_str(line);
            report.push('\n');
        }
    }
    insta::assert_snapshot!("repairs", report);
}

#[test]
fn what_is_right_or_hopeless_is_left_alone() {
    let folder = Folder::new("hopeless");
    let right = "(role x)\n(init (p))\n(<= (legal x go) (true (p)))\n(<= (next (q)) (true (p)))\n\
                 (<= terminal (true (q)))\n(goal x 100)\n";
    let hopeless = "Once upon a time there was a game.\n";
    for (name, rules, code) in [("right.kif", right, 0), ("hopeless.kif", hopeless, 1)] {
        folder.file(name, rules);
        let output = magister(&folder.0, &["check", "--fix", name]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
        let after = std::fs::read_to_string(folder.0.join(name)).expect("there");
        assert_eq!(after, rules, "{name}");
    }
    // A bundled game is not a file that could be changed.
    let bundled = text(&magister(&folder.0, &["check", "--fix", "tictactoe"]).stdout);
    assert!(bundled.contains("--fix repairs files only"), "{bundled}");
}
