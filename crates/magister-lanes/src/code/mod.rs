//! Machine code for tapes.
//!
//! If the processor has AVX2 or AVX-512 and the system allows it, a tape becomes a function without
//! branches. It has one argument, the rows, and accesses nothing else. On other machines there is
//! no code, and tapes are interpreted.

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
    /// Machine code: results are used soon after they are computed.
    Code,
    /// Machine code in which every function of three inputs is one instruction.
    TableCode,
}

impl TapeForm {
    /// The best form for a width. `MAGISTER_CODE=off` disables code, for comparison.
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
