//! The audit: whether a player knows what it must not know.
//!
//! A player that is given its view and nothing else is honest by construction, as long as
//! nothing else reaches it: not the state, not the seed of chance, not what another role or
//! another match has left in a shared place, not the time that something took. The audit looks
//! for such ways from outside, by what the player does:
//!
//! - *Twins*: the same player, seed and iterations, asked along another course of the game that
//!   looks the same to its role, must say exactly the same: the move, what it thinks of all
//!   others, the line, the iterations. Asked again along the same course, it must too.
//! - *Permutation*: with fresh seeds, its moves must be as likely after one course as after its
//!   twin. This holds for players that do not decide by their seed alone.
//! - *Independence*: over many matches, whose seeds are made as they are made in play, its moves
//!   must not depend on the hidden state. This finds a player that knows chance from its own
//!   seed.
//! - *Ceiling*: in a game that is solved, nobody gets more than the best reply to an equilibrium.
//! - *Secrets*: where the right move differs from what would be right if the others saw
//!   everything, which of the two it plays. A player that gets this wrong is honest, but imagines
//!   others that are not; it is told as a remark. One that [says](magister_core::Agent::nested)
//!   that the others in its simulations know only what they have lived is asked again, here and
//!   in the game in which they do see everything; if that makes no difference to it, its nested
//!   players are handed the state.

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

pub use ground::Ground;
pub use world::{Seeds, Suspect, Truth, World, suspect};

/// How thoroughly a player is audited.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The role that it plays.
    pub role: Role,
    /// The iterations of a decision.
    pub iterations: u64,
    /// Matches whose decisions are compared with those of twins.
    pub matches: u32,
    /// Twins of each match.
    pub twins: u32,
    /// Pairs of twins that are asked many times, and the times each is asked.
    pub pairs: u32,
    /// See [`pairs`](Audit::pairs).
    pub decisions: u32,
    /// Matches for independence and the ceiling.
    pub sample: u32,
    /// Where everything random comes from.
    pub seed: Seed,
    /// How the seeds of a match are made.
    pub seeds: Seeds,
    /// The chance with which an honest player may be taken for another by a test that counts. Who
    /// makes many audits divides it by their number.
    pub doubt: f64,
    /// How long it should take: half of it is for twins, a quarter for permutations. What there is
    /// no time for is left out and told.
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

/// A way in which a player was found out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Which test: `views`, `repeat`, `twin`, `permutation`, `independence`,
    /// `ceiling` or `secrets`.
    pub test: &'static str,
    /// A sentence.
    pub what: String,
}

/// What came of an audit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// How it was found out; nothing if it was not.
    pub findings: Vec<Finding>,
    /// Matches that were compared with twins.
    pub matches: u32,
    /// Twins with another hidden past, and those that differ in their future only.
    pub twins: u32,
    /// See [`twins`](Verdict::twins).
    pub futures: u32,
    /// Answers that were compared.
    pub answers: u64,
    /// The least likely of the permutation tests, with the number of tests.
    pub permutation: Option<(f64, u32)>,
    /// The least likely of the tests of independence, with the number of tests.
    pub independence: Option<(f64, u32)>,
    /// What it got in how many matches, if the most that can be had is known.
    pub ceiling: Option<Ceiling>,
    /// How it decides where others seeing everything would matter.
    pub secrets: Option<Secrets>,
    /// Whether it plays as if the others saw everything, more often than chance would have it.
    pub tells: bool,
    /// Answers that were no legal moves.
    pub illegal: u64,
    /// What else is to be said.
    pub remarks: Vec<String>,
}

/// What a player got beside what can be had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// The most that anybody can have on the average.
    pub most: f64,
    /// What it got on the average.
    pub mean: f64,
    /// The standard error of that.
    pub error: f64,
    /// Matches.
    pub matches: u32,
}

/// Decisions in which it matters whether the others see everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Secrets {
    /// How many there were.
    pub decisions: u64,
    /// In how many of them it played what is right if the others see what they see.
    pub kept: u64,
    /// In how many of them it played what would be right if they saw everything.
    pub told: u64,
}

/// The chance with which an honest player may be taken for another by a test, if nothing else is
/// said.
const DOUBT: f64 = 0.001;

impl Verdict {
    /// Whether nothing was found.
    pub fn honest(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether anything was compared that could have found it out.
    pub fn compared(&self) -> bool {
        self.twins + self.futures > 0 && self.answers > 0
            || self.permutation.is_some()
            || self.independence.is_some()
            || self.ceiling.is_some()
            || self.secrets.is_some_and(|secrets| secrets.decisions > 0)
    }

    fn found(&mut self, test: &'static str, what: String) {
        // One proof of each kind is enough.
        if self.findings.iter().all(|finding| finding.test != test) {
            self.findings.push(Finding { test, what });
        }
    }
}

impl Audit {
    /// Audits a player. If the flag is set, what was found by then is the verdict, with a remark.
    pub fn run(&self, ground: &Ground, suspect: &Suspect, stop: &Stop) -> Result<Verdict, Halt> {
        let mut verdict = Verdict::default();
        let done = stages::run(self, ground, suspect, stop, &mut verdict);
        match done {
            Err(Halt::Stopped) if stop.is_set() => {
                verdict.remarks.push("the time was over before all was done".to_owned());
                Ok(verdict)
            }
            other => other.map(|()| verdict),
        }
    }
}
