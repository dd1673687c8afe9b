//! The limits of an evaluation.

/// The limits of one query to an evaluator of rules. They turn infinite rules into errors;
/// published games stay far below the defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryLimits {
    /// The maximum number of steps of one query, such as the legal moves of a role.
    pub steps: u64,
    /// The maximum number of answers stored at a time, over all subqueries.
    pub answers: usize,
    /// The maximum nesting of terms and length of lists. All traversals of terms are recursive, so
    /// this also bounds the stack.
    pub depth: u32,
    /// The maximum number of distinct terms that a worker ever encounters.
    pub terms: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        QueryLimits { steps: 50_000_000, answers: 2_000_000, depth: 500, terms: 20_000_000 }
    }
}
