//! Tests whether counts differ by more than chance explains.

/// The p-value of Pearson's test of independence for the rows of a table; 1 if there is nothing to
/// compare. Columns with an expected count below five in some row are merged, because the test is
/// not valid for them.
pub(super) fn independence(table: &[Vec<u64>]) -> f64 {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let at = |row: usize, column: usize| table[row].get(column).copied().unwrap_or(0) as f64;
    let rows: Vec<f64> =
        (0..table.len()).map(|row| (0..columns).map(|column| at(row, column)).sum()).collect();
    let all: f64 = rows.iter().sum();
    let least = rows.iter().copied().filter(|&row| row > 0.0).fold(f64::INFINITY, f64::min);
    let (mut kept, mut rare) = (Vec::new(), vec![0.0; table.len()]);
    for column in 0..columns {
        let values: Vec<f64> = (0..table.len()).map(|row| at(row, column)).collect();
        let total: f64 = values.iter().sum();
        if total * least / all >= 5.0 {
            kept.push(values);
        } else {
            rare.iter_mut().zip(values).for_each(|(rare, value)| *rare += value);
        }
    }
    if rare.iter().sum::<f64>() * least / all >= 5.0 {
        kept.push(rare);
    }
    let live = rows.iter().filter(|&&row| row > 0.0).count();
    if live < 2 || kept.len() < 2 {
        return 1.0;
    }
    // Merged columns whose counts are still small are omitted.
    let sums: Vec<f64> =
        (0..table.len()).map(|row| kept.iter().map(|values| values[row]).sum()).collect();
    let all: f64 = sums.iter().sum();
    let mut chi = 0.0;
    for values in &kept {
        let total: f64 = values.iter().sum();
        for (value, sum) in values.iter().zip(&sums).filter(|(_, sum)| **sum > 0.0) {
            let expected = total * sum / all;
            chi += (value - expected).powi(2) / expected;
        }
    }
    above(chi, ((live - 1) * (kept.len() - 1)) as f64)
}

/// The probability that a chi-square variable with these degrees of freedom exceeds a value.
fn above(chi: f64, freedom: f64) -> f64 {
    upper_gamma(freedom / 2.0, chi / 2.0)
}

/// The number of standard errors that a normal variable exceeds with this probability.
pub(super) fn sigmas(chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle: f64 = f64::midpoint(low, high);
        if above(middle * middle, 1.0) / 2.0 > chance { low = middle } else { high = middle }
    }
    high
}

/// The upper regularised incomplete gamma function, by its series or its continued fraction,
/// whichever converges faster (Numerical Recipes, chapter 6).
#[expect(clippy::many_single_char_names, reason = "the names of the textbooks")]
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        for _ in 0..10_000 {
            n += 1.0;
            term *= x / n;
            sum += term;
            if term < sum * 1e-15 {
                break;
            }
        }
        return (1.0 - front * sum).max(0.0);
    }
    // Lentz's method for continued fractions.
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < tiny { tiny } else { d };
        c = b + an / c;
        c = if c.abs() < tiny { tiny } else { c };
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// The logarithm of the gamma function, by Lanczos' approximation.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.001_208_650_973_866_179,
        -0.000_005_395_239_384_953,
    ];
    let front = x + 5.5 - (x + 0.5) * (x + 5.5).ln();
    let series = TERMS
        .iter()
        .zip(1..)
        .fold(1.000_000_000_190_015, |sum, (term, n)| sum + term / (x + f64::from(n)));
    -front + (2.506_628_274_631_000_5 * series / x).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_chi_square() {
        // The critical values at 5 %, 1 % and 0.1 %, from standard tables.
        for (freedom, chi, p) in [
            (1.0, 3.841_459, 0.05),
            (1.0, 10.827_57, 0.001),
            (2.0, 9.210_34, 0.01),
            (5.0, 11.070_5, 0.05),
            (10.0, 29.588_3, 0.001),
            (100.0, 124.342, 0.05),
        ] {
            let found = above(chi, freedom);
            assert!((found / p - 1.0).abs() < 1e-4, "{freedom} {chi}: {found}");
        }
    }

    #[test]
    fn tables_of_the_normal_distribution() {
        for (chance, point) in [(0.05, 1.644_854), (0.001, 3.090_232), (2.866_516e-7, 5.0)] {
            assert!((sigmas(chance) - point).abs() < 1e-5, "{chance}: {}", sigmas(chance));
        }
    }

    #[test]
    fn equal_rows_are_equal_and_others_are_not() {
        assert!(independence(&[vec![500, 500], vec![510, 490]]) > 0.5);
        assert!(independence(&[vec![500, 500], vec![600, 400]]) < 1e-4);
        assert!(independence(&[vec![1000], vec![1000]]) >= 1.0);
        assert!(independence(&[vec![3, 0], vec![0, 3]]) >= 1.0, "too few counts");
        // Pearson's value without correction: 2 * 100 * (60 * 60 - 40 * 40)^2 / 100^4 = 8.
        assert!((independence(&[vec![60, 40], vec![40, 60]]) - above(8.0, 1.0)).abs() < 1e-12);
    }

    #[test]
    fn fair_counts_are_rarely_rejected() {
        let mut rng = magister_core::Seed::from(8).rng();
        let mut rejected = 0;
        for _ in 0..2000 {
            let mut table = vec![vec![0; 4]; 2];
            for row in &mut table {
                (0..200).for_each(|_| row[rng.below(4) as usize] += 1);
            }
            rejected += u32::from(independence(&table) < 0.05);
        }
        assert!((60..140).contains(&rejected), "{rejected}");
    }
}
