//! Matches: whatever players do, a match ends and reports what happened.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_arena::{Asking, Contest, Log, Series, SeriesError, System, TimeControl, Tournament};
use magister_core::record::ChanceProof;
use magister_core::{
    Agent, Budget, Decision, Event, FaultKind, FnSource, Game, Halt, MatchRecord, Move,
    PlayerSource, Rng, Role, Seed, Stop, View,
};
use magister_games::native;
use magister_players::Spec;

fn game(name: &str) -> Arc<dyn Game> {
    native::find(name).unwrap()
}

fn iterations(iterations: u64) -> TimeControl {
    TimeControl { iterations: Some(iterations), ..TimeControl::default() }
}

fn source(player: &str) -> Arc<dyn PlayerSource> {
    Arc::new(player.parse::<Spec>().unwrap())
}

fn sources(players: &str) -> Vec<Arc<dyn PlayerSource>> {
    let specs = Spec::parse_list(players).unwrap().into_iter();
    specs.map(|spec| -> Arc<dyn PlayerSource> { Arc::new(spec) }).collect()
}

fn series(game: Arc<dyn Game>, players: &str, limits: TimeControl) -> Series {
    Series {
        contest: Contest::new(game, limits),
        players: sources(players),
        games: 4,
        seed: Seed::from(1),
        jobs: 1,
    }
}

fn records(series: &Series) -> Vec<MatchRecord> {
    let mut all = Vec::new();
    let each = |_, record| {
        all.push(record);
        ControlFlow::Continue(())
    };
    series.play(each).unwrap();
    all
}

/// A player that does something wrong.
#[derive(Clone, Copy)]
enum Wrong {
    Illegal,
    Crashes,
    Sleeps,
    Refuses,
}

impl Agent for Wrong {
    fn name(&self) -> String {
        "wrong".to_owned()
    }
    fn decide(&mut self, _: &View, budget: &mut Budget, _: &mut Rng) -> Result<Decision, Halt> {
        match self {
            Wrong::Illegal => Ok(Move(1000).into()),
            Wrong::Crashes => panic!("on purpose"),
            Wrong::Sleeps => {
                while budget.spend(1) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(300));
                Ok(Move(0).into())
            }
            Wrong::Refuses => Err(Halt::Hidden),
        }
    }
}

fn against(wrong: Wrong, limits: TimeControl) -> MatchRecord {
    let contest = Contest::new(game("tictactoe"), limits);
    let wrong = FnSource::new("wrong", move || Box::new(wrong));
    contest.play(&[source("random"), Arc::new(wrong)], Seed::from(2))
}

#[test]
fn no_fault_of_a_player_ends_a_match() {
    std::panic::set_hook(Box::new(|_| {}));
    for (wrong, kind) in [
        (Wrong::Illegal, FaultKind::Illegal),
        (Wrong::Crashes, FaultKind::Crash),
        (Wrong::Refuses, FaultKind::Refused),
    ] {
        let record = against(wrong, iterations(1));
        assert!(record.rewards.iter().all(Option::is_some), "{kind}");
        assert!(!record.errors.is_empty(), "{kind}");
        for error in &record.errors {
            assert_eq!((error.kind, error.seat), (kind, Some(1)), "{error:?}");
            // The substituted move is recorded.
            assert_eq!(error.played.as_ref(), Some(&record.moves[error.step - 1][1]));
        }
        // It follows from the seed, which the record proves.
        let again = record.replay(&*game("tictactoe"), &Stop::never()).unwrap();
        assert_eq!(again.chance, ChanceProof::Proven);
        let mut forged = record.clone();
        forged.seed_hash = forged.seed_hash.replace(|_: char| true, "0");
        assert!(forged.replay(&*game("tictactoe"), &Stop::never()).is_err());
        assert_eq!(record.times_ms.len(), record.moves.len());
    }
}

#[test]
fn late_players_are_replaced_without_delay() {
    let time = Duration::from_millis(20);
    let grace = Duration::from_millis(20);
    let begun = Instant::now();
    let record =
        against(Wrong::Sleeps, TimeControl { time: Some(time), grace, ..TimeControl::default() });
    assert!(record.rewards.iter().all(Option::is_some));
    assert!(record.errors.iter().any(|error| error.kind == FaultKind::Late), "{:?}", record.errors);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn results_do_not_depend_on_the_number_of_jobs() {
    for players in ["uct,mcts", "mcs,alphabeta", "pts,random"] {
        let one = series(game("tictactoe"), players, iterations(60));
        let two = Series { jobs: 2, ..one.clone() };
        let other = Series { seed: Seed::from(2), ..one.clone() };
        let (first, again, other) = (records(&one), records(&two), records(&other));
        assert_eq!(first.len(), 4);
        assert!(first.iter().zip(&again).all(|(a, b)| a.same_history(b)), "{players}");
        assert!(!first.iter().zip(&other).all(|(a, b)| a.moves == b.moves), "{players}");
    }
}

#[test]
fn every_player_takes_every_seat() {
    let three = series(game("nim-3-4-5"), "random,legal,onestep", iterations(50));
    let records = records(&Series { games: 6, ..three });
    let mut seatings: Vec<_> = records.iter().map(|record| record.players.clone()).collect();
    seatings.sort();
    seatings.dedup();
    assert_eq!(seatings.len(), 6);
}

#[test]
fn the_wrong_number_of_players_is_an_error() {
    let series = series(game("tictactoe"), "random,random,random", iterations(1));
    let error = series.play(|_, _| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error, SeriesError::Players { seats: 2, named: 3 });
}

#[test]
fn players_for_perfect_information_are_refused_early() {
    let series = series(game("kuhn-poker"), "mcts,random", iterations(1));
    let error = series.play(|_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("kuhn-poker"), "{error}");
}

#[test]
fn records_are_lines_that_can_be_read_back() {
    let record = records(&series(game("2048"), "random", iterations(1))).remove(0);
    let line = serde_json::to_string(&record).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(serde_json::from_str::<MatchRecord>(&line).unwrap(), record);
    // Other programs read these keys.
    let keys = ["game", "seed", "players", "moves", "rewards", "errors", "times_ms"];
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(keys.iter().all(|key| value.get(key).is_some()));
    assert!(value["players"][0].is_string() && value["moves"][0][0].is_string());
}

/// The role to move has the seed of its seat, not of its name.
#[test]
fn agents_and_chance_have_seeds_of_their_own() {
    let seed = Seed::from(9);
    let agent = |role: Role| seed.derive("agent").derive_index(u64::from(role.0));
    assert_ne!(agent(Role(0)), agent(Role(1)));
    assert_ne!(agent(Role(0)), seed.derive("chance"));
}

/// The record reports players that saw the state, and no others.
#[test]
fn a_clairvoyant_player_is_recorded() {
    let game = game("kuhn-poker");
    assert_eq!(game.info().information, magister_core::Information::Hidden);
    let contest = Contest::new(Arc::clone(&game), iterations(20));
    let names: Vec<String> =
        game.info().players().map(|role| game.info().role_name(role).to_owned()).collect();
    let record = contest.play(&[source("clairvoyant"), source("honest")], Seed::from(1));
    assert!(record.errors.is_empty(), "{:?}", record.errors);
    assert_eq!(record.clairvoyant, names[..1]);
    let record = contest.play(&[source("honest"), source("random")], Seed::from(1));
    assert!(record.clairvoyant.is_empty() && record.errors.is_empty());
}

/// With hardly any time a player still knows a legal move.
#[test]
fn hardly_any_time_suffices_for_a_legal_move() {
    let limits = TimeControl {
        time: Some(Duration::from_micros(1)),
        grace: Duration::from_secs(8),
        ..TimeControl::default()
    };
    let game = magister::open("connectfour").unwrap().game;
    for record in records(&series(game, "uct,mcts", limits)) {
        assert!(record.errors.is_empty(), "{:?}", record.errors);
    }
}

#[test]
fn a_tournament_has_as_many_matches_as_it_says() {
    // Tic-Tac-Toe has two seats, Nim three: ten pairs and ten triples of five players.
    for (system, rounds, due) in [(System::RoundRobin, 2, 40), (System::Swiss, 3, 9)] {
        let tournament = Tournament {
            games: ["tictactoe", "nim-3-4-5"]
                .map(|name| Contest::new(game(name), iterations(1)))
                .to_vec(),
            players: sources("random,legal,onestep,mcs,mcts"),
            system,
            rounds,
            seed: Seed::from(1),
            jobs: 2,
        };
        let (mut log, mut out, mut progress) = (Log::new(), Vec::new(), Vec::new());
        let others = tournament
            .play(&mut log, &mut out, |_, known, total| progress.push((known, total)))
            .unwrap();
        assert_eq!((log.len(), others), (due, 0));
        assert!(progress.into_iter().eq((1..=due).map(|known| (known, due))));

        // Nothing is left to play, and with fewer players only their matches count.
        let (mut again, good) = Log::read(&out[..]).unwrap();
        assert_eq!(good, out.len() as u64);
        tournament.play(&mut again, &mut Vec::new(), |_, _, _| panic!("again")).unwrap();
        assert_eq!(again.len(), due);
        let fewer = Tournament { players: sources("random,legal,onestep"), ..tournament.clone() };
        let (mut log, _) = Log::read(&out[..]).unwrap();
        let others = fewer.play(&mut log, &mut Vec::new(), |_, _, _| {}).unwrap();
        let three: usize = if system == System::Swiss { 6 } else { 8 };
        assert!(log.len() == three && others > 0, "{} {others}", log.len());
        let other = Tournament { seed: Seed::from(2), ..tournament };
        assert!(other.play(&mut log, &mut Vec::new(), |_, _, _| {}).is_err());
    }
}

/// Whether players think at the same time changes nothing if only iterations are limited.
#[test]
fn players_may_think_at_the_same_time() {
    let play = |asking, cores| {
        let contest =
            Contest { asking, cores, ..Contest::new(game("rock-paper-scissors"), iterations(30)) };
        contest.play(&[source("mcts"), source("random")], Seed::from(5))
    };
    let one = play(Asking::InTurn, 1);
    for (asking, cores) in [(Asking::Together, 1), (Asking::Fair, 1), (Asking::Fair, 8)] {
        assert!(one.same_history(&play(asking, cores)), "{asking:?}");
    }
}

/// Observers see all events as they happen, and agents learn how the match ended.
#[test]
fn events_come_as_they_happen() {
    let contest = Contest { opening: 2, ..Contest::new(game("tictactoe"), iterations(5)) };
    let mut events = Vec::new();
    let players = [source("random"), source("legal")];
    let record = contest.watch(&players, Seed::from(1), &mut |event| events.push(event.clone()));
    assert!(matches!(events.first(), Some(Event::Started { .. })));
    assert!(matches!(events.last(), Some(Event::Ended { .. })));
    let count = |test: fn(&Event) -> bool| events.iter().filter(|event| test(event)).count();
    assert_eq!(count(|event| matches!(event, Event::Stepped { .. })), record.moves.len());
    let asked = count(|event| matches!(event, Event::Asked { .. }));
    let answered = count(|event| matches!(event, Event::Answered { .. }));
    assert_eq!((asked, answered), (record.moves.len() - 2, record.moves.len() - 2));
    assert_eq!(record.limits.opening, 2);
    let again = record.replay(&*game("tictactoe"), &Stop::never()).unwrap();
    assert_eq!(again.chance, ChanceProof::Proven);
}

/// Thoughts are recorded on request.
#[test]
fn thoughts_are_recorded_on_request() {
    let contest = Contest { thoughts: true, ..Contest::new(game("tictactoe"), iterations(50)) };
    let record = contest.play(&[source("uct"), source("legal")], Seed::from(1));
    assert!(!record.thoughts.is_empty());
    for thoughts in record.thoughts.iter().filter(|one| one.seat == 0) {
        assert!(!thoughts.moves.is_empty() && thoughts.iterations > 0);
    }
    let plain = Contest { thoughts: false, ..contest };
    let plain = plain.play(&[source("uct"), source("legal")], Seed::from(1));
    assert!(plain.thoughts.is_empty() && plain.moves == record.moves);
}
