//! The limits of the front end.

/// The limits of one reading and of the resulting game. The defaults are far above any published
/// game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CardLimits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// The total number of lists and words of the syntax tree.
    pub nodes: usize,
    /// Depth of nesting. Everything that walks a tree recurses, so this also bounds the stack.
    pub depth: usize,
    /// The number of diagnostics to keep; further ones are only counted.
    pub diagnostics: usize,
    /// Cards of all decks together.
    pub cards: usize,
    /// Players.
    pub players: usize,
    /// Piles, over all owners.
    pub piles: usize,
    /// The number of statements between two decisions. A game that needs more is in an endless
    /// loop.
    pub steps: u64,
    /// Options of one decision.
    pub options: usize,
    /// Words of intermediate collections, such as the subsets of a pile.
    pub words: usize,
}

impl CardLimits {
    /// The default limits.
    pub const DEFAULT: CardLimits = CardLimits {
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

impl Default for CardLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
