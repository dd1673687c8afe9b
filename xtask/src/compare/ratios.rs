//! Ratios of rates and their spread.

use std::fmt;

/// The results of one task.
pub(super) struct Row {
    pub(super) name: String,
    /// The median over the pairs.
    pub(super) ratio: f64,
    /// The quartiles.
    spread: (f64, f64),
}

impl Row {
    /// The row of these ratios; `None` if there are none.
    pub(super) fn new(name: String, mut ratios: Vec<f64>) -> Option<Self> {
        if ratios.is_empty() {
            return None;
        }
        ratios.sort_by(f64::total_cmp);
        let at = |share| quantile(&ratios, share);
        Some(Row { name, ratio: at(0.5), spread: (at(0.25), at(0.75)) })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { name, ratio, spread: (low, high) } = self;
        write!(f, "{name:40} {ratio:.3}  half of the pairs {low:.3} to {high:.3}")
    }
}

/// A quantile of sorted numbers, by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] * (1.0 - part) + sorted[high] * part
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
        let row = Row::new("x".to_owned(), vec![1.4, 1.0, 1.2, 1.1, 1.3]).unwrap();
        assert!((row.ratio - 1.2).abs() < 1e-9);
        assert!((row.spread.0 - 1.1).abs() < 1e-9 && (row.spread.1 - 1.3).abs() < 1e-9);
        assert!(Row::new("x".to_owned(), Vec::new()).is_none());
        let two = Row::new("x".to_owned(), vec![1.0, 2.0]).unwrap();
        assert!((two.ratio - 1.5).abs() < 1e-9);
    }

    #[test]
    fn halves_and_doubles_cancel() {
        assert!((geometric_mean([0.5, 2.0, 1.0].into_iter()) - 1.0).abs() < 1e-9);
    }
}
