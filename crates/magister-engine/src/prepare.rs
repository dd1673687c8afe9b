//! From rules to a game that is ready to play, by the evaluator that suits it.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use magister_core::{Game, Halt, Seed, Step, Stop};
use magister_gdl::Rulesheet;

use crate::clock::Clock;
use crate::datalog::DatalogGame;
use crate::evaluator::{NetworkGame, Playouts};
use crate::grounder::{GroundLimits, Grounded, Progress, ground_with};
use crate::network::{Gates, GdlNetwork, NetworkLimits};
use crate::trace::Stepper;
use crate::vocabulary::Vocabulary;
use crate::{Error, Program, QueryLimits, Reference, ReferenceGame};

/// The ways to run a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evaluator {
    /// The network, only what changes.
    Incremental,
    /// The network, everything anew in every state.
    Sweep,
    /// The network as machine code, everything anew in every state, where the machine allows it.
    Code,
    /// The network on vectors, hundreds of games at once; single steps as by sweep.
    Batch,
    /// Compiled rules, for games that do not become networks.
    Datalog,
    /// The reference interpreter: takes every game, slowly.
    Reference,
}

impl Evaluator {
    /// All of them, the fastest first.
    pub const ALL: &[Evaluator] = &[
        Evaluator::Incremental,
        Evaluator::Sweep,
        Evaluator::Code,
        Evaluator::Batch,
        Evaluator::Datalog,
        Evaluator::Reference,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Evaluator::Incremental => "incremental",
            Evaluator::Sweep => "sweep",
            Evaluator::Code => "code",
            Evaluator::Batch => "batch",
            Evaluator::Datalog => "datalog",
            Evaluator::Reference => "reference",
        }
    }
}

impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Evaluator {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Evaluator::ALL.iter().copied().find(|e| e.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Evaluator::ALL.iter().map(|e| e.name()).collect();
            format!("there is no evaluator {text}; there are {}", names.join(", "))
        })
    }
}

/// A game that is ready to play.
pub struct Prepared {
    /// The game.
    pub game: Arc<dyn Game>,
    /// How it is run.
    pub evaluator: Evaluator,
    /// The size of its network, if it has one.
    pub gates: Option<Gates>,
    /// The game as that of its network, if it runs on one.
    pub network: Option<Arc<NetworkGame>>,
    stepper: Box<dyn Fn() -> Box<dyn Stepper> + Send + Sync>,
}

impl Prepared {
    /// The evaluator as something that recorded matches can be held against.
    pub fn stepper(&self) -> Box<dyn Stepper> {
        (self.stepper)()
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("game", &self.game.info().name)
            .field("evaluator", &self.evaluator)
            .field("gates", &self.gates)
            .finish_non_exhaustive()
    }
}

/// Makes a game of rules: by a given evaluator, or by the best that takes it.
///
/// `source` is the text that the rules were read from, `name` what to call the game. Rules are
/// grounded whatever the evaluator, because that is where moves get their numbers. A game that does
/// not become a network within limits of counted work runs on compiled rules, and on the reference
/// interpreter if that can not be had either. Which evaluator of a network is the fastest is
/// measured, for a few milliseconds; batches of playouts are played on vectors where that is
/// faster, which is measured when they are large enough. Nothing else depends on the clock, and
/// `stop` makes this fail or has no effect.
pub fn prepare(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    evaluator: Option<Evaluator>,
    stop: &Stop,
) -> Result<Prepared, Error> {
    prepare_with(rules, source, name, evaluator, stop, &Progress::default())
}

/// [`prepare`], with counters that say how far it has come.
pub fn prepare_with(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    evaluator: Option<Evaluator>,
    stop: &Stop,
    progress: &Progress,
) -> Result<Prepared, Error> {
    prepare_measured(rules, source, name, evaluator, stop, (progress, &Clock::machine()))
}

/// [`prepare_with`], with the clock by which evaluators of a network are measured.
pub fn prepare_measured(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    evaluator: Option<Evaluator>,
    stop: &Stop,
    (progress, clock): (&Progress, &Clock),
) -> Result<Prepared, Error> {
    let basis = Basis::new(rules, source, name, stop, (progress, clock))?;
    match evaluator {
        None => best(&basis, stop),
        Some(Evaluator::Datalog) => basis.datalog(stop),
        Some(Evaluator::Reference) => basis.reference(stop),
        Some(evaluator) => basis.on_network(basis.network(stop)?, evaluator, None),
    }
}

/// The game by the evaluator that suits it.
fn best(basis: &Basis<'_>, stop: &Stop) -> Result<Prepared, Error> {
    let network = match basis.network(stop) {
        Ok(network) => network,
        Err(Error::Network(Halt::Stopped)) => return Err(Error::Network(Halt::Stopped)),
        Err(_) => {
            return basis.datalog(stop).or_else(|error| match error {
                Error::Halt(Halt::Limit(_)) => basis.reference(stop),
                error => Err(error),
            });
        }
    };
    // A network in which every step changes much may be no match for the rules.
    let gates = network.gates();
    if gates.legal + gates.next > MANY {
        match basis.compiled(stop) {
            Ok(game) if worth_more(gates, game.work()) => return Ok(on_rules(game)),
            Err(Error::Halt(Halt::Stopped)) => return Err(Error::Halt(Halt::Stopped)),
            _ => {}
        }
    }
    // How batches are played is measured when there are any.
    let playouts = Some(Playouts::Measured);
    let by = |evaluator| basis.on_network(Arc::clone(&network), evaluator, playouts);
    let mut games = vec![by(Evaluator::Incremental)?, by(Evaluator::Sweep)?];
    games.extend(by(Evaluator::Code));
    Ok(fastest(games, basis.clock))
}

/// A game by every evaluator, from one grounding and one network.
#[derive(Debug)]
pub struct Each {
    /// The evaluators that take the game, the fastest kinds first. Never empty.
    pub taken: Vec<Prepared>,
    /// The evaluators that do not take it, and why.
    pub refused: Vec<(Evaluator, Error)>,
}

/// Prepares a game for every evaluator that takes it. Rules are grounded once, and one network
/// serves all evaluators that run on one. An error if no evaluator takes the game.
pub fn prepare_each(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    stop: &Stop,
    progress: &Progress,
) -> Result<Each, Error> {
    let clock = Clock::machine();
    let basis = Basis::new(rules, source, name, stop, (progress, &clock))?;
    let network = basis.network(stop);
    let mut each = Each { taken: Vec::new(), refused: Vec::new() };
    for &evaluator in Evaluator::ALL {
        let prepared = match evaluator {
            Evaluator::Datalog => basis.datalog(stop),
            Evaluator::Reference => basis.reference(stop),
            on_network => {
                network.clone().and_then(|network| basis.on_network(network, on_network, None))
            }
        };
        match prepared {
            Ok(prepared) => each.taken.push(prepared),
            Err(error) => each.refused.push((evaluator, error)),
        }
    }
    // An evaluator may refuse a game, but a lack of time refuses the whole preparation.
    stop.check()?;
    if each.taken.is_empty() {
        // The last one is the reference interpreter, whose reason is about the rules themselves.
        return Err(each.refused.pop().expect("there are evaluators").1);
    }
    Ok(each)
}

/// The network of a game, if it has one within the limits.
pub fn network_of(
    rules: &Rulesheet,
    source: &str,
    stop: &Stop,
    progress: &Progress,
) -> Result<Arc<GdlNetwork>, Error> {
    Basis::new(rules, source, "", stop, (progress, &Clock::machine()))?.network(stop)
}

/// What all evaluators of a game start from.
struct Basis<'a> {
    program: Arc<Program>,
    /// The rules grounded, or why they are not.
    ground: Result<Grounded, Error>,
    vocabulary: Option<Arc<Vocabulary>>,
    source: &'a str,
    name: &'a str,
    clock: &'a Clock,
}

impl<'a> Basis<'a> {
    fn new(
        rules: &Rulesheet,
        source: &'a str,
        name: &'a str,
        stop: &Stop,
        (progress, clock): (&Progress, &'a Clock),
    ) -> Result<Self, Error> {
        let program = Arc::new(Program::canonical(rules, source)?);
        let ground = ground_with(&program, &GroundLimits::default(), stop, progress);
        if stop.is_set() {
            return Err(Error::Network(Halt::Stopped));
        }
        let vocabulary = ground.as_ref().ok().map(|ground| Arc::new(Vocabulary::new(ground)));
        Ok(Self { program, ground, vocabulary, source, name, clock })
    }

    fn network(&self, stop: &Stop) -> Result<Arc<GdlNetwork>, Error> {
        let ground = self.ground.as_ref().map_err(Clone::clone);
        let made =
            ground.and_then(|ground| GdlNetwork::new(ground, &NetworkLimits::default(), stop));
        made.map(Arc::new).map_err(|error| match error {
            Error::Halt(halt) => Error::Network(halt),
            error => error,
        })
    }

    fn on_network(
        &self,
        network: Arc<GdlNetwork>,
        evaluator: Evaluator,
        playouts: Option<Playouts>,
    ) -> Result<Prepared, Error> {
        let gates = network.gates();
        let (source, name) = (self.source, self.name);
        let network = NetworkGame::new(&self.program, network, evaluator, source, name)?;
        network.measure_by(self.clock);
        if evaluator == Evaluator::Code && !network.has_code() {
            let what = "this machine can not run the network as machine code; take `sweep`";
            return Err(Error::Network(Halt::Limit(what.to_owned())));
        }
        let network = Arc::new(match playouts {
            Some(playouts) => network.playing_by(playouts),
            None => network,
        });
        let stepping = Arc::clone(&network);
        Ok(Prepared {
            game: Arc::new(network.game().clone()),
            network: Some(network),
            evaluator,
            gates: Some(gates),
            stepper: Box::new(move || stepping.stepper()),
        })
    }

    fn compiled(&self, stop: &Stop) -> Result<DatalogGame, Error> {
        let (vocabulary, limits) = (self.vocabulary.clone(), QueryLimits::default());
        DatalogGame::new(&self.program, vocabulary, limits, self.source, self.name, stop)
    }

    fn datalog(&self, stop: &Stop) -> Result<Prepared, Error> {
        self.compiled(stop).map(on_rules)
    }

    fn reference(&self, stop: &Stop) -> Result<Prepared, Error> {
        let (vocabulary, limits) = (self.vocabulary.clone(), QueryLimits::default());
        let program = Arc::clone(&self.program);
        let game =
            ReferenceGame::with_limits(program, vocabulary, limits, self.source, self.name, stop)?;
        let program = Arc::clone(&self.program);
        Ok(Prepared {
            game: Arc::new(game),
            evaluator: Evaluator::Reference,
            gates: None,
            network: None,
            stepper: Box::new(move || Box::new(Reference::new(Arc::clone(&program), limits))),
        })
    }
}

fn on_rules(game: DatalogGame) -> Prepared {
    let game = Arc::new(game);
    let stepping = Arc::clone(&game);
    Prepared {
        game,
        evaluator: Evaluator::Datalog,
        gates: None,
        network: None,
        stepper: Box::new(move || stepping.stepper()),
    }
}

/// Runs `work` with a flag that is set when `stop` is or when the time is over.
pub fn within<T>(time: Duration, stop: &Stop, work: impl FnOnce(&Stop) -> T) -> T {
    let inner = Stop::new();
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let flag = inner.clone();
        let outer = stop.clone();
        scope.spawn(move || {
            let begun = Clock::machine().start();
            let tick = Duration::from_millis(20);
            while wait.recv_timeout(tick) == Err(mpsc::RecvTimeoutError::Timeout) {
                if outer.is_set() || begun.elapsed() > time {
                    flag.set();
                }
            }
        });
        let result = work(&inner);
        drop(done);
        result
    })
}

/// Gates of a step from which on a network is compared with compiled rules, which takes time to
/// prepare.
const MANY: usize = 100_000;

/// Gates that take as long as one unit of the work of compiled rules.
const RATIO: f64 = 1_000.0;

/// Whether compiled rules promise to be faster than a network: by what is counted, so that it is
/// the same everywhere.
fn worth_more(gates: Gates, work: f64) -> bool {
    (gates.legal + gates.next) as f64 > work * RATIO
}

/// How often and for how long the speed of each of several games is measured, in turn, so that
/// what disturbs one disturbs the other.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(2);

/// The fastest of some games at random play.
fn fastest(games: Vec<Prepared>, clock: &Clock) -> Prepared {
    let mut speeds = vec![0f64; games.len()];
    for _ in 0..ROUNDS {
        for (speed, prepared) in speeds.iter_mut().zip(&games) {
            *speed = speed.max(measure(prepared.game.as_ref(), clock));
        }
    }
    let mut all: Vec<(Prepared, f64)> = games.into_iter().zip(speeds).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.swap_remove(0).0
}

/// Steps per second of random play, measured for a few milliseconds.
fn measure(game: &dyn Game, clock: &Clock) -> f64 {
    let mut worker = game.worker();
    let mut rng = Seed::from(1).rng();
    let mut out = Step::new();
    let mut joint = Vec::new();
    let mut goals = Vec::new();
    let start = clock.start();
    let mut steps = 0u32;
    while start.elapsed() < ROUND {
        for _ in 0..4 {
            if worker.terminal() {
                for role in game.info().all_roles() {
                    worker.goals(role, &mut goals);
                }
                worker.reset();
            }
            joint.clear();
            for role in game.info().all_roles() {
                let legal = worker.legal(role);
                let pick = rng.below(legal.len().max(1) as u64) as usize;
                joint.extend(legal.get(pick));
            }
            if worker.step(&joint, &mut out, &Stop::never()).is_err() {
                worker.reset();
            }
            steps += 1;
        }
    }
    f64::from(steps) / start.elapsed().as_secs_f64()
}
