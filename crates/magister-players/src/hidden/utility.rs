//! What a role tries to maximise in a search.
//!
//! If the rewards of a game have bounds, it is the expected reward. Otherwise rewards are scores,
//! and a match is decided by comparing them: a role maximises its rank, and to a smaller degree the
//! difference from the scores of the others, which also distinguishes playouts of the same rank.

use magister_core::{Info, Role};

/// Converts the rewards of a match to utilities between 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct Utility {
    players: Vec<Role>,
    /// The lowest reward and the range, if the rewards have bounds.
    bounds: Option<(f64, f64)>,
    /// The weight of the difference of scores.
    margin: f64,
    /// The number of differences seen, their mean and the sum of their squared deviations.
    seen: (f64, f64, f64),
    /// The lowest and the highest score seen, for games with one player.
    range: (f64, f64),
}

impl Utility {
    pub(crate) fn new(info: &Info, margin: f64) -> Self {
        let (low, high) = info.rewards;
        let bounded = low.is_finite() && high.is_finite() && high > low;
        Utility {
            players: info.players().collect(),
            bounds: bounded.then_some((low, high - low)),
            margin,
            seen: (0.0, 0.0, 0.0),
            range: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    /// Replaces the rewards of all players by their utilities.
    pub(crate) fn convert(&mut self, rewards: &mut [f64]) {
        if let Some((low, range)) = self.bounds {
            rewards.iter_mut().for_each(|reward| *reward = (*reward - low) / range);
            return;
        }
        let scores: Vec<f64> = self.players.iter().map(|role| rewards[role.index()]).collect();
        if let [score] = scores[..] {
            let (low, high) = (self.range.0.min(score), self.range.1.max(score));
            self.range = (low, high);
            rewards[self.players[0].index()] = (score - low) / (high - low).max(1e-9);
            return;
        }
        let others = (scores.len() - 1).max(1) as f64;
        let total: f64 = scores.iter().sum();
        for (&role, &own) in self.players.iter().zip(&scores) {
            let below = scores.iter().filter(|other| **other < own).count() as f64;
            let equal = scores.iter().filter(|other| **other <= own).count() as f64 - below - 1.0;
            let rank = (below + equal / 2.0) / others;
            let ahead = own - (total - own) / others;
            let (count, mean, squares) = self.seen;
            let count = count + 1.0;
            let next = mean + (ahead - mean) / count;
            self.seen = (count, next, squares + (ahead - mean) * (ahead - next));
            let deviation = (self.seen.2 / count).sqrt().max(1e-9);
            let lead = 0.5 + 0.25 * (ahead / deviation).clamp(-2.0, 2.0);
            rewards[role.index()] = (1.0 - self.margin) * rank + self.margin * lead;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card game for three players with scores, or with rewards from 0 to 100.
    fn utility(margin: f64, bounds: Option<(f64, f64)>) -> Utility {
        Utility {
            players: vec![Role(0), Role(1), Role(2)],
            bounds,
            margin,
            seen: (0.0, 0.0, 0.0),
            range: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    fn same(one: &[f64], other: &[f64]) -> bool {
        one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn bounded_rewards_are_scaled() {
        let mut rewards = [0.0, 50.0, 100.0];
        utility(0.5, Some((0.0, 100.0))).convert(&mut rewards);
        assert!(same(&rewards, &[0.0, 0.5, 1.0]), "{rewards:?}");
    }

    #[test]
    fn scores_count_by_rank_and_by_lead() {
        let mut ranks = [7.0, -2.0, 7.0];
        utility(0.0, None).convert(&mut ranks);
        assert!(same(&ranks, &[0.75, 0.0, 0.75]), "{ranks:?}");
        // The same rank with a longer lead is better, but not as good as a better rank.
        let mut utility = utility(0.5, None);
        for score in 0..40 {
            utility.convert(&mut [f64::from(score % 7), f64::from(score % 5), 3.0]);
        }
        let mut worth = |scores: [f64; 3]| {
            let mut scores = scores;
            utility.convert(&mut scores);
            scores[0]
        };
        assert!(worth([3.0, 1.0, 5.0]) < worth([4.0, 1.0, 5.0]));
        assert!(worth([4.9, 1.0, 5.0]) < worth([5.1, 1.0, 5.0]));
    }
}
