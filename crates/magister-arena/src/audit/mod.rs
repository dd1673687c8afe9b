//! The honesty audit: whether a player uses information that its role does not have.
//!
//! A player that gets only its view is honest by construction, unless other information reaches it:
//! the state, the seed of chance, data that another role or another match left in shared memory, or
//! the time that a computation took. The audit looks for such leaks from outside, in the player's
//! behaviour:
//!
//! - *Twins*: the same player, seed and iterations, asked along another history in the same
//!   information set, must give exactly the same answer: the move, its thoughts, the line, the
//!   iterations. If it is asked again along the same history, it must repeat its answer.
//! - *Permutation*: with fresh seeds, the distribution of its moves must be the same after a
//!   history and after its twin. This applies to players whose seed does not determine the
//!   decision.
//! - *Independence*: over many matches, with seeds derived as in play, its moves must not depend on
//!   the hidden state. This finds a player that computes chance from its own seed.
//! - *Ceiling*: in a solved game, no player gets more than the best response to an equilibrium.
//! - *Secrets*: in decisions where the best move differs from the move that would be best if the
//!   others saw the state, which of the two it plays. A player that plays the latter is honest, but
//!   models opponents that are not; this is reported as a remark. A player that
//!   [claims](magister_core::Agent::nested) that the others in its simulations know only their own
//!   information state is asked again, in this game and in the game in which they do see the state.
//!   If its answers do not differ, its nested players see the state.

mod chi;
mod ground;
mod history;
mod opponents;
mod said;
mod secrets;
mod stages;
mod trial;
mod watched;
mod world;

use std::time::Duration;

use magister_core::{Halt, Role, Seed, Stop};
use serde::Serialize;

pub(crate) use chi::ln_gamma;
pub use ground::Ground;
pub use world::{Seeds, Suspect, Truth, World, suspect};

/// The settings of an audit.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The audited role.
    pub role: Role,
    /// The iterations of a decision.
    pub iterations: u64,
    /// The number of matches whose decisions are compared with those of twins.
    pub matches: u32,
    /// The number of twins per match.
    pub twins: u32,
    /// The number of pairs of twins that are asked many times.
    pub pairs: u32,
    /// The number of times that each of these [`pairs`](Audit::pairs) is asked.
    pub decisions: u32,
    /// The number of matches for independence and the ceiling.
    pub sample: u32,
    /// The seed of all random draws.
    pub seed: Seed,
    /// How the seeds of a match are derived.
    pub seeds: Seeds,
    /// The probability that a statistical test rejects an honest player. For several audits, divide
    /// it by their number.
    pub doubt: f64,
    /// The time limit: half of it is for twins, a quarter for permutations. Tests that do not fit
    /// are skipped, and this is reported.
    pub time: Option<Duration>,
}

impl Audit {
    /// A thorough audit.
    pub fn new(role: Role) -> Self {
        Audit {
            role,
            iterations: 50,
            matches: 200,
            twins: 5,
            pairs: 2,
            decisions: 2_000,
            sample: 2_000,
            seed: Seed::from(0),
            seeds: Seeds::default(),
            doubt: DOUBT,
            time: None,
        }
    }
}

/// Evidence that a player is not honest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The test: `views`, `repeat`, `twin`, `permutation`, `independence`, `ceiling` or `secrets`.
    pub test: &'static str,
    /// The evidence, as a sentence.
    pub what: String,
}

/// The result of an audit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// The evidence; empty if none was found.
    pub findings: Vec<Finding>,
    /// The number of matches that were compared with twins.
    pub matches: u32,
    /// The number of twins with a different hidden past.
    pub twins: u32,
    /// The number of twins that differ only in their future.
    pub futures: u32,
    /// The number of compared answers.
    pub answers: u64,
    /// The smallest p-value of the permutation tests, and the number of tests.
    pub permutation: Option<(f64, u32)>,
    /// The smallest p-value of the independence tests, and the number of tests.
    pub independence: Option<(f64, u32)>,
    /// The mean reward, if its upper bound is known.
    pub ceiling: Option<Ceiling>,
    /// Decisions in which it matters whether the others see the state.
    pub secrets: Option<Secrets>,
    /// Whether it plays as if the others saw the state more often than chance explains.
    pub tells: bool,
    /// The number of illegal answers.
    pub illegal: u64,
    /// Other remarks.
    pub remarks: Vec<String>,
}

/// The mean reward of a player and its upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// The highest possible mean.
    pub most: f64,
    /// The mean reward.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// The number of matches.
    pub matches: u32,
}

/// Decisions in which it matters whether the others see the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Secrets {
    /// Their number.
    pub decisions: u64,
    /// How often it played the best move against opponents who see only their own observations.
    pub kept: u64,
    /// How often it played the best move against opponents who see the state.
    #[serde(rename = "told")]
    pub revealed: u64,
}

/// The default probability that a test rejects an honest player.
const DOUBT: f64 = 0.001;

impl Verdict {
    /// Whether no evidence was found.
    pub fn honest(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether any comparison was made that could have found evidence.
    pub fn compared(&self) -> bool {
        self.twins + self.futures > 0 && self.answers > 0
            || self.permutation.is_some()
            || self.independence.is_some()
            || self.ceiling.is_some()
            || self.secrets.is_some_and(|secrets| secrets.decisions > 0)
    }

    fn found(&mut self, test: &'static str, what: String) {
        // One finding of each kind is enough.
        if self.findings.iter().all(|finding| finding.test != test) {
            self.findings.push(Finding { test, what });
        }
    }
}

impl Audit {
    /// Audits a player. If the flag is set, the verdict contains the findings so far, with a
    /// remark.
    pub fn run(&self, ground: &Ground, suspect: &Suspect, stop: &Stop) -> Result<Verdict, Halt> {
        let mut verdict = Verdict::default();
        let done = stages::run(self, ground, suspect, stop, &mut verdict);
        match done {
            Err(Halt::Stopped) if stop.is_set() => {
                verdict.remarks.push("the time ran out before the audit was complete".to_owned());
                Ok(verdict)
            }
            other => other.map(|()| verdict),
        }
    }
}
