//! The random choice: `floor(U * c / 2^40)` in every lane.

use crate::planes::BITS;
use crate::{Wires, by_width};

/// The most digits that a count can have.
const DIGITS: usize = 20;

/// For each lane, with `U` in the 40 rows from `random` on and a count `c` in the given rows, the
/// lowest digit first, writes the digits of `floor(U * c / 2^40)` into the rows from `out` on.
///
/// # Panics
/// If a row does not exist, or the count has more than 20 digits.
pub fn scale(wires: &mut Wires, random: u32, count: &[u32], out: u32) {
    let most = count.iter().copied().max().unwrap_or(0);
    let end = (out as usize + count.len()).max(random as usize + BITS).max(most as usize + 1);
    assert!(end <= wires.count() && count.len() <= DIGITS, "rows for a choice");
    by_width!(
        wires.width(),
        choose(wires, random, count, out)
            where wires: &mut Wires, random: u32, count: &[u32], out: u32
    );
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn choose<const N: usize>(wires: &mut Wires, random: u32, count: &[u32], out: u32) {
    // Each number of digits has its own code, so that all digits stay in registers.
    match count.len() {
        0 => {}
        1 => digits::<N, 1>(wires, random, count, out),
        2 => digits::<N, 2>(wires, random, count, out),
        3 => digits::<N, 3>(wires, random, count, out),
        4 => digits::<N, 4>(wires, random, count, out),
        5 => digits::<N, 5>(wires, random, count, out),
        6 => digits::<N, 6>(wires, random, count, out),
        7 => digits::<N, 7>(wires, random, count, out),
        8 => digits::<N, 8>(wires, random, count, out),
        9 => digits::<N, 9>(wires, random, count, out),
        10 => digits::<N, 10>(wires, random, count, out),
        11 => digits::<N, 11>(wires, random, count, out),
        12 => digits::<N, 12>(wires, random, count, out),
        _ => digits::<N, DIGITS>(wires, random, count, out),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn digits<const N: usize, const K: usize>(wires: &mut Wires, random: u32, count: &[u32], out: u32) {
    let rows = wires.rows_mut::<N>();
    let mut c = [[0u64; N]; K];
    for (digit, &row) in c.iter_mut().zip(count) {
        *digit = rows[row as usize];
    }
    // Digit by digit of U, the lowest first: add c where the digit is 1, and halve. What is cut
    // off in halving can not come back, because all that is added later is larger.
    let mut sum = [[0u64; N]; K];
    for plane in 0..BITS {
        let u = rows[random as usize + plane];
        let mut carry = [0u64; N];
        for digit in 0..K {
            for i in 0..N {
                let (a, b, before) = (sum[digit][i], c[digit][i] & u[i], carry[i]);
                let total = a ^ b ^ before;
                carry[i] = (a & b) | (before & (a | b));
                if digit > 0 {
                    sum[digit - 1][i] = total;
                }
            }
        }
        sum[K - 1] = carry;
    }
    for (at, digit) in sum.iter().enumerate().take(count.len()) {
        rows[out as usize + at] = *digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Slot, Width, planes};

    #[test]
    fn choices_are_those_of_the_contract() {
        for &width in Width::ALL {
            for digits in [1u32, 3, 8, 13] {
                let mut wires = Wires::new(width, 120);
                let slots: Vec<Slot> =
                    (0..width.slots() as u64).map(|n| Slot { stream: n, sweep: 7 }).collect();
                planes(&mut wires, 60, 11, 0, &slots);
                let count = |lane: usize| (lane * 37 + 1) % (1 << digits);
                for lane in 0..width.lanes() {
                    for digit in 0..digits {
                        let bit = (count(lane) >> digit & 1) as u64;
                        wires.row_mut(digit)[lane / 64] |= bit << (lane % 64);
                    }
                }
                let rows: Vec<u32> = (0..digits).collect();
                scale(&mut wires, 60, &rows, 30);
                for lane in 0..width.lanes() {
                    let slot = slots[lane / 32];
                    let numbers = magister_core::playout::numbers(11, slot.stream, slot.sweep, 0);
                    let expected = magister_core::playout::pick(numbers[lane % 32], count(lane));
                    let found: usize = (0..digits)
                        .map(|d| (wires.row(30 + d)[lane / 64] >> (lane % 64) & 1) << d)
                        .sum::<u64>() as usize;
                    assert_eq!(found, expected, "lane {lane} of {width}, {digits} digits");
                }
            }
        }
    }
}
