//! When to stop asking which of two is stronger: A. Wald's sequential test.

use serde::{Deserialize, Serialize};

/// A test of two hypotheses about how many points of Elo one player is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The smaller lead.
    pub elo0: f64,
    /// The greater lead.
    pub elo1: f64,
    /// How often the test may accept the greater lead wrongly.
    pub alpha: f64,
    /// How often it may accept the smaller one wrongly.
    pub beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// Play on.
    Open,
    /// The lead is the smaller one, or less.
    Smaller,
    /// The lead is the greater one, or more.
    Greater,
}

impl Sprt {
    /// A test with error rates of five in a hundred.
    pub fn new(elo0: f64, elo1: f64) -> Self {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// The logarithm of how much more likely the results are if the lead is the greater one.
    ///
    /// With draws the exact likelihood needs to know how many there would be; the usual
    /// approximation takes the score as normal. Its variance is that of a player between the two
    /// leads who draws as often as was seen: the variance that was seen itself is far too small
    /// where the first few games are all won, and the test would then err twice as often as
    /// promised.
    pub fn ratio(&self, wins: u64, draws: u64, losses: u64) -> f64 {
        let games = (wins + draws + losses) as f64;
        if games == 0.0 {
            return 0.0;
        }
        let expected = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        let (low, high) = (expected(self.elo0), expected(self.elo1));
        let mean = (wins as f64 + draws as f64 / 2.0) / games;
        let middle = (low + high) / 2.0;
        let drawn = (draws as f64 + 0.5) / (games + 1.0);
        let variance = (middle * (1.0 - middle) - drawn / 4.0).max(0.01);
        games * (high - low) * (mean - middle) / variance
    }

    /// Whether the results are enough.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_results_end_it() {
        let test = Sprt::new(0.0, 100.0);
        assert_eq!(test.verdict(0, 0, 0), SprtVerdict::Open);
        assert_eq!(test.verdict(2, 0, 0), SprtVerdict::Open);
        assert_eq!(test.verdict(40, 5, 10), SprtVerdict::Greater);
        assert_eq!(test.verdict(20, 5, 30), SprtVerdict::Smaller);
    }

    /// Of players with the smaller lead about five in a hundred may be taken for better.
    #[test]
    fn errors_are_as_rare_as_promised() {
        let test = Sprt::new(0.0, 100.0);
        let mut rng = magister_core::Seed::from(4).rng();
        let mut wrong = 0;
        for _ in 0..400 {
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
        assert!(wrong <= 32, "{wrong} of 400");
    }
}
