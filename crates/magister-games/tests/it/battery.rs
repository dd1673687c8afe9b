//! Every game passes the battery and agrees with the registry.

use magister_core::battery::{self, Options};
use magister_games::native;

#[test]
fn every_game_passes_the_battery() {
    for (name, _, game) in native::all() {
        let report = battery::check(&*game(), &Options::default());
        assert!(report.passed() && report.warnings.is_empty(), "{name}\n{report}");
        assert!(report.positions > 40, "{name}: the battery saw {} positions", report.positions);
    }
}

#[test]
fn the_registry_names_each_game_once_and_by_its_own_name() {
    let names: Vec<&str> = native::all().iter().map(|entry| entry.0).collect();
    let expected = [
        "2048",
        "blackjack",
        "breakthrough",
        "connect-four",
        "einstein",
        "hex-11",
        "hex-5",
        "hex-7",
        "hex-9",
        "kuhn-poker",
        "leduc-poker",
        "limit-holdem",
        "monty-hall",
        "nim-1-5-4-2",
        "nim-3-4-5",
        "othello",
        "othello-6x6",
        "rock-paper-scissors",
        "rubik-2x2x2",
        "rubik-3x3x3",
        "sim",
        "tictactoe",
        "yavalath",
    ];
    assert_eq!(names, expected);
    for (name, description, game) in native::all() {
        assert_eq!(game().info().name, name);
        assert!(!description.is_empty());
    }
    assert!(native::find("tictactoe").is_some());
    assert!(native::find("chess").is_none());
}
