//! Whole loops compiled for the instructions of this machine, for who writes one by hand.

use crate::wires::{Vectors, vectors};

/// What a machine can do beyond plain Rust. Loops get one as a value, and that there is such a
/// value is the proof that the instructions are there.
pub trait Machine: Copy {
    /// The lowest set bit of `word` that has `n` set bits below it, alone; zero if there is none.
    fn select(self, word: u64, n: u32) -> u64;
}

/// A loop to run.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Runs it. This should be `#[inline(always)]`, as should be what it calls: only what becomes
    /// part of one function is compiled for that function's instructions.
    fn run(self, machine: impl Machine) -> Self::Output;
}

/// Runs a loop that was compiled for the best instructions that this machine has: AVX-512 as
/// since Ice Lake and Zen 4, AVX2 as since Haswell, or none in particular.
pub fn on_this_machine<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(bits) = x86::Bits::find() {
        #[allow(unsafe_code, reason = "the instruction set was found on this machine")]
        match vectors() {
            Vectors::Avx512 if is_x86_feature_detected!("avx512vpopcntdq") => {
                // SAFETY: these instructions were found, by `vectors`, here and by `find`.
                return unsafe { x86::avx512(work, bits) };
            }
            Vectors::Avx512 | Vectors::Avx2 => {
                // SAFETY: `vectors` and `find` found these instructions.
                return unsafe { x86::avx2(work, bits) };
            }
            Vectors::Portable => {}
        }
    }
    work.run(Plain)
}

/// Nothing but Rust.
#[derive(Clone, Copy)]
struct Plain;

impl Machine for Plain {
    #[inline]
    fn select(self, mut word: u64, n: u32) -> u64 {
        for _ in 0..n {
            word &= word.wrapping_sub(1);
        }
        word & word.wrapping_neg()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::_pdep_u64;

    use super::{Machine, Work};

    /// There are the instructions for single bits. Only [`Bits::find`] makes one.
    #[derive(Clone, Copy)]
    pub(super) struct Bits(());

    impl Bits {
        pub(super) fn find() -> Option<Self> {
            let found = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            found.then_some(Bits(()))
        }
    }

    impl Machine for Bits {
        #[inline(always)]
        #[allow(clippy::inline_always, reason = "it is one instruction")]
        #[allow(unsafe_code, reason = "the instruction was found on this machine")]
        fn select(self, word: u64, n: u32) -> u64 {
            // SAFETY: `Bits::find` found BMI2, or there would be no `self`.
            unsafe { _pdep_u64(1u64.wrapping_shl(n) & u64::from(n < 64).wrapping_neg(), word) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2<W: Work>(work: W, bits: Bits) -> W::Output {
        work.run(bits)
    }

    #[target_feature(
        enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
    pub(super) fn avx512<W: Work>(work: W, bits: Bits) -> W::Output {
        work.run(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct All(Vec<(u64, u32)>);

    impl Work for &All {
        type Output = Vec<u64>;

        fn run(self, machine: impl Machine) -> Vec<u64> {
            self.0.iter().map(|&(word, n)| machine.select(word, n)).collect()
        }
    }

    #[test]
    fn every_machine_selects_the_same_bit() {
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        let mut all = vec![(0, 0), (0, 5), (u64::MAX, 63), (u64::MAX, 64), (1 << 63, 0)];
        for round in 0..2000u32 {
            word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            all.push((word & word.rotate_left(round), round % 70));
        }
        let all = All(all);
        let expected: Vec<u64> = all
            .0
            .iter()
            .map(|&(word, n)| {
                let mut set = (0..64).filter(|bit| word >> bit & 1 == 1);
                set.nth(n as usize).map_or(0, |bit| 1 << bit)
            })
            .collect();
        assert_eq!(on_this_machine(&all), expected);
        assert_eq!(all.run(Plain), expected);
    }
}
