//! A compiled game on one of the network evaluators.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use magister_core::text::IDLE_TEXT;
use magister_core::{
    Batch, Board, Detail, Game, Halt, Info, Move, Payment, Percept, Results, Role, StateTensors,
    Stop, Stream, Symmetry, Tensors, Text, Worker,
};
use magister_lanes::Width;

use super::code::{Codes, Emitted, walks_alike};
use super::incremental::Incremental;
use super::machine::Machine;
use super::pace::{Pace, Playouts};
use super::places::Places;
use super::possible::Possible;
use super::sweep::{Sweep, Tapes};
use super::tries::Trying;
use super::weights::Weights;
use super::worker::NetworkWorker;
use crate::batch::{BatchPlan, BatchProgram, Pay};
use crate::clock::Clock;
use crate::compiled::Compiled;
use crate::network::{Edge, Network};
use crate::observation::set_bits;
use crate::{Error, Evaluator};

/// The number of playouts for measuring single lanes, and their maximum length.
const TRIALS: u32 = 4;
const LONGEST: u32 = 10_000;

/// The shared data of all workers of a game.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) compiled: Arc<Compiled>,
    pub(super) info: Info,
    pub(super) network: Arc<Network>,
    /// The evaluator of single steps.
    pub(super) evaluator: Evaluator,
    pub(super) places: Arc<Places>,
    pub(super) initial: Vec<u64>,
    pub(super) possible: Possible,
    /// The weights of chance moves, if they are not all equal.
    pub(super) weights: Option<Weights>,
    /// Whether steps have gains, and whether steps may be silent.
    pub(super) gaining: bool,
    pub(super) silent: bool,
    /// The goal value of a role without one in the rules.
    pub(super) missing_goal: Option<f64>,
    /// An incremental machine to be copied, because creating the first one takes long.
    incremental: OnceLock<Incremental>,
    /// The tapes of sweeps, created on demand.
    tapes: OnceLock<Arc<Tapes>>,
    /// The tapes as machine code, if the machine allows it.
    codes: OnceLock<Option<Arc<Codes>>>,
    /// The measurements of batch playouts.
    pub(super) pace: Mutex<Pace>,
    /// The clock of the measurements.
    clock: OnceLock<Clock>,
    /// The plans of batch playouts, created on demand: without statistics of moves, and with them.
    plans: [OnceLock<Arc<BatchPlan>>; 2],
    /// For each role, the plan for trying steps in batches.
    pub(super) tries: Vec<Trying>,
    /// The same game with tactical playouts, created on demand.
    tactical: OnceLock<Option<CompiledGame>>,
}

/// A compiled game that is ready to play, on one of the network evaluators.
#[derive(Clone, Debug)]
pub struct CompiledGame {
    pub(super) shared: Arc<Shared>,
    playouts: Playouts,
}

impl CompiledGame {
    /// The game on a network evaluator; an error if the evaluator does not run networks, or if the
    /// initial state cannot be played.
    ///
    /// [`Evaluator::Batch`] makes single steps by sweep and plays batches on vectors; the others
    /// play lanes one by one, unless [`playing`](Self::playing) says otherwise.
    pub fn new(compiled: Arc<Compiled>, evaluator: Evaluator) -> Result<Self, Error> {
        if matches!(evaluator, Evaluator::Datalog | Evaluator::Reference) {
            let what = format!("the evaluator {evaluator} runs GDL rules, not networks");
            return Err(Error::Halt(Halt::Limit(what)));
        }
        let network = Arc::clone(compiled.network());
        let info = compiled.info().clone();
        let mut initial = vec![0; network.fluents().div_ceil(64)];
        for (fluent, &holds) in network.initial.iter().enumerate() {
            initial[fluent / 64] |= u64::from(holds) << (fluent % 64);
        }
        let shared = Shared {
            evaluator,
            places: Arc::new(Places::new(&network, compiled.names().moves().len())),
            initial,
            possible: Possible::new(&network.invariants),
            weights: Weights::new(&network, info.chance.map(Role::index)),
            gaining: !network.gains.is_empty(),
            silent: network.silent != Edge::FALSE,
            missing_goal: compiled.missing_goal(),
            incremental: OnceLock::new(),
            tapes: OnceLock::new(),
            codes: OnceLock::new(),
            pace: Mutex::default(),
            clock: OnceLock::new(),
            plans: Default::default(),
            tries: info.roles.iter().map(|_| Trying::default()).collect(),
            tactical: OnceLock::new(),
            info,
            network,
            compiled,
        };
        let shared = Arc::new(shared);
        let playouts = match evaluator {
            Evaluator::Batch => Playouts::Lanes(Width::best()),
            _ => Playouts::OneByOne,
        };
        // A game that cannot start is refused.
        let machine = shared.sweep();
        NetworkWorker::new(Arc::clone(&shared), machine, playouts).begin()?;
        Ok(Self { shared, playouts })
    }

    /// The same game with another batch method.
    #[must_use]
    pub fn playing(&self, playouts: Playouts) -> Self {
        Self { shared: Arc::clone(&self.shared), playouts }
    }

    /// The compiled game of the front end.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.shared.compiled
    }

    /// Sets the clock for measurements. It has no effect after the first measurement.
    pub fn measure_by(&self, clock: &Clock) {
        let _ = self.shared.clock.set(clock.clone());
    }

    /// Prepares vectors, if necessary, and returns the time that this took.
    pub fn vectors(&self) -> Duration {
        let begun = self.shared.clock().start();
        self.shared.plan(false);
        begun.elapsed()
    }

    /// The batch method by number of lanes: on vectors of a width, or one by one. If the method is
    /// chosen by measurement, the measurements are made now.
    pub fn choices(&self, stop: &Stop) -> Result<Vec<(usize, Option<Width>)>, Halt> {
        if self.playouts == Playouts::Measured {
            let streams = [Stream { id: 0, start: &self.shared.initial, quota: TRIALS }];
            let batch =
                Batch { seed: 0, streams: &streams, max_steps: LONGEST, detail: Detail::Sums };
            self.worker().playouts(&batch, &mut Results::default(), stop)?;
            self.shared.measure(stop)?;
        }
        Ok(self.shared.choices(self.playouts))
    }

    /// One step of the game for many lanes at once, before it is laid out for this machine.
    pub fn batch_program(&self) -> BatchProgram {
        BatchProgram::new(&self.shared.network, self.shared.pay())
    }

    /// The game with tactical playouts, if its network can have them; see [`Game::tactical`].
    pub fn with_tactics(&self) -> Option<Self> {
        let tactical = self.shared.tactical.get_or_init(|| {
            let network = self.shared.network.tactical(&Stop::never()).ok()??;
            let compiled = Arc::new(self.shared.compiled.on(network));
            Self::new(compiled, self.shared.evaluator).ok()
        });
        Some(tactical.as_ref()?.playing(self.playouts))
    }

    /// Whether it has machine code, if its evaluator uses it.
    pub fn has_code(&self) -> bool {
        self.shared.evaluator == Evaluator::Code && self.shared.code().is_some()
    }
}

impl Shared {
    /// The clock for all measurements.
    pub(super) fn clock(&self) -> &Clock {
        self.clock.get_or_init(Clock::machine)
    }

    /// A machine without a state.
    pub(super) fn machine(&self) -> Box<dyn Machine> {
        match self.evaluator {
            Evaluator::Incremental => Box::new(self.incremental()),
            Evaluator::Code => match self.code() {
                Some(machine) => Box::new(machine),
                None => Box::new(self.sweep()),
            },
            _ => Box::new(self.sweep()),
        }
    }

    /// An incremental machine without a state.
    fn incremental(&self) -> Incremental {
        let first = || Incremental::new(Arc::clone(&self.network), Arc::clone(&self.places));
        self.incremental.get_or_init(first).clone()
    }

    /// A sweep machine without a state.
    fn sweep(&self) -> Sweep {
        let tapes = self.tapes.get_or_init(|| Arc::new(Tapes::new(&self.network, &self.places)));
        Sweep::new(&self.network, Arc::clone(tapes))
    }

    /// A machine-code machine without a state, if possible.
    fn code(&self) -> Option<Emitted> {
        let make = || {
            let codes = Arc::new(Codes::new(&self.network, &self.places)?);
            // The code was compared with its tapes on random rows; here it is compared on rows of
            // real states.
            let emitted = Emitted::new(&self.network, Arc::clone(&codes));
            let same =
                walks_alike(&self.network, &self.places, &self.initial, emitted, self.sweep());
            debug_assert!(same, "code that differs from its network");
            same.then_some(codes)
        };
        let codes = self.codes.get_or_init(make);
        codes.as_ref().map(|codes| Emitted::new(&self.network, Arc::clone(codes)))
    }

    /// How the game pays its rewards.
    pub(super) fn pay(&self) -> Pay {
        Pay {
            chance: self.info.chance.map(Role::index),
            missing: self.missing_goal,
            on_the_way: self.info.payment == Payment::OnTheWay,
        }
    }

    /// The plan of batch playouts, with statistics of moves if requested.
    pub(super) fn plan(&self, moves: bool) -> Arc<BatchPlan> {
        let make = || Arc::new(BatchPlan::new(&self.network, self.pay(), moves));
        Arc::clone(self.plans[usize::from(moves)].get_or_init(make))
    }

    /// Whether words can be a state of this game, according to the proven invariants.
    pub(super) fn is_state(&self, state: &[u64]) -> bool {
        self.has_words(state) && self.possible.allows(state)
    }

    /// Whether the number of words is right, and unused bits are zero.
    pub(super) fn has_words(&self, state: &[u64]) -> bool {
        let spare = self.network.fluents() % 64;
        state.len() == self.initial.len()
            && (spare == 0 || state.last().is_none_or(|word| word >> spare == 0))
    }
}

impl Game for CompiledGame {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let shared = Arc::clone(&self.shared);
        match shared.evaluator {
            Evaluator::Code => {
                if let Some(machine) = shared.code() {
                    return Box::new(NetworkWorker::new(shared, machine, self.playouts));
                }
                let machine = shared.sweep();
                Box::new(NetworkWorker::new(shared, machine, self.playouts))
            }
            Evaluator::Incremental => {
                let machine = shared.incremental();
                Box::new(NetworkWorker::new(shared, machine, self.playouts))
            }
            _ => {
                let machine = shared.sweep();
                Box::new(NetworkWorker::new(shared, machine, self.playouts))
            }
        }
    }

    fn text(&self) -> &dyn Text {
        self
    }

    fn board(&self) -> Option<&dyn Board> {
        self.shared.compiled.board(self).map(|board| board as &dyn Board)
    }

    fn symmetries(&self) -> &[Symmetry] {
        self.shared.compiled.symmetries(self)
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        Some(self)
    }

    fn tactical(&self) -> Option<Arc<dyn Game>> {
        Some(Arc::new(self.with_tactics()?))
    }

    fn warm_up(&self, stop: &Stop) -> Result<(), Halt> {
        self.choices(stop).map(drop)
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
}

impl StateTensors for CompiledGame {
    fn tensors(&self) -> &Tensors {
        self.shared.compiled.tensors(self).tensors()
    }

    fn write(&self, state: &[u64], out: &mut [f32]) {
        self.shared.compiled.tensors(self).write(set_bits(state), out);
    }
}

impl Text for CompiledGame {
    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE {
            return IDLE_TEXT.to_owned();
        }
        let text = self.shared.compiled.names().moves().get(choice.index());
        text.map_or_else(|| "?".to_owned(), Clone::clone)
    }

    fn parse_move(&self, _role: Role, text: &str) -> Option<Move> {
        if text.trim() == IDLE_TEXT {
            return Some(Move::IDLE);
        }
        self.shared.compiled.names().find_move(text).map(Move)
    }

    fn percept_text(&self, percept: Percept) -> String {
        let text = self.shared.compiled.names().percepts().get(percept.0 as usize);
        text.map_or_else(|| "?".to_owned(), Clone::clone)
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        self.shared.compiled.names().find_percept(text).map(Percept)
    }

    fn state_text(&self, state: &[u64]) -> String {
        self.shared.compiled.names().state(state)
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let state = self.shared.compiled.names().read_state(text)?;
        Some(state).filter(|words| self.shared.possible.allows(words))
    }
}
