//! How far an evaluation may go.

/// Limits of one query to an evaluator of rules. They turn rules without end into errors;
/// published games stay far below the defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryLimits {
    /// Steps of one query: the legal moves of a role, say.
    pub steps: u64,
    /// Answers that are kept at a time, counted over all subqueries.
    pub answers: usize,
    /// Nesting of terms, length of lists. Everything that walks a term recurses, so this also bounds the stack.
    pub depth: u32,
    /// Distinct terms that a worker has ever seen.
    pub terms: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        QueryLimits { steps: 50_000_000, answers: 2_000_000, depth: 500, terms: 20_000_000 }
    }
}
