//! Random planes: Philox4x32-10 of all streams at once.

use crate::{Width, Wires, by_width};

/// The planes of a draw.
pub const BITS: usize = 40;

/// What the random numbers of 32 lanes depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slot {
    /// The stream that they play.
    pub stream: u64,
    /// The sweep that the stream has come to.
    pub sweep: u64,
}

/// Writes the planes of a draw into the rows from `first` on, for slots of 32 lanes each.
///
/// # Panics
/// If there are not as many rows, or not as many slots as 32 lanes fit.
pub fn planes(wires: &mut Wires, first: u32, seed: u64, draw: u8, slots: &[Slot]) {
    assert!(first as usize + BITS <= wires.count(), "there must be rows for the planes");
    assert_eq!(slots.len() * 32, wires.width().lanes(), "one slot for every 32 lanes");
    by_width!(
        wires.width(),
        fill(wires, first, seed, draw, slots)
            where wires: &mut Wires, first: u32, seed: u64, draw: u8, slots: &[Slot]
    );
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn fill<const N: usize>(wires: &mut Wires, first: u32, seed: u64, draw: u8, slots: &[Slot]) {
    let rows = &mut wires.rows_mut::<N>()[first as usize..][..BITS];
    let slots = &slots[..2 * N];
    // Two slots share a word; even and odd ones are computed apart, so that all of it stays in
    // vectors of words.
    let mut sweep_low = [[0u64; N]; 2];
    let mut sweep_high = [[0u64; N]; 2];
    let mut stream_low = [[0u64; N]; 2];
    let mut stream_high = [[0u64; N]; 2];
    for word in 0..N {
        for half in 0..2 {
            let slot = slots[2 * word + half];
            sweep_low[half][word] = slot.sweep & LOW;
            sweep_high[half][word] = (slot.sweep >> 32 << 12 | u64::from(draw) << 4) & LOW;
            stream_low[half][word] = slot.stream & LOW;
            stream_high[half][word] = slot.stream >> 32;
        }
    }
    for block in 0..BITS / 4 {
        let mut high = sweep_high;
        for i in 0..N {
            high[0][i] |= block as u64;
            high[1][i] |= block as u64;
        }
        let even = philox([sweep_low[0], high[0], stream_low[0], stream_high[0]], seed);
        let odd = philox([sweep_low[1], high[1], stream_low[1], stream_high[1]], seed);
        let Some(out) = rows[4 * block..].first_chunk_mut::<4>() else { return };
        for plane in 0..4 {
            for i in 0..N {
                out[plane][i] = even[plane][i] | odd[plane][i] << 32;
            }
        }
    }
}

const LOW: u64 = 0xffff_ffff;

/// The four words of each counter. All values are below 2^32.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
fn philox<const N: usize>(counter: [[u64; N]; 4], seed: u64) -> [[u64; N]; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let (mut k0, mut k1) = (seed & LOW, seed >> 32);
    for _ in 0..10 {
        for i in 0..N {
            let first = c0[i] * 0xD251_1F53;
            let second = c2[i] * 0xCD9E_8D57;
            c0[i] = second >> 32 ^ c1[i] ^ k0;
            c1[i] = second & LOW;
            c2[i] = first >> 32 ^ c3[i] ^ k1;
            c3[i] = first & LOW;
        }
        k0 = (k0 + 0x9E37_79B9) & LOW;
        k1 = (k1 + 0xBB67_AE85) & LOW;
    }
    [c0, c1, c2, c3]
}

/// The width decides how many slots there are.
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
    fn planes_are_those_of_the_contract() {
        assert_eq!(BITS, magister_core::playout::BITS);
        for &width in Width::ALL {
            let mut wires = Wires::new(width, BITS + 3);
            let slots: Vec<Slot> = (0..width.slots() as u64)
                .map(|n| Slot { stream: n << 30 | 5, sweep: n.pow(7) * 0x1_2345_6789 })
                .collect();
            let seed = 0xfedc_ba98_7654_3210;
            planes(&mut wires, 2, seed, 3, &slots);
            for (at, slot) in slots.iter().enumerate() {
                let expected = magister_core::playout::planes(seed, slot.stream, slot.sweep, 3);
                for (plane, &bits) in expected.iter().enumerate() {
                    let word = wires.row(2 + plane as u32)[at / 2];
                    assert_eq!((word >> (at % 2 * 32)) as u32, bits, "plane {plane} slot {at}");
                }
            }
        }
    }
}
