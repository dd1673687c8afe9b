//! Fractions whose denominators are powers of two.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A fraction whose denominator is a power of two, in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dyadic {
    numerator: i64,
    /// The exponent of the denominator.
    exponent: u32,
}

impl Dyadic {
    /// Zero.
    pub const ZERO: Dyadic = Dyadic { numerator: 0, exponent: 0 };

    /// An integer.
    pub fn whole(value: i64) -> Self {
        Dyadic { numerator: value, exponent: 0 }
    }

    /// `numerator` divided by two to the power of `exponent`.
    pub fn new(numerator: i64, exponent: u32) -> Self {
        let mut value = Dyadic { numerator, exponent };
        if numerator == 0 {
            return Dyadic::ZERO;
        }
        while value.exponent > 0 && value.numerator % 2 == 0 {
            value.numerator /= 2;
            value.exponent -= 1;
        }
        value
    }

    /// Half of it.
    #[must_use]
    pub fn half(self) -> Self {
        Dyadic::new(self.numerator, self.exponent + 1)
    }

    /// Its numerator in lowest terms.
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The exponent of its denominator in lowest terms.
    pub fn exponent(self) -> u32 {
        self.exponent
    }

    /// Whether it is an integer.
    pub fn is_whole(self) -> bool {
        self.exponent == 0
    }

    /// The numerators of two values over their common denominator.
    fn common(self, other: Self) -> (i128, i128, u32) {
        let exponent = self.exponent.max(other.exponent);
        let lift = |value: Dyadic| i128::from(value.numerator) << (exponent - value.exponent);
        (lift(self), lift(other), exponent)
    }
}

/// Numerators of games that fit into memory are small, because the birthday of a form bounds them.
fn narrow(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

impl Add for Dyadic {
    type Output = Dyadic;

    fn add(self, other: Self) -> Self {
        let (a, b, exponent) = self.common(other);
        Dyadic::new(narrow(a + b), exponent)
    }
}

impl Neg for Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Self {
        Dyadic { numerator: -self.numerator, exponent: self.exponent }
    }
}

impl Sub for Dyadic {
    type Output = Dyadic;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.common(*other);
        a.cmp(&b)
    }
}

impl fmt::Display for Dyadic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent {
            0 => write!(f, "{}", self.numerator),
            exponent => write!(f, "{}/{}", self.numerator, 1u64 << exponent.min(63)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms() {
        let half = Dyadic::new(2, 2);
        assert_eq!(half, Dyadic::new(1, 1));
        assert_eq!(half + half, Dyadic::whole(1));
        assert_eq!((half - Dyadic::whole(1)).to_string(), "-1/2");
        assert!(Dyadic::new(-3, 2) < -half);
        assert_eq!(Dyadic::whole(5).half().half().to_string(), "5/4");
    }
}
