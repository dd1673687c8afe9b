//! Bradley-Terry ratings from pairwise comparisons.

use serde::{Deserialize, Serialize};

/// The strength of a player on the Elo scale: 400 points are odds of ten to one. The mean of all
/// players is zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The player.
    pub player: String,
    /// The rating.
    pub elo: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// The number of comparisons.
    pub comparisons: f64,
    /// The share of comparisons won, with draws as halves; `None` without a comparison.
    pub score: Option<f64>,
}

/// How often each player beat each other; a draw counts half for both.
#[derive(Clone, Debug, Default)]
pub struct Comparisons {
    players: Vec<String>,
    /// `wins[a][b]`: how often a beat b.
    wins: Vec<Vec<f64>>,
}

/// A draw against a hypothetical player of mean strength keeps ratings finite.
const PRIOR: f64 = 1.0;

/// Elo points per unit of the logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

impl Comparisons {
    /// No comparisons yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The players, in order of first appearance.
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// How often one player beat another.
    pub fn wins(&self, one: usize, other: usize) -> f64 {
        self.wins[one][other]
    }

    fn number(&mut self, player: &str) -> usize {
        if let Some(at) = self.players.iter().position(|known| known == player) {
            return at;
        }
        self.players.push(player.to_owned());
        self.wins.iter_mut().for_each(|row| row.push(0.0));
        self.wins.push(vec![0.0; self.players.len()]);
        self.players.len() - 1
    }

    /// Adds a match by comparing all pairs of players. In a match of many players each pair weighs
    /// less, so that the weight of a match is proportional to its number of players.
    pub fn add(&mut self, players: &[String], rewards: &[f64]) {
        let numbers: Vec<usize> = players.iter().map(|player| self.number(player)).collect();
        let weight = 1.0 / players.len().saturating_sub(1).max(1) as f64;
        for (a, &one) in numbers.iter().enumerate() {
            for (b, &other) in numbers.iter().enumerate() {
                if one == other || a == b {
                    continue;
                }
                if rewards[a] > rewards[b] {
                    self.wins[one][other] += weight;
                } else if rewards[a] >= rewards[b] {
                    self.wins[one][other] += weight / 2.0;
                }
            }
        }
    }

    /// The ratings, best first: the Bradley-Terry maximum-likelihood estimate, with intervals from
    /// its curvature.
    pub fn ratings(&self) -> Vec<Rating> {
        let n = self.players.len();
        let mut strength = vec![0.0; n];
        let mut curvature = vec![vec![0.0; n]; n];
        // Newton's method; the likelihood is concave, so small steps suffice.
        for _ in 0..100 {
            let mut slope = vec![0.0; n];
            curvature.iter_mut().for_each(|row| row.fill(0.0));
            for a in 0..n {
                let p = logistic(strength[a]);
                slope[a] += PRIOR * (0.5 - p);
                curvature[a][a] += PRIOR * p * (1.0 - p);
                for b in 0..n {
                    let games = self.wins[a][b] + self.wins[b][a];
                    if a == b || games == 0.0 {
                        continue;
                    }
                    let p = logistic(strength[a] - strength[b]);
                    slope[a] += self.wins[a][b] - games * p;
                    curvature[a][a] += games * p * (1.0 - p);
                    curvature[a][b] -= games * p * (1.0 - p);
                }
            }
            let Some(inverse) = invert(&curvature) else { break };
            let mut change = 0.0_f64;
            for a in 0..n {
                let step: f64 = (0..n).map(|b| inverse[a][b] * slope[b]).sum();
                let step = step.clamp(-2.0, 2.0);
                strength[a] += step;
                change = change.max(step.abs());
            }
            if change < 1e-9 {
                break;
            }
        }
        let mean = strength.iter().sum::<f64>() / n.max(1) as f64;
        let inverse = invert(&curvature);
        // The interval is that of the distance from the mean, because a common shift of all ratings
        // is meaningless.
        let variance = |a: usize, inverse: &Vec<Vec<f64>>| {
            let count = n as f64;
            let all: f64 = inverse.iter().flatten().sum();
            let own: f64 = inverse[a].iter().sum();
            inverse[a][a] - 2.0 * own / count + all / (count * count)
        };
        let mut ratings: Vec<Rating> = (0..n)
            .map(|a| {
                let comparisons: f64 = (0..n).map(|b| self.wins[a][b] + self.wins[b][a]).sum();
                let won: f64 = self.wins[a].iter().sum();
                let elo = ELO * (strength[a] - mean);
                let variance =
                    inverse.as_ref().map_or(f64::INFINITY, |inverse| variance(a, inverse));
                let half = 1.959_963_985 * ELO * variance.max(0.0).sqrt();
                Rating {
                    player: self.players[a].clone(),
                    elo,
                    interval: (elo - half, elo + half),
                    comparisons,
                    score: (comparisons > 0.0).then(|| won / comparisons),
                }
            })
            .collect();
        ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo).then_with(|| a.player.cmp(&b.player)));
        ratings
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The inverse of a matrix by Gauss-Jordan elimination; `None` if it is singular.
fn invert(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let unit = (0..n).map(|column| f64::from(u8::from(column == at)));
            row.iter().copied().chain(unit).collect()
        })
        .collect();
    for column in 0..n {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(&pivot) < 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        let factor = rows[column][column];
        rows[column].iter_mut().for_each(|x| *x /= factor);
        let own = rows[column].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if at != column && factor != 0.0 {
                row.iter_mut().zip(&own).for_each(|(x, own)| *x -= factor * own);
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(results: &[(&str, &str, f64, u32)]) -> Vec<Rating> {
        let mut comparisons = Comparisons::new();
        for &(one, other, score, times) in results {
            for number in 0..times {
                let won = f64::from(number) < score * f64::from(times);
                let rewards = if won { [1.0, 0.0] } else { [0.0, 1.0] };
                comparisons.add(&[one.to_owned(), other.to_owned()], &rewards);
            }
        }
        comparisons.ratings()
    }

    #[test]
    fn three_quarters_are_190_points() {
        let ratings = played(&[("a", "b", 0.75, 4000)]);
        let gap = ratings[0].elo - ratings[1].elo;
        assert_eq!(ratings[0].player, "a");
        assert!((gap - 190.8).abs() < 1.0, "{gap}");
        let (low, high) = ratings[0].interval;
        assert!(low < 95.4 && 95.4 < high && high - low < 20.0, "{low} {high}");
    }

    #[test]
    fn ratings_are_transitive() {
        // c never met a, but b beat c as often as a beat b.
        let ratings = played(&[("a", "b", 0.75, 400), ("b", "c", 0.75, 400)]);
        let names: Vec<&str> = ratings.iter().map(|rating| rating.player.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert!((ratings[0].elo - ratings[2].elo - 381.0).abs() < 6.0);
    }

    #[test]
    fn an_unbeaten_player_has_a_finite_rating() {
        let ratings = played(&[("a", "b", 1.0, 20)]);
        assert!(ratings[0].elo.is_finite() && ratings[0].elo > 150.0);
    }

    #[test]
    fn a_match_of_three_is_three_comparisons_of_half_weight() {
        let mut comparisons = Comparisons::new();
        let names = ["a", "b", "c"].map(str::to_owned);
        comparisons.add(&names, &[1.0, 0.0, 0.0]);
        assert!((comparisons.wins(0, 1) - 0.5).abs() < 1e-9);
        assert!((comparisons.wins(1, 2) - 0.25).abs() < 1e-9);
    }
}
