//! The text of a game: states, moves and percepts, in both directions.

use crate::{Game, Halt, Move, Percept, Role, Step, Stop, Worker};

/// The text of [`Move::IDLE`] in every game.
pub const IDLE_TEXT: &str = "-";

/// Converts states, moves and percepts to text and back.
///
/// Printed text can be parsed: the text of a legal move, percept or state gives the same move,
/// percept or words. Different moves of a role have different texts. The parsing methods get
/// arbitrary user input; they return `None` and never panic. They only look things up. If
/// [`Info::moves`](crate::Info::moves) is `None`, moves and percepts are known only once a worker
/// has encountered them, so text is parsed with a worker; see [`find_move`] and [`find_percepts`].
pub trait Text: Send + Sync {
    /// The text of a move; [`IDLE_TEXT`] for [`Move::IDLE`].
    fn move_text(&self, choice: Move) -> String;

    /// The move with this text. The role helps if a text means different moves for different roles.
    /// The move need not be legal.
    fn parse_move(&self, role: Role, text: &str) -> Option<Move>;

    /// The text of a percept.
    fn percept_text(&self, percept: Percept) -> String;

    /// The percept with this text.
    fn parse_percept(&self, text: &str) -> Option<Percept>;

    /// The text of a state.
    fn state_text(&self, state: &[u64]) -> String;

    /// The state with this text, as [`Worker::load`] takes it.
    ///
    /// The state need not be reachable. Where the rules do not fix the vocabulary
    /// ([`Info::moves`](crate::Info::moves) is `None`), a fluent that has not occurred in any match
    /// yet gets a number, so that any position can be set up. This is the only parser that may
    /// extend a game.
    fn parse_state(&self, text: &str) -> Option<Vec<u64>>;
}

/// The legal move with this text, in the state of a worker.
pub fn find_move(game: &dyn Game, worker: &dyn Worker, role: Role, text: &str) -> Option<Move> {
    let choice = game.text().parse_move(role, text)?;
    worker.legal(role).contains(&choice).then_some(choice)
}

/// Registers the possible percepts of a role: those of joint moves with its move `own` from some
/// states. At most `joints` joint moves are tried per state, so some may be missed; `enough` is
/// called after each and can end the search.
///
/// This is needed only if [`Info::moves`](crate::Info::moves) is `None`; otherwise the rules fix
/// the percepts.
pub fn find_percepts<'a>(
    game: &dyn Game,
    (role, own): (Role, Move),
    states: impl IntoIterator<Item = &'a [u64]>,
    joints: usize,
    mut enough: impl FnMut() -> bool,
    stop: &Stop,
) -> Result<bool, Halt> {
    let mut worker = game.worker();
    let mut out = Step::new();
    for state in states {
        worker.load(state, stop)?;
        let info = game.info();
        let legal: Vec<Vec<Move>> = info
            .all_roles()
            .map(|other| if other == role { vec![own] } else { worker.legal(other).to_vec() })
            .collect();
        if worker.terminal() || !worker.legal(role).contains(&own) {
            continue;
        }
        let all = legal.iter().fold(1usize, |all, list| all.saturating_mul(list.len()));
        for number in 0..all.min(joints) {
            let mut rest = number;
            let joint: Vec<Move> = legal
                .iter()
                .map(|list| {
                    let choice = list[rest % list.len()];
                    rest /= list.len();
                    choice
                })
                .collect();
            worker.load(state, stop)?;
            // A step that fails has no percepts.
            if matches!(worker.step(&joint, &mut out, stop), Err(Halt::Stopped)) {
                return Err(Halt::Stopped);
            }
            if enough() {
                return Ok(true);
            }
        }
    }
    Ok(enough())
}

/// Writes a list of terms, as [`terms`] reads it.
///
/// ```
/// use magister_core::text::list;
/// assert_eq!(list(["(cell 1 1 x)", "done"].map(String::from)), "((cell 1 1 x) done)");
/// ```
pub fn list(terms: impl IntoIterator<Item = String>) -> String {
    let terms: Vec<String> = terms.into_iter().collect();
    format!("({})", terms.join(" "))
}

/// Parses a flat list of terms, such as `((cell 1 1 x) (control o))`, into the atoms of each term.
/// A term without arguments may be written without parentheses, as in KIF.
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
