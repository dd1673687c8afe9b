//! A game on compiled rules as a [`Game`].

use std::sync::{Arc, Mutex, OnceLock};

use magister_core::text::IDLE_TEXT;
use magister_core::{Board, Game, Info, Move, Percept, Role, StateTensors, Stop, Text, Worker};
use magister_gdl::{Dialect, Syntax};

use super::code::Code;
use super::position::Position;
use super::prepare::{self, Compiled};
use super::worker::DatalogWorker;
use crate::Error;
use crate::board::Listed;
use crate::ground::Ground;
use crate::program::Program;
use crate::reference::numbering::Numbering;
use crate::reference::{self, QueryLimits, locked};
use crate::term::TermId;
use crate::trace::Stepper;
use crate::vocabulary::Vocabulary;

/// The shared data of all workers of a game.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: Info,
    pub(super) code: Arc<Code>,
    pub(super) limits: QueryLimits,
    pub(super) initial: Vec<TermId>,
    pub(super) numbering: Mutex<Numbering>,
    /// The fixed vocabulary of the rules, if grounding found it.
    vocabulary: Option<Arc<Vocabulary>>,
    /// The syntax of terms: infix in the operations dialect, KIF in the others.
    syntax: Syntax,
}

/// A game from a rulesheet, run on compiled rules.
///
/// With a vocabulary, moves, fluents and percepts have its numbers; without one, each gets a number
/// when a worker first encounters it.
#[derive(Debug)]
pub(crate) struct DatalogGame {
    shared: Arc<Shared>,
    /// A worker in the initial state, to be copied.
    worker: Mutex<DatalogWorker>,
    work: f64,
    /// A worker for user input, because not every set of fluents is a state.
    reader: Mutex<DatalogWorker>,
    program: Arc<Program>,
    /// The board and the observations, created on demand.
    listed: OnceLock<Listed>,
}

impl DatalogGame {
    /// The game of a program, with the vocabulary of its grounded rules if there is one, and limits
    /// for the evaluation of every query. `source` is the text of the rules, `name` the name of the
    /// game.
    pub(crate) fn new(
        program: &Arc<Program>,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: QueryLimits,
        source: &str,
        name: &str,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let Compiled { code, initial, work } = prepare::compile(program, limits, stop)?;
        let operations = program.dialect == Dialect::Operations;
        let shared = Arc::new(Shared {
            info: reference::info(program, vocabulary.as_deref(), source, name),
            code,
            limits,
            initial,
            numbering: Mutex::new(Numbering::new(vocabulary.as_deref())),
            vocabulary,
            syntax: if operations { Syntax::Infix } else { Syntax::Kif },
        });
        let mut worker = DatalogWorker::new(Arc::clone(&shared));
        worker.begin(stop)?;
        let reader = Mutex::new(worker.clone());
        let (program, worker) = (Arc::clone(program), Mutex::new(worker));
        Ok(DatalogGame { shared, worker, work, reader, program, listed: OnceLock::new() })
    }

    /// The work of a step of random play, as counted when the rules were compiled.
    pub(crate) fn work(&self) -> f64 {
        self.work
    }

    /// The evaluator as a [`Stepper`], for comparison with recorded matches.
    pub(crate) fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(Position::new(Arc::clone(&self.shared.code), self.shared.limits))
    }

    fn read(&self, text: &str) -> Option<Ground> {
        Ground::read(text, self.shared.syntax).or_else(|| Ground::read(text, Syntax::Kif))
    }

    fn text_of(&self, numbering: &Numbering, term: Option<TermId>) -> String {
        let text = |term| numbering.terms.export(term).text(self.shared.syntax);
        term.map_or_else(|| "?".to_owned(), text)
    }
}

impl DatalogGame {
    /// The board and observations, if the rules fix the fluents.
    fn listed(&self) -> Option<&Listed> {
        let vocabulary = self.shared.vocabulary.as_ref()?;
        Some(self.listed.get_or_init(|| Listed::new(self, &self.program, vocabulary)))
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

    fn board(&self) -> Option<&dyn Board> {
        self.listed()?.board()
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        self.listed().map(|listed| listed as &dyn StateTensors)
    }
}

impl Text for DatalogGame {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE {
            return IDLE_TEXT.to_owned();
        }
        let numbering = locked(&self.shared.numbering);
        self.text_of(&numbering, numbering.moves.get(choice.0))
    }

    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        if text.trim() == IDLE_TEXT {
            return Some(Move::IDLE);
        }
        let term = self.read(text)?;
        locked(&self.shared.numbering).find_move(&term).map(Move)
    }

    fn percept_text(&self, percept: Percept) -> String {
        let numbering = locked(&self.shared.numbering);
        self.text_of(&numbering, numbering.percepts.get(percept.0))
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        let term = self.read(text)?;
        locked(&self.shared.numbering).find_percept(&term).map(Percept)
    }

    fn state_text(&self, state: &[u64]) -> String {
        let numbering = locked(&self.shared.numbering);
        let fluent = |&word: &u64| numbering.fluents.get(u32::try_from(word).ok()?);
        let mut fluents: Vec<TermId> = state.iter().filter_map(fluent).collect();
        numbering.terms.sort(&mut fluents);
        let texts = fluents.into_iter().map(|fluent| self.text_of(&numbering, Some(fluent)));
        magister_core::text::list(texts)
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let read = |syntax| Ground::read_all(inner, syntax);
        let fluents = read(self.shared.syntax).or_else(|| read(Syntax::Kif))?;
        if !reference::possible(&fluents, self.shared.vocabulary.as_deref(), &self.program) {
            return None;
        }
        let mut words = Vec::new();
        {
            let mut numbering = locked(&self.shared.numbering);
            for fluent in &fluents {
                let term = numbering.terms.import(fluent);
                words.push(u64::from(numbering.fluents.number(term)));
            }
        }
        words.sort_unstable();
        words.dedup();
        let loaded = locked(&self.reader).load(&words, &Stop::never());
        loaded.ok().map(|()| words)
    }
}
