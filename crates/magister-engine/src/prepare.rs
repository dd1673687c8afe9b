//! From rules to a playable game, on the evaluator that suits it.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use magister_core::{Game, Halt, Seed, Step, Stop};
use magister_gdl::Rulesheet;

use crate::clock::Clock;
use crate::datalog::DatalogGame;
use crate::evaluator::{NetworkGame, Playouts};
use crate::grounder::{
    GroundLimits, Grounded, Progress, ground_determined, ground_with, ground_without_goals,
};
use crate::network::{Gates, GdlNetwork, NetworkLimits, functional};
use crate::trace::Stepper;
use crate::vocabulary::Vocabulary;
use crate::{Error, Program, QueryLimits, Reference, ReferenceGame};

/// The evaluators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evaluator {
    /// The network, recomputing only changes.
    Incremental,
    /// The network, recomputing everything in every state.
    Sweep,
    /// The network as machine code, recomputing everything in every state, if the machine allows
    /// it.
    Code,
    /// The network on vectors, hundreds of games at once; single steps run as in `Sweep`.
    Batch,
    /// Compiled rules, for games without a network.
    Datalog,
    /// The reference interpreter, which runs every game, slowly.
    Reference,
}

impl Evaluator {
    /// All evaluators, fastest first.
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

/// A playable game.
pub struct Prepared {
    /// The game.
    pub game: Arc<dyn Game>,
    /// Its evaluator.
    pub evaluator: Evaluator,
    /// The size of its network, if it has one.
    pub gates: Option<Gates>,
    /// The game on its network, if it has one.
    pub network: Option<Arc<NetworkGame>>,
    stepper: Box<dyn Fn() -> Box<dyn Stepper> + Send + Sync>,
}

impl Prepared {
    /// The evaluator as a [`Stepper`], for comparison with recorded matches.
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

/// Prepares a game from rules: on a given evaluator, or on the fastest that supports it.
///
/// `source` is the text of the rules, `name` the name of the game. Rules are grounded for every
/// evaluator, because grounding numbers the moves. A game whose network exceeds the limits of
/// counted work runs on compiled rules, or on the reference interpreter if it cannot be compiled
/// either. The network evaluators are measured for a few milliseconds and the fastest is used;
/// batches of playouts run on vectors if a measurement on a large enough batch shows that this is
/// faster. Nothing else depends on the clock. `stop` can make this fail, but it never changes the
/// result.
pub fn prepare(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    evaluator: Option<Evaluator>,
    stop: &Stop,
) -> Result<Prepared, Error> {
    prepare_with(rules, source, name, evaluator, stop, &Progress::default())
}

/// [`prepare`], with progress counters.
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

/// [`prepare_with`], with the clock for measuring network evaluators.
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

/// The game on the evaluator that suits it.
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
    // If every step changes much of a network, it may be slower than compiled rules.
    let gates = network.gates();
    if gates.legal + gates.next > MANY {
        match basis.compiled(stop) {
            Ok(game) if worth_more(gates, game.work()) => return Ok(on_rules(game)),
            Err(Error::Halt(Halt::Stopped)) => return Err(Error::Halt(Halt::Stopped)),
            _ => {}
        }
    }
    // Batch playouts are measured when they are first requested.
    let playouts = Some(Playouts::Measured);
    let by = |evaluator| basis.on_network(Arc::clone(&network), evaluator, playouts);
    let mut games = vec![by(Evaluator::Incremental)?, by(Evaluator::Sweep)?];
    games.extend(by(Evaluator::Code));
    Ok(fastest(games, basis.clock))
}

/// A game on every evaluator, from one grounding and one network.
#[derive(Debug)]
pub struct Each {
    /// The evaluators that support the game, fastest kinds first. Never empty.
    pub taken: Vec<Prepared>,
    /// The evaluators that do not support it, and why.
    pub refused: Vec<(Evaluator, Error)>,
}

/// Prepares a game for every evaluator that supports it. Rules are grounded once, and all network
/// evaluators share one network. An error if no evaluator supports the game.
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
    // An evaluator may refuse a game, but a lack of time fails the whole preparation.
    stop.check()?;
    if each.taken.is_empty() {
        // The last one is the error of the reference interpreter, which concerns the rules
        // themselves.
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

/// Grounds rules whose goals are too large: the network of all other rules shows which arguments
/// of fluents have at most one value, and the rules are split at them.
fn ground_by_network(program: &Program, (stop, progress): (&Stop, &Progress)) -> Option<Grounded> {
    let limits = GroundLimits::default();
    // If the other rules are large as well, this gives up soon.
    let small = GroundLimits {
        instances: limits.instances / 10,
        rows: limits.rows / 10,
        work: limits.work / 10,
        table: limits.table / 10,
        ..limits
    };
    let others = ground_without_goals(program, &small, (stop, progress)).ok()?;
    let functional = functional(&others, &NetworkLimits::default(), stop).ok()?;
    if functional.is_empty() {
        return None;
    }
    ground_determined(program, &functional, &limits, (stop, progress)).ok()
}

/// The common basis of all evaluators of a game.
struct Basis<'a> {
    program: Arc<Program>,
    /// The grounded rules, or the error.
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
        let ground = match ground {
            Err(Error::Halt(Halt::Limit(why))) => {
                let smaller = ground_by_network(&program, (stop, progress));
                smaller.ok_or(Error::Halt(Halt::Limit(why)))
            }
            ground => ground,
        };
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
            let what = "this machine cannot run the network as machine code; use `sweep`";
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

/// Runs `work` with a flag that is set when `stop` is or when the time is up.
pub fn within<T>(time: Duration, stop: &Stop, work: impl FnOnce(&Stop) -> T) -> T {
    let inner = Stop::new();
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let flag = inner.clone();
        let outer = stop.clone();
        scope.spawn(move || {
            let begun = Clock::machine().start();
            // The outer flag is polled; the end of a short time is not late.
            let tick = Duration::from_millis(20);
            let mut left = time;
            while wait.recv_timeout(left.min(tick)) == Err(mpsc::RecvTimeoutError::Timeout) {
                left = time.saturating_sub(begun.elapsed());
                if outer.is_set() || left.is_zero() {
                    flag.set();
                    left = tick;
                }
            }
        });
        let result = work(&inner);
        drop(done);
        result
    })
}

/// The number of gates of a step from which a network is compared with compiled rules, whose
/// preparation takes time.
const MANY: usize = 100_000;

/// The number of gates that take as long as one unit of the work of compiled rules.
const RATIO: f64 = 1_000.0;

/// Whether compiled rules are expected to be faster than a network: decided by counts, so that the
/// choice is the same on every machine.
fn worth_more(gates: Gates, work: f64) -> bool {
    (gates.legal + gates.next) as f64 > work * RATIO
}

/// The number and length of the measurements. Games are measured in turn, so that disturbances
/// affect all of them.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(2);

/// The fastest of some games in random play.
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
