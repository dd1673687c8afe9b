//! Every player plays every game of the catalogue: legally, and within its time.

use std::sync::Arc;
use std::time::Duration;

use magister_arena::{Contest, TimeControl};
use magister_core::{Game, Information, MatchRecord, PlayerSource, Seed};
use magister_games::catalogue;
use magister_players::{PLAYERS, Spec};

/// Rulesheets of every kind: one, two and more players, chance, simultaneous moves, hidden moves,
/// Gamemaster's operations.
const SHEETS: &[&str] = &[
    "tictactoe",
    "tictactoe-3-players",
    "buttonsandlights",
    "eightpuzzle",
    "breakthrough",
    "rock-paper-scissors",
    "pig",
    "simultaneous-connect-four",
    "blind-tictactoe",
    "monty-hall",
    "exploding-bomb",
];

fn games() -> Vec<(String, Arc<dyn Game>)> {
    let mut games = Vec::new();
    for entry in catalogue::all() {
        if let Some(game) = entry.native() {
            games.push((format!("rust:{}", entry.name), game));
        }
        if SHEETS.contains(&entry.name) {
            games.push((entry.name.to_owned(), magister::open(entry.name).unwrap().game));
        }
    }
    let sheets = games.iter().filter(|(name, _)| !name.starts_with("rust:")).count();
    assert_eq!(sheets, SHEETS.len(), "a sheet is not in the catalogue");
    games
}

fn play(game: &Arc<dyn Game>, player: &str, limits: TimeControl) -> MatchRecord {
    let spec: Arc<dyn PlayerSource> = Arc::new(player.parse::<Spec>().unwrap());
    let seats = game.info().players().count();
    let players = vec![spec; seats];
    let contest = Contest { max_steps: 8, ..Contest::new(Arc::clone(game), limits) };
    contest.play(&players, Seed::from(3))
}

/// The players that support a game.
fn able(game: &Arc<dyn Game>) -> impl Iterator<Item = &'static str> {
    let hidden = game.info().information == Information::Hidden;
    PLAYERS.iter().filter(move |entry| entry.hidden || !hidden).map(|entry| entry.name)
}

#[test]
fn every_player_plays_every_game_legally() {
    for (name, game) in games() {
        for player in able(&game) {
            let limits = TimeControl { iterations: Some(40), ..TimeControl::default() };
            let record = play(&game, player, limits);
            let faults: Vec<_> =
                record.errors.iter().filter(|error| error.seat.is_some()).collect();
            assert!(faults.is_empty(), "{name}, {player}: {faults:?}");
            assert!(!record.moves.is_empty(), "{name}, {player}: {:?}", record.errors);
        }
    }
}

/// The orders of a shuffled deck cannot be enumerated, so players begin with a sample.
#[test]
fn card_games_are_played_by_every_player() {
    let agram = magister::open("agram").unwrap().game;
    for player in able(&agram) {
        let limits = TimeControl { iterations: Some(4), ..TimeControl::default() };
        let record = play(&agram, player, limits);
        let faults: Vec<_> = record.errors.iter().filter(|error| error.seat.is_some()).collect();
        assert!(faults.is_empty(), "{player}: {faults:?}");
        assert!(record.moves.len() > 8, "{player}: {} steps", record.moves.len());
    }
}

/// Long matches, so that all phases of each game occur.
#[test]
fn honest_players_finish_every_card_game() {
    let cards = catalogue::all().iter().filter(|entry| entry.sheet.is_some_and(is_cards));
    for entry in cards {
        let game = magister::open(entry.name).unwrap().game;
        let limits = TimeControl { iterations: Some(1), ..TimeControl::default() };
        let honest: Arc<dyn PlayerSource> = Arc::new("pipmc".parse::<Spec>().unwrap());
        let random: Arc<dyn PlayerSource> = Arc::new("random".parse::<Spec>().unwrap());
        let mut players = vec![honest];
        players.resize(game.info().players().count(), random);
        let contest = Contest { max_steps: 60, ..Contest::new(game, limits) };
        let record = contest.play(&players, Seed::from(5));
        let faults: Vec<_> = record.errors.iter().filter(|error| error.seat.is_some()).collect();
        assert!(faults.is_empty(), "{}: {faults:?}", entry.name);
    }
}

fn is_cards(sheet: catalogue::Sheet) -> bool {
    sheet.is_recycle()
}

#[test]
fn every_player_keeps_its_clock() {
    // The machine that runs the tests may be busy; the test only requires that no player thinks on
    // without end.
    let time = Some(Duration::from_millis(10));
    let grace = Duration::from_secs(2);
    for name in ["tictactoe", "2048"] {
        let game = catalogue::find(name).and_then(catalogue::Entry::native).unwrap();
        for player in able(&game) {
            let record = play(&game, player, TimeControl { time, grace, ..TimeControl::default() });
            let faults: Vec<_> =
                record.errors.iter().filter(|error| error.seat.is_some()).collect();
            assert!(faults.is_empty(), "{name}, {player}: {faults:?}");
        }
    }
}
