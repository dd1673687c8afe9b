//! Games that the original program recorded.

use magister_core::Seed;
use magister_recycle::{Options, conform, examine};

use crate::oracle_games;

const COMPAT: Options = Options { compat: true, limits: magister_recycle::CardLimits::DEFAULT };

#[test]
fn every_game_is_read() {
    let mut wrong = Vec::new();
    for (name, text) in oracle_games::all() {
        let source = magister_diagnostic::Source::new(&name, &text);
        let found = examine(&name, &text, &COMPAT);
        if found.game.is_none() {
            wrong.extend(found.diagnostics.as_slice().iter().map(|d| source.line(d)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The options of every decision under the recorded shuffles, moves of cards, writes to stores, and
/// scores.
#[test]
fn full_records_are_replayed() {
    let mut wrong = Vec::new();
    for (name, text) in oracle_games::all() {
        let game = examine(&name, &text, &COMPAT).game.expect("every game is read");
        let report = conform::replay(&game, &oracle_games::record(&name, "full"));
        assert!(report.games > 0, "{name}");
        wrong.extend(report.differences.iter().map(|d| format!("{name}: {d}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Decisions, options and scores of random games, compared with the records.
#[test]
fn random_games_are_like_the_recorded_ones() {
    let mut wrong = Vec::new();
    for (name, text) in oracle_games::all() {
        let game = examine(&name, &text, &COMPAT).game.expect("every game is read");
        let trace = oracle_games::record(&name, "trace");
        let found = conform::compare(&game, &trace, 300, Seed::from(7));
        wrong
            .extend(found.into_iter().filter(|d| d.errors() > 4.0).map(|d| format!("{name}: {d}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Without any deviation there are no standard errors to count in.
#[test]
fn a_difference_without_deviation_is_described() {
    let quantity = |here, recorded| conform::Quantity {
        what: "decisions".to_owned(),
        here: (here, 0.0, 10_000),
        recorded: (recorded, 0.0, 40),
    };
    assert!(quantity(12.0, 12.0).to_string().ends_with(", 0.0 standard errors"));
    let different = quantity(12.0, 18.0);
    assert!(different.errors() > 4.0);
    assert!(different.to_string().ends_with("a difference, though no game deviates from its mean"));
}
