//! Bundled rulesheets of all kinds satisfy the contracts of the vocabulary on every evaluator. The
//! catalogue tests that the facts about all games are true.

use magister::Playable;
use magister_core::battery;

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
        let source = magister::Options::default().find(name).expect("a bundled game");
        for Playable { game, evaluator, .. } in source.prepare_each().expect("a game").taken {
            // The reference interpreter is slow, so it walks less.
            let walks = if evaluator == "reference" { 2 } else { 10 };
            let options = battery::Options { walks, playouts: 64, ..battery::Options::default() };
            let report = battery::check(game.as_ref(), &options);
            assert!(report.failures.is_empty(), "{name} {evaluator}: {report:?}");
        }
    }
}
