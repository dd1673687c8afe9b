//! Every bundled rulesheet, by every evaluator, keeps the promises of the vocabulary.

use magister_core::{Stop, battery};
use magister_engine::{Evaluator, prepare};
use magister_games::catalogue;
use magister_gdl::{Options, read};

#[test]
fn every_bundled_rulesheet_passes_the_battery() {
    for entry in catalogue::all() {
        let Some(sheet) = entry.sheet else { continue };
        let rules = read(sheet.text, &Options::default()).rules;
        for &evaluator in Evaluator::ALL {
            let prepared = prepare(&rules, sheet.text, entry.name, Some(evaluator), &Stop::never())
                .unwrap_or_else(|error| panic!("{} {evaluator}: {error}", entry.name));
            // The reference interpreter takes its time, so it walks less.
            let walks = if evaluator == Evaluator::Reference { 3 } else { 20 };
            let options = battery::Options { walks, playouts: 64, ..battery::Options::default() };
            let report = battery::check(prepared.game.as_ref(), &options);
            assert!(report.failures.is_empty(), "{} {evaluator}: {report:?}", entry.name);
        }
    }
}
