//! The texts of a compiled game, and their lookup.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

/// How a front end parses user input.
///
/// Texts are compared in the canonical form that the game writes, so a reader for a language with
/// several syntaxes only has to translate them.
pub trait Reader: Send + Sync {
    /// One move, percept or fluent in canonical form; `None` if it is not a term of the language.
    fn term(&self, text: &str) -> Option<String>;

    /// The fluents of a state, each in canonical form.
    fn state(&self, text: &str) -> Option<Vec<String>>;
}

/// Reads texts literally, except for white space.
#[derive(Clone, Copy, Debug)]
struct Plain;

impl Reader for Plain {
    fn term(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    fn state(&self, text: &str) -> Option<Vec<String>> {
        let terms = magister_core::text::terms(text)?;
        // A term of one word has no parentheses, as in the text of states.
        let term = |words: Vec<&str>| match words[..] {
            [word] => word.to_owned(),
            _ => format!("({})", words.join(" ")),
        };
        Some(terms.into_iter().map(term).collect())
    }
}

/// The texts of the moves, percepts and fluents of a game, by number.
#[derive(Clone)]
pub struct Names {
    moves: Vec<String>,
    percepts: Vec<String>,
    fluents: Vec<String>,
    /// The fluents in the order in which the text of a state lists them.
    listing: Vec<u32>,
    reader: Arc<dyn Reader>,
    /// Numbers by text, created on demand.
    found: Arc<Found>,
}

#[derive(Default)]
struct Found {
    moves: OnceLock<FxHashMap<String, u32>>,
    percepts: OnceLock<FxHashMap<String, u32>>,
    fluents: OnceLock<FxHashMap<String, u32>>,
}

fn find(
    lock: &OnceLock<FxHashMap<String, u32>>,
    texts: &[String],
    text: Option<String>,
) -> Option<u32> {
    let make = || texts.iter().enumerate().map(|(n, text)| (text.clone(), n as u32)).collect();
    lock.get_or_init(make).get(&text?).copied()
}

impl Names {
    /// Texts that are read literally. A fluent of several words is in parentheses, as in
    /// `(cell 1 1 x)`.
    pub fn new(moves: Vec<String>, percepts: Vec<String>, fluents: Vec<String>) -> Self {
        let listing = (0..fluents.len() as u32).collect();
        let found = Arc::default();
        Self { moves, percepts, fluents, listing, reader: Arc::new(Plain), found }
    }

    /// The same texts, parsed by a front end.
    #[must_use]
    pub fn read_by(self, reader: Arc<dyn Reader>) -> Self {
        Self { reader, ..self }
    }

    /// The same texts, with the fluents of a state listed in this order.
    #[must_use]
    pub fn listed(self, listing: Vec<u32>) -> Self {
        debug_assert_eq!(listing.len(), self.fluents.len());
        Self { listing, ..self }
    }

    /// The texts of the moves.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The texts of the percepts.
    pub fn percepts(&self) -> &[String] {
        &self.percepts
    }

    /// The texts of the fluents.
    pub fn fluents(&self) -> &[String] {
        &self.fluents
    }

    /// The number of the move with a text.
    pub fn find_move(&self, text: &str) -> Option<u32> {
        find(&self.found.moves, &self.moves, self.reader.term(text))
    }

    /// The number of the percept with a text.
    pub fn find_percept(&self, text: &str) -> Option<u32> {
        find(&self.found.percepts, &self.percepts, self.reader.term(text))
    }

    /// The number of the fluent with a text.
    pub fn find_fluent(&self, text: &str) -> Option<u32> {
        find(&self.found.fluents, &self.fluents, self.reader.term(text))
    }

    /// The text of a state, a bit for every fluent.
    pub fn state(&self, state: &[u64]) -> String {
        let holds = |&&fluent: &&u32| {
            let word = state.get(fluent as usize / 64);
            word.is_some_and(|word| word >> (fluent % 64) & 1 == 1)
        };
        let held = self.listing.iter().filter(holds);
        magister_core::text::list(held.map(|&fluent| self.fluents[fluent as usize].clone()))
    }

    /// The bits of the state that a text describes.
    pub fn read_state(&self, text: &str) -> Option<Vec<u64>> {
        let mut words = vec![0; self.fluents.len().div_ceil(64)];
        for fluent in self.reader.state(text)? {
            let number = find(&self.found.fluents, &self.fluents, Some(fluent))?;
            words[number as usize / 64] |= 1 << (number % 64);
        }
        Some(words)
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names")
            .field("moves", &self.moves.len())
            .field("percepts", &self.percepts.len())
            .field("fluents", &self.fluents.len())
            .finish_non_exhaustive()
    }
}
