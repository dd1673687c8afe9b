//! Hand-written loops compiled for the instructions of this machine.

use crate::wires::each;

/// The abilities of a machine beyond plain Rust. Loops get one as a value, and the existence of the
/// value proves that the instructions are available.
pub trait Processor: Copy {
    /// 512 bits.
    type Row: Copy;

    /// The set bit of `word` that has `n` set bits below it, alone; zero if there is none.
    fn select(self, word: u64, n: u32) -> u64;

    /// Words as a row.
    fn row(self, words: [u64; 8]) -> Self::Row;

    /// A row as words.
    fn words(self, row: Self::Row) -> [u64; 8];

    /// Any function of three bits: bit `4a + 2b + c` of the table.
    fn table<const TABLE: i32>(self, a: Self::Row, b: Self::Row, c: Self::Row) -> Self::Row;

    /// The sums of words.
    fn add(self, a: Self::Row, b: Self::Row) -> Self::Row;

    /// Words, rotated to the left.
    fn rotate<const BY: i32>(self, a: Self::Row) -> Self::Row;

    /// Words, shifted to the left.
    fn shift<const BY: u32>(self, a: Self::Row) -> Self::Row;

    /// The number of set bits of each word.
    fn count(self, a: Self::Row) -> Self::Row;
}

/// A loop to run.
pub trait Work {
    /// Whether it works with rows. Compilers generate worse code for other loops if they may use
    /// 512-bit vectors.
    const ROWS: bool;

    /// Its result.
    type Output;

    /// Runs the loop. This should be `#[inline(always)]`, and so should everything it calls: only
    /// code that is inlined into one function is compiled for that function's instructions.
    fn run(self, machine: impl Processor) -> Self::Output;
}

/// Runs a loop that was compiled for the best instructions of this machine: AVX-512 as since Ice
/// Lake and Zen 4, AVX2 as since Haswell, or the baseline.
pub fn on_this_machine<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::wires::{Vectors, vectors};
        use x86::{Narrow, Wide};
        #[allow(unsafe_code, reason = "the instruction set was found on this machine")]
        match (vectors(), Narrow::find(), Wide::find()) {
            (Vectors::Avx512, _, Some(wide)) if W::ROWS => {
                // SAFETY: the value `wide` proves that the instructions are available.
                return unsafe { x86::avx512(work, wide) };
            }
            (Vectors::Avx512 | Vectors::Avx2, Some(narrow), _) => {
                // SAFETY: the value `narrow` proves that the instructions are available.
                return unsafe { x86::avx2(work, narrow) };
            }
            _ => {}
        }
    }
    work.run(Plain)
}

/// Plain Rust.
#[derive(Clone, Copy)]
struct Plain;

/// The part of [`Processor`] without special instructions.
macro_rules! plain_rows {
    () => {
        type Row = [u64; 8];

        #[inline(always)]
        fn row(self, words: [u64; 8]) -> [u64; 8] {
            words
        }

        #[inline(always)]
        fn words(self, row: [u64; 8]) -> [u64; 8] {
            row
        }

        #[inline(always)]
        fn table<const TABLE: i32>(self, a: [u64; 8], b: [u64; 8], c: [u64; 8]) -> [u64; 8] {
            each(|i| {
                let mut any = 0;
                for at in 0..8 {
                    let pick = |word: u64, bit: i32| if at & bit == 0 { !word } else { word };
                    if TABLE >> at & 1 == 1 {
                        any |= pick(a[i], 4) & pick(b[i], 2) & pick(c[i], 1);
                    }
                }
                any
            })
        }

        #[inline(always)]
        fn add(self, a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
            each(|i| a[i].wrapping_add(b[i]))
        }

        #[inline(always)]
        fn rotate<const BY: i32>(self, a: [u64; 8]) -> [u64; 8] {
            each(|i| a[i].rotate_left(BY as u32))
        }

        #[inline(always)]
        fn shift<const BY: u32>(self, a: [u64; 8]) -> [u64; 8] {
            each(|i| a[i] << BY)
        }

        #[inline(always)]
        fn count(self, a: [u64; 8]) -> [u64; 8] {
            each(|i| u64::from(a[i].count_ones()))
        }
    };
}

#[allow(clippy::inline_always, reason = "all of this is inlined into loops")]
impl Processor for Plain {
    plain_rows!();

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
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_rol_epi64,
        _mm512_slli_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _pdep_u64,
    };

    use super::{Processor, Work, each};

    /// AVX2 and the bit-manipulation instructions are available. Only `find` creates one.
    #[derive(Clone, Copy)]
    pub(super) struct Narrow(());

    impl Narrow {
        pub(super) fn find() -> Option<Self> {
            let found = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            found.then_some(Narrow(()))
        }
    }

    /// AVX-512 is available, too. Only `find` creates one.
    #[derive(Clone, Copy)]
    pub(super) struct Wide(Narrow);

    impl Wide {
        pub(super) fn find() -> Option<Self> {
            let found = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vpopcntdq");
            Narrow::find().filter(|_| found).map(Wide)
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2<W: Work>(work: W, narrow: Narrow) -> W::Output {
        work.run(narrow)
    }

    #[target_feature(
        enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
    )]
    pub(super) fn avx512<W: Work>(work: W, wide: Wide) -> W::Output {
        work.run(wide)
    }

    #[allow(unsafe_code, reason = "the instruction was found on this machine")]
    #[allow(clippy::inline_always, reason = "all of this is inlined into loops")]
    impl Processor for Narrow {
        plain_rows!();

        #[inline(always)]
        fn select(self, word: u64, n: u32) -> u64 {
            let bit = if n < 64 { 1 << n } else { 0 };
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _pdep_u64(bit, word) }
        }
    }

    #[allow(unsafe_code, reason = "the instructions were found on this machine")]
    #[allow(clippy::inline_always, reason = "all of this is inlined into loops")]
    impl Processor for Wide {
        type Row = __m512i;

        #[inline(always)]
        fn select(self, word: u64, n: u32) -> u64 {
            self.0.select(word, n)
        }

        #[inline(always)]
        fn row(self, words: [u64; 8]) -> __m512i {
            // SAFETY: `self` proves that the instruction is available; it reads eight words.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        }

        #[inline(always)]
        fn words(self, row: __m512i) -> [u64; 8] {
            let mut words = [0; 8];
            // SAFETY: `self` proves that the instruction is available; it writes eight words.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), row) };
            words
        }

        #[inline(always)]
        fn table<const TABLE: i32>(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _mm512_ternarylogic_epi64::<TABLE>(a, b, c) }
        }

        #[inline(always)]
        fn add(self, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _mm512_add_epi64(a, b) }
        }

        #[inline(always)]
        fn rotate<const BY: i32>(self, a: __m512i) -> __m512i {
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _mm512_rol_epi64::<BY>(a) }
        }

        #[inline(always)]
        fn shift<const BY: u32>(self, a: __m512i) -> __m512i {
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _mm512_slli_epi64::<BY>(a) }
        }

        #[inline(always)]
        fn count(self, a: __m512i) -> __m512i {
            // SAFETY: `self` proves that the instruction is available.
            unsafe { _mm512_popcnt_epi64(a) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All operations of a machine, on some words.
    #[derive(Clone)]
    struct All<const WIDE: bool>(Vec<u64>);

    impl<const WIDE: bool> Work for All<WIDE> {
        const ROWS: bool = WIDE;
        type Output = Vec<u64>;

        fn run(self, machine: impl Processor) -> Vec<u64> {
            let mut out = Vec::new();
            for (n, &word) in self.0.iter().enumerate() {
                out.push(machine.select(word, n as u32 % 70));
            }
            let rows: Vec<_> = self.0.as_chunks().0.iter().map(|&w| machine.row(w)).collect();
            for rows in rows.windows(3) {
                let [a, b, c] = [rows[0], rows[1], rows[2]];
                let found = [
                    machine.table::<0b1110_0010>(a, b, c),
                    machine.table::<0b0001_1001>(a, b, c),
                    machine.add(a, b),
                    machine.rotate::<24>(a),
                    machine.shift::<16>(a),
                    machine.count(a),
                ];
                out.extend(found.into_iter().flat_map(|row| machine.words(row)));
            }
            out
        }
    }

    #[test]
    fn machines_compute_the_same() {
        let mut words = vec![0, 0, u64::MAX, 1 << 63];
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        for n in 0..2000 {
            word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            words.push(word & word.rotate_left(n));
        }
        let expected = All::<false>(words.clone()).run(Plain);
        assert_eq!(on_this_machine(All::<false>(words.clone())), expected);
        assert_eq!(on_this_machine(All::<true>(words.clone())), expected);
        for (n, &word) in words.iter().enumerate() {
            let mut set = (0..64).filter(|bit| word >> bit & 1 == 1);
            let bit = set.nth(n % 70).map_or(0, |bit| 1 << bit);
            assert_eq!(expected[n], bit, "bit {} of {word:b}", n % 70);
        }
    }
}
