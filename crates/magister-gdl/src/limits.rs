//! The limits of a reader.
//!
//! Rules may come from strangers: an upload, a message from the network, a fuzzer. Every limit has
//! a name, can be set, and is reported by a diagnostic when it is reached.

/// The limits of one reading. The defaults are far above any published rulesheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// The total number of terms, connectives and statements.
    pub nodes: usize,
    /// The nesting depth. Everything that walks a tree recurses, so this also bounds the stack.
    pub depth: usize,
    /// The number of diagnostics to keep; further ones are only counted.
    pub diagnostics: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, nodes: 2_000_000, depth: 200, diagnostics: 200 }
    }
}
