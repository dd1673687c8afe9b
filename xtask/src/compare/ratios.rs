//! Ratios of rates and their spread.

use std::fmt;

/// The results of one task.
pub(super) struct Row {
    pub(super) name: String,
    /// The median over the pairs.
    pub(super) ratio: f64,
    /// The quartiles.
    spread: (f64, f64),
    /// The 95 % confidence interval of the median.
    interval: (f64, f64),
    pairs: usize,
}

impl Row {
    /// The row of these ratios; `None` if there are none.
    pub(super) fn new(name: &str, ratios: &[f64]) -> Option<Self> {
        if ratios.is_empty() {
            return None;
        }
        let mut ratios = ratios.to_vec();
        ratios.sort_by(f64::total_cmp);
        let at = |share| quantile(&ratios, share);
        Some(Row {
            name: name.to_owned(),
            ratio: at(0.5),
            spread: (at(0.25), at(0.75)),
            interval: interval(&ratios),
            pairs: ratios.len(),
        })
    }

    /// Whether the median is known to be on one side of a bar.
    pub(super) fn decides(&self, bar: f64) -> bool {
        self.interval.0 >= bar || self.interval.1 < bar
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { name, ratio, spread: (low, high), interval: (least, most), pairs } = self;
        write!(
            f,
            "{name:36} {ratio:.3}  95 % {least:.3} to {most:.3}, half of {pairs} pairs {low:.3} to \
             {high:.3}"
        )
    }
}

/// A quantile of sorted numbers, by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] * (1.0 - part) + sorted[high] * part
}

/// The 95 % confidence interval of the median of sorted numbers. It assumes nothing about their
/// distribution: the number of those below the median is binomial.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let count = sorted.len();
    let mut cut = 0;
    let (mut probability, mut below) = (0.5f64.powi(count as i32), 0.0);
    while cut < count / 2 && below + probability <= 0.025 {
        below += probability;
        probability *= (count - cut) as f64 / (cut + 1) as f64;
        cut += 1;
    }
    // Without a cut, even the extremes are not 95 % certain.
    match cut {
        0 => (0.0, f64::INFINITY),
        _ => (sorted[cut - 1], sorted[count - cut]),
    }
}

/// The geometric mean.
pub(super) fn geometric_mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len() as f64;
    (ratios.map(f64::ln).sum::<f64>() / count).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_median_with_quartiles() {
        let row = Row::new("x", &[1.4, 1.0, 1.2, 1.1, 1.3]).unwrap();
        assert!((row.ratio - 1.2).abs() < 1e-9);
        assert!((row.spread.0 - 1.1).abs() < 1e-9 && (row.spread.1 - 1.3).abs() < 1e-9);
        assert!(Row::new("x", &[]).is_none());
        let two = Row::new("x", &[1.0, 2.0]).unwrap();
        assert!((two.ratio - 1.5).abs() < 1e-9);
    }

    #[test]
    fn intervals_of_the_median_are_binomial() {
        // Of ten numbers, the second smallest and second largest bound the median with 97.9 %.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(interval(&ten), (2.0, 9.0));
        assert_eq!(interval(&ten[..4]), (0.0, f64::INFINITY));
        let row = Row::new("x", &ten).unwrap();
        assert!(row.decides(1.5) && row.decides(9.5) && !row.decides(5.0));
    }

    #[test]
    fn halves_and_doubles_cancel() {
        assert!((geometric_mean([0.5, 2.0, 1.0].into_iter()) - 1.0).abs() < 1e-9);
    }
}
