//! Tests that any game must pass, whatever language it was written in.
//!
//! ```
//! use magister_core::{Native, battery, examples::Countdown};
//! battery::assert_game(&Native::new(Countdown(7)));
//! ```
//!
//! The battery walks through the game at random, from fixed seeds, and holds it to what
//! [`Game`], [`Worker`](crate::Worker) and [`Text`](crate::Text) promise:
//!
//! - what a worker answers is a function of the state: it answers the same when asked again,
//!   after the state was saved and loaded elsewhere, after a step was taken back, and after a
//!   refused move;
//! - legal lists are empty if and only if the state is terminal; moves and joint moves that are
//!   not legal are refused;
//! - states, moves and percepts can be printed and read, and different moves read differently;
//! - weights, rewards, sums of rewards and lengths are what [`Info`](crate::Info) says;
//! - words that are no state are refused, or at least make no harm; nonsense reads as nothing;
//! - symmetries are symmetries;
//! - observations are functions of the state, made of finite numbers, and bits where they say so;
//!   states that look the same get a warning;
//! - playouts do not depend on how the work is cut, and an engine with playouts of its own plays
//!   what the plain evaluator plays;
//! - in a game of perfect information a view determines the state. In one that hides information,
//!   a role ought to know its legal moves; a game in which it can not gets a warning, since rules
//!   may be meant that way.

mod garbage;
mod observation;
mod playouts;
mod position;
mod snapshot;
mod symmetry;
mod walk;

use std::fmt;

use crate::{Game, Seed};

/// How much to test.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where the walks come from.
    pub seed: Seed,
    /// The number of random walks from the initial state.
    pub walks: u32,
    /// The number of steps after which a walk is given up.
    pub max_steps: u32,
    /// The number of spoilt states to load.
    pub garbage: u32,
    /// The number of playouts of each stream.
    pub playouts: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: Seed::from(1), walks: 40, max_steps: 400, garbage: 400, playouts: 70 }
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check that found it, in one word.
    pub check: &'static str,
    /// What is wrong, as a sentence.
    pub what: String,
    /// The state in which it is wrong, in the words of the game; empty if it is not about one.
    pub position: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.what)?;
        if self.position.is_empty() { Ok(()) } else { write!(f, "\n    in {}", self.position) }
    }
}

/// What came of the battery.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The name of the game.
    pub game: String,
    /// What breaks a promise. Of each check only the first few are kept.
    pub failures: Vec<Finding>,
    /// What is allowed but remarkable. Of each check only the first few are kept.
    pub warnings: Vec<Finding>,
    /// The number of positions that were looked at.
    pub positions: u64,
    /// The number of walks that came to a terminal state.
    pub finished: u32,
}

/// Findings that are kept of each check: one fault shows in hundreds of positions.
const KEPT: usize = 3;

impl Report {
    /// Whether no promise was broken.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    fn fail(&mut self, check: &'static str, position: &str, what: impl Into<String>) {
        keep(&mut self.failures, check, position, what.into());
    }

    fn warn(&mut self, check: &'static str, position: &str, what: impl Into<String>) {
        keep(&mut self.warnings, check, position, what.into());
    }
}

fn keep(findings: &mut Vec<Finding>, check: &'static str, position: &str, what: String) {
    if findings.iter().filter(|finding| finding.check == check).count() < KEPT {
        findings.push(Finding { check, what, position: position.to_owned() });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} failures, {} warnings in {} positions, {} walks came to an end",
            self.game,
            self.failures.len(),
            self.warnings.len(),
            self.positions,
            self.finished
        )?;
        for finding in &self.failures {
            writeln!(f, "  failure: {finding}")?;
        }
        for finding in &self.warnings {
            writeln!(f, "  warning: {finding}")?;
        }
        Ok(())
    }
}

/// Tests a game and reports what was found.
pub fn check(game: &dyn Game, options: &Options) -> Report {
    let mut report = Report { game: game.info().name.clone(), ..Report::default() };
    facts(game, &mut report);
    let states = walk::check(game, options, &mut report);
    garbage::check(game, options, &states, &mut report);
    symmetry::check(game, options, &mut report);
    playouts::check(game, options, &states, &mut report);
    report
}

/// Tests a game and panics with the report if anything fails; the one line that the tests of a
/// game need.
pub fn assert_game(game: &dyn Game) {
    let report = check(game, &Options::default());
    assert!(report.passed(), "{report}");
}

/// The facts must not contradict each other.
fn facts(game: &dyn Game, report: &mut Report) {
    let info = game.info();
    let (low, high) = info.rewards;
    if info.roles.is_empty() || info.roles.len() > 255 {
        report.fail("facts", "", format!("a game has 1 to 255 roles, not {}", info.roles.len()));
    }
    if info.chance.is_some_and(|chance| chance.index() >= info.roles.len()) {
        report.fail("facts", "", "the role of chance is not in the list of roles");
    }
    // Written so that a bound that is no number fails too.
    if !matches!(low.partial_cmp(&high), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal))
    {
        report.fail("facts", "", format!("{low} to {high} is no range of rewards"));
    }
}

/// The text of a state, cut to a length that a person reads.
fn shown(game: &dyn Game, words: &[u64]) -> String {
    let text = game.text().state_text(words);
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
