//! Matches: whatever players do, a match comes to its end and says what happened.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_arena::{
    Contest, GameReport, Limits, Log, Maker, Series, SeriesError, System, Tournament,
};
use magister_core::{Agent, Budget, Decision, Game, Halt, Move, Rng, Role, Seed, Stop, View};
use magister_games::native;
use magister_players::Spec;

fn game(name: &str) -> Arc<dyn Game> {
    native::find(name).unwrap()
}

fn iterations(iterations: u64) -> Limits {
    Limits { iterations: Some(iterations), ..Limits::default() }
}

fn series(game: Arc<dyn Game>, players: &str, limits: Limits) -> Series {
    Series {
        contest: Contest::new(game, limits),
        players: Spec::parse_list(players).unwrap(),
        games: 4,
        seed: Seed::from(1),
        jobs: 1,
    }
}

fn reports(series: &Series) -> Vec<GameReport> {
    let mut all = Vec::new();
    let each = |_, report| {
        all.push(report);
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

fn against(wrong: Wrong, limits: Limits) -> GameReport {
    let contest = Contest::new(game("tictactoe"), limits);
    let spec: Spec = "random".parse().unwrap();
    let random: Maker = Arc::new(move || spec.make());
    let wrong: Maker = Arc::new(move || Box::new(wrong));
    let players = [("random".to_owned(), random), ("wrong".to_owned(), wrong)];
    contest.play(&players, Seed::from(2))
}

#[test]
fn nothing_that_a_player_does_ends_a_match() {
    std::panic::set_hook(Box::new(|_| {}));
    for (wrong, kind) in
        [(Wrong::Illegal, "illegal"), (Wrong::Crashes, "crash"), (Wrong::Refuses, "refused")]
    {
        let report = against(wrong, iterations(1));
        assert!(report.rewards.iter().all(Option::is_some), "{kind}");
        assert!(!report.errors.is_empty(), "{kind}");
        for error in &report.errors {
            assert_eq!((error.kind.as_str(), error.seat), (kind, Some(1)), "{error:?}");
        }
        assert_eq!(report.times_ms.len(), report.moves.len());
    }
}

#[test]
fn who_is_late_is_replaced_and_holds_nobody_up() {
    let time = Duration::from_millis(20);
    let grace = Duration::from_millis(20);
    let begun = Instant::now();
    let report = against(Wrong::Sleeps, Limits { time: Some(time), grace, ..Limits::default() });
    assert!(report.rewards.iter().all(Option::is_some));
    assert!(report.errors.iter().any(|error| error.kind == "late"), "{:?}", report.errors);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_same_seed_gives_the_same_matches_however_many_at_a_time() {
    for players in ["uct,mcts", "mcs,alphabeta", "pts,random"] {
        let one = series(game("tictactoe"), players, iterations(60));
        let two = Series { jobs: 2, ..one.clone() };
        let other = Series { seed: Seed::from(2), ..one.clone() };
        let (first, again, other) = (reports(&one), reports(&two), reports(&other));
        assert_eq!(first.len(), 4);
        assert!(first.iter().zip(&again).all(|(a, b)| a.same_course(b)), "{players}");
        assert!(!first.iter().zip(&other).all(|(a, b)| a.moves == b.moves), "{players}");
    }
}

#[test]
fn everybody_sits_everywhere() {
    let three = series(game("nim-3-4-5"), "random,legal,onestep", iterations(50));
    let reports = reports(&Series { games: 6, ..three });
    let mut seatings: Vec<_> = reports.iter().map(|report| report.players.clone()).collect();
    seatings.sort();
    seatings.dedup();
    assert_eq!(seatings.len(), 6);
}

#[test]
fn the_wrong_number_of_players_is_told() {
    let series = series(game("tictactoe"), "random,random,random", iterations(1));
    let error = series.play(|_, _| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error, SeriesError::Players { seats: 2, named: 3 });
}

#[test]
fn who_needs_to_see_everything_is_told_before_a_match_that_hides() {
    let series = series(game("kuhn-poker"), "mcts,random", iterations(1));
    let error = series.play(|_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("kuhn-poker hides information"), "{error}");
}

#[test]
fn reports_are_lines_that_can_be_read_back() {
    let report = reports(&series(game("2048"), "random", iterations(1))).remove(0);
    let line = serde_json::to_string(&report).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(serde_json::from_str::<GameReport>(&line).unwrap(), report);
    let keys = ["game", "seed", "players", "moves", "rewards", "errors", "times_ms"];
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(keys.iter().all(|key| value.get(key).is_some()));
    assert_eq!(value.as_object().unwrap().len(), keys.len());
}

/// The role whose turn it is has the seed of its seat, not of its name.
#[test]
fn agents_and_chance_have_seeds_of_their_own() {
    let seed = Seed::from(9);
    let agent = |role: Role| seed.derive("agent").derive_index(u64::from(role.0));
    assert_ne!(agent(Role(0)), agent(Role(1)));
    assert_ne!(agent(Role(0)), seed.derive("chance"));
}

/// Who is shown the state is told by the report, and nobody else is.
#[test]
fn a_clairvoyant_player_is_told_of() {
    let game = game("kuhn-poker");
    assert_eq!(game.info().information, magister_core::Information::Hidden);
    let limits = Limits { iterations: Some(20), ..Limits::default() };
    let contest = Contest::new(Arc::clone(&game), limits);
    let player = |name: &str| -> (String, Maker) {
        let spec: Spec = name.parse().unwrap();
        (name.to_owned(), Arc::new(move || spec.make()))
    };
    let names: Vec<String> =
        game.info().players().map(|role| game.info().role_name(role).to_owned()).collect();
    let report = contest.play(&[player("clairvoyant"), player("honest")], Seed::from(1));
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!(report.clairvoyant, names[..1]);
    let report = contest.play(&[player("honest"), player("random")], Seed::from(1));
    assert!(report.clairvoyant.is_empty() && report.errors.is_empty());
}

/// Who has hardly any time still knows a legal move.
#[test]
fn hardly_any_time_is_enough_for_some_move() {
    let limits = Limits {
        time: Some(Duration::from_micros(1)),
        grace: Duration::from_secs(8),
        ..Limits::default()
    };
    let game = magister::open("connectfour").unwrap().game;
    for report in reports(&series(game, "uct,mcts", limits)) {
        assert!(report.errors.is_empty(), "{:?}", report.errors);
    }
}

#[test]
fn a_tournament_has_as_many_matches_as_it_says() {
    // Tic-Tac-Toe has two seats, Nim three: ten pairs and ten threes of five players.
    for (system, rounds, due) in [(System::RoundRobin, 2, 40), (System::Swiss, 3, 9)] {
        let tournament = Tournament {
            games: ["tictactoe", "nim-3-4-5"]
                .map(|name| Contest::new(game(name), iterations(1)))
                .to_vec(),
            players: Spec::parse_list("random,legal,onestep,mcs,mcts").unwrap(),
            system,
            rounds,
            seed: Seed::from(1),
            jobs: 2,
        };
        let (mut log, mut out, mut told) = (Log::new(), Vec::new(), Vec::new());
        let others = tournament
            .play(&mut log, &mut out, |_, known, total| told.push((known, total)))
            .unwrap();
        assert_eq!((log.len(), others), (due, 0));
        assert!(told.into_iter().eq((1..=due).map(|known| (known, due))));

        // Nothing is left to play, and of fewer players only their matches count.
        let (mut again, good) = Log::read(&out[..]).unwrap();
        assert_eq!(good, out.len() as u64);
        tournament.play(&mut again, &mut Vec::new(), |_, _, _| panic!("again")).unwrap();
        assert_eq!(again.len(), due);
        let fewer = Tournament {
            players: Spec::parse_list("random,legal,onestep").unwrap(),
            ..tournament.clone()
        };
        let (mut log, _) = Log::read(&out[..]).unwrap();
        let others = fewer.play(&mut log, &mut Vec::new(), |_, _, _| {}).unwrap();
        let three: usize = if system == System::Swiss { 6 } else { 8 };
        assert!(log.len() == three && others > 0, "{} {others}", log.len());
        let other = Tournament { seed: Seed::from(2), ..tournament };
        assert!(other.play(&mut log, &mut Vec::new(), |_, _, _| {}).is_err());
    }
}
