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
///
/// With them, each weight is followed by the sum of its errors and the sum of their absolute
/// values, so that learning touches only memory that was read to evaluate a position.
#[derive(Debug)]
pub struct Adaptive {
    numbers: Weights,
    /// The distance of two weights: 1 without sums, otherwise 3.
    stride: usize,
}

impl Adaptive {
    /// `count` weights of this value.
    pub fn new(count: usize, value: f32, steps: Steps) -> Self {
        let stride = match steps {
            Steps::Plain => 1,
            Steps::Coherent => 3,
        };
        let out = Adaptive { numbers: Weights::new(count * stride, 0.0), stride };
        if value != 0.0 {
            (0..count).for_each(|at| out.set(at, value));
        }
        out
    }

    /// Weights with these values and, if there are any, sums: two for each weight. `None` if the
    /// numbers do not fit.
    pub fn of(weights: &[f32], sums: Option<&[f32]>, steps: Steps) -> Option<Self> {
        let out = Adaptive::new(weights.len(), 0.0, steps);
        if sums.is_some_and(|sums| sums.len() != 2 * weights.len()) {
            return None;
        }
        for (at, &weight) in weights.iter().enumerate() {
            out.set(at, weight);
            if let (Some(sums), 3) = (sums, out.stride) {
                out.numbers.set(3 * at + 1, sums[2 * at]);
                out.numbers.set(3 * at + 2, sums[2 * at + 1]);
            }
        }
        Some(out)
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.numbers.len() / self.stride
    }

    /// Whether there are no weights.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// A weight.
    #[inline]
    pub fn get(&self, at: usize) -> f32 {
        self.numbers.get(at * self.stride)
    }

    /// Changes a weight.
    #[inline]
    pub fn set(&self, at: usize, value: f32) {
        self.numbers.set(at * self.stride, value);
    }

    /// Changes a weight by `step`, scaled by its coherence.
    #[inline]
    pub fn learn(&self, at: usize, step: f32) {
        let at = at * self.stride;
        if self.stride == 1 {
            self.numbers.add(at, step);
            return;
        }
        let (sum, size) = (self.numbers.get(at + 1), self.numbers.get(at + 2));
        let coherence = if size > 0.0 { sum.abs() / size } else { 1.0 };
        self.numbers.add(at, coherence * step);
        self.numbers.set(at + 1, sum + step);
        self.numbers.set(at + 2, size + step.abs());
    }

    /// All weights.
    pub fn values(&self) -> Vec<f32> {
        (0..self.len()).map(|at| self.get(at)).collect()
    }

    /// For each weight, the sum of its errors and the sum of their absolute values; `None` for
    /// plain steps.
    pub fn sums(&self) -> Option<Vec<f32>> {
        let sums = |at: usize| [3 * at + 1, 3 * at + 2].map(|place| self.numbers.get(place));
        (self.stride == 3).then(|| (0..self.len()).flat_map(sums).collect())
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
        assert!((weights.get(0) - 1.0).abs() < 1e-5);
        let before = weights.get(1);
        weights.learn(1, 0.1);
        assert!((weights.get(1) - before).abs() < 0.01);
        let plain = Adaptive::new(1, 0.5, Steps::Plain);
        plain.learn(0, 0.25);
        assert_eq!(plain.get(0).to_bits(), 0.75_f32.to_bits());
    }

    #[test]
    fn weights_and_sums_are_restored() {
        let weights = Adaptive::new(3, 0.5, Steps::Coherent);
        weights.learn(1, 0.25);
        weights.learn(1, -0.125);
        let (values, sums) = (weights.values(), weights.sums());
        assert_eq!(values.len(), 3);
        let again = Adaptive::of(&values, sums.as_deref(), Steps::Coherent).unwrap();
        assert_eq!((again.values(), again.sums()), (values.clone(), sums.clone()));
        assert!(Adaptive::of(&values, Some(&[0.0; 5]), Steps::Coherent).is_none());
        assert!(Adaptive::of(&values, None, Steps::Plain).unwrap().sums().is_none());
    }
}
