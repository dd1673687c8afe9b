//! The results of the walks, per game and in total.

use std::collections::BTreeMap;
use std::fmt;

use magister_engine::agree::Agreement;

/// The result of one game.
pub(super) enum Outcome {
    /// No evaluator supports it.
    Refused(String),
    Walked {
        evaluators: Vec<&'static str>,
        agreement: Box<Agreement>,
    },
}

impl Outcome {
    /// Whether evaluators were compared and agreed.
    pub(super) fn agrees(&self) -> bool {
        match self {
            Outcome::Refused(_) => false,
            Outcome::Walked { agreement, .. } => {
                agreement.positions > 0 && agreement.disagreements.is_empty()
            }
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (evaluators, agreement) = match self {
            Outcome::Refused(why) => return write!(f, "not compared: {why}"),
            Outcome::Walked { evaluators, .. } if evaluators.len() == 1 => {
                return write!(f, "not compared: only {} supports it", evaluators[0]);
            }
            Outcome::Walked { evaluators, agreement } => (evaluators, agreement),
        };
        let each = evaluators.iter().zip(&agreement.compared);
        let each: Vec<String> = each.map(|(name, count)| format!("{name} {count}")).collect();
        write!(
            f,
            "positions {} ({} distinct, {} walks), mismatches {}; {}",
            agreement.positions,
            agreement.distinct,
            agreement.walks,
            agreement.disagreements.len(),
            each.join(", ")
        )?;
        for (name, error) in evaluators.iter().zip(&agreement.errors) {
            if let Some(error) = error {
                write!(f, "; {name} stopped: {error}")?;
            }
        }
        for disagreement in &agreement.disagreements {
            write!(f, "\n  {disagreement}")?;
        }
        Ok(())
    }
}

/// All games together.
#[derive(Default)]
pub(super) struct Totals {
    games: usize,
    positions: u64,
    pub(super) mismatches: usize,
    /// For each evaluator, the number of games and of compared positions.
    evaluators: BTreeMap<&'static str, (usize, u64)>,
    /// Games that fewer than two evaluators support.
    alone: Vec<String>,
    /// Games with the fewest positions compared by all of their evaluators.
    fewest: Vec<(u64, String)>,
}

/// The number of games with few positions to list.
const NAMED: usize = 10;

impl Totals {
    pub(super) fn add(&mut self, name: &str, outcome: &Outcome) {
        let Outcome::Walked { evaluators, agreement } = outcome else {
            self.alone.push(name.to_owned());
            return;
        };
        for (&evaluator, &positions) in evaluators.iter().zip(&agreement.compared) {
            let entry = self.evaluators.entry(evaluator).or_default();
            entry.0 += 1;
            entry.1 += positions;
        }
        if evaluators.len() < 2 {
            self.alone.push(name.to_owned());
            return;
        }
        self.games += 1;
        self.positions += agreement.positions;
        self.mismatches += agreement.disagreements.len();
        let least = agreement.compared.iter().copied().min().unwrap_or(0);
        self.fewest.push((least, name.to_owned()));
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (evaluator, (games, positions)) in &self.evaluators {
            writeln!(f, "{evaluator:<12} {games:>4} games {positions:>12} positions compared")?;
        }
        if !self.alone.is_empty() {
            writeln!(f, "not compared ({}): {}", self.alone.len(), self.alone.join(", "))?;
        }
        let mut fewest = self.fewest.clone();
        fewest.sort();
        let named: Vec<String> =
            fewest.iter().take(NAMED).map(|(count, name)| format!("{name} {count}")).collect();
        writeln!(f, "fewest positions by all evaluators: {}", named.join(", "))?;
        write!(
            f,
            "games {}, positions {}, mismatches {}",
            self.games, self.positions, self.mismatches
        )
    }
}
