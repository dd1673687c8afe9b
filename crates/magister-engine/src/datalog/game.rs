//! A game that runs on compiled rules, behind the vocabulary of `magister-core`.

use std::sync::{Arc, Mutex};

use magister_core::text::IDLE_TEXT;
use magister_core::{Game, Info, Move, Percept, Role, Stop, Text, Worker};
use magister_gdl::{Dialect, Syntax};

use super::code::Code;
use super::position::Position;
use super::prepare;
use super::worker::DatalogWorker;
use crate::Error;
use crate::ground::Ground;
use crate::program::Program;
use crate::reference::vocabulary::Vocabulary;
use crate::reference::{self, Limits, locked};
use crate::term::TermId;
use crate::trace::Stepper;

/// What all workers of a game share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: Info,
    pub(super) code: Arc<Code>,
    pub(super) limits: Limits,
    pub(super) initial: Vec<TermId>,
    pub(super) vocabulary: Mutex<Vocabulary>,
    /// How terms are written: infix in the operations dialect, KIF in the others.
    syntax: Syntax,
}

/// A game from a rulesheet, run on compiled rules.
///
/// Moves, fluents and percepts get their numbers when they are first seen.
#[derive(Debug)]
pub struct DatalogGame {
    shared: Arc<Shared>,
    /// A worker in the initial state, to be copied.
    worker: Mutex<DatalogWorker>,
    /// A worker that tries what somebody wrote: not every set of fluents is a state.
    reader: Mutex<DatalogWorker>,
}

impl DatalogGame {
    /// The game of a program, with limits for the evaluation of every query. `source` is the text
    /// of the rules, `name` what to call it.
    pub fn new(
        program: &Program,
        limits: Limits,
        source: &str,
        name: &str,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let (code, initial) = prepare::compile(program, limits, stop)?;
        let operations = program.dialect == Dialect::Operations;
        let shared = Arc::new(Shared {
            info: reference::info(program, source, name),
            code,
            limits,
            initial,
            vocabulary: Mutex::default(),
            syntax: if operations { Syntax::Infix } else { Syntax::Kif },
        });
        let mut worker = DatalogWorker::new(Arc::clone(&shared));
        worker.begin(stop)?;
        let reader = Mutex::new(worker.clone());
        Ok(DatalogGame { shared, worker: Mutex::new(worker), reader })
    }

    /// The evaluator as something that recorded matches can be held against.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(Position::new(Arc::clone(&self.shared.code), self.shared.limits))
    }

    fn read(&self, text: &str) -> Option<Ground> {
        Ground::read(text, self.shared.syntax).or_else(|| Ground::read(text, Syntax::Kif))
    }

    fn text_of(&self, vocabulary: &Vocabulary, term: Option<TermId>) -> String {
        let text = |term| vocabulary.terms.export(term).text(self.shared.syntax);
        term.map_or_else(|| "?".to_owned(), text)
    }
}

impl Game for DatalogGame {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(locked(&self.worker).clone())
    }

    fn text(&self) -> &dyn Text {
        self
    }
}

impl Text for DatalogGame {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE {
            return IDLE_TEXT.to_owned();
        }
        let vocabulary = locked(&self.shared.vocabulary);
        self.text_of(&vocabulary, vocabulary.moves.get(choice.0))
    }

    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        if text.trim() == IDLE_TEXT {
            return Some(Move::IDLE);
        }
        let term = self.read(text)?;
        let mut vocabulary = locked(&self.shared.vocabulary);
        let term = vocabulary.terms.import(&term);
        Some(Move(vocabulary.moves.number(term)))
    }

    fn percept_text(&self, percept: Percept) -> String {
        let vocabulary = locked(&self.shared.vocabulary);
        self.text_of(&vocabulary, vocabulary.percepts.get(percept.0))
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        let term = self.read(text)?;
        let mut vocabulary = locked(&self.shared.vocabulary);
        let term = vocabulary.terms.import(&term);
        Some(Percept(vocabulary.percepts.number(term)))
    }

    fn state_text(&self, state: &[u64]) -> String {
        let vocabulary = locked(&self.shared.vocabulary);
        let fluent = |&word: &u64| vocabulary.fluents.get(u32::try_from(word).ok()?);
        let mut fluents: Vec<TermId> = state.iter().filter_map(fluent).collect();
        vocabulary.terms.sort(&mut fluents);
        let texts = fluents.into_iter().map(|fluent| self.text_of(&vocabulary, Some(fluent)));
        magister_core::text::list(texts)
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let read = |syntax| Ground::read_all(inner, syntax);
        let fluents = read(self.shared.syntax).or_else(|| read(Syntax::Kif))?;
        let mut words = Vec::new();
        {
            let mut vocabulary = locked(&self.shared.vocabulary);
            for fluent in &fluents {
                let term = vocabulary.terms.import(fluent);
                words.push(u64::from(vocabulary.fluents.number(term)));
            }
        }
        words.sort_unstable();
        words.dedup();
        let loaded = locked(&self.reader).load(&words, &Stop::never());
        loaded.ok().map(|()| words)
    }
}
