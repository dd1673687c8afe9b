//! Machine code for tapes.
//!
//! Where the processor has AVX2 or AVX-512 and the system allows it, a tape becomes a function
//! without a branch. It knows one argument, the rows, and touches nothing else. On other
//! machines there is never any code, and tapes are interpreted.

#[cfg(target_arch = "x86_64")]
mod assemble;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod memory;
#[cfg(target_arch = "x86_64")]
mod uses;

#[cfg(target_arch = "x86_64")]
mod native;
#[cfg(target_arch = "x86_64")]
pub(crate) use native::Code;

#[cfg(not(target_arch = "x86_64"))]
mod none;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use none::Code;

use crate::Width;
use crate::wires::{Vectors, vectors};

/// The form of tapes that this machine runs fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TapeForm {
    /// Interpreted: long runs of one operation.
    Runs,
    /// As code: results that are used soon after they are made.
    Code,
    /// As code in which every function of three inputs is one instruction.
    TableCode,
}

impl TapeForm {
    /// The best for a width. `MAGISTER_CODE=off` forbids code, for comparison.
    pub fn best(width: Width) -> TapeForm {
        use std::sync::OnceLock;
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        let asked = || std::env::var("MAGISTER_CODE").map_or(true, |value| value != "off");
        if !*ALLOWED.get_or_init(|| asked() && Code::possible()) {
            return TapeForm::Runs;
        }
        match (width, vectors()) {
            (Width::W64, _) | (_, Vectors::Portable) => TapeForm::Runs,
            (_, Vectors::Avx512) => TapeForm::TableCode,
            (_, Vectors::Avx2) => TapeForm::Code,
        }
    }
}
