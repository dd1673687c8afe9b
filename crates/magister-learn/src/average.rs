//! The mean of the weights over the last part of a training run.
//!
//! In self-play both players change all the time, and the last weights are those of one moment. Their
//! mean is more stable: B. Polyak and A. Juditsky, "Acceleration of stochastic approximation by
//! averaging", 1992.

use crate::weights::Adaptive;

/// The share of the training between two samples of the weights.
const EVERY: f64 = 0.005;

/// The sum of some samples of the weights.
#[derive(Debug)]
pub(crate) struct Average {
    /// The share of the training after which the next sample is taken.
    next: f64,
    count: u32,
    sums: Vec<f32>,
}

impl Average {
    /// Averages over this share of the training, at its end.
    pub(crate) fn over(share: f32) -> Self {
        let next = if share > 0.0 { 1.0 - f64::from(share) } else { f64::INFINITY };
        Average { next, count: 0, sums: Vec::new() }
    }

    /// Takes a sample, if it is time, after a share of the training.
    pub(crate) fn note(&mut self, done: f64, weights: &Adaptive) {
        if done < self.next {
            return;
        }
        self.next = done + EVERY;
        self.count += 1;
        self.sums.resize(weights.len(), 0.0);
        self.sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += weights.get(at));
    }

    /// Replaces the weights by their mean, if there are samples.
    pub(crate) fn apply(&self, weights: &Adaptive) {
        for (at, sum) in self.sums.iter().enumerate() {
            weights.set(at, sum / self.count as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Steps;

    #[test]
    fn the_mean_is_that_of_the_last_part() {
        let weights = Adaptive::new(2, 1.0, Steps::Plain);
        let mut average = Average::over(0.5);
        for (done, value) in [(0.2, 9.0), (0.5, 2.0), (0.502, 7.0), (0.8, 4.0)] {
            weights.set(1, value);
            average.note(done, &weights);
        }
        average.apply(&weights);
        let means = || [weights.get(0), weights.get(1)].map(f32::to_bits);
        assert_eq!(means(), [1.0_f32, 3.0].map(f32::to_bits));
        let mut none = Average::over(0.0);
        none.note(1.0, &weights);
        none.apply(&weights);
        assert_eq!(means(), [1.0_f32, 3.0].map(f32::to_bits));
    }
}
