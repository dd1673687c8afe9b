//! The language's arithmetic of 32-bit integers.

use crate::ir::Arith;

/// The result, or `None` for a division by zero or a power with a negative exponent.
pub(crate) fn arith(op: Arith, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        Arith::Add => a.wrapping_add(b),
        Arith::Sub => a.wrapping_sub(b),
        Arith::Mul => a.wrapping_mul(b),
        Arith::Div | Arith::Rem if b == 0 => return None,
        Arith::Div => a.wrapping_div(b),
        Arith::Rem => a.wrapping_rem(b),
        Arith::Pow => a.wrapping_pow(u32::try_from(b).ok()?),
    })
}

/// The sum of the numbers up to `n`.
pub(crate) fn tri(n: i32) -> i32 {
    let n = i64::from(n);
    (n.wrapping_mul(n + 1) / 2) as i32
}

/// The Fibonacci number; 0 for negative `n`.
pub(crate) fn fib(n: i32) -> i32 {
    let (mut a, mut b) = (0i32, 1i32);
    // Beyond this the numbers overflow, and only their low bits are kept.
    for _ in 0..n.clamp(0, 1000) {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_truncates_towards_zero() {
        assert_eq!(arith(Arith::Div, -7, 2), Some(-3));
        assert_eq!(arith(Arith::Rem, -7, 2), Some(-1));
        assert_eq!(arith(Arith::Div, 7, 0), None);
        assert_eq!(arith(Arith::Div, i32::MIN, -1), Some(i32::MIN));
    }

    #[test]
    fn triangles_and_fibonacci() {
        assert_eq!([0, 1, 2, 3, 4].map(tri), [0, 1, 3, 6, 10]);
        assert_eq!([0, 1, 2, 3, 10].map(fib), [0, 1, 1, 2, 55]);
    }
}
