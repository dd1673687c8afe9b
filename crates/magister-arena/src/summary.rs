//! What a series says about its players.

use serde::{Deserialize, Serialize};

use crate::report::GameReport;

/// The summary of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Matches played.
    pub games: u64,
    /// Those that did not come to an end with a reward for everybody.
    pub undecided: u64,
    /// Joint moves made.
    pub moves: u64,
    /// One line for each player, in the order in which they first appear.
    pub players: Vec<Line>,
    /// One line for each role, whoever played it.
    pub roles: Vec<RoleLine>,
}

/// What a series says about one role: with the same player in all of them, whether the game or
/// the player favours it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleLine {
    /// Its mean reward.
    pub mean_reward: f64,
    /// The interval that holds the true mean with 95 %, if the matches are many; of one match
    /// nothing is known.
    pub reward_interval: Option<(f64, f64)>,
    #[serde(skip)]
    sums: (u64, f64, f64),
}

impl RoleLine {
    fn count(&mut self, reward: f64) {
        let (count, sum, squares) = &mut self.sums;
        *count += 1;
        *sum += reward;
        *squares += reward * reward;
        let n = *count as f64;
        self.mean_reward = *sum / n;
        let spread = (*squares / n - self.mean_reward.powi(2)).max(0.0);
        let half = Z * (spread / (n - 1.0)).sqrt();
        self.reward_interval =
            (*count > 1).then_some((self.mean_reward - half, self.mean_reward + half));
    }
}

/// What a series says about one player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The player.
    pub player: String,
    /// The seats that it took, over all matches.
    pub seats: u64,
    /// How often it was alone in front.
    pub wins: u64,
    /// How often it shared the first place.
    pub draws: u64,
    /// How often somebody else was in front.
    pub losses: u64,
    /// Its mean reward.
    pub mean_reward: f64,
    /// The share of points: against each opponent in a match one for a better reward, half a
    /// point for the same.
    pub score: f64,
    /// The interval that holds the true share with 95 %.
    pub score_interval: (f64, f64),
    /// What it did wrong.
    pub errors: u64,
    /// Its mean time for a move that it was asked for, in milliseconds.
    pub mean_time_ms: f64,
    #[serde(skip)]
    sums: Sums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    rewards: f64,
    decided: u64,
    points: f64,
    squares: f64,
    time: f64,
    asked: u64,
}

impl Summary {
    /// Counts one match.
    pub fn add(&mut self, report: &GameReport) {
        self.games += 1;
        self.moves += report.moves.len() as u64;
        let rewards: Option<Vec<f64>> = report.rewards.iter().copied().collect();
        self.undecided += u64::from(rewards.is_none());
        self.roles.resize_with(report.players.len().max(self.roles.len()), RoleLine::default);
        for (line, &reward) in self.roles.iter_mut().zip(rewards.iter().flatten()) {
            line.count(reward);
        }
        for (seat, player) in report.players.iter().enumerate() {
            let line = self.line(player);
            line.seats += 1;
            let faults = report.errors.iter().filter(|error| error.seat == Some(seat));
            line.errors += faults.count() as u64;
            for &time in report.times_ms.iter().filter_map(|times| times.get(seat)) {
                line.sums.asked += u64::from(time > 0.0);
                line.sums.time += time;
            }
            if let Some(rewards) = &rewards {
                line.count(rewards, seat);
            }
            line.finish();
        }
    }

    fn line(&mut self, player: &str) -> &mut Line {
        let at = self.players.iter().position(|line| line.player == player);
        let at = at.unwrap_or_else(|| {
            self.players.push(Line { player: player.to_owned(), ..Line::default() });
            self.players.len() - 1
        });
        &mut self.players[at]
    }
}

impl Line {
    fn count(&mut self, rewards: &[f64], seat: usize) {
        let own = rewards[seat];
        let others = || rewards.iter().enumerate().filter(|&(other, _)| other != seat);
        if others().any(|(_, &reward)| reward > own) {
            self.losses += 1;
        } else if others().any(|(_, &reward)| reward >= own) {
            self.draws += 1;
        } else {
            self.wins += 1;
        }
        let points = |reward: f64| {
            if own > reward {
                1.0
            } else if own < reward {
                0.0
            } else {
                0.5
            }
        };
        let opponents = others().count();
        let points = match opponents {
            0 => 0.5,
            _ => others().map(|(_, &reward)| points(reward)).sum::<f64>() / opponents as f64,
        };
        self.sums.decided += 1;
        self.sums.rewards += own;
        self.sums.points += points;
        self.sums.squares += points * points;
    }

    fn finish(&mut self) {
        let Sums { rewards, decided, points, squares, time, asked } = self.sums;
        let n = decided.max(1) as f64;
        self.mean_reward = rewards / n;
        self.score = points / n;
        self.score_interval = interval(decided, points, squares);
        self.mean_time_ms = time / asked.max(1) as f64;
    }
}

/// The standard errors on each side within which 95 % lie.
const Z: f64 = 1.959_963_985;

/// The 95 % interval of a mean of numbers from 0 to 1, given how many they are, their sum and
/// the sum of their squares: E. Wilson's, with the variance that was seen in place of that of
/// wins and losses, so that draws make it narrower.
pub(crate) fn interval(count: u64, sum: f64, squares: f64) -> (f64, f64) {
    if count == 0 {
        return (0.0, 1.0);
    }
    let n = count as f64;
    let mean = sum / n;
    let binomial = mean * (1.0 - mean);
    let seen = (squares / n - mean * mean).max(0.0);
    // How many matches without draws would say as much.
    let n = if seen > 0.0 { n * (binomial / seen).max(1.0) } else { n };
    let z = Z * Z / n;
    let middle = (mean + z / 2.0) / (1.0 + z);
    let half = Z / (1.0 + z) * (binomial / n + z / (4.0 * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // 8 of 10, as tables have it: 0.490 to 0.943.
        let (low, high) = interval(10, 8.0, 8.0);
        assert!((low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001, "{low} {high}");
        let (low, high) = interval(10, 10.0, 10.0);
        assert!((low - 0.722).abs() < 0.001 && (high - 1.0).abs() < 0.001, "{low} {high}");
    }

    #[test]
    fn the_interval_of_a_mean_reward() {
        let mut line = RoleLine::default();
        line.count(100.0);
        assert_eq!(line.reward_interval, None);
        (1..100).for_each(|number| line.count(if number < 40 { 100.0 } else { 0.0 }));
        // The standard error is 100 * sqrt(0.4 * 0.6 / 99).
        let (low, high) = line.reward_interval.unwrap();
        assert!((line.mean_reward - 40.0).abs() < 1e-9);
        assert!((low - 30.35).abs() < 0.01 && (high - 49.65).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn draws_say_more_than_wins_and_losses() {
        let (low, high) = interval(10, 5.0, 3.0);
        let (wide_low, wide_high) = interval(10, 5.0, 5.0);
        assert!(low > wide_low && high < wide_high);
    }
}
