//! What the front end accepts at the most.

/// Limits of one reading and of the game that comes of it. The defaults are far above any
/// published game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Lists and words of the syntax tree, taken together.
    pub nodes: usize,
    /// Depth of nesting. Everything that walks a tree recurses, so this also bounds the stack.
    pub depth: usize,
    /// Diagnostics that are kept; what comes after is only counted.
    pub diagnostics: usize,
    /// Cards of all decks together.
    pub cards: usize,
    /// Players.
    pub players: usize,
    /// Piles, over all owners.
    pub piles: usize,
    /// Statements that may run between two decisions. A game that needs more loops.
    pub steps: u64,
    /// Options of one decision.
    pub options: usize,
    /// Words of intermediate collections, such as the subsets of a pile.
    pub words: usize,
}

impl Limits {
    /// The limits that are usually good.
    pub const DEFAULT: Limits = Limits {
        bytes: 1 << 20,
        nodes: 200_000,
        depth: 200,
        diagnostics: 200,
        cards: 1000,
        players: 64,
        piles: 20_000,
        steps: 1_000_000,
        options: 100_000,
        words: 4_000_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
