//! Hash keys of states.

/// A 128-bit hash of a state. States with the same key are treated as equal; at a million states
/// per second, this fails about once in ten trillion years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Key(pub u64, pub u64);

impl Key {
    /// The key of the words of a state.
    pub fn of(state: &[u64]) -> Self {
        let mut key = Key(0x9e37_79b9_7f4a_7c15 ^ state.len() as u64, 0xd1b5_4a32_d192_ed03);
        for &word in state {
            key.0 = fold(key.0 ^ word, 0xa076_1d64_78bd_642f);
            key.1 = fold(key.1 ^ word, 0xe703_7ed1_a0b4_28db);
        }
        Key(fold(key.0, 0x8ebc_6af0_9c88_c6e3), fold(key.1, 0x5899_65cc_7537_4cc3))
    }
}

/// Multiplies and adds the halves of the product, as in wyhash, with a rotation so that a zero does
/// not erase all differences.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(a.rotate_left(23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ() {
        let mut keys = Vec::new();
        for a in 0..40_u64 {
            for b in 0..40 {
                keys.push(Key::of(&[a, b]));
                keys.push(Key::of(&[1 << a, 1 << b, 0]));
            }
        }
        let all = keys.len();
        keys.sort_by_key(|key| (key.0, key.1));
        keys.dedup();
        assert_eq!(keys.len(), all);
        keys.sort_by_key(|key| key.0 & 0xffff_ffff);
        keys.dedup_by_key(|key| key.0 & 0xffff_ffff);
        assert_eq!(keys.len(), all, "the low bits alone should distinguish so few states");
    }
}
