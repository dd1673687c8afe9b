//! A game that runs on its network.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use magister_core::text::IDLE_TEXT;
use magister_core::{
    Batch, Board, Detail, Game, Halt, Info, Move, Percept, Results, Role, StateTensors, Stop,
    Stream, Tensors, Text, Worker,
};
use magister_gdl::{Dialect, Syntax};
use magister_lanes::Width;
use rustc_hash::FxHashMap;

use super::code::{Codes, Emitted};
use super::incremental::Incremental;
use super::machine::Machine;
use super::names::Names;
use super::pace::{Choice, Pace, Playing};
use super::possible::Possible;
use super::stepper::NetworkStepper;
use super::sweep::{Sweep, Tapes};
use super::tries::Trying;
use super::worker::NetworkWorker;
use crate::Error;
use crate::batch::{BatchPlan, Pay};
use crate::board::NetworkBoard;
use crate::ground::Ground;
use crate::network::Network;
use crate::observation::{FluentTensors, set_bits};
use crate::program::Program;
use crate::reference;
use crate::term::TermId;
use crate::trace::Stepper;

/// How a network is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Everything anew in every state.
    Sweep,
    /// Only what changes.
    Incremental,
    /// Everything anew in every state, as machine code.
    Code,
    /// Like sweep, and playouts on vectors, hundreds at once.
    Batch,
}

impl Method {
    /// How playouts are played, if nothing else is said.
    fn choice(self) -> Choice {
        Choice::Always(match self {
            Method::Sweep | Method::Incremental | Method::Code => Playing::OneByOne,
            Method::Batch => Playing::Lanes(Width::best()),
        })
    }
}

/// Playouts by which the speed of single lanes is measured, and how long they may be.
const TRIALS: u32 = 4;
const LONGEST: u32 = 10_000;

/// What all workers of a game share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) info: Info,
    pub(super) network: Arc<Network>,
    pub(super) method: Method,
    pub(super) names: Arc<Names>,
    /// The texts of moves, by their number in the vocabulary.
    move_texts: Vec<String>,
    move_numbers: FxHashMap<Ground, u32>,
    /// The vocabulary's number of each percept of the network.
    pub(super) percepts: Vec<u32>,
    percept_texts: Vec<String>,
    percept_numbers: FxHashMap<Ground, u32>,
    /// The values of the network's goals, as numbers.
    pub(super) values: Vec<Option<f64>>,
    pub(super) fluents: FxHashMap<Ground, u32>,
    fluent_texts: Vec<String>,
    syntax: Syntax,
    pub(super) initial: Vec<u64>,
    pub(super) possible: Possible,
    pub(super) operations: bool,
    /// A machine that propagates changes, of which there are copies: to make the first takes long.
    incremental: OnceLock<Incremental>,
    /// What sweeps run, made when somebody first wants it.
    tapes: OnceLock<Arc<Tapes>>,
    /// The same as machine code, if the machine allows that.
    codes: OnceLock<Option<Arc<Codes>>>,
    /// What was measured about batches of playouts.
    pub(super) pace: Mutex<Pace>,
    /// How playouts are played many at once, made when somebody first wants them: without telling
    /// what comes of moves, and with it.
    plans: [OnceLock<Arc<BatchPlan>>; 2],
    /// For each role, how steps are held many at once against what it saw.
    pub(super) tries: Vec<Trying>,
    program: Arc<Program>,
    /// The board, made when somebody first wants it.
    board: OnceLock<Option<NetworkBoard>>,
    /// How states are observed, made when somebody first wants it.
    tensors: OnceLock<FluentTensors>,
}

/// A game that runs on its network.
#[derive(Debug)]
pub struct NetworkGame {
    pub(super) shared: Arc<Shared>,
    /// How batches of playouts are played.
    choice: Choice,
}

impl NetworkGame {
    /// The game of a network; an error if its first state cannot be played. `source` is the text of the rules, `name` what to call it.
    pub fn new(
        program: &Arc<Program>,
        network: Arc<Network>,
        method: Method,
        source: &str,
        name: &str,
    ) -> Result<Self, Error> {
        let operations = program.dialect == Dialect::Operations;
        let syntax = if operations { Syntax::Infix } else { Syntax::Kif };
        let export = |term: TermId| network.terms.export(term);
        let mut info = reference::info(program, source, name);
        info.state_words = Some(network.fluents.len().div_ceil(64));

        let mut terms: Vec<TermId> = network.moves.iter().map(|&(_, term)| term).collect();
        network.terms.sort(&mut terms);
        terms.dedup();
        info.moves = Some(terms.len() as u32);
        let names = Arc::new(Names::new(&network, info.roles.len(), &terms));

        let mut seen: Vec<TermId> = network.percepts.iter().map(|&(_, term, _)| term).collect();
        network.terms.sort(&mut seen);
        seen.dedup();
        info.percepts = Some(seen.len() as u32);
        let percept_of: FxHashMap<TermId, u32> =
            seen.iter().enumerate().map(|(n, &t)| (t, n as u32)).collect();
        let mut initial = vec![0; network.fluents.len().div_ceil(64)];
        for (fluent, &holds) in network.initial.iter().enumerate() {
            initial[fluent / 64] |= u64::from(holds) << (fluent % 64);
        }
        let shared = Shared {
            method,
            names,
            move_texts: terms.iter().map(|&t| export(t).text(syntax)).collect(),
            move_numbers: terms.iter().enumerate().map(|(n, &t)| (export(t), n as u32)).collect(),
            percepts: network.percepts.iter().map(|(_, term, _)| percept_of[term]).collect(),
            percept_texts: seen.iter().map(|&t| export(t).text(syntax)).collect(),
            percept_numbers: seen.iter().enumerate().map(|(n, &t)| (export(t), n as u32)).collect(),
            values: network
                .goals
                .iter()
                .map(|&(_, value, _)| {
                    let text = network.terms.constant_text(value)?;
                    text.parse::<i64>().ok().map(|v| v as f64)
                })
                .collect(),
            fluents: network
                .fluents
                .iter()
                .enumerate()
                .map(|(n, &t)| (export(t), n as u32))
                .collect(),
            fluent_texts: network.fluents.iter().map(|&t| export(t).text(syntax)).collect(),
            syntax,
            initial,
            possible: Possible::new(&network.invariants),
            operations,
            incremental: OnceLock::new(),
            tapes: OnceLock::new(),
            codes: OnceLock::new(),
            pace: Mutex::default(),
            plans: Default::default(),
            tries: info.roles.iter().map(|_| Trying::default()).collect(),
            program: Arc::clone(program),
            board: OnceLock::new(),
            tensors: OnceLock::new(),
            info,
            network,
        };
        let shared = Arc::new(shared);
        // A game that cannot be begun is no game.
        let machine = shared.sweep();
        let choice = method.choice();
        NetworkWorker::new(Arc::clone(&shared), machine, choice).begin()?;
        Ok(Self { shared, choice })
    }

    /// The same game that plays batches in another way.
    #[must_use]
    pub fn playing(&self, choice: Choice) -> Self {
        Self { shared: Arc::clone(&self.shared), choice }
    }

    /// Makes ready to play on vectors, if that has not been done, and gives the time that it took.
    pub fn vectors(&self) -> Duration {
        let begun = Instant::now();
        self.shared.plan(false);
        begun.elapsed()
    }

    /// From how many lanes on large batches are played in which way. Where that is measured,
    /// everything is made ready for it.
    pub fn choices(&self, stop: &Stop) -> Result<Vec<(usize, Playing)>, Halt> {
        if self.choice == Choice::Measured {
            let streams = [Stream { id: 0, start: &self.shared.initial, quota: TRIALS }];
            let batch =
                Batch { seed: 0, streams: &streams, max_steps: LONGEST, detail: Detail::Sums };
            self.worker().playouts(&batch, &mut Results::default(), stop)?;
            self.shared.measure(stop)?;
        }
        Ok(self.shared.choices(self.choice))
    }

    /// Whether there is machine code for it, as far as its method wants that.
    pub fn has_code(&self) -> bool {
        self.shared.method == Method::Code && self.shared.code().is_some()
    }

    /// The network that it runs on.
    pub fn network(&self) -> &Network {
        &self.shared.network
    }

    /// The evaluator as something that recorded matches can be held against.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(NetworkStepper::new(Arc::clone(&self.shared)))
    }
}

impl Shared {
    /// A machine, in no state yet.
    pub(super) fn machine(&self) -> Box<dyn Machine> {
        match self.method {
            Method::Sweep | Method::Batch => Box::new(self.sweep()),
            Method::Incremental => Box::new(self.incremental()),
            Method::Code => match self.code() {
                Some(machine) => Box::new(machine),
                None => Box::new(self.sweep()),
            },
        }
    }

    /// A machine that propagates changes, in no state yet.
    fn incremental(&self) -> Incremental {
        let first = || Incremental::new(Arc::clone(&self.network), Arc::clone(&self.names));
        self.incremental.get_or_init(first).clone()
    }

    /// A machine that sweeps, in no state yet.
    fn sweep(&self) -> Sweep {
        let tapes = self.tapes.get_or_init(|| Arc::new(Tapes::new(&self.network, &self.names)));
        Sweep::new(&self.network, Arc::clone(tapes))
    }

    /// A machine that runs code, in no state yet, where there can be one.
    fn code(&self) -> Option<Emitted> {
        let codes = self.codes.get_or_init(|| Codes::new(&self.network, &self.names).map(Arc::new));
        codes.as_ref().map(|codes| Emitted::new(&self.network, Arc::clone(codes)))
    }

    /// How playouts are played many at once, and if so asked what comes of moves is told.
    pub(super) fn plan(&self, moves: bool) -> Arc<BatchPlan> {
        let make = || {
            let chance = self.info.chance.map(Role::index);
            let pay = Pay { values: &self.values, chance, zero: self.operations };
            let numbers = moves.then_some(&self.names.numbers[..]);
            Arc::new(BatchPlan::new(&self.network, &pay, numbers))
        };
        Arc::clone(self.plans[usize::from(moves)].get_or_init(make))
    }

    /// Whether words are a state of this game, as far as is known.
    pub(super) fn is_state(&self, state: &[u64]) -> bool {
        self.has_words(state) && self.possible.allows(state)
    }

    /// Whether there are as many words as a state has, and no bits that stand for nothing.
    pub(super) fn has_words(&self, state: &[u64]) -> bool {
        let spare = self.network.fluents.len() % 64;
        state.len() == self.initial.len()
            && (spare == 0 || state.last().is_none_or(|word| word >> spare == 0))
    }

    fn read(&self, text: &str) -> Option<Ground> {
        Ground::read_either(text, self.syntax)
    }

    /// The state with these fluents; none if play never comes to it, as far as is known.
    pub(super) fn words(&self, fluents: &[Ground]) -> Option<Vec<u64>> {
        let mut words = vec![0; self.initial.len()];
        for fluent in fluents {
            let number = *self.fluents.get(fluent)? as usize;
            words[number / 64] |= 1 << (number % 64);
        }
        Some(words).filter(|words| self.possible.allows(words))
    }
}

impl Game for NetworkGame {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let shared = Arc::clone(&self.shared);
        match shared.method {
            Method::Sweep | Method::Batch => {
                let machine = shared.sweep();
                Box::new(NetworkWorker::new(shared, machine, self.choice))
            }
            Method::Code => {
                if let Some(machine) = shared.code() {
                    return Box::new(NetworkWorker::new(shared, machine, self.choice));
                }
                let machine = shared.sweep();
                Box::new(NetworkWorker::new(shared, machine, self.choice))
            }
            Method::Incremental => {
                let machine = shared.incremental();
                Box::new(NetworkWorker::new(shared, machine, self.choice))
            }
        }
    }

    fn text(&self) -> &dyn Text {
        self
    }

    fn board(&self) -> Option<&dyn Board> {
        self.network_board().map(|board| board as &dyn Board)
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        Some(self)
    }
}

impl NetworkGame {
    fn network_board(&self) -> Option<&NetworkBoard> {
        let make = || {
            let mut moves: Vec<(&Ground, u32)> =
                self.shared.move_numbers.iter().map(|(term, &number)| (term, number)).collect();
            moves.sort_unstable_by_key(|&(_, number)| number);
            let moves: Vec<Ground> = moves.into_iter().map(|(term, _)| term.clone()).collect();
            NetworkBoard::new(self, &self.shared.network, &self.shared.program, &moves)
        };
        self.shared.board.get_or_init(make).as_ref()
    }

    fn fluent_tensors(&self) -> &FluentTensors {
        let fluents = self.shared.network.fluents.len();
        let make = || FluentTensors::new(fluents, self.network_board());
        self.shared.tensors.get_or_init(make)
    }
}

impl StateTensors for NetworkGame {
    fn tensors(&self) -> &Tensors {
        self.fluent_tensors().tensors()
    }

    fn write(&self, state: &[u64], out: &mut [f32]) {
        self.fluent_tensors().write(set_bits(state), out);
    }
}

impl Text for NetworkGame {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE {
            return IDLE_TEXT.to_owned();
        }
        self.shared.move_texts.get(choice.0 as usize).map_or_else(|| "?".to_owned(), Clone::clone)
    }

    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        if text.trim() == IDLE_TEXT {
            return Some(Move::IDLE);
        }
        let term = self.shared.read(text)?;
        self.shared.move_numbers.get(&term).map(|&n| Move(n))
    }

    fn percept_text(&self, percept: Percept) -> String {
        let text = self.shared.percept_texts.get(percept.0 as usize);
        text.map_or_else(|| "?".to_owned(), Clone::clone)
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        let term = self.shared.read(text)?;
        self.shared.percept_numbers.get(&term).map(|&n| Percept(n))
    }

    fn state_text(&self, state: &[u64]) -> String {
        let holds = |fluent: &usize| {
            state.get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1)
        };
        let mut terms: Vec<TermId> = (0..self.shared.fluent_texts.len())
            .filter(holds)
            .map(|fluent| self.shared.network.fluents[fluent])
            .collect();
        self.shared.network.terms.sort(&mut terms);
        let texts =
            terms.into_iter().map(|t| self.shared.network.terms.export(t).text(self.shared.syntax));
        magister_core::text::list(texts)
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let read = |syntax| Ground::read_all(inner, syntax);
        let fluents = read(self.shared.syntax).or_else(|| read(Syntax::Kif))?;
        self.shared.words(&fluents)
    }
}
