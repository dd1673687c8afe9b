//! The limits of a reader.
//!
//! Rules may be untrusted: an upload, a message from the network, a fuzzer. Every limit has a name,
//! can be set, and is reported by a diagnostic when it is reached.

/// The limits of reading one text. The defaults are far above any published rulesheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// The maximum size of the text in bytes.
    pub bytes: usize,
    /// The maximum number of terms, connectives and statements.
    pub nodes: usize,
    /// The maximum nesting depth. All traversals of a tree are recursive, so this also bounds the
    /// stack.
    pub depth: usize,
    /// The maximum number of diagnostics to keep; further ones are only counted.
    pub diagnostics: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, nodes: 2_000_000, depth: 200, diagnostics: 200 }
    }
}
