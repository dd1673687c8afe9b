//! Welch's t-test: whether two samples with different variances have the same mean.

use crate::audit::ln_gamma;
use crate::experiment::Sample;

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// The difference of the means in standard errors; 0 if neither sample varies.
    pub t: f64,
    /// The degrees of freedom.
    pub freedom: f64,
    /// The probability of a difference of this size or more, in either direction, if the means are
    /// the same.
    pub p: f64,
}

impl Sample {
    /// Tests the difference between this sample and another.
    pub fn welch(&self, other: &Sample) -> Welch {
        let size = |sample: &Sample| sample.values.len().max(1) as f64;
        let square = |sample: &Sample| sample.variance() / size(sample);
        let (one, two) = (square(self), square(other));
        if one + two <= 0.0 {
            return Welch { t: 0.0, freedom: 1.0, p: 1.0 };
        }
        let part = |square: f64, sample: &Sample| square.powi(2) / (size(sample) - 1.0).max(1.0);
        let freedom = (one + two).powi(2) / (part(one, self) + part(two, other));
        let t = (self.mean() - other.mean()) / (one + two).sqrt();
        Welch { t, freedom, p: beyond(t, freedom) }
    }
}

/// The probability that Student's t is at least as far from zero as `t`.
fn beyond(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The continued fraction converges fast on one side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    // The fraction is evaluated from its end.
    let mut rest = 1.0;
    for step in (1..=STEPS).rev() {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd =
            -(a + m - 1.0) * (a + b + m - 1.0) * x / ((a + 2.0 * m - 2.0) * (a + 2.0 * m - 1.0));
        rest = 1.0 + odd / (1.0 + even / rest);
    }
    (front.exp() / a / rest).clamp(0.0, 1.0)
}

/// The terms of the continued fraction.
const STEPS: u32 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_student() {
        // The two-sided values of the usual tables.
        for (t, freedom, p) in [
            (12.706, 1.0, 0.05),
            (2.776, 4.0, 0.05),
            (3.169, 10.0, 0.01),
            (2.042, 30.0, 0.05),
            (1.984, 100.0, 0.05),
            (3.390, 100.0, 0.001),
        ] {
            let found = beyond(t, freedom);
            assert!((found / p - 1.0).abs() < 0.01, "{t} {freedom}: {found}");
            assert!((beyond(-t, freedom) - found).abs() < 1e-12);
        }
        assert!((beyond(0.0, 7.0) - 1.0).abs() < 1e-9);
        assert!(beyond(40.0, 150.0) < 1e-20);
    }

    #[test]
    fn two_small_samples() {
        let one = Sample { values: vec![2.0, 3.0, 4.0, 5.0] };
        let other = Sample { values: vec![1.0, 2.0, 3.0, 4.0] };
        let test = one.welch(&other);
        assert!((test.t - 1.0 / (5.0_f64 / 6.0).sqrt()).abs() < 1e-12);
        // Equal sizes and variances: the degrees of freedom of the plain test.
        assert!((test.freedom - 6.0).abs() < 1e-12);
        assert!((test.p - 0.315).abs() < 0.001, "{}", test.p);
        let same = Sample { values: vec![1.0; 3] };
        assert_eq!(same.welch(&same), Welch { t: 0.0, freedom: 1.0, p: 1.0 });
    }
}
