//! Symmetries that are found from rulesheets: as many as expected, and all of them hold in play.

use std::sync::Arc;

use magister_core::battery::{self, Options as Length};
use magister_core::{Game, Stop};
use magister_engine::prepare;
use magister_games::{catalogue, native};
use magister_gdl::{Options, read};

fn from_rules(name: &str) -> Arc<dyn Game> {
    let (_, sheet) = catalogue::find(name).unwrap().gdl_sheets().next().unwrap();
    let rules = read(sheet.text, &Options::default()).rules;
    prepare(&rules, sheet.text, name, None, &Stop::never()).unwrap().game
}

/// Reflections and turns preserve the initial position, the directions in which pieces move, and the
/// goals. Some are too hard to prove: the diagonals of Gomoku, connections in Hex, and counts of
/// discs in Othello.
#[test]
fn symmetries_are_found_from_rules() {
    let expected = [
        ("tictactoe", 7),
        ("connect-four", 1),
        ("gomoku", 3),
        ("hex-5", 0),
        ("breakthrough", 1),
        ("knightthrough", 1),
        ("othello-6x6", 0),
        ("clobber", 1),
    ];
    let found = expected.map(|(name, _)| (name, from_rules(name).symmetries().len()));
    assert_eq!(found, expected);
}

/// The battery plays every game and its images side by side.
#[test]
fn proven_symmetries_hold_in_play() {
    for name in ["tictactoe", "connect-four", "hex-5", "breakthrough", "clobber", "sokoban"] {
        let report = battery::check(&*from_rules(name), &Length::default());
        let wrong = report.failures.iter().filter(|failure| failure.check == "symmetry").count();
        assert_eq!(wrong, 0, "{name}\n{report}");
    }
}

/// A game in Rust declares as many symmetries as are found from its rulesheet. The texts of moves
/// differ.
#[test]
fn rust_versions_declare_what_is_found() {
    for name in ["tictactoe", "connect-four", "breakthrough"] {
        let declared = native::find(name).unwrap();
        assert_eq!(from_rules(name).symmetries().len(), declared.symmetries().len(), "{name}");
    }
}
