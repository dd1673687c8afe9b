//! Gates over vectors: hundreds of games side by side, a bit of a vector word each.
//!
//! A [`Wires`] holds rows of 64 to 512 bits; a [`Tape`] is a list of gates that combine rows.
//! Nothing here knows of games. The kernels are written once, as plain loops over arrays of words,
//! and compiled for several instruction sets, of which the best that the machine has is taken at
//! run time; all of them compute the same. Tapes may be made into machine code as well, which
//! is compared with the interpreter when it is made. For who writes a loop of their own by hand,
//! [`on_this_machine`] runs it with the instructions that there are.
//!
//! Two variables of the environment ask for less, for comparison: `MAGISTER_VECTORS=avx2` or
//! `portable` limits the instruction set, and `MAGISTER_CODE=off` forbids machine code.
//!
//! This crate is where the engine's `unsafe` code lives. It has these reasons, and no others; what
//! each rests on is also said where it stands.
//!
//! | where | what | rests on |
//! |---|---|---|
//! | `by_width!`, `planes` | functions compiled for an instruction set are called | the processor is asked once, and the set is never one that it does not have |
//! | `tape` | the rows of a gate are read and written without a check | `Tape::new` checks all rows of all gates, and every run that there are as many |
//! | `wires` | blocks of eight words are looked at as words | a block is nothing but its words |
//! | `planes` | eight words become a vector, and the reverse | both are 512 bits, all of which are values |
//! | `code` | a tape is run by code that was made for it | see there |
//!
//! Emitted code has no branch, no call and no instruction but loads, stores and logic on vector
//! registers, relative to its one argument. All its addresses come from the rows of a [`Tape`],
//! which exist; rows are aligned as its instructions need it. Its encodings are held against those
//! of another assembler, random tapes against the interpreter, and every tape in use against the
//! interpreter, before it is used, on rows of few, many and all ones. The memory it lies in is never writable and executable at
//! the same time, and can not be changed any more.

#![allow(clippy::needless_range_loop, reason = "kernels walk several rows word by word")]

mod code;
mod commit;
mod ledger;
mod planes;
mod processor;
mod scale;
mod tape;
#[cfg(test)]
mod tests;
mod wires;

pub use code::TapeForm;
pub use commit::{Commit, Start, hold, note};
pub use ledger::{Ledger, Sweep, Tally};
pub use planes::{BITS, Planes};
pub use processor::{Processor, Work, on_this_machine};
pub use scale::{planes_for, scale};
pub use tape::{Gate, Operation, Tape};
pub use wires::{Width, Wires, transpose};

/// Calls a kernel, a function over `[u64; N]`, compiled for the width and for the best
/// instruction set for it.
macro_rules! by_width {
    ($width:expr, $kernel:ident($($argument:expr),* $(,)?) where $($name:ident: $type:ty),* $(,)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2<const N: usize>($($name: $type),*) {
                $kernel::<N>($($name),*);
            }
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,popcnt")]
            fn avx512<const N: usize>($($name: $type),*) {
                $kernel::<N>($($name),*);
            }
            #[allow(unsafe_code, reason = "the instruction set was found on this machine")]
            match ($width, crate::wires::vectors()) {
                (crate::Width::W512, crate::wires::Vectors::Avx512) => {
                    // SAFETY: `vectors` found these instructions.
                    unsafe { avx512::<8>($($argument),*) }
                }
                (crate::Width::W512, crate::wires::Vectors::Avx2) => {
                    // SAFETY: `vectors` found these instructions.
                    unsafe { avx2::<8>($($argument),*) }
                }
                (crate::Width::W256, crate::wires::Vectors::Avx2 | crate::wires::Vectors::Avx512) => {
                    // SAFETY: `vectors` found these instructions; who has AVX-512 has AVX2.
                    unsafe { avx2::<4>($($argument),*) }
                }
                (crate::Width::W64, _) => $kernel::<1>($($argument),*),
                (crate::Width::W128, _) => $kernel::<2>($($argument),*),
                (crate::Width::W256, _) => $kernel::<4>($($argument),*),
                (crate::Width::W512, _) => $kernel::<8>($($argument),*),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        match $width {
            crate::Width::W64 => $kernel::<1>($($argument),*),
            crate::Width::W128 => $kernel::<2>($($argument),*),
            crate::Width::W256 => $kernel::<4>($($argument),*),
            crate::Width::W512 => $kernel::<8>($($argument),*),
        }
    }};
}
pub(crate) use by_width;
