//! A game on the reference interpreter as a [`Game`].

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use magister_core::text::IDLE_TEXT;
use magister_core::{
    Board, Game, Info, Information, Move, Percept, Role, StateTensors, Stop, Text, Worker,
    rules_hash,
};
use magister_gdl::{Dialect, Rulesheet, Syntax};

use super::limits::QueryLimits;
use super::numbering::Numbering;
use super::position::Reference;
use super::worker::{Position, ReferenceWorker};
use crate::Error;
use crate::board::Listed;
use crate::ground::Ground;
use crate::program::{Pattern, Program};
use crate::term::{Functor, TermId};
use crate::vocabulary::Vocabulary;

/// The shared data of all workers of a game.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: Info,
    pub(super) numbering: Mutex<Numbering>,
    /// The fixed vocabulary of the rules, if grounding found it.
    vocabulary: Option<Arc<Vocabulary>>,
    pub(super) initial: Position,
    /// The syntax of terms: infix in the operations dialect, KIF in the others.
    syntax: Syntax,
}

/// Numbers are only ever added, and a reader is set before it is used, so the data is valid even
/// after a panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A game from a rulesheet, played by the reference interpreter.
///
/// With a vocabulary, moves, fluents and percepts have its numbers; without one, each gets a number
/// when a worker first encounters it.
#[derive(Debug)]
pub struct ReferenceGame {
    shared: Arc<Shared>,
    /// A worker in the initial state, to be copied.
    worker: ReferenceWorker,
    /// A worker for user input: not every set of fluents is a state.
    reader: Mutex<ReferenceWorker>,
    /// The board and the observations, created on demand.
    listed: OnceLock<Listed>,
}

impl ReferenceGame {
    /// The game of a rulesheet, without grounding: moves have no fixed numbers. `source` is its
    /// text.
    pub fn new(rules: &Rulesheet, source: &str, name: &str) -> Result<Self, Error> {
        let program = Arc::new(Program::canonical(rules, source)?);
        Self::with_limits(program, None, QueryLimits::default(), source, name, &Stop::never())
    }

    /// The game of a program, with the vocabulary of its grounded rules if there is one, and limits
    /// for the evaluation of every query.
    pub fn with_limits(
        program: Arc<Program>,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: QueryLimits,
        source: &str,
        name: &str,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let info = info(&program, vocabulary.as_deref(), source, name);
        let operations = program.dialect == Dialect::Operations;
        let mut reference = Reference::new(program, limits);
        let state = reference.initial(stop)?;
        let mut shared = Shared {
            info,
            numbering: Mutex::default(),
            vocabulary,
            initial: Position::default(),
            syntax: if operations { Syntax::Infix } else { Syntax::Kif },
        };
        // The initial position needs a worker, and the worker needs the shared data, so the shared
        // data is created twice.
        let first = Shared {
            info: shared.info.clone(),
            numbering: Mutex::new(Numbering::new(shared.vocabulary.as_deref())),
            vocabulary: None,
            initial: Position::default(),
            syntax: shared.syntax,
        };
        let mut worker =
            ReferenceWorker { shared: Arc::new(first), reference, position: Position::default() };
        worker.enter(state, stop)?;
        shared.numbering = Mutex::new(std::mem::take(&mut *locked(&worker.shared.numbering)));
        shared.initial = worker.position.clone();
        let shared = Arc::new(shared);
        worker.shared = Arc::clone(&shared);
        let reader = Mutex::new(worker.clone());
        Ok(ReferenceGame { shared, worker, reader, listed: OnceLock::new() })
    }

    /// An interpreter of the same rules, for queries that [`Worker`] does not answer.
    pub fn reference(&self) -> Reference {
        self.worker.reference.clone()
    }

    /// The fluents of a state; empty if the words are invalid.
    pub fn fluents_of(&self, state: &[u64]) -> Vec<Ground> {
        let numbering = locked(&self.shared.numbering);
        let fluents = numbering.state(state).unwrap_or_default();
        fluents.into_iter().map(|fluent| numbering.terms.export(fluent)).collect()
    }

    /// The words of the state with these fluents, which need not be reachable.
    pub fn words_of(&self, fluents: &[Ground]) -> Vec<u64> {
        locked(&self.shared.numbering).words(fluents)
    }

    /// A move as a term; `None` for an idle role.
    pub fn term_of(&self, choice: Move) -> Option<Ground> {
        let numbering = locked(&self.shared.numbering);
        let term = numbering.moves.get(choice.0).filter(|_| choice != Move::IDLE);
        term.map(|term| numbering.terms.export(term))
    }

    fn read(&self, text: &str) -> Option<Ground> {
        Ground::read_either(text, self.shared.syntax)
    }

    fn text_of(&self, numbering: &Numbering, term: Option<TermId>) -> String {
        let text = |term| numbering.terms.export(term).text(self.shared.syntax);
        term.map_or_else(|| "?".to_owned(), text)
    }
}

impl ReferenceGame {
    /// The board and observations, if the rules fix the fluents.
    fn listed(&self) -> Option<&Listed> {
        let vocabulary = self.shared.vocabulary.as_ref()?;
        Some(
            self.listed
                .get_or_init(|| Listed::new(self, self.worker.reference.program(), vocabulary)),
        )
    }
}

impl Game for ReferenceGame {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(self.worker.clone())
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

impl Text for ReferenceGame {
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
        let fluents = numbering.state(state).unwrap_or_default();
        let texts = fluents.into_iter().map(|fluent| self.text_of(&numbering, Some(fluent)));
        magister_core::text::list(texts)
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let read = |syntax| Ground::read_all(inner, syntax);
        let fluents = read(self.shared.syntax).or_else(|| read(Syntax::Kif))?;
        let program = self.worker.reference.program();
        if !possible(&fluents, self.shared.vocabulary.as_deref(), program) {
            return None;
        }
        let words = locked(&self.shared.numbering).words(&fluents);
        let loaded = locked(&self.reader).load(&words, &Stop::never());
        loaded.ok().map(|()| words)
    }
}

/// Whether a state with these fluents may be reachable, according to the vocabulary or, without
/// one, to the names in the rules. Text that is refused here gets no numbers.
pub(crate) fn possible(
    fluents: &[Ground],
    vocabulary: Option<&Vocabulary>,
    program: &Program,
) -> bool {
    fluents.iter().all(|fluent| match vocabulary {
        Some(vocabulary) => vocabulary.fluents.number(fluent).is_some(),
        None => program.has_words(fluent),
    })
}

pub(crate) fn info(
    program: &Program,
    vocabulary: Option<&Vocabulary>,
    source: &str,
    name: &str,
) -> Info {
    let roles: Vec<String> =
        program.roles.iter().map(|&role| program.terms.export(role).to_string()).collect();
    let random = roles.iter().position(|role| role == "random");
    Info {
        name: name.to_owned(),
        chance: random
            .filter(|_| program.dialect != Dialect::Operations)
            .map(|role| Role(role as u8)),
        roles,
        moves: vocabulary.map(|vocabulary| vocabulary.moves.len() as u32),
        percepts: vocabulary.map(|vocabulary| vocabulary.percepts.len() as u32),
        state_words: None,
        rewards: rewards(program),
        payment: magister_core::Payment::AtEnd,
        constant_sum: None,
        max_length: None,
        information: match program.dialect {
            Dialect::Gdl2 => Information::Hidden,
            Dialect::Gdl | Dialect::Operations => Information::Perfect,
        },
        rules_hash: program.rules_hash.clone(),
        text_hash: rules_hash(source),
    }
}

/// The range of rewards: 0 to 100, as in the languages, extended by the values in the heads of the
/// goal rules.
fn rewards(program: &Program) -> (f64, f64) {
    let mut range = (0.0_f64, 100.0_f64);
    let functor =
        program.terms.find_symbol("goal").map(|symbol| Functor { symbol, arity: Some(2) });
    let Some(relation) = functor.and_then(|functor| program.relation(functor)) else {
        return range;
    };
    let info = &program.relations[relation.index()];
    let facts = info.facts.iter().map(|&fact| program.terms.args(fact)[1]);
    let heads =
        info.rules.iter().filter_map(|&rule| match program.rules[rule as usize].head.args[1] {
            Pattern::Ground(value) => Some(value),
            _ => None,
        });
    for value in facts.chain(heads) {
        let number = program.terms.constant_text(value).and_then(|text| text.parse::<i64>().ok());
        if let Some(number) = number {
            range = (range.0.min(number as f64), range.1.max(number as f64));
        }
    }
    range
}
