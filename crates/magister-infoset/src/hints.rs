//! Which moves look like what was seen.
//!
//! What a role perceives is often told in the words of the move that made it so: a card that it is
//! dealt, a door that is opened. So moves whose words are those of the percepts are worth trying
//! first where there are many. That only saves time: whoever searches tries all others after them,
//! and whoever samples weighs what was drawn by how it was drawn.

use magister_core::{Halt, Move, Observation, Stop, Text, Turn};
use rustc_hash::FxHashMap;

/// Words of moves and percepts, as numbers, each read once.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    words: FxHashMap<String, u32>,
    /// The words of each move.
    moves: FxHashMap<Move, Box<[u32]>>,
    /// The turn that was asked about last, by its number and what was seen, and its words.
    turn: Option<(usize, Observation)>,
    seen: Vec<Box<[u32]>>,
    runs: Vec<u64>,
}

/// Moves between two looks at the flag.
const OFTEN: usize = 256;

impl Hints {
    /// How much each of some moves looks like what was seen in a turn: nothing, or a run of words
    /// that both have. False if none does; then nothing is said about them one by one.
    pub(crate) fn rank(
        &mut self,
        text: &dyn Text,
        (at, turn): (usize, &Turn),
        moves: &[Move],
        out: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        out.clear();
        let Observation::Percepts(percepts) = &turn.seen else { return Ok(false) };
        if percepts.is_empty() {
            return Ok(false);
        }
        if self.turn.as_ref().is_none_or(|(known, seen)| *known != at || *seen != turn.seen) {
            self.seen.clear();
            for &percept in percepts {
                let words = self.read(&text.percept_text(percept));
                self.seen.push(words);
            }
            self.turn = Some((at, turn.seen.clone()));
        }
        let mut any = false;
        for (number, &choice) in moves.iter().enumerate() {
            if number % OFTEN == 0 {
                stop.check()?;
            }
            if !self.moves.contains_key(&choice) {
                let words = self.read(&text.move_text(choice));
                self.moves.insert(choice, words);
            }
            let told = &self.moves[&choice];
            let rank = self.seen.iter().map(|words| common(words, told, &mut self.runs)).sum();
            any |= rank > 0;
            out.push(rank);
        }
        Ok(any)
    }

    /// The words of a text.
    fn read(&mut self, text: &str) -> Box<[u32]> {
        let parts = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
        let mut words = Vec::new();
        for part in parts.filter(|part| !part.is_empty()) {
            let next = self.words.len() as u32;
            let number = match self.words.get(part) {
                Some(&number) => number,
                None => *self.words.entry(part.to_owned()).or_insert(next),
            };
            words.push(number);
        }
        words.into()
    }
}

/// The length of the longest run of words that two texts have in common; one alone says nothing,
/// unless there is no other.
fn common(one: &[u32], other: &[u32], runs: &mut Vec<u64>) -> u64 {
    let mut best = 0;
    // For each place of the second text, the length of the run that ends there.
    runs.clear();
    runs.resize(other.len() + 1, 0);
    for word in one {
        for at in (0..other.len()).rev() {
            runs[at + 1] = if *word == other[at] { runs[at] + 1 } else { 0 };
            best = best.max(runs[at + 1]);
        }
    }
    if best > 1 || one.len().min(other.len()) == 1 { best } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_words() {
        let mut hints = Hints::default();
        let mut run = |one: &str, other: &str| {
            let (one, other) = (hints.read(one), hints.read(other));
            common(&one, &other, &mut Vec::new())
        };
        assert_eq!(run("(ghost 3 3 4 3)", "(scan 1 1 1 2 3 3 4 3)"), 4);
        assert_eq!(run("hand(1, 2, 5)", "deal(earl, 2, 1, 5)"), 0);
        assert_eq!(run("red", "(arm red)"), 1);
    }
}
