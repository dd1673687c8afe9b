//! The words of a game: states, moves and percepts, both ways.

use crate::{Move, Percept, Role};

/// How [`Move::IDLE`] is written, in every game.
pub const IDLE_TEXT: &str = "-";

/// Turns what a game computes with into text and back.
///
/// What is printed can be read: parsing the text of a legal move, of a percept or of a state
/// gives the same move, percept or words. Different moves of a role have different texts. Parsing
/// is given whatever somebody typed; it answers `None` and never panics.
pub trait Text: Send + Sync {
    /// The text of a move; [`IDLE_TEXT`] for [`Move::IDLE`].
    fn move_text(&self, choice: Move) -> String;

    /// The move of this text. The role helps where a text means different moves to different
    /// roles. Whether the move is legal is another question.
    fn parse_move(&self, role: Role, text: &str) -> Option<Move>;

    /// The text of a percept.
    fn percept_text(&self, percept: Percept) -> String;

    /// The percept of this text.
    fn parse_percept(&self, text: &str) -> Option<Percept>;

    /// The text of a state.
    fn state_text(&self, state: &[u64]) -> String;

    /// The state of this text, such as [`Worker::load`](crate::Worker::load) takes it.
    fn parse_state(&self, text: &str) -> Option<Vec<u64>>;
}

/// Writes a list of terms, such as [`terms`] reads it.
///
/// ```
/// use magister_core::text::list;
/// assert_eq!(list(["(cell 1 1 x)", "done"].map(String::from)), "((cell 1 1 x) done)");
/// ```
pub fn list(terms: impl IntoIterator<Item = String>) -> String {
    let terms: Vec<String> = terms.into_iter().collect();
    format!("({})", terms.join(" "))
}

/// Reads a flat list of terms, such as `((cell 1 1 x) (control o))`, into the atoms of each term.
/// A term without arguments may stand without parentheses, as in KIF.
///
/// ```
/// let terms = magister_core::text::terms("((cell 1 1 x) done)").unwrap();
/// assert_eq!(terms, [vec!["cell", "1", "1", "x"], vec!["done"]]);
/// assert_eq!(magister_core::text::terms("((cell 1"), None);
/// ```
pub fn terms(text: &str) -> Option<Vec<Vec<&str>>> {
    let mut rest = text.trim().strip_prefix('(')?.strip_suffix(')')?.trim_start();
    let mut terms = Vec::new();
    while !rest.is_empty() {
        let (term, after) = match rest.strip_prefix('(') {
            Some(inner) => inner.split_once(')')?,
            None => rest
                .split_at(rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len())),
        };
        let atoms: Vec<&str> = term.split_whitespace().collect();
        if atoms.is_empty() || term.contains(['(', ')']) {
            return None;
        }
        terms.push(atoms);
        rest = after.trim_start();
    }
    Some(terms)
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn well_formed_lists() {
        assert_eq!(terms("()"), Some(vec![]));
        assert_eq!(terms(" ( a (b  c)d ) "), Some(vec![vec!["a"], vec!["b", "c"], vec!["d"]]));
    }

    #[test]
    fn broken_lists() {
        for text in ["", "(", ")", "a", "(()", "(a))", "((a)", "((a (b)))", "(())"] {
            assert_eq!(terms(text), None, "{text}");
        }
    }
}
