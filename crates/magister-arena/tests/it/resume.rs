//! A match is driven through the public state machine alone, without threads. It is paused, saved
//! and resumed in another process. Its record equals that of a match played straight through.

use std::process::Command;
use std::sync::Arc;

use magister_core::{
    Answer, Budget, FaultKind, Game, Match, MatchRecord, PlayerKind, PlayerSource as _, Role, Seat,
    Seed, Setup, Stop,
};
use magister_games::native;
use magister_players::Spec;

/// The variable with the record for the other process.
const RECORD: &str = "MAGISTER_TEST_RECORD";
/// The prefix of the record in the other process's output.
const MARK: &str = "the record: ";

/// Games of all kinds: turns, simultaneous moves, chance, intermediate rewards, hidden information.
const GAMES: &[&str] = &["tictactoe", "nim-3-4-5", "2048", "kuhn-poker", "rock-paper-scissors"];

fn game(name: &str) -> Arc<dyn Game> {
    native::find(name).unwrap()
}

/// A person in the first seat, agents without memory in the others.
fn start(name: &str, seed: u64) -> Match {
    let game = game(name);
    let seats = game.info().players().enumerate().map(|(seat, _)| match seat {
        0 => Seat { kind: PlayerKind::Person, ..Seat::new("scripted") },
        1 => Seat { asked_when_forced: true, ..Seat::new("random") },
        _ => Seat::new("random"),
    });
    let mut setup = Setup::new(Seed::from(seed), seats.collect());
    setup.id = Some(format!("{name}-{seed}"));
    setup.limits.max_steps = 60;
    setup.limits.opening = u32::from(name == "tictactoe");
    setup.thoughts = true;
    Match::new(&game, &setup, &Stop::never()).unwrap()
}

/// The answers: the person follows a script that depends on the turn alone, sometimes with
/// nonsense; agents use their view and their random numbers.
fn answer(current: &Match, role: Role, seat: usize) -> Answer {
    let turn = current.turn();
    if seat == 0 {
        let legal = current.legal(role);
        let text = |at: usize| current.game().text().move_text(legal[at % legal.len()]);
        return match turn % 5 {
            3 => Answer::text("nonsense"),
            4 => Answer::fault(FaultKind::Connection, "the browser is gone"),
            _ => Answer::text(&text(turn * 7 + 3)),
        };
    }
    let spec: Spec = "random".parse().unwrap();
    let mut agent = spec.make(current.game(), role).unwrap();
    let mut rng = current.agent_rng(role);
    let decided = agent.decide(current.view(role), &mut Budget::iterations(1), &mut rng);
    Answer::choice(decided.unwrap().choice)
}

/// Plays until this number of answers was given or the match is over.
fn play(current: &mut Match, mut answers: usize) {
    while current.end().is_none() {
        for pending in current.pending() {
            if answers == 0 {
                return;
            }
            answers -= 1;
            let answer = answer(current, pending.role, pending.seat);
            current.submit(pending.role, answer).unwrap();
        }
        current.advance(&Stop::never()).unwrap();
    }
}

/// The other process: continues with the record that it gets. A normal run has none.
#[test]
fn another_process_continues() {
    let Ok(path) = std::env::var(RECORD) else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let record: MatchRecord = serde_json::from_str(&text).unwrap();
    let game = game(&record.game);
    let mut current = Match::from_record(&game, &record, &Stop::never()).unwrap();
    current.keep_thoughts(true);
    play(&mut current, usize::MAX);
    println!("{MARK}{}", serde_json::to_string(current.record()).unwrap());
}

#[test]
fn a_match_continues_in_another_process() {
    for (number, name) in GAMES.iter().enumerate() {
        let mut straight = start(name, 4);
        play(&mut straight, usize::MAX);
        let straight = straight.into_record();
        assert!(straight.end.is_some());
        straight.replay(&*game(name), &Stop::never()).unwrap();

        // Paused in the middle of a turn, if the game has one.
        let mut first = start(name, 4);
        play(&mut first, 3);
        if first.end().is_none() {
            first.pause().unwrap();
            assert!(first.pending().is_empty());
        }
        let path = std::env::temp_dir()
            .join(format!("magister-resume-{}-{number}.json", std::process::id()));
        std::fs::write(&path, serde_json::to_string(first.record()).unwrap()).unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "resume::another_process_continues", "--nocapture"])
            .env(RECORD, &path)
            .output()
            .unwrap();
        let _ = std::fs::remove_file(&path);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| Some(line.split_once(MARK)?.1));
        let line =
            line.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
        let resumed: MatchRecord = serde_json::from_str(line).unwrap();
        assert_eq!(resumed.without_times(), straight.without_times(), "{name}");
    }
}

/// After every single answer the match can be rebuilt, and continues in the same way.
#[test]
fn a_match_can_be_rebuilt_at_any_time() {
    for name in GAMES {
        let mut straight = start(name, 9);
        play(&mut straight, usize::MAX);
        let straight = straight.into_record();
        for answers in 0..25 {
            let mut current = start(name, 9);
            play(&mut current, answers);
            let record = current.record();
            let mut again = Match::from_record(&game(name), record, &Stop::never()).unwrap();
            assert_eq!(again.record(), record, "{name} after {answers}");
            assert_eq!(again.pending(), current.pending(), "{name} after {answers}");
            again.keep_thoughts(true);
            play(&mut again, usize::MAX);
            assert_eq!(again.record().without_times(), straight.without_times(), "{name}");
        }
    }
}
