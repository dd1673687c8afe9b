//! From rules to a game that is ready to play, by the evaluator that suits it.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use magister_core::{Game, Halt, Seed, Step, Stop};
use magister_gdl::Rulesheet;

use crate::datalog::DatalogGame;
use crate::evaluator::{NetworkGame, Playouts};
use crate::grounder::{GroundLimits, Progress, ground_with};
use crate::network::{Gates, GdlNetwork, NetworkLimits};
use crate::trace::Stepper;
use crate::{Error, Limits, Program, Reference, ReferenceGame};

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
/// `source` is the text that the rules were read from, `name` what to call the game. Which
/// evaluator is the fastest for a game is measured, for a few milliseconds; batches of playouts are
/// played on vectors where that is faster, which is measured when they are large enough. A game
/// that does not become a network within the limits runs on compiled rules, and on the reference
/// interpreter if that can not be had either.
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
    let program = Arc::new(Program::new(rules, source)?);
    let network = |program: &Program, stop: &Stop| network(program, stop, progress);
    match evaluator {
        Some(Evaluator::Datalog) => datalog(&program, source, name, stop),
        Some(Evaluator::Reference) => reference(&program, source, name, stop),
        Some(evaluator) => {
            let network = network(&program, stop)?;
            on_network(&program, network, evaluator, None, source, name)
        }
        None => match network(&program, stop) {
            Ok(network) => {
                // How batches are played is measured when there are any.
                let playouts = Some(Playouts::Measured);
                let by = |evaluator| {
                    on_network(&program, Arc::clone(&network), evaluator, playouts, source, name)
                };
                let mut games = vec![by(Evaluator::Incremental)?, by(Evaluator::Sweep)?];
                games.extend(by(Evaluator::Code));
                let (best, speed) = fastest(games);
                let gates = network.gates();
                let step = gates.legal + gates.next;
                if speed > if step > MANY { FAST } else { SLOW } {
                    return Ok(best);
                }
                // A network in which every step changes much may be no match for the rules.
                match datalog(&program, source, name, stop) {
                    Ok(other) => Ok(fastest(vec![best, other]).0),
                    Err(_) => Ok(best),
                }
            }
            Err(Error::Network(Halt::Stopped)) if stop.is_set() => {
                Err(Error::Network(Halt::Stopped))
            }
            Err(_) => datalog(&program, source, name, stop).or_else(|error| match error {
                Error::Halt(Halt::Limit(_)) => reference(&program, source, name, stop),
                error => Err(error),
            }),
        },
    }
}

/// Makes a game of rules by every evaluator that takes it, the fastest kinds first, with one
/// network for all that run on one. An error if none does.
pub fn prepare_each(
    rules: &Rulesheet,
    source: &str,
    name: &str,
    stop: &Stop,
) -> Result<Vec<Prepared>, Error> {
    let program = Arc::new(Program::new(rules, source)?);
    let mut all = Vec::new();
    if let Ok(network) = network(&program, stop, &Progress::default()) {
        for evaluator in
            [Evaluator::Incremental, Evaluator::Sweep, Evaluator::Code, Evaluator::Batch]
        {
            all.extend(on_network(&program, Arc::clone(&network), evaluator, None, source, name));
        }
    }
    all.extend(datalog(&program, source, name, stop));
    match reference(&program, source, name, stop) {
        Ok(reference) => all.push(reference),
        Err(error) if all.is_empty() => return Err(error),
        Err(_) => {}
    }
    Ok(all)
}

/// The network of a game, if it has one within the limits.
pub fn network_of(
    rules: &Rulesheet,
    source: &str,
    stop: &Stop,
    progress: &Progress,
) -> Result<Arc<GdlNetwork>, Error> {
    network(&Program::new(rules, source)?, stop, progress)
}

/// How long a game may take to become a network before another evaluator takes over.
const PATIENCE: Duration = Duration::from_secs(20);

fn network(program: &Program, stop: &Stop, progress: &Progress) -> Result<Arc<GdlNetwork>, Error> {
    let made = within(PATIENCE, stop, |stop| {
        let grounded = ground_with(program, &GroundLimits::default(), stop, progress)?;
        GdlNetwork::new(&grounded, &NetworkLimits::default(), stop).map(Arc::new)
    });
    made.map_err(|error| match error {
        Error::Halt(halt) => Error::Network(halt),
        error => error,
    })
}

/// Runs `work` with a flag that is set when `stop` is or when the time is over.
pub fn within<T>(time: Duration, stop: &Stop, work: impl FnOnce(&Stop) -> T) -> T {
    let inner = Stop::new();
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let flag = inner.clone();
        let outer = stop.clone();
        scope.spawn(move || {
            let end = Instant::now() + time;
            let tick = Duration::from_millis(20);
            while wait.recv_timeout(tick) == Err(mpsc::RecvTimeoutError::Timeout) {
                if outer.is_set() || Instant::now() > end {
                    flag.set();
                }
            }
        });
        let result = work(&inner);
        drop(done);
        result
    })
}

fn on_network(
    program: &Arc<Program>,
    network: Arc<GdlNetwork>,
    evaluator: Evaluator,
    playouts: Option<Playouts>,
    source: &str,
    name: &str,
) -> Result<Prepared, Error> {
    let gates = network.gates();
    let network = NetworkGame::new(program, network, evaluator, source, name)?;
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

fn datalog(
    program: &Arc<Program>,
    source: &str,
    name: &str,
    stop: &Stop,
) -> Result<Prepared, Error> {
    let game = Arc::new(DatalogGame::new(program, Limits::default(), source, name, stop)?);
    let stepping = Arc::clone(&game);
    Ok(Prepared {
        game,
        evaluator: Evaluator::Datalog,
        gates: None,
        network: None,
        stepper: Box::new(move || stepping.stepper()),
    })
}

fn reference(
    program: &Arc<Program>,
    source: &str,
    name: &str,
    stop: &Stop,
) -> Result<Prepared, Error> {
    let limits = Limits::default();
    let game = ReferenceGame::with_limits(Arc::clone(program), limits, source, name, stop)?;
    let program = Arc::clone(program);
    Ok(Prepared {
        game: Arc::new(game),
        evaluator: Evaluator::Reference,
        gates: None,
        network: None,
        stepper: Box::new(move || Box::new(Reference::new(Arc::clone(&program), limits))),
    })
}

/// Steps per second below which a network is compared with compiled rules, which takes time to
/// prepare: one of many gates sooner than another.
const SLOW: f64 = 150_000.0;
const FAST: f64 = 600_000.0;
const MANY: usize = 5_000;

/// How often and for how long the speed of each of several games is measured, in turn, so that
/// what disturbs one disturbs the other.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(2);

/// The fastest of some games at random play, and its steps per second.
fn fastest(games: Vec<Prepared>) -> (Prepared, f64) {
    let mut speeds = vec![0f64; games.len()];
    for _ in 0..ROUNDS {
        for (speed, prepared) in speeds.iter_mut().zip(&games) {
            *speed = speed.max(measure(prepared.game.as_ref()));
        }
    }
    let mut all: Vec<(Prepared, f64)> = games.into_iter().zip(speeds).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.swap_remove(0)
}

/// Steps per second of random play, measured for a few milliseconds.
fn measure(game: &dyn Game) -> f64 {
    let mut worker = game.worker();
    let mut rng = Seed::from(1).rng();
    let mut out = Step::new();
    let mut joint = Vec::new();
    let mut goals = Vec::new();
    let start = Instant::now();
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
