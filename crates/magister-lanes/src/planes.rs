//! Random planes: Philox4x32-10 of all streams at once.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::wires::{Vectors, vectors};
use crate::{Width, Wires, by_width};

/// The number of planes of a draw.
pub const BITS: usize = 40;

/// The parameters of the random numbers of all slots of 32 lanes.
#[derive(Clone, Debug)]
pub struct Planes {
    width: Width,
    /// The keys of the ten rounds.
    keys: [[u64; 2]; 10],
    /// The stream of each slot of 32 lanes, in two halves, and its first sweep. Two slots share a
    /// word; even and odd slots are stored separately, so that all operations are on vectors of
    /// words.
    stream_low: [[u64; 8]; 2],
    stream_high: [[u64; 8]; 2],
    since: [[u64; 8]; 2],
}

impl Planes {
    /// Planes for rows of a width. All slots play stream 0.
    pub fn new(width: Width, seed: u64) -> Self {
        let none = [[0; 8]; 2];
        Self { width, keys: keys(seed), stream_low: none, stream_high: none, since: none }
    }

    /// A slot plays a stream from this sweep on.
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn begin(&mut self, slot: usize, stream: u64, sweep: u64) {
        let (half, word) = (slot % 2, slot / 2);
        self.stream_low[half][word] = stream & LOW;
        self.stream_high[half][word] = stream >> 32;
        self.since[half][word] = sweep;
    }

    /// Writes some of the planes of a draw; the planes of a draw are in the rows from `first` on.
    /// The requested planes come in groups of four.
    ///
    /// # Panics
    /// If there are not enough rows or planes, or the width differs.
    pub fn fill(&self, wires: &mut Wires, first: u32, draw: u8, sweep: u64, which: Range<usize>) {
        assert!(first as usize + BITS <= wires.count(), "there must be rows for the planes");
        assert!(which.end <= BITS && wires.width() == self.width, "planes of a draw");
        let counter = Counter { first, draw, sweep };
        #[cfg(target_arch = "x86_64")]
        if self.width == Width::W512 && vectors() == Vectors::Avx512 {
            let rows = &mut wires.rows_mut::<8>()[first as usize..][which.clone()];
            #[allow(unsafe_code, reason = "the instruction set was found on this machine")]
            // SAFETY: `vectors` found these instructions.
            unsafe {
                wide::fill(self, rows, counter, which.start);
            }
            return;
        }
        by_width!(
            self.width,
            fill(self, wires, counter, which)
                where planes: &Planes, wires: &mut Wires, counter: Counter, which: Range<usize>
        );
    }

    /// The counters of the first block of even slots, and of odd ones. All are below 2^32.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "it must be compiled into each instruction set's function"
    )]
    fn counters<const N: usize>(&self, counter: Counter) -> [[[u64; N]; 4]; 2] {
        let mut counters = [[[0; N]; 4]; 2];
        for (half, [c0, c1, c2, c3]) in counters.iter_mut().enumerate() {
            for i in 0..N {
                let sweep = counter.sweep - self.since[half][i];
                c0[i] = sweep & LOW;
                c1[i] = (sweep >> 32 << 12 | u64::from(counter.draw) << 4) & LOW;
                c2[i] = self.stream_low[half][i];
                c3[i] = self.stream_high[half][i];
            }
        }
        counters
    }
}

/// The draw to make, and its target.
#[derive(Clone, Copy, Debug)]
struct Counter {
    first: u32,
    draw: u8,
    sweep: u64,
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn fill<const N: usize>(planes: &Planes, wires: &mut Wires, counter: Counter, which: Range<usize>) {
    let rows = &mut wires.rows_mut::<N>()[counter.first as usize..][which.clone()];
    let counters: [[[u64; N]; 4]; 2] = planes.counters(counter);
    for (at, out) in rows.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let block = (which.start / 4 + at) as u64;
        let [mut even, mut odd] = counters;
        for i in 0..N {
            even[1][i] |= block;
            odd[1][i] |= block;
        }
        let (even, odd) = (philox(even, &planes.keys), philox(odd, &planes.keys));
        for plane in 0..4 {
            for i in 0..N {
                out[plane][i] = even[plane][i] | odd[plane][i] << 32;
            }
        }
    }
}

const LOW: u64 = 0xffff_ffff;

/// The keys of the ten rounds.
fn keys(seed: u64) -> [[u64; 2]; 10] {
    std::array::from_fn(|round| {
        let key = |word: u64, step: u64| (word + round as u64 * step) & LOW;
        [key(seed & LOW, 0x9E37_79B9), key(seed >> 32, 0xBB67_AE85)]
    })
}

/// The multipliers of a round.
const FACTORS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// The four words of each counter. All values are below 2^32.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn philox<const N: usize>(counter: [[u64; N]; 4], keys: &[[u64; 2]; 10]) -> [[u64; N]; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    for &[k0, k1] in keys {
        for i in 0..N {
            let first = (c0[i] & LOW) * FACTORS[0];
            let second = (c2[i] & LOW) * FACTORS[1];
            c0[i] = second >> 32 ^ c1[i] ^ k0;
            c1[i] = second & LOW;
            c2[i] = first >> 32 ^ c3[i] ^ k1;
            c3[i] = first & LOW;
        }
    }
    [c0, c1, c2, c3]
}

/// The same for AVX-512, for which compilers would use full-width multiplication.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_mul_epu32, _mm512_or_si512, _mm512_set1_epi64, _mm512_slli_epi64,
        _mm512_srli_epi64, _mm512_sub_epi64, _mm512_ternarylogic_epi64,
    };

    use super::{Counter, FACTORS, LOW, Planes};

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn same(word: u64) -> __m512i {
        _mm512_set1_epi64(word.cast_signed())
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "vectors are to stay in registers")]
    #[allow(unsafe_code, reason = "words as a vector")]
    fn vector(words: [u64; 8]) -> __m512i {
        // SAFETY: both types have 512 bits, and all bit patterns are valid.
        unsafe { std::mem::transmute(words) }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "vectors are to stay in registers")]
    #[allow(unsafe_code, reason = "a vector as words")]
    fn words(vector: __m512i) -> [u64; 8] {
        // SAFETY: both types have 512 bits, and all bit patterns are valid.
        unsafe { std::mem::transmute(vector) }
    }

    /// Fills groups of four planes. Only the lower halves of words matter before the end.
    #[target_feature(enable = "avx512f")]
    pub(super) fn fill(planes: &Planes, rows: &mut [[u64; 8]], counter: Counter, from: usize) {
        let sweep = same(counter.sweep);
        let mut first = [[same(0); 4]; 2];
        for (half, [c0, c1, c2, c3]) in first.iter_mut().enumerate() {
            *c0 = _mm512_sub_epi64(sweep, vector(planes.since[half]));
            let high = _mm512_slli_epi64::<12>(_mm512_srli_epi64::<32>(*c0));
            *c1 = _mm512_or_si512(high, same(u64::from(counter.draw) << 4));
            *c2 = vector(planes.stream_low[half]);
            *c3 = vector(planes.stream_high[half]);
        }
        let (factor, other) = (same(FACTORS[0]), same(FACTORS[1]));
        for (at, out) in rows.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let block = same((from / 4 + at) as u64);
            let mut now = first;
            now[0][1] = _mm512_or_si512(now[0][1], block);
            now[1][1] = _mm512_or_si512(now[1][1], block);
            for &[k0, k1] in &planes.keys {
                let (k0, k1) = (same(k0), same(k1));
                for [c0, c1, c2, c3] in &mut now {
                    let one = _mm512_mul_epu32(*c0, factor);
                    let two = _mm512_mul_epu32(*c2, other);
                    let high = _mm512_srli_epi64::<32>(two);
                    *c0 = _mm512_ternarylogic_epi64::<0x96>(high, *c1, k0);
                    *c1 = two;
                    let high = _mm512_srli_epi64::<32>(one);
                    *c2 = _mm512_ternarylogic_epi64::<0x96>(high, *c3, k1);
                    *c3 = one;
                }
            }
            let low = same(LOW);
            for (plane, out) in out.iter_mut().enumerate() {
                let odd = _mm512_slli_epi64::<32>(now[1][plane]);
                // Even slots where `low` is set, odd ones elsewhere.
                *out = words(_mm512_ternarylogic_epi64::<0xca>(low, now[0][plane], odd));
            }
        }
    }
}

/// The width determines the number of slots.
impl Width {
    /// The number of slots of 32 lanes.
    pub const fn slots(self) -> usize {
        self.lanes() / 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_agree_with_the_contract() {
        assert_eq!(BITS, magister_core::playout::BITS);
        for &width in Width::ALL {
            let mut wires = Wires::new(width, BITS + 3);
            let seed = 0xfedc_ba98_7654_3210;
            let mut planes = Planes::new(width, seed);
            let slot = |n: u64| (n << 30 | 5, n.pow(7) * 0x1_2345_6789);
            let last = 1 << 62;
            for n in 0..width.slots() as u64 {
                let (stream, sweep) = slot(n);
                planes.begin(n as usize, stream, last - sweep);
            }
            planes.fill(&mut wires, 2, 3, last, 16..BITS);
            assert!((0..18).all(|row| wires.row(row).iter().all(|&word| word == 0)));
            planes.fill(&mut wires, 2, 3, last, 0..16);
            for at in 0..width.slots() {
                let (stream, sweep) = slot(at as u64);
                let expected = magister_core::playout::planes(seed, stream, sweep, 3);
                for (plane, &bits) in expected.iter().enumerate() {
                    let word = wires.row(2 + plane as u32)[at / 2];
                    assert_eq!((word >> (at % 2 * 32)) as u32, bits, "plane {plane} slot {at}");
                }
            }
        }
    }
}
