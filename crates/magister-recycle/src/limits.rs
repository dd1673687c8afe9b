//! The limits of the front end.

/// The limits of reading a text and of the resulting game. The defaults are far above any published
/// game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CardLimits {
    /// The maximum size of the text in bytes.
    pub bytes: usize,
    /// The maximum number of lists and words of the syntax tree.
    pub nodes: usize,
    /// The maximum depth of nesting. All traversals of a tree are recursive, so this also bounds
    /// the stack.
    pub depth: usize,
    /// The maximum number of diagnostics to keep; further ones are only counted.
    pub diagnostics: usize,
    /// The maximum number of cards of all decks together.
    pub cards: usize,
    /// The maximum number of players.
    pub players: usize,
    /// The maximum number of piles, over all owners.
    pub piles: usize,
    /// The maximum number of stored numbers, over all owners: stores, arguments of point maps, and
    /// their scores for each card.
    pub stores: usize,
    /// The maximum number of statements between two decisions. A game that needs more is in an
    /// endless loop.
    pub steps: u64,
    /// The maximum number of options of one decision.
    pub options: usize,
    /// The maximum number of words of intermediate collections, such as the subsets of a pile.
    pub words: usize,
    /// The maximum number of elements and terms that are evaluated between two decisions.
    pub work: u64,
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
        stores: 16_000_000,
        steps: 1_000_000,
        options: 100_000,
        words: 4_000_000,
        work: 50_000_000,
    };
}

impl Default for CardLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
