//! Games for the tests of this crate.
#![allow(dead_code)]

use std::path::PathBuf;
use std::sync::Arc;

use magister_core::Stop;
use magister_engine::evaluator::NetworkGame;
use magister_engine::{Evaluator, prepare};
use magister_gdl::{Options, read};

/// The game of some rules, on its network.
pub(crate) fn game(name: &str, text: &str) -> Arc<NetworkGame> {
    let rules = read(text, &Options::default()).rules;
    let prepared = prepare(&rules, text, name, Some(Evaluator::Sweep), &Stop::never());
    prepared.expect("a playable game").network.expect("a network")
}

/// The text of a game of the oracle; `None`, with a note, if there is no oracle.
#[expect(clippy::print_stdout, reason = "a skipped game shows")]
pub(crate) fn oracle(name: &str) -> Option<String> {
    let home = std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(home.join("gdl/games").join(format!("{name}.kif"))).ok();
    if text.is_none() {
        println!("SKIPPED {name}: no oracle");
    }
    text
}

/// The text of a game of the catalogue.
pub(crate) fn bundled(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name);
    let file = ["rules.kif", "rules.hrf"].iter().map(|file| path.join(file)).find(|p| p.exists());
    std::fs::read_to_string(file.expect("a rulesheet")).expect("text")
}
