//! Bundled rulesheets of all kinds keep the promises of the vocabulary by every evaluator. That all
//! games are what they say is tested with the catalogue.

use magister_core::{Stop, battery};
use magister_engine::{Evaluator, Prepared, prepare_each};
use magister_games::catalogue;
use magister_gdl::{Options, read};

/// Games of each kind: with boards, with chance, with hidden information, with operations, with
/// simultaneous moves.
const GAMES: [&str; 8] = [
    "tictactoe",
    "nim-1-5-4-2",
    "breakthrough",
    "blind-tictactoe",
    "exploding-bomb",
    "monty-hall",
    "rock-paper-scissors",
    "buttonsandlights",
];

#[test]
fn bundled_rulesheets_pass_the_battery() {
    for name in GAMES {
        let sheet = catalogue::find(name).and_then(|entry| entry.sheet).expect("a rulesheet");
        let rules = read(sheet.text, &Options::default()).rules;
        let all = prepare_each(&rules, sheet.text, name, &Stop::never()).expect("a game");
        for Prepared { game, evaluator, .. } in all {
            // The reference interpreter takes its time, so it walks less.
            let walks = if evaluator == Evaluator::Reference { 2 } else { 10 };
            let options = battery::Options { walks, playouts: 64, ..battery::Options::default() };
            let report = battery::check(game.as_ref(), &options);
            assert!(report.failures.is_empty(), "{name} {evaluator}: {report:?}");
        }
    }
}
