//! Plain values as words, bit by bit and without gaps.
//!
//! States of games written in Rust are saved this way. Packing is one-to-one: [`unpack`] accepts
//! exactly the words that [`pack`] writes, so states are equal if and only if their words are.

/// A value with a fixed number of bits.
pub trait Pack: Sized {
    /// The number of bits.
    const BITS: usize;

    /// Writes exactly [`BITS`](Pack::BITS) bits.
    fn pack(&self, out: &mut Packer<'_>);

    /// Reads what [`pack`](Pack::pack) wrote; `None` if the bits are not a valid value.
    fn unpack(input: &mut Unpacker<'_>) -> Option<Self>;
}

/// The number of words of a value.
pub const fn words<T: Pack>() -> usize {
    T::BITS.div_ceil(64)
}

/// Replaces the contents of `out` with the words of a value.
pub fn pack<T: Pack>(value: &T, out: &mut Vec<u64>) {
    out.clear();
    out.resize(words::<T>(), 0);
    value.pack(&mut Packer { words: out, at: 0 });
}

/// The value of these words; `None` if there are too few or too many, if they are not a valid
/// value, or if an unused bit of the last word is set.
pub fn unpack<T: Pack>(words: &[u64]) -> Option<T> {
    if words.len() != self::words::<T>() {
        return None;
    }
    let mut input = Unpacker { words, at: 0 };
    let value = T::unpack(&mut input)?;
    let unused = 64 * words.len() - T::BITS;
    (unused == 0 || words[words.len() - 1] >> (64 - unused) == 0).then_some(value)
}

/// Writes bits.
#[derive(Debug)]
pub struct Packer<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl Packer<'_> {
    /// Writes the lowest `bits` bits of a number; the other bits must be zero.
    pub fn put(&mut self, number: u64, bits: usize) {
        debug_assert!(bits <= 64 && (bits == 64 || number >> bits == 0), "{number} in {bits} bits");
        let (word, shift) = (self.at / 64, self.at % 64);
        self.at += bits;
        if bits == 0 {
            return;
        }
        self.words[word] |= number << shift;
        if shift + bits > 64 {
            self.words[word + 1] |= number >> (64 - shift);
        }
    }
}

/// Reads bits.
#[derive(Debug)]
pub struct Unpacker<'a> {
    words: &'a [u64],
    at: usize,
}

impl Unpacker<'_> {
    /// Reads a number with this many bits.
    pub fn take(&mut self, bits: usize) -> u64 {
        let (word, shift) = (self.at / 64, self.at % 64);
        self.at += bits;
        if bits == 0 {
            return 0;
        }
        let mut number = self.words[word] >> shift;
        if shift + bits > 64 {
            number |= self.words[word + 1] << (64 - shift);
        }
        if bits < 64 { number & ((1 << bits) - 1) } else { number }
    }
}

impl Pack for bool {
    const BITS: usize = 1;

    fn pack(&self, out: &mut Packer<'_>) {
        out.put(u64::from(*self), 1);
    }

    fn unpack(input: &mut Unpacker<'_>) -> Option<Self> {
        Some(input.take(1) == 1)
    }
}

macro_rules! pack_integers {
    ($($integer:ty),*) => {$(
        impl Pack for $integer {
            const BITS: usize = <$integer>::BITS as usize;

            fn pack(&self, out: &mut Packer<'_>) {
                out.put(u64::from(*self), <Self as Pack>::BITS);
            }

            fn unpack(input: &mut Unpacker<'_>) -> Option<Self> {
                Some(input.take(<Self as Pack>::BITS) as $integer)
            }
        }
    )*};
}

pack_integers!(u8, u16, u32, u64);

impl<T: Pack, const N: usize> Pack for [T; N] {
    const BITS: usize = N * T::BITS;

    fn pack(&self, out: &mut Packer<'_>) {
        for item in self {
            item.pack(out);
        }
    }

    fn unpack(input: &mut Unpacker<'_>) -> Option<Self> {
        let items: [Option<T>; N] = std::array::from_fn(|_| T::unpack(input));
        if items.iter().any(Option::is_none) {
            return None;
        }
        Some(items.map(|item| item.expect("checked above")))
    }
}

macro_rules! pack_tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Pack),*> Pack for ($($name,)*) {
            const BITS: usize = 0 $(+ $name::BITS)*;

            #[allow(non_snake_case)]
            fn pack(&self, out: &mut Packer<'_>) {
                let ($($name,)*) = self;
                $($name.pack(out);)*
            }

            fn unpack(input: &mut Unpacker<'_>) -> Option<Self> {
                Some(($($name::unpack(input)?,)*))
            }
        }
    )*};
}

pack_tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

/// Packs a struct field by field.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Position { heaps: [u8; 3], white: bool }
/// magister_core::pack_struct!(Position { heaps: [u8; 3], white: bool });
///
/// let position = Position { heaps: [3, 4, 5], white: true };
/// let mut words = Vec::new();
/// magister_core::pack::pack(&position, &mut words);
/// assert_eq!(words, [0x0105_0403]);
/// assert_eq!(magister_core::pack::unpack(&words), Some(position));
/// ```
#[macro_export]
macro_rules! pack_struct {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        impl $crate::pack::Pack for $name {
            const BITS: usize = 0 $(+ <$type as $crate::pack::Pack>::BITS)*;

            fn pack(&self, out: &mut $crate::pack::Packer<'_>) {
                $($crate::pack::Pack::pack(&self.$field, out);)*
            }

            fn unpack(input: &mut $crate::pack::Unpacker<'_>) -> Option<Self> {
                Some($name { $($field: <$type as $crate::pack::Pack>::unpack(input)?),* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mixed = (bool, u64, [(u8, bool); 5], u16, u32);

    #[test]
    fn packed_without_gaps_over_words() {
        assert_eq!(<Mixed as Pack>::BITS, 1 + 64 + 45 + 16 + 32);
        let value: Mixed = (
            true,
            0x8123_4567_89ab_cdef,
            [0, 1, 2, 3, 255].map(|n| (n, n != 2)),
            0xffff,
            0x8000_0001,
        );
        let mut out = vec![9; 7];
        pack(&value, &mut out);
        assert_eq!(out.len(), 3);
        assert_eq!(unpack(&out), Some(value));
    }

    #[test]
    fn invalid_words_are_refused() {
        assert_eq!(unpack::<bool>(&[1]), Some(true));
        assert_eq!(unpack::<bool>(&[2]), None);
        assert_eq!(unpack::<bool>(&[]), None);
        assert_eq!(unpack::<bool>(&[1, 0]), None);
        assert_eq!(unpack::<u64>(&[u64::MAX]), Some(u64::MAX));
        assert_eq!(unpack::<[bool; 65]>(&[u64::MAX, 2]), None);
        assert_eq!(unpack::<[bool; 0]>(&[]), Some([]));
    }

    /// A value with its own check.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Three(u8);

    impl Pack for Three {
        const BITS: usize = 2;
        fn pack(&self, out: &mut Packer<'_>) {
            out.put(u64::from(self.0), 2);
        }
        fn unpack(input: &mut Unpacker<'_>) -> Option<Self> {
            Some(input.take(2) as u8).filter(|&n| n < 3).map(Three)
        }
    }

    #[test]
    fn a_refusal_inside_an_array_refuses_the_array() {
        assert_eq!(unpack::<[Three; 2]>(&[0b01_10]), Some([Three(2), Three(1)]));
        assert_eq!(unpack::<[Three; 2]>(&[0b11_10]), None);
    }
}
