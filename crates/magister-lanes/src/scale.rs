//! The random choice: `floor(U * c / 2^40)` in every lane.

use crate::planes::BITS;
use crate::wires::each;
use crate::{Wires, by_width};

/// The maximum number of digits of a count: those of a total weight.
const DIGITS: usize = 32;

/// The number of upper planes that suffice for a count with this many digits, except in a few
/// percent of the sweeps: the probability that lower planes matter in a lane is at most 2^-14.
pub fn planes_for(digits: usize) -> usize {
    (digits + 14).next_multiple_of(4).min(BITS)
}

/// For each lane, with `U` in the 40 rows from `random` on and a count `c` in the given rows,
/// lowest digit first, writes the digits of `floor(U * c / 2^40)` into the rows from `out` on. Uses
/// only the upper planes of `U`, from `from` on. Returns whether that was enough: if not, the other
/// planes could matter in some lane.
///
/// # Panics
/// If a row does not exist, or the count has more than 32 digits.
pub fn scale(wires: &mut Wires, random: u32, from: usize, count: &[u32], out: u32) -> bool {
    let most = count.iter().copied().max().unwrap_or(0);
    let end = (out as usize + count.len()).max(random as usize + BITS).max(most as usize + 1);
    assert!(end <= wires.count() && count.len() <= DIGITS, "rows for a choice");
    let mut enough = true;
    by_width!(
        wires.width(),
        choose(wires, random, from, count, out, &mut enough)
            where wires: &mut Wires, random: u32, from: usize, count: &[u32], out: u32,
                enough: &mut bool
    );
    enough
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn choose<const N: usize>(
    wires: &mut Wires,
    random: u32,
    from: usize,
    count: &[u32],
    out: u32,
    enough: &mut bool,
) {
    // Each number of digits has its own code, so that all digits stay in registers.
    macro_rules! by_digits {
        ($($digits:literal)*) => {
            match count.len() {
                0 => true,
                $($digits => digits::<N, $digits>(wires, random, from, count, out),)*
                13..=20 => digits::<N, 20>(wires, random, from, count, out),
                _ => digits::<N, DIGITS>(wires, random, from, count, out),
            }
        };
    }
    *enough = by_digits!(1 2 3 4 5 6 7 8 9 10 11 12);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn digits<const N: usize, const K: usize>(
    wires: &mut Wires,
    random: u32,
    from: usize,
    count: &[u32],
    out: u32,
) -> bool {
    let rows = wires.rows_mut::<N>();
    let mut c = [[0u64; N]; K];
    for (digit, &row) in c.iter_mut().zip(count) {
        *digit = rows[row as usize];
    }
    // For each digit of U, lowest first: add c if the digit is 1, and halve. Digits that halving
    // removes cannot matter later, because everything added later is larger.
    let mut sum = [[0u64; N]; K];
    // The planes below add less than c. They carry into the result only if all removed digits are
    // ones, except for the lowest digits that c itself reaches.
    let mut ones = [if from == 0 { 0 } else { !0u64 }; N];
    for (at, &u) in rows[random as usize + from..random as usize + BITS].iter().enumerate() {
        let mut carry = [0u64; N];
        let reached = if at < count.len() { !0 } else { 0 };
        for digit in 0..K {
            let (one, two, all) = (sum[digit], carry, ones);
            let part: [u64; N] = each(|i| c[digit][i] & u[i]);
            let total: [u64; N] = each(|i| one[i] ^ part[i] ^ two[i]);
            carry = each(|i| (one[i] & part[i]) | (two[i] & (one[i] | part[i])));
            if digit > 0 {
                sum[digit - 1] = total;
            } else {
                ones = each(|i| all[i] & (total[i] | reached));
            }
        }
        sum[K - 1] = carry;
    }
    for (at, digit) in sum.iter().enumerate().take(count.len()) {
        rows[out as usize + at] = *digit;
    }
    ones.iter().fold(0, |any, word| any | word) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Planes, Width};

    #[test]
    fn choices_agree_with_the_contract() {
        for &width in Width::ALL {
            for digits in [1u32, 3, 8, 13, 27] {
                let mut wires = Wires::new(width, 120);
                let mut planes = Planes::new(width, 11);
                (0..width.slots()).for_each(|n| planes.begin(n, n as u64, 0));
                let count = |lane: usize| (lane * 0x0123_4567 * 37 + 1) % (1 << digits);
                for lane in 0..width.lanes() {
                    for digit in 0..digits {
                        let bit = (count(lane) >> digit & 1) as u64;
                        wires.row_mut(digit)[lane / 64] |= bit << (lane % 64);
                    }
                }
                let rows: Vec<u32> = (0..digits).collect();
                let mut never = true;
                // So few planes that they often do not suffice; the normal number; and all of them.
                let few = (0..40).map(|sweep| (sweep, 16));
                for (sweep, upper) in few.chain([(7, planes_for(rows.len())), (8, BITS)]) {
                    planes.fill(&mut wires, 60, 0, sweep, BITS - upper..BITS);
                    if !scale(&mut wires, 60, BITS - upper, &rows, 30) {
                        never = false;
                        planes.fill(&mut wires, 60, 0, sweep, 0..BITS - upper);
                        assert!(scale(&mut wires, 60, 0, &rows, 30));
                    }
                    for lane in 0..width.lanes() {
                        let numbers =
                            magister_core::playout::numbers(11, lane as u64 / 32, sweep, 0);
                        let expected =
                            magister_core::playout::pick(numbers[lane % 32], count(lane));
                        let found: usize = (0..digits)
                            .map(|d| (wires.row(30 + d)[lane / 64] >> (lane % 64) & 1) << d)
                            .sum::<u64>() as usize;
                        assert_eq!(found, expected, "lane {lane} of {width}, {digits} digits");
                    }
                }
                assert!(digits < 8 || !never, "planes that were not enough");
            }
        }
    }
}
