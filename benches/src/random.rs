//! A small fast generator.

/// Wyrand: a counter and one wide multiplication for 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The next 64 bits.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of every loop")]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let wide = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        (wide >> 64) as u64 ^ wide as u64
    }

    /// A number below `count`, uniform up to a relative bias of `count / 2^64`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is part of every loop")]
    pub fn below(&mut self, count: u32) -> u32 {
        ((u128::from(self.word()) * u128::from(count)) >> 64) as u32
    }
}
