//! Weights that several threads may update, and step sizes that adapt to each weight.

use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers that several actors read and update without locks. Of two simultaneous updates one may
/// be lost, which learning tolerates; with one actor no update is lost, and results are
/// reproducible.
#[derive(Debug, Default)]
pub struct Weights(Vec<AtomicU32>);

impl Weights {
    /// `count` weights of this value.
    pub fn new(count: usize, value: f32) -> Self {
        let bits = value.to_bits();
        Weights((0..count).map(|_| AtomicU32::new(bits)).collect())
    }

    /// Weights of these values.
    pub fn from_values(values: &[f32]) -> Self {
        Weights(values.iter().map(|value| AtomicU32::new(value.to_bits())).collect())
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no weights.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A weight.
    #[inline]
    pub fn get(&self, at: usize) -> f32 {
        f32::from_bits(self.0[at].load(Ordering::Relaxed))
    }

    /// Changes a weight.
    #[inline]
    pub fn set(&self, at: usize, value: f32) {
        self.0[at].store(value.to_bits(), Ordering::Relaxed);
    }

    /// Adds to a weight.
    #[inline]
    pub fn add(&self, at: usize, value: f32) {
        self.set(at, self.get(at) + value);
    }

    /// All values.
    pub fn values(&self) -> Vec<f32> {
        self.0.iter().map(|bits| f32::from_bits(bits.load(Ordering::Relaxed))).collect()
    }
}

/// How the step size of each weight is determined.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// All weights make steps of the same size.
    Plain,
    /// Temporal coherence: a weight whose errors have one sign makes full steps; a weight whose
    /// errors cancel out makes small ones. D. Beal and M. Smith, 1999.
    Coherent,
}

/// Weights with the sums for temporal coherence.
#[derive(Debug)]
pub struct Adaptive {
    /// The weights.
    pub weights: Weights,
    /// For each weight, the sum of its errors and the sum of their absolute values; empty for plain
    /// steps.
    pub sums: Weights,
}

impl Adaptive {
    /// `count` weights of this value.
    pub fn new(count: usize, value: f32, steps: Steps) -> Self {
        let sums = match steps {
            Steps::Plain => 0,
            Steps::Coherent => 2 * count,
        };
        Adaptive { weights: Weights::new(count, value), sums: Weights::new(sums, 0.0) }
    }

    /// Changes a weight by `step`, scaled by its coherence.
    #[inline]
    pub fn learn(&self, at: usize, step: f32) {
        if self.sums.is_empty() {
            self.weights.add(at, step);
            return;
        }
        let (sum, size) = (self.sums.get(2 * at), self.sums.get(2 * at + 1));
        let coherence = if size > 0.0 { sum.abs() / size } else { 1.0 };
        self.weights.add(at, coherence * step);
        self.sums.set(2 * at, sum + step);
        self.sums.set(2 * at + 1, size + step.abs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_cancel_make_small_steps() {
        let weights = Adaptive::new(2, 0.0, Steps::Coherent);
        for _ in 0..10 {
            weights.learn(0, 0.1);
            weights.learn(1, 0.1);
            weights.learn(1, -0.1);
        }
        assert!((weights.weights.get(0) - 1.0).abs() < 1e-5);
        let before = weights.weights.get(1);
        weights.learn(1, 0.1);
        assert!((weights.weights.get(1) - before).abs() < 0.01);
        let plain = Adaptive::new(1, 0.5, Steps::Plain);
        plain.learn(0, 0.25);
        assert_eq!(plain.weights.get(0).to_bits(), 0.75_f32.to_bits());
    }
}
