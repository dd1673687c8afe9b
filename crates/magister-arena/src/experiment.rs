//! Experiments that compare players of different kinds in the same matches.

use std::ops::ControlFlow;
use std::sync::Arc;

use magister_core::{Fault, PlayerSource, Seed};

use crate::contest::Contest;
use crate::series::{Series, SeriesError, seatings};

/// Players in the same matches, with every seating equally often.
pub struct TableTrial {
    /// The game and its conditions.
    pub contest: Contest,
    /// A player for each seat.
    pub players: Vec<Arc<dyn PlayerSource>>,
    /// The number of matches, ideally a multiple of the number of seatings.
    pub games: u64,
    /// The seed.
    pub seed: Seed,
    /// The number of matches that run at the same time.
    pub jobs: usize,
    /// Whether every deal is played twice, with the first two players exchanged. The luck of the
    /// deal then cancels out in the difference of these two. The number of matches must be even.
    pub duplicate: bool,
}

impl std::fmt::Debug for TableTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let game = &self.contest.game.info().name;
        f.debug_struct("TableTrial")
            .field("game", game)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

/// A list of numbers with its mean and interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The numbers.
    pub values: Vec<f64>,
}

impl Sample {
    /// The mean; 0 for an empty sample.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / (self.values.len().max(1)) as f64
    }

    /// The sample variance, with one degree of freedom fewer than there are numbers.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let sum: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        sum / (self.values.len().max(2) - 1) as f64
    }

    /// Half the width of the 95 % confidence interval of the mean.
    pub fn margin(&self) -> f64 {
        1.96 * (self.variance() / (self.values.len().max(1)) as f64).sqrt()
    }

    /// The differences of the numbers of two samples, pair by pair; `None` if their sizes differ.
    pub fn minus(&self, other: &Sample) -> Option<Sample> {
        if self.values.len() != other.values.len() {
            return None;
        }
        let pairs = self.values.iter().zip(&other.values);
        Some(Sample { values: pairs.map(|(one, other)| one - other).collect() })
    }
}

/// The result of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableResult {
    /// The values of each player, in the order of the players, one for each finished match; or the
    /// mean of two matches for each deal that was played twice.
    pub samples: Vec<Sample>,
    /// The same for the scores.
    pub scores: Vec<Sample>,
    /// The number of matches without a result.
    pub unfinished: u64,
    /// The faults of players: illegal, late or missing moves.
    pub faults: Vec<Fault>,
}

impl TableResult {
    /// The differences between the values of two players, match by match or deal by deal.
    pub fn differences(&self, one: usize, other: usize) -> Sample {
        self.samples[one].minus(&self.samples[other]).unwrap_or_default()
    }

    /// The same for their scores.
    pub fn leads(&self, one: usize, other: usize) -> Sample {
        self.scores[one].minus(&self.scores[other]).unwrap_or_default()
    }
}

impl TableTrial {
    /// Plays all matches.
    pub fn run(
        &self,
        value: impl Fn(&[f64]) -> Vec<f64>,
        mut progress: impl FnMut(u64),
    ) -> Result<TableResult, SeriesError> {
        let seats = self.players.len();
        let orders = seatings(seats);
        let each = if self.duplicate { 2 } else { 1 };
        let order = |number: u64| {
            let mut order = orders[(number / each) as usize % orders.len()].clone();
            if number % each == 1 {
                // Players 0 and 1 exchange their seats.
                order.iter_mut().filter(|player| **player < 2).for_each(|player| *player ^= 1);
            }
            order
        };
        let empty = vec![Sample::default(); seats];
        let mut result =
            TableResult { samples: empty.clone(), scores: empty, ..TableResult::default() };
        let series = Series {
            contest: self.contest.clone(),
            players: self.players.clone(),
            games: self.games,
            seed: self.seed,
            jobs: self.jobs,
        };
        // The results of the matches of the current deal.
        let mut deal: Vec<(Vec<usize>, Vec<f64>)> = Vec::new();
        let plan = |number: u64| (order(number), self.seed.derive_index(number / each));
        series.play_as(plan, |number, record| {
            let rewards: Option<Vec<f64>> = record.rewards.iter().take(seats).copied().collect();
            let faults = record.errors.iter().filter(|error| error.seat.is_some());
            result.faults.extend(faults.cloned());
            match rewards.filter(|rewards| rewards.len() == seats) {
                Some(rewards) => deal.push((order(number), rewards)),
                None => result.unfinished += 1,
            }
            if (number + 1) % each == 0 {
                if deal.len() as u64 == each {
                    let values = |rewards: &[f64]| value(rewards);
                    add(&mut result.samples, &deal, values);
                    add(&mut result.scores, &deal, <[f64]>::to_vec);
                }
                deal.clear();
            }
            progress(number + 1);
            ControlFlow::Continue(())
        })?;
        Ok(result)
    }
}

/// Adds the mean over the matches of a deal to the sample of each player.
fn add(
    samples: &mut [Sample],
    deal: &[(Vec<usize>, Vec<f64>)],
    value: impl Fn(&[f64]) -> Vec<f64>,
) {
    let mut sums = vec![0.0; samples.len()];
    for (order, rewards) in deal {
        for (&player, value) in order.iter().zip(value(rewards)) {
            sums[player] += value / deal.len() as f64;
        }
    }
    samples.iter_mut().zip(sums).for_each(|(sample, sum)| sample.values.push(sum));
}

/// The value of each seat in Ludii's evaluation: 1 for the first rank, 0 for the last, ties share
/// the mean of their ranks. The values of all seats add up to half their number.
pub fn rank_values(rewards: &[f64]) -> Vec<f64> {
    let last = (rewards.len().max(2) - 1) as f64;
    let value = |own: &f64| {
        let better = rewards.iter().filter(|other| *other > own).count() as f64;
        let equal = rewards.iter().filter(|other| other.total_cmp(own).is_eq()).count() as f64;
        let rank = 1.0 + better + (equal - 1.0) / 2.0;
        (rewards.len() as f64 - rank) / last
    };
    rewards.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_add_up_to_half_the_seats() {
        assert_eq!(rank_values(&[3.0, 1.0, 2.0]), [1.0, 0.0, 0.5]);
        for rewards in [&[5.0, 5.0, 5.0, 0.0][..], &[1.0, 2.0, 2.0, 7.0], &[0.0, 0.0]] {
            let sum: f64 = rank_values(rewards).iter().sum();
            assert!((sum - rewards.len() as f64 / 2.0).abs() < 1e-12, "{rewards:?}");
        }
        // Three survivors and one loser, as in Ninety-Eight.
        let values = rank_values(&[0.0, 0.0, 0.0, -1.0]);
        assert!((values[0] - 2.0 / 3.0).abs() < 1e-12 && values[3].abs() < 1e-12);
    }

    #[test]
    fn means_and_margins() {
        let sample = Sample { values: vec![1.0, 2.0, 3.0, 4.0] };
        let mut samples = vec![Sample::default(); 2];
        let deal = [(vec![0, 1], vec![7.0, 1.0]), (vec![1, 0], vec![6.0, 2.0])];
        add(&mut samples, &deal, <[f64]>::to_vec);
        assert_eq!((samples[0].mean(), samples[1].mean()), (4.5, 3.5));
        assert!((sample.mean() - 2.5).abs() < 1e-12);
        assert!((sample.variance() - 5.0 / 3.0).abs() < 1e-12);
        let other = Sample { values: vec![2.0, 3.0, 4.0, 5.0] };
        assert_eq!(other.minus(&sample), Some(Sample { values: vec![1.0; 4] }));
        assert_eq!(other.minus(&Sample::default()), None);
    }
}
