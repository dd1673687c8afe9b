//! Tests that every game must pass, in whatever language it was written.
//!
//! ```
//! use magister_core::{Native, battery, examples::Countdown};
//! battery::assert_game(&Native::new(Countdown(7)));
//! ```
//!
//! The battery walks through the game at random, from fixed seeds, and checks the contracts of
//! [`Game`], [`Worker`](crate::Worker) and [`Text`](crate::Text):
//!
//! - the answers of a worker are a function of the state: they are the same when asked again, after
//!   the state was saved and loaded elsewhere, after a step was undone, and after a refused move;
//! - legal lists are empty if and only if the state is terminal; moves and joint moves that are
//!   not legal are refused;
//! - states, moves and percepts can be printed and read, and different moves read differently;
//! - weights, rewards, sums of rewards and lengths agree with [`Info`](crate::Info);
//! - words that are not a state are refused or at least harmless; nonsense text is refused;
//! - symmetries are symmetries;
//! - observations are functions of the state, made of finite numbers, and of bits where declared;
//!   states with equal observations get a warning;
//! - playouts do not depend on how the work is divided, and an engine with its own playouts gives
//!   the same results as the plain evaluator;
//! - with perfect information a view determines the state. With hidden information, a role should
//!   know its legal moves; a game in which it cannot gets a warning, because that may be intended.

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
    /// The seed of the walks.
    pub seed: Seed,
    /// The number of random walks from the initial state.
    pub walks: u32,
    /// The maximum length of a walk.
    pub max_steps: u32,
    /// The number of corrupted states to load.
    pub garbage: u32,
    /// The number of playouts of each stream.
    pub playouts: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: Seed::from(1), walks: 40, max_steps: 400, garbage: 400, playouts: 70 }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check that found it, in one word.
    pub check: &'static str,
    /// What is wrong, as a sentence.
    pub what: String,
    /// The state in which it is wrong, in the words of the game; empty if it does not concern a
    /// state.
    pub position: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.what)?;
        if self.position.is_empty() { Ok(()) } else { write!(f, "\n    in {}", self.position) }
    }
}

/// The result of the battery.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The name of the game.
    pub game: String,
    /// Violations of a contract. Only the first few of each check are kept.
    pub failures: Vec<Finding>,
    /// Findings that are allowed but unusual. Only the first few of each check are kept.
    pub warnings: Vec<Finding>,
    /// The number of examined positions.
    pub positions: u64,
    /// The number of walks that reached a terminal state.
    pub finished: u32,
}

/// The number of findings to keep per check, because one fault shows in hundreds of positions.
const KEPT: usize = 3;

impl Report {
    /// Whether no contract was violated.
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
            "{}: {} failures, {} warnings in {} positions, {} walks reached an end",
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

/// Tests a game and reports the findings.
pub fn check(game: &dyn Game, options: &Options) -> Report {
    let mut report = Report { game: game.info().name.clone(), ..Report::default() };
    facts(game, &mut report);
    let states = walk::check(game, options, &mut report);
    garbage::check(game, options, &states, &mut report);
    symmetry::check(game, options, &mut report);
    playouts::check(game, options, &states, &mut report);
    report
}

/// Tests a game and panics with the report if anything fails. This is the only line that the tests
/// of a game need.
pub fn assert_game(game: &dyn Game) {
    let report = check(game, &Options::default());
    assert!(report.passed(), "{report}");
}

/// Checks that the facts do not contradict each other.
fn facts(game: &dyn Game, report: &mut Report) {
    let info = game.info();
    let (low, high) = info.rewards;
    if info.roles.is_empty() || info.roles.len() > 255 {
        report.fail("facts", "", format!("a game has 1 to 255 roles, not {}", info.roles.len()));
    }
    if info.chance.is_some_and(|chance| chance.index() >= info.roles.len()) {
        report.fail("facts", "", "the role of chance is not in the list of roles");
    }
    // Written so that a NaN bound fails too.
    if !matches!(low.partial_cmp(&high), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal))
    {
        report.fail("facts", "", format!("{low} to {high} is not a range of rewards"));
    }
}

/// The text of a state, cut to a readable length.
fn shown(game: &dyn Game, words: &[u64]) -> String {
    let text = game.text().state_text(words);
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
