//! Gates over vectors: hundreds of games at once, one bit of a vector word each.
//!
//! A [`Wires`] has rows of 64 to 512 bits; a [`Tape`] is a list of gates that combine rows. Nothing
//! here depends on games. The kernels are written once, as plain loops over arrays of words, and
//! compiled for several instruction sets; the best one of the machine is chosen at run time, and
//! all of them compute the same. Tapes can also be compiled to machine code, which is compared with
//! the interpreter. For hand-written loops, [`on_this_machine`] runs them with the available
//! instructions.
//!
//! Two environment variables restrict this, for comparison: `MAGISTER_VECTORS=avx2` or `portable`
//! limits the instruction set, and `MAGISTER_CODE=off` disables machine code.
//!
//! This crate contains the engine's `unsafe` code. These are all its uses; each place also states
//! its own justification.
//!
//! | place | operation | justification |
//! |---|---|---|
//! | `by_width!`, `planes` | functions compiled for an instruction set are called | the processor is queried once, and only available sets are used |
//! | `tape` | the rows of a gate are accessed without bounds checks | `Tape::new` checks all rows of all gates, and every run checks the number of rows |
//! | `wires` | blocks of eight words are viewed as words | a block consists of its words only |
//! | `planes` | eight words become a vector, and the reverse | both have 512 bits, and all bit patterns are valid |
//! | `code` | a tape is run by machine code | see below |
//! | `pages` | the system is advised to use large pages for a block, and places are fetched into the cache | neither changes any contents |
//!
//! Emitted code has no branches, no calls and no instructions except loads, stores and logic on
//! vector registers, relative to its one argument. All its addresses come from the rows of a
//! [`Tape`], which exist; rows are aligned as its instructions require. Its encodings are compared
//! with those of another assembler, random tapes with the interpreter, and every tape in use with
//! the interpreter before its first use, on rows with few, many and all ones. Its memory is never
//! writable and executable at the same time, and can no longer be changed.

#![allow(clippy::needless_range_loop, reason = "kernels walk several rows word by word")]

mod code;
mod commit;
mod ledger;
mod pages;
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
pub use pages::{large_pages, prefetch};
pub use planes::{BITS, Planes};
pub use processor::{Processor, Work, on_this_machine};
pub use scale::{planes_for, scale};
pub use tape::{Gate, Operation, Tape};
pub use wires::{Width, Wires, transpose};

/// Calls a kernel, a function over `[u64; N]`, compiled for the width and the best instruction set.
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
                    // SAFETY: `vectors` found these instructions; AVX-512 implies AVX2.
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
