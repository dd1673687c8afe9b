//! Ranks moves by their resemblance to the observations.
//!
//! A percept often uses the words of the move that caused it: a card that is dealt, a door that is
//! opened. If there are many moves, those whose words occur in the percepts are therefore tried
//! first, followed by those that resemble later observations: a card that is dealt to another
//! player may be shown at the end. The ranking only saves time. A search tries all other moves
//! afterwards, and a sampler corrects its weights for the proposal.

use magister_core::{Halt, Move, Observation, Percept, Stop, Text, Turn};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::known::facts;

/// The words of moves and percepts as numbers, each parsed once.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    words: FxHashMap<String, u32>,
    moves: FxHashMap<Move, Box<[u32]>>,
    percepts: FxHashMap<Percept, Box<[u32]>>,
    /// The number of turns, and the turn of the last question.
    turns: usize,
    at: Option<usize>,
    /// The ranks of moves in turns, cached.
    ranks: FxHashMap<(usize, Move), u64>,
    /// The words of the observations of that turn.
    seen: Vec<Box<[u32]>>,
    /// Adjacent pairs of words in later observations, and single words.
    later: FxHashSet<(u32, u32)>,
    runs: Vec<u64>,
}

/// The number of moves between two checks of the stop flag.
const OFTEN: usize = 256;
/// The score of a word of the same turn, which exceeds any score of later turns.
const NOW: u64 = 1000;
/// Stands for the absence of a word.
const NONE: u32 = u32::MAX;

impl Hints {
    /// Clears the cache after a turn has changed.
    pub(crate) fn forget(&mut self) {
        self.at = None;
        self.ranks.clear();
    }

    /// Ranks moves by their resemblance to the observations of a turn and later turns. Returns
    /// false if none resembles them; then the moves are not ranked.
    pub(crate) fn rank(
        &mut self,
        text: &dyn Text,
        turns: &[Turn],
        at: usize,
        moves: &[Move],
        out: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        out.clear();
        if self.turns != turns.len() {
            self.forget();
            self.turns = turns.len();
        }
        let mut any = false;
        for (number, &choice) in moves.iter().enumerate() {
            if number % OFTEN == 0 {
                stop.check()?;
            }
            let known = self.ranks.get(&(at, choice)).copied();
            let rank = known.unwrap_or_else(|| self.compare(text, turns, at, choice));
            if known.is_none() {
                self.ranks.insert((at, choice), rank);
            }
            any |= rank > 0;
            out.push(rank);
        }
        Ok(any)
    }

    /// The score of one move.
    fn compare(&mut self, text: &dyn Text, turns: &[Turn], at: usize, choice: Move) -> u64 {
        self.look(text, turns, at);
        if self.seen.is_empty() && self.later.is_empty() {
            return 0;
        }
        if !self.moves.contains_key(&choice) {
            let words = self.read(&text.move_text(choice));
            self.moves.insert(choice, words);
        }
        let words = &self.moves[&choice];
        let now: u64 = self.seen.iter().map(|seen| common(seen, words, &mut self.runs)).sum();
        let later = pairs(words).filter(|pair| self.later.contains(pair)).count() as u64;
        now * NOW + later.min(NOW - 1)
    }

    /// Scores start states by their resemblance to everything observed since. A fact counts if it
    /// does not hold in all of them and shares words with a later observation; the more words it
    /// shares, the more it counts. Even a single word counts here, because words that all states
    /// share make no difference.
    ///
    /// It stops early when patience ends: the scores so far suffice for an order.
    pub(crate) fn liken(
        &mut self,
        text: &dyn Text,
        turns: &[Turn],
        states: &[&[u64]],
        patience: &dyn Fn() -> bool,
    ) -> Vec<u64> {
        let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
        let mut known: Vec<Box<[u32]>> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut found: Vec<Vec<usize>> = Vec::new();
        for state in states {
            let mut here = Vec::new();
            if !patience() {
                found.push(here);
                continue;
            }
            for fact in facts(&text.state_text(state)) {
                let number = numbers.get(fact).copied().unwrap_or(known.len());
                if number == known.len() {
                    numbers.insert(fact.to_owned(), number);
                    known.push(self.read(fact));
                    counts.push(0);
                }
                counts[number] += 1;
                here.push(number);
            }
            found.push(here);
        }
        let mut scores = vec![0; known.len()];
        for turn in turns {
            let Observation::Percepts(percepts) = &turn.seen else { continue };
            for &percept in percepts {
                if !patience() {
                    break;
                }
                let words = self.words_of(text, percept);
                for (number, fact) in known.iter().enumerate() {
                    if counts[number] < states.len() {
                        scores[number] += run(&words, fact, &mut self.runs).pow(2);
                    }
                }
            }
        }
        found.iter().map(|here| here.iter().map(|&number| scores[number]).sum()).collect()
    }

    /// The words of a percept.
    fn words_of(&mut self, text: &dyn Text, percept: Percept) -> Box<[u32]> {
        if !self.percepts.contains_key(&percept) {
            let words = self.read(&text.percept_text(percept));
            self.percepts.insert(percept, words);
        }
        self.percepts[&percept].clone()
    }

    /// Parses the observations of a turn and of later turns.
    fn look(&mut self, text: &dyn Text, turns: &[Turn], at: usize) {
        if self.at == Some(at) {
            return;
        }
        self.at = Some(at);
        self.seen.clear();
        self.later.clear();
        for (number, turn) in turns.iter().enumerate().skip(at) {
            let Observation::Percepts(percepts) = &turn.seen else { continue };
            for &percept in percepts {
                let words = self.words_of(text, percept);
                if number == at {
                    self.seen.push(words);
                } else {
                    self.later.extend(pairs(&words));
                }
            }
        }
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

/// The length of the longest common run of words of two texts.
fn run(one: &[u32], other: &[u32], runs: &mut Vec<u64>) -> u64 {
    let mut best = 0;
    // For each position in the second text, the length of the run that ends there.
    runs.clear();
    runs.resize(other.len() + 1, 0);
    for word in one {
        for at in (0..other.len()).rev() {
            runs[at + 1] = if *word == other[at] { runs[at] + 1 } else { 0 };
            best = best.max(runs[at + 1]);
        }
    }
    best
}

/// As [`run`], but a single common word does not count unless one text has no other word.
fn common(one: &[u32], other: &[u32], runs: &mut Vec<u64>) -> u64 {
    let best = run(one, other, runs);
    if best > 1 || one.len().min(other.len()) == 1 { best } else { 0 }
}

/// Adjacent pairs of words; a single word is paired with [`NONE`].
fn pairs(words: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let alone = if let [word] = words { Some((*word, NONE)) } else { None };
    words.windows(2).map(|pair| (pair[0], pair[1])).chain(alone)
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
