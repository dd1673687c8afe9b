//! The limits of an evaluation.

/// The limits of one query to an evaluator of rules. They turn infinite rules into errors;
/// published games stay far below the defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryLimits {
    /// The steps of one query: the legal moves of a role, for instance.
    pub steps: u64,
    /// The answers stored at a time, over all subqueries.
    pub answers: usize,
    /// The nesting of terms and the length of lists. Everything that walks a term recurses, so this
    /// also bounds the stack.
    pub depth: u32,
    /// The distinct terms that a worker has ever met.
    pub terms: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        QueryLimits { steps: 50_000_000, answers: 2_000_000, depth: 500, terms: 20_000_000 }
    }
}
