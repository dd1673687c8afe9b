//! Rows of bits, one row for every wire.

use std::fmt;

/// The number of lanes: the bits of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// One machine word.
    W64,
    /// The smallest vector.
    W128,
    /// A vector of AVX2.
    W256,
    /// A vector of AVX-512.
    W512,
}

impl Width {
    /// All widths; every machine can run every one.
    pub const ALL: &[Width] = &[Width::W64, Width::W128, Width::W256, Width::W512];

    /// The number of 64-bit words of a row.
    #[inline]
    pub const fn words(self) -> usize {
        match self {
            Width::W64 => 1,
            Width::W128 => 2,
            Width::W256 => 4,
            Width::W512 => 8,
        }
    }

    /// The number of lanes.
    pub const fn lanes(self) -> usize {
        self.words() * 64
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.lanes())
    }
}

/// The vector instructions of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vectors {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Avx512,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Avx2,
    Portable,
}

/// The instructions of the machine. `MAGISTER_VECTORS=portable` or `avx2` restricts them, for
/// comparison.
pub(crate) fn vectors() -> Vectors {
    use std::sync::OnceLock;
    static FOUND: OnceLock<Vectors> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let most = std::env::var("MAGISTER_VECTORS").unwrap_or_default();
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            if avx512 && avx2 && most != "avx2" && most != "portable" {
                return Vectors::Avx512;
            }
            if avx2 && most != "portable" {
                return Vectors::Avx2;
            }
        }
        let _ = most;
        Vectors::Portable
    })
}

/// A row, word by word. Kernels that write whole rows reliably become vector instructions.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled into each instruction set's function")]
pub(crate) fn each<const N: usize>(word: impl Fn(usize) -> u64) -> [u64; N] {
    let mut row = [0; N];
    for (at, place) in row.iter_mut().enumerate() {
        *place = word(at);
    }
    row
}

/// Eight words, aligned like the widest vector.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Block([u64; 8]);

/// Rows of bits: lane `l` is bit `l % 64` of word `l / 64`.
#[derive(Clone)]
pub struct Wires {
    width: Width,
    count: usize,
    blocks: Vec<Block>,
}

impl Wires {
    /// A number of rows, all zero.
    pub fn new(width: Width, count: usize) -> Self {
        let blocks = (count * width.words()).div_ceil(8);
        Self { width, count, blocks: vec![Block::default(); blocks] }
    }

    /// The width of a row.
    #[inline]
    pub fn width(&self) -> Width {
        self.width
    }

    /// The number of rows.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Sets all rows to zero.
    pub fn clear(&mut self) {
        self.words_mut().fill(0);
    }

    /// A row.
    #[inline]
    pub fn row(&self, wire: u32) -> &[u64] {
        let words = self.width.words();
        &self.words()[wire as usize * words..][..words]
    }

    /// A row, for writing.
    #[inline]
    pub fn row_mut(&mut self, wire: u32) -> &mut [u64] {
        let words = self.width.words();
        &mut self.words_mut()[wire as usize * words..][..words]
    }

    /// Copies a number of rows from other wires of the same width, from row `first` there to row
    /// `at`.
    ///
    /// # Panics
    /// If a row does not exist, or the widths differ.
    pub fn copy_rows(&mut self, at: u32, from: &Wires, first: u32, count: usize) {
        assert!(self.width == from.width, "rows of one width");
        let words = self.width.words();
        let from = &from.words()[first as usize * words..][..count * words];
        self.words_mut()[at as usize * words..][..count * words].copy_from_slice(from);
    }

    /// All words, row after row.
    #[inline]
    #[allow(unsafe_code, reason = "blocks are words, only aligned")]
    pub(crate) fn words(&self) -> &[u64] {
        // SAFETY: a block is eight words without padding, and all bit patterns are words.
        unsafe { std::slice::from_raw_parts(self.blocks.as_ptr().cast(), self.blocks.len() * 8) }
    }

    /// All words, for writing.
    #[inline]
    #[allow(unsafe_code, reason = "blocks are words, only aligned")]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        let length = self.blocks.len() * 8;
        // SAFETY: a block is eight words without padding, and all bit patterns are words.
        unsafe { std::slice::from_raw_parts_mut(self.blocks.as_mut_ptr().cast(), length) }
    }

    /// The rows as arrays of as many words as the width has; there may be more than `count`.
    #[inline]
    pub fn rows<const N: usize>(&self) -> &[[u64; N]] {
        self.words().as_chunks().0
    }

    /// The rows as arrays, for writing.
    #[inline]
    pub fn rows_mut<const N: usize>(&mut self) -> &mut [[u64; N]] {
        self.words_mut().as_chunks_mut().0
    }
}

/// Transposes a square of bits.
pub fn transpose(square: &mut [u64; 64]) {
    // Swaps the off-diagonal quarters of ever smaller squares.
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while width > 0 {
        for pair in square.chunks_exact_mut(2 * width) {
            let (upper, lower) = pair.split_at_mut(width);
            for (a, b) in upper.iter_mut().zip(lower) {
                let change = (*a >> width ^ *b) & mask;
                *b ^= change;
                *a ^= change << width;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

impl fmt::Debug for Wires {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wires")
            .field("width", &self.width)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let rows: [u64; 64] =
            std::array::from_fn(|row| 0x0123_4567_89ab_cdef_u64.wrapping_mul(2 * row as u64 + 1));
        let mut columns = rows;
        transpose(&mut columns);
        for row in 0..64 {
            for column in 0..64 {
                assert_eq!(rows[row] >> column & 1, columns[column] >> row & 1);
            }
        }
    }

    #[test]
    fn rows_are_copied() {
        for &width in Width::ALL {
            let (mut to, mut from) = (Wires::new(width, 5), Wires::new(width, 4));
            (0..4).for_each(|row| from.row_mut(row).fill(u64::from(row) + 1));
            to.copy_rows(2, &from, 1, 3);
            for row in 0..5 {
                let expected = if row < 2 { 0 } else { u64::from(row) };
                assert_eq!(to.row(row), vec![expected; width.words()]);
            }
        }
    }

    #[test]
    fn rows_do_not_overlap() {
        for &width in Width::ALL {
            let mut wires = Wires::new(width, 5);
            for wire in 0..5 {
                wires.row_mut(wire).fill(u64::from(wire) + 1);
            }
            for wire in 0..5 {
                assert_eq!(wires.row(wire), vec![u64::from(wire) + 1; width.words()]);
            }
            assert_eq!(wires.words().as_ptr() as usize % 64, 0);
        }
    }
}
