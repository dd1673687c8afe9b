//! Weights that several threads may update, and step sizes that adapt to each weight.

#![allow(clippy::inline_always, reason = "only inlined code is compiled for the instruction set")]

use std::sync::atomic::{AtomicU32, Ordering};

use magister_lanes::{large_pages, prefetch};

/// Numbers that several actors read and update without locks. Of two simultaneous updates one may
/// be lost, which learning tolerates; with one actor no update is lost, and results are
/// reproducible.
#[derive(Debug, Default)]
pub struct Weights(Vec<AtomicU32>);

impl Weights {
    /// `count` weights of this value.
    pub fn new(count: usize, value: f32) -> Self {
        let bits = value.to_bits();
        Weights(large((0..count).map(|_| AtomicU32::new(bits))))
    }

    /// Weights of these values.
    pub fn from_values(values: &[f32]) -> Self {
        Weights(large(values.iter().map(|value| AtomicU32::new(value.to_bits()))))
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
    /// The same with an exponential transfer function, so that a weight whose errors cancel out still
    /// learns: its step is [`LEAST`] of a full one. S. Bagheri, M. Thill, P. Koch, W. Konen, 2016.
    Exponential,
}

/// The exponent of the transfer function; the smallest step is about `exp(-BETA)` of a full one.
const BETA: f32 = 2.7;
/// The smallest step with the exponential transfer function.
pub const LEAST: f32 = 0.06;

/// About `exp(BETA * (coherence - 1))`, as a power that needs only products.
#[inline(always)]
fn transfer(coherence: f32) -> f32 {
    let mut power = 1.0 + BETA * (coherence - 1.0) / 32.0;
    for _ in 0..5 {
        power *= power;
    }
    power
}

/// Weights with the sums for temporal coherence.
///
/// The sums have a table of their own, because most weights are only read: sixteen weights share a
/// cache line then, and only the afterstate that is learned needs its sums.
#[derive(Debug)]
pub struct Adaptive {
    weights: Weights,
    sums: Option<Vec<Sums>>,
    exponential: bool,
}

/// The sum of the errors of a weight, and the sum of their absolute values.
#[derive(Debug)]
struct Sums([AtomicU32; 2]);

impl Sums {
    fn new(numbers: [f32; 2]) -> Self {
        Sums(numbers.map(|number| AtomicU32::new(number.to_bits())))
    }

    #[inline]
    fn get(&self) -> [f32; 2] {
        [0, 1].map(|which| f32::from_bits(self.0[which].load(Ordering::Relaxed)))
    }

    /// Adds an error and returns the coherence before.
    #[inline]
    fn add(&self, error: f32) -> f32 {
        let [sum, size] = self.get();
        self.0[0].store((sum + error).to_bits(), Ordering::Relaxed);
        self.0[1].store((size + error.abs()).to_bits(), Ordering::Relaxed);
        if size > 0.0 { sum.abs() / size } else { 1.0 }
    }
}

impl Adaptive {
    /// `count` weights of this value.
    pub fn new(count: usize, value: f32, steps: Steps) -> Self {
        let sums = || large((0..count).map(|_| Sums::new([0.0; 2])));
        Adaptive {
            weights: Weights::new(count, value),
            sums: (steps != Steps::Plain).then(sums),
            exponential: steps == Steps::Exponential,
        }
    }

    /// Weights with these values and, if there are any, sums: two for each weight. `None` if the
    /// numbers do not fit.
    pub fn of(weights: &[f32], sums: Option<&[f32]>, steps: Steps) -> Option<Self> {
        let Some(sums) = sums.filter(|_| steps != Steps::Plain) else {
            let out = Adaptive::new(weights.len(), 0.0, steps);
            return Some(Adaptive { weights: Weights::from_values(weights), ..out });
        };
        let (pairs, rest) = sums.as_chunks::<2>();
        (pairs.len() == weights.len() && rest.is_empty()).then(|| Adaptive {
            weights: Weights::from_values(weights),
            sums: Some(large(pairs.iter().map(|&pair| Sums::new(pair)))),
            exponential: steps == Steps::Exponential,
        })
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no weights.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// A weight.
    #[inline]
    pub fn get(&self, at: usize) -> f32 {
        self.weights.get(at)
    }

    /// Changes a weight.
    #[inline]
    pub fn set(&self, at: usize, value: f32) {
        self.weights.set(at, value);
    }

    /// The sum of some weights, in groups of eight. Each place of a group has a sum of its own, so
    /// that no addition waits for the one before; the order is the same on every machine.
    #[inline(always)]
    pub fn sum(&self, groups: &[[u32; 8]]) -> f32 {
        let mut sums = [0.0; 8];
        for group in groups {
            for (sum, &at) in sums.iter_mut().zip(group) {
                *sum += self.weights.get(at as usize);
            }
        }
        let half = |of: &[f32]| (of[0] + of[1]) + (of[2] + of[3]);
        half(&sums[..4]) + half(&sums[4..])
    }

    /// The sums of some weights in each of four lanes. Each lane has two sums in turn, so that fewer
    /// additions wait for the one before; the order is the same on every machine.
    #[inline(always)]
    pub fn sums_of(&self, places: &[[u64; 4]]) -> [f32; 4] {
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        let add = |sums: &mut [f32; 4], places: &[u64; 4]| {
            for (sum, &at) in sums.iter_mut().zip(places) {
                *sum += self.weights.get(at as usize);
            }
        };
        let (pairs, rest) = places.as_chunks::<2>();
        for [one, two] in pairs {
            add(&mut even, one);
            add(&mut odd, two);
        }
        rest.iter().for_each(|one| add(&mut even, one));
        even.iter_mut().zip(odd).for_each(|(sum, odd)| *sum += odd);
        even
    }

    /// Fetches weights that are going to be summed.
    #[inline(always)]
    pub fn fetch(&self, places: &[u64]) {
        let all = places.iter();
        all.filter_map(|&at| self.weights.0.get(at as usize)).for_each(prefetch);
    }

    /// Fetches the sums of weights that are going to be learned.
    #[inline(always)]
    pub fn fetch_sums(&self, groups: &[[u32; 8]]) {
        if let Some(sums) = &self.sums {
            groups.as_flattened().iter().filter_map(|&at| sums.get(at as usize)).for_each(prefetch);
        }
    }

    /// Changes a weight by `step`, scaled by its coherence.
    #[inline]
    pub fn learn(&self, at: usize, step: f32) {
        match &self.sums {
            None => self.weights.add(at, step),
            Some(sums) => {
                let coherence = sums[at].add(step);
                let rate = if self.exponential { transfer(coherence) } else { coherence };
                self.weights.add(at, rate * step);
            }
        }
    }

    /// Changes some weights by `step` each, scaled by their coherence.
    #[inline(always)]
    pub fn learn_all(&self, groups: &[[u32; 8]], step: f32) {
        let all = groups.as_flattened().iter().map(|&at| at as usize);
        match &self.sums {
            None => all.for_each(|at| self.weights.add(at, step)),
            Some(sums) if self.exponential => {
                all.for_each(|at| self.weights.add(at, transfer(sums[at].add(step)) * step));
            }
            Some(sums) => all.for_each(|at| self.weights.add(at, sums[at].add(step) * step)),
        }
    }

    /// All weights.
    pub fn values(&self) -> Vec<f32> {
        self.weights.values()
    }

    /// For each weight, the sum of its errors and the sum of their absolute values; `None` for
    /// plain steps.
    pub fn sums(&self) -> Option<Vec<f32>> {
        self.sums.as_ref().map(|sums| sums.iter().flat_map(Sums::get).collect())
    }
}

/// Collects numbers into memory with large pages. The tables of 2048 have hundreds of megabytes,
/// and with small pages most time would go into the translation of addresses.
fn large<T>(numbers: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut out = Vec::with_capacity(numbers.len());
    large_pages(out.spare_capacity_mut());
    out.extend(numbers);
    out
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
    fn the_exponential_transfer_keeps_learning() {
        for coherence in [0.0, 0.3, 0.5, 0.9, 1.0_f32] {
            let exact = (BETA * (coherence - 1.0)).exp();
            assert!((transfer(coherence) - exact).abs() < 0.02, "{coherence}");
        }
        assert!(transfer(0.0) > LEAST - 0.01 && transfer(1.0) > 0.99);
        let weights = Adaptive::new(1, 0.0, Steps::Exponential);
        for _ in 0..1000 {
            weights.learn(0, 0.1);
            weights.learn(0, -0.1);
        }
        let before = weights.get(0);
        weights.learn(0, 0.1);
        assert!(weights.get(0) - before > 0.1 * (LEAST - 0.01));
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
