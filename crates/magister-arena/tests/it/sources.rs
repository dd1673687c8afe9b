//! Players from sources that fail, hang and crash: nothing is lost, and the faults are recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magister_arena::{Contest, Log, System, TimeControl, Tournament};
use magister_core::{
    Agent, Budget, Capabilities, Decision, FaultKind, Game, Halt, MatchRecord, Move, PlayerKind,
    PlayerSource, Rng, Role, Seed, SourceError, Stop, View,
};
use magister_games::native;
use magister_players::Spec;

/// How a source or its agents fail.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stub {
    MakeFails,
    MakeFailsOnce,
    MakeHangs,
    MakeCrashes,
    Unreachable,
    Hangs,
    Crashes,
    Nonsense,
}

const STUBS: [Stub; 8] = [
    Stub::MakeFails,
    Stub::MakeFailsOnce,
    Stub::MakeHangs,
    Stub::MakeCrashes,
    Stub::Unreachable,
    Stub::Hangs,
    Stub::Crashes,
    Stub::Nonsense,
];

impl Stub {
    fn fault(self) -> FaultKind {
        match self {
            Stub::MakeFails | Stub::MakeFailsOnce => FaultKind::Refused,
            Stub::MakeHangs | Stub::Hangs => FaultKind::Late,
            Stub::MakeCrashes | Stub::Crashes => FaultKind::Crash,
            Stub::Unreachable => FaultKind::Connection,
            Stub::Nonsense => FaultKind::Illegal,
        }
    }
}

#[derive(Debug)]
struct Source {
    stub: Stub,
    made: AtomicUsize,
}

impl PlayerSource for Source {
    fn name(&self) -> String {
        format!("{:?}", self.stub)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { kind: PlayerKind::Remote, hidden: true, ..Capabilities::default() }
    }

    fn origin(&self) -> &'static str {
        "stub"
    }

    fn make(&self, _: &Arc<dyn Game>, _: Role) -> Result<Box<dyn Agent>, SourceError> {
        let first = self.made.fetch_add(1, Ordering::Relaxed) == 0;
        match self.stub {
            Stub::MakeFails => Err(SourceError::Refused("never".to_owned())),
            Stub::MakeFailsOnce if first => Err(SourceError::Refused("not yet".to_owned())),
            Stub::MakeHangs => {
                std::thread::sleep(Duration::from_mins(10));
                Err(SourceError::Failed("too late".to_owned()))
            }
            Stub::MakeCrashes => panic!("on purpose"),
            Stub::Unreachable => Err(SourceError::Connection("connection refused".to_owned())),
            stub => Ok(Box::new(Wrong(stub))),
        }
    }
}

struct Wrong(Stub);

impl Agent for Wrong {
    fn name(&self) -> String {
        "wrong".to_owned()
    }

    fn decide(&mut self, view: &View, _: &mut Budget, _: &mut Rng) -> Result<Decision, Halt> {
        match self.0 {
            Stub::Hangs => {
                std::thread::sleep(Duration::from_mins(10));
                Err(Halt::Stopped)
            }
            Stub::Crashes => panic!("on purpose"),
            Stub::MakeFailsOnce => {
                let mut worker = view.game().worker();
                view.replay(&mut *worker, &Stop::never())?;
                Ok(worker.legal(view.role())[0].into())
            }
            _ => Ok(Move(1000).into()),
        }
    }
}

fn source(stub: Stub) -> Arc<dyn PlayerSource> {
    Arc::new(Source { stub, made: AtomicUsize::new(0) })
}

fn contest(name: &str) -> Contest {
    let limits = TimeControl {
        time: Some(Duration::from_millis(30)),
        grace: Duration::from_millis(10),
        ..TimeControl::default()
    };
    Contest {
        patience: Duration::from_millis(200),
        ..Contest::new(native::find(name).unwrap(), limits)
    }
}

fn quiet() {
    std::panic::set_hook(Box::new(|_| {}));
}

#[test]
fn a_tournament_of_stubs_loses_nothing() {
    quiet();
    let mut players: Vec<Arc<dyn PlayerSource>> = STUBS.into_iter().map(source).collect();
    players.push(Arc::new("legal".parse::<Spec>().unwrap()));
    let tournament = Tournament {
        games: vec![contest("tictactoe")],
        players,
        system: System::RoundRobin,
        rounds: 1,
        seed: Seed::from(1),
        jobs: 8,
    };
    let (mut log, mut out) = (Log::new(), Vec::new());
    tournament.play(&mut log, &mut out, |_, _, _| {}).unwrap();
    assert_eq!(log.len(), 9 * 8 / 2);
    let (again, good) = Log::read(&out[..]).unwrap();
    assert_eq!((again.len(), good), (log.len(), out.len() as u64));
    let game = native::find("tictactoe").unwrap();
    for (_, record) in log.matches() {
        assert!(record.rewards.iter().all(Option::is_some), "{record:?}");
        record.replay(&*game, &Stop::never()).unwrap();
        for (seat, player) in record.players.iter().enumerate() {
            let of = |record: &MatchRecord| -> Vec<FaultKind> {
                let own = record.errors.iter().filter(|fault| fault.seat == Some(seat));
                own.map(|fault| fault.kind).collect()
            };
            let kinds = of(record);
            let stub = STUBS.into_iter().find(|stub| format!("{stub:?}") == *player);
            match stub {
                // On a busy machine any player may be late.
                None => assert!(kinds.iter().all(|kind| *kind == FaultKind::Late), "{record:?}"),
                Some(Stub::MakeFailsOnce) => {}
                Some(stub) => {
                    assert!(kinds.contains(&stub.fault()), "{player}: {:?}", record.errors);
                }
            }
        }
    }
}

/// A player that could not be created at first is created when it is asked again.
#[test]
fn a_source_is_tried_again() {
    quiet();
    let patient = TimeControl { iterations: Some(1), ..TimeControl::default() };
    let contest = Contest { limits: patient, ..contest("tictactoe") };
    let legal: Arc<dyn PlayerSource> = Arc::new("legal".parse::<Spec>().unwrap());
    let record = contest.play(&[source(Stub::MakeFailsOnce), legal], Seed::from(2));
    assert_eq!(record.errors.len(), 1, "{:?}", record.errors);
    assert_eq!((record.errors[0].step, record.errors[0].kind), (0, FaultKind::Refused));
}

/// Without a clock, the match waits for a hanging source once.
#[test]
fn a_hanging_source_is_abandoned_without_a_clock() {
    quiet();
    let patient = TimeControl { iterations: Some(1), ..TimeControl::default() };
    let contest = Contest { limits: patient, ..contest("tictactoe") };
    let legal: Arc<dyn PlayerSource> = Arc::new("legal".parse::<Spec>().unwrap());
    let record = contest.play(&[source(Stub::MakeHangs), legal], Seed::from(2));
    assert!(record.rewards.iter().all(Option::is_some));
    assert!(record.errors.iter().all(|fault| fault.kind == FaultKind::Late));
    assert!(record.errors.len() > 1);
}

/// A source that needs longer to create its player, or whose player needs longer to prepare, than
/// the player has for a move.
#[derive(Debug)]
struct Slow {
    create: Duration,
    prepare: Duration,
}

/// Plays the first legal move. It prepares before the first move, unless it was asked to do so
/// earlier.
struct Sluggish {
    inner: Box<dyn Agent>,
    prepare: Option<Duration>,
}

impl Agent for Sluggish {
    fn name(&self) -> String {
        "sluggish".to_owned()
    }

    fn prepare(&mut self, _: &View, _: &Stop) -> Result<(), Halt> {
        std::thread::sleep(self.prepare.take().unwrap_or_default());
        Ok(())
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        self.prepare(view, budget.stop())?;
        self.inner.decide(view, budget, rng)
    }
}

impl PlayerSource for Slow {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn origin(&self) -> &'static str {
        "stub"
    }

    fn make(&self, game: &Arc<dyn Game>, role: Role) -> Result<Box<dyn Agent>, SourceError> {
        std::thread::sleep(self.create);
        let inner = "legal".parse::<Spec>().unwrap().make(game, role)?;
        Ok(Box::new(Sluggish { inner, prepare: Some(self.prepare) }))
    }
}

/// Players are created and prepare under the start clock, or before the clock of the first move
/// starts if there is no start clock.
#[test]
fn preparation_does_not_count_as_the_first_move() {
    let (long, none) = (Duration::from_millis(1_800), Duration::ZERO);
    let play = |create, prepare, start| {
        let time = Some(Duration::from_millis(1_500));
        let limits = TimeControl { time, start, ..TimeControl::default() };
        let contest = Contest::new(native::find("tictactoe").unwrap(), limits);
        let slow: Arc<dyn PlayerSource> = Arc::new(Slow { create, prepare });
        let other: Arc<dyn PlayerSource> = Arc::new("legal".parse::<Spec>().unwrap());
        let record = contest.play(&[slow, other], Seed::from(1));
        assert!(record.rewards.iter().all(Option::is_some));
        assert_eq!(record.errors, [], "created in {create:?}, prepared in {prepare:?}, {start:?}");
    };
    play(long, none, None);
    play(none, long, None);
    play(none, long, Some(Duration::from_secs(8)));
}
