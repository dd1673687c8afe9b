//! What a reader accepts at the most.
//!
//! Rules come from strangers: an upload, a message from the network, a fuzzer. Every limit is
//! named, can be set, and is reported by a diagnostic when it is met.

/// Limits of one reading. The defaults are far above any rulesheet that was ever published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Terms, connectives and statements, taken together.
    pub nodes: usize,
    /// Depth of nesting. Everything that walks a tree recurses, so this also bounds the stack.
    pub depth: usize,
    /// Diagnostics that are kept; what comes after is only counted.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, nodes: 2_000_000, depth: 200, diagnostics: 200 }
    }
}
