//! A. Wald's sequential probability ratio test, which decides which of two players is stronger.

use serde::{Deserialize, Serialize};

/// A test of two hypotheses about the lead of one player in Elo points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The smaller lead.
    pub elo0: f64,
    /// The greater lead.
    pub elo1: f64,
    /// The probability of wrongly accepting the greater lead.
    pub alpha: f64,
    /// The probability of wrongly accepting the smaller lead.
    pub beta: f64,
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// Undecided.
    Open,
    /// The lead is at most the smaller one.
    Smaller,
    /// The lead is at least the greater one.
    Greater,
}

impl Sprt {
    /// A test with error rates of 5 %.
    pub fn new(elo0: f64, elo1: f64) -> Self {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// The log-likelihood ratio of the greater lead against the smaller one.
    ///
    /// The rate of draws is unknown; each hypothesis uses the rate that maximises its likelihood.
    /// Without draws this is Wald's own test.
    pub fn ratio(&self, wins: u64, draws: u64, losses: u64) -> f64 {
        let counts = [losses, draws, wins].map(|count| count as f64 + TRACE);
        let expected = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        likelihood(counts, expected(self.elo1)) - likelihood(counts, expected(self.elo0))
    }

    /// Whether the results decide the test.
    pub fn verdict(&self, wins: u64, draws: u64, losses: u64) -> SprtVerdict {
        let ratio = self.ratio(wins, draws, losses);
        if ratio >= ((1.0 - self.beta) / self.alpha).ln() {
            SprtVerdict::Greater
        } else if ratio <= (self.beta / (1.0 - self.alpha)).ln() {
            SprtVerdict::Smaller
        } else {
            SprtVerdict::Open
        }
    }
}

/// Added to each count, so that none is zero.
const TRACE: f64 = 1e-3;

/// The maximum log-likelihood of these numbers of losses, draws and wins, given the expected score.
///
/// By Lagrange multipliers, the probabilities are the observed shares, each divided by
/// `1 + t (a - score)` for a result of value `a`, where `t` makes their mean equal to the score.
fn likelihood(counts: [f64; 3], score: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    let results = [0.0, 0.5, 1.0].map(|worth: f64| worth - score);
    let mean = |t: f64| -> f64 {
        counts.iter().zip(results).map(|(n, a)| n / total * a / (1.0 + t * a)).sum()
    };
    // The mean decreases in `t`, from infinity to minus infinity between these two.
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if mean(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = f64::midpoint(low, high);
    counts.iter().zip(results).map(|(n, a)| n * (n / total / (1.0 + t * a)).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_results_decide_the_test() {
        let test = Sprt::new(0.0, 100.0);
        assert_eq!(test.verdict(0, 0, 0), SprtVerdict::Open);
        assert_eq!(test.verdict(2, 0, 0), SprtVerdict::Open);
        assert_eq!(test.verdict(40, 5, 10), SprtVerdict::Greater);
        assert_eq!(test.verdict(20, 5, 30), SprtVerdict::Smaller);
    }

    #[test]
    fn without_draws_it_is_walds() {
        let test = Sprt::new(0.0, 100.0);
        let expected = 1.0 / (1.0 + 10_f64.powf(-0.25));
        let exact = 7.0 * (expected / 0.5).ln() + 3.0 * ((1.0 - expected) / 0.5).ln();
        assert!((test.ratio(7, 0, 3) - exact).abs() < 0.01, "{}", test.ratio(7, 0, 3));
    }

    /// About 5 % of players with the smaller lead may be accepted as stronger.
    #[test]
    fn error_rates_hold() {
        let test = Sprt::new(0.0, 100.0);
        let mut rng = magister_core::Seed::from(4).rng();
        let mut wrong = 0;
        for _ in 0..2000 {
            let (mut wins, mut losses) = (0, 0);
            wrong += loop {
                if rng.below(2) == 0 {
                    wins += 1;
                } else {
                    losses += 1;
                }
                match test.verdict(wins, 0, losses) {
                    SprtVerdict::Open => {}
                    SprtVerdict::Greater => break 1,
                    SprtVerdict::Smaller => break 0,
                }
            };
        }
        assert!(wrong <= 135, "{wrong} of 2000");
    }
}
