//! Seeds with one-way derivation, and the generator.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::hex;

/// A seed, from which all seeds of a match or an experiment are derived.
///
/// Deriving is one-way (SHA-256): an agent that sees its own seed must not be able to compute
/// the seed of chance or of another agent.
///
/// ```
/// use magister_core::Seed;
/// let seed = Seed::from(7);
/// assert_ne!(seed.derive("chance"), seed.derive("agent").derive_index(0));
/// assert_eq!(Seed::parse(&seed.to_string()), Some(seed));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// The seed of a named part.
    #[must_use]
    pub fn derive(&self, name: &str) -> Seed {
        self.child("name", name.as_bytes())
    }

    /// The seed of a numbered part.
    #[must_use]
    pub fn derive_index(&self, index: u64) -> Seed {
        self.child("index", &index.to_le_bytes())
    }

    /// A generator that starts from this seed.
    pub fn rng(&self) -> Rng {
        let Seed(bytes) = self.child("generator", &[]);
        let mut state = [0; 4];
        for (word, chunk) in state.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Rng { state }
    }

    /// Reads the 64 hexadecimal digits that `Display` writes.
    pub fn parse(text: &str) -> Option<Seed> {
        hex::decode(text).map(Seed)
    }

    /// The kind comes first and ends with a zero byte, which no kind contains, so different
    /// derivations never hash the same bytes.
    fn child(&self, kind: &str, part: &[u8]) -> Seed {
        let mut hash = Sha256::new();
        hash.update(b"magister seed ");
        hash.update(kind.as_bytes());
        hash.update([0]);
        hash.update(self.0);
        hash.update(part);
        Seed(hash.finalize().into())
    }
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        Seed([0; 32]).child("number", &number.to_le_bytes())
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

/// The generator xoshiro256++ of D. Blackman and S. Vigna: fast, and suitable for everything except
/// secrets.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A uniform number below `bound`: D. Lemire's multiplication, which draws again in the rare
    /// cases that would be biased. The bound must be positive.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A number from 0 up to but not including 1, in steps of 2⁻⁵³.
    pub fn f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Shuffles the items uniformly.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers for the state 1, 2, 3, 4, computed with the authors' program in C and also used
    /// by the crate `rand_xoshiro`.
    #[test]
    fn published_answers() {
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let expected = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
            14_011_001_112_246_962_877,
            12_406_186_145_184_390_807,
            15_849_039_046_786_891_736,
            10_450_023_813_501_588_000,
        ];
        assert_eq!(expected.map(|_| rng.next_u64()), expected);
    }

    /// Records store seeds, so derivations must never change.
    #[test]
    fn derivations_are_pinned() {
        let seed = Seed::from(1);
        assert_eq!(
            seed.to_string(),
            "b4a1335013afcd6eb634bbdba55e346be479daec58c2d268bb94c9d0584af14c"
        );
        assert_eq!(
            seed.derive("chance").to_string(),
            "42b0704537851d26394a1e48ab5933762eb59925653337886afac224c23db80a"
        );
        assert_eq!(
            seed.derive_index(1).to_string(),
            "62481fd891eab646f907e3582a88881468941ffddce83f8a822f54d44f19c32d"
        );
        assert_eq!(seed.rng().next_u64(), 11_107_274_729_489_806_117);
    }

    #[test]
    fn different_derivations_differ() {
        let seed = Seed::from(5);
        assert_ne!(seed.derive("a"), seed.derive("b"));
        assert_ne!(seed.derive(""), seed);
        assert_ne!(seed.derive_index(0), seed.derive_index(1));
        assert_ne!(seed.derive("\0\0\0\0\0\0\0\0"), seed.derive_index(0));
    }

    #[test]
    fn below_is_even_and_in_bounds() {
        let mut rng = Seed::from(2).rng();
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        // Five standard deviations of a binomial count.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 460), "{counts:?}");
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn a_bound_above_half_the_range_is_unbiased() {
        let bound = (1 << 63) + 1;
        let mut rng = Seed::from(3).rng();
        assert!((0..1000).all(|_| rng.below(bound) < bound));
    }

    #[test]
    fn fractions_and_shuffles() {
        let mut rng = Seed::from(4).rng();
        let mean = (0..10_000).map(|_| rng.f64()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
        let mut items: Vec<u32> = (0..20).collect();
        rng.shuffle(&mut items);
        assert_ne!(items, (0..20).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
