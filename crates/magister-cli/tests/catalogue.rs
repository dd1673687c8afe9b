//! Every bundled rulesheet, by every evaluator, keeps the promises of the vocabulary.

use std::time::Duration;

use magister_core::{Game, Stop, battery};
use magister_engine::agree::{Extent, agree};
use magister_engine::{Evaluator, Prepared, prepare};
use magister_games::catalogue;
use magister_gdl::{Options, read};

/// Each bundled rulesheet by every evaluator, with its name.
fn prepared() -> impl Iterator<Item = (&'static str, Vec<Prepared>)> {
    catalogue::all().iter().filter_map(|entry| {
        let sheet = entry.sheet?;
        let rules = read(sheet.text, &Options::default()).rules;
        let by = |&evaluator: &Evaluator| {
            prepare(&rules, sheet.text, entry.name, Some(evaluator), &Stop::never())
                .unwrap_or_else(|error| panic!("{} {evaluator}: {error}", entry.name))
        };
        Some((entry.name, Evaluator::ALL.iter().map(by).collect()))
    })
}

#[test]
fn every_bundled_rulesheet_passes_the_battery() {
    for (name, all) in prepared() {
        for Prepared { game, evaluator, .. } in all {
            // The reference interpreter takes its time, so it walks less.
            let walks = if evaluator == Evaluator::Reference { 3 } else { 20 };
            let options = battery::Options { walks, playouts: 64, ..battery::Options::default() };
            let report = battery::check(game.as_ref(), &options);
            assert!(report.failures.is_empty(), "{name} {evaluator}: {report:?}");
        }
    }
}

/// A short walk; `cargo xtask agree` takes long ones, and through more games.
#[test]
fn evaluators_agree_about_every_bundled_rulesheet() {
    // Nobody leaves early, however slow the machine is.
    let time = Duration::MAX;
    let extent = Extent { positions: 400, steps: 100, seed: 1, time };
    for (name, all) in prepared() {
        let games: Vec<&dyn Game> = all.iter().map(|prepared| prepared.game.as_ref()).collect();
        let out = agree(&games, &extent, &Stop::never());
        assert!(out.disagreements.is_empty(), "{name}: {:?}", out.disagreements);
        assert_eq!(out.compared, vec![400; games.len()], "{name}: {:?}", out.trouble);
    }
}
