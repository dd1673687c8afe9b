//! Which moves look like what was seen.
//!
//! What a role perceives is often told in the words of the move that made it so: a card that it is
//! dealt, a door that is opened. So moves whose words are those of the percepts are worth trying
//! first where there are many, and after them those that look like what was seen later: a card
//! that was dealt to somebody else may have been shown at the end. That only saves time: whoever
//! searches tries all others after them, and whoever samples weighs what was drawn by how it was
//! drawn.

use magister_core::{Halt, Move, Observation, Percept, Stop, Text, Turn};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::known::facts;

/// Words of moves and percepts, as numbers, each read once.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    words: FxHashMap<String, u32>,
    moves: FxHashMap<Move, Box<[u32]>>,
    percepts: FxHashMap<Percept, Box<[u32]>>,
    /// The number of all turns, and that of the turn that was asked about last.
    turns: usize,
    at: Option<usize>,
    /// The ranks of moves in turns, once they were asked for.
    ranks: FxHashMap<(usize, Move), u64>,
    /// The words of what was seen in that turn.
    seen: Vec<Box<[u32]>>,
    /// Pairs of words that follow each other in what was seen later, and words that stand alone.
    later: FxHashSet<(u32, u32)>,
    runs: Vec<u64>,
}

/// Moves between two looks at the flag.
const OFTEN: usize = 256;
/// What a word of the turn itself counts; what was seen later counts less, whatever it is.
const NOW: u64 = 1000;
/// Stands for no word.
const NONE: u32 = u32::MAX;

impl Hints {
    /// Forgets what was seen, since some turn is another one than it was.
    pub(crate) fn forget(&mut self) {
        self.at = None;
        self.ranks.clear();
    }

    /// How much each of some moves looks like what was seen in a turn and later. False if none
    /// does; then nothing is said about them one by one.
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

    /// How much a move looks like what was seen in a turn and later.
    fn compare(&mut self, text: &dyn Text, turns: &[Turn], at: usize, choice: Move) -> u64 {
        self.look(text, turns, at);
        if self.seen.is_empty() && self.later.is_empty() {
            return 0;
        }
        if !self.moves.contains_key(&choice) {
            let words = self.read(&text.move_text(choice));
            self.moves.insert(choice, words);
        }
        let told = &self.moves[&choice];
        let now: u64 = self.seen.iter().map(|words| common(words, told, &mut self.runs)).sum();
        let later = pairs(told).filter(|pair| self.later.contains(pair)).count() as u64;
        now * NOW + later.min(NOW - 1)
    }

    /// How much each of some states before all turns looks like what was seen since. What counts
    /// is a fact that is not true in all of them and has words in common with what was shown later,
    /// and it counts the more the more words that are: even one says something here, since those
    /// that all states have in common make no difference.
    ///
    /// It ends early when there is no more patience: what was compared so far is enough for an order.
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
        let mut told: Vec<Vec<usize>> = Vec::new();
        for state in states {
            let mut here = Vec::new();
            if !patience() {
                told.push(here);
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
            told.push(here);
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
        told.iter().map(|here| here.iter().map(|&number| scores[number]).sum()).collect()
    }

    /// The words of a percept.
    fn words_of(&mut self, text: &dyn Text, percept: Percept) -> Box<[u32]> {
        if !self.percepts.contains_key(&percept) {
            let words = self.read(&text.percept_text(percept));
            self.percepts.insert(percept, words);
        }
        self.percepts[&percept].clone()
    }

    /// Reads what was seen in a turn and later.
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

/// The length of the longest run of words that two texts have in common.
fn run(one: &[u32], other: &[u32], runs: &mut Vec<u64>) -> u64 {
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
    best
}

/// The same, but one word alone says nothing, unless there is no other.
fn common(one: &[u32], other: &[u32], runs: &mut Vec<u64>) -> u64 {
    let best = run(one, other, runs);
    if best > 1 || one.len().min(other.len()) == 1 { best } else { 0 }
}

/// The pairs of words that follow each other; a word that stands alone is one with nothing.
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
