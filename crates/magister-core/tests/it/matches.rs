//! Matches as state machines: which roles must decide, how their answers are handled, and who may
//! see them.

use crate::claim;

use std::sync::Arc;
use std::time::Duration;

use claim::{HIGH, LOW, claim, countdown};
use magister_core::examples::Countdown;
use magister_core::record::SeenRecord;
use magister_core::{
    Answer, Event, FaultKind, Game, Match, MatchEnd, MatchError, Move, Native, Role, Seat, Seed,
    Setup, Stop, Viewer,
};

fn never() -> Stop {
    Stop::never()
}

fn start(game: &Arc<dyn Game>, change: impl FnOnce(&mut Setup)) -> Match {
    let mut setup = Setup::new(Seed::from(1), vec![Seat::new("ann"), Seat::new("bob")]);
    change(&mut setup);
    Match::new(game, &setup, &never()).unwrap()
}

/// All roles play their first legal move until the end, or for a number of turns.
fn play(current: &mut Match, turns: usize) {
    while current.end().is_none() && current.turn() < turns {
        for pending in current.pending() {
            let choice = current.legal(pending.role)[0];
            current.submit(pending.role, Answer::choice(choice)).unwrap();
        }
        current.advance(&never()).unwrap();
    }
}

#[test]
fn only_roles_with_a_choice_are_asked_by_default() {
    let mut current = start(&countdown(), |_| ());
    let asked = |current: &Match| -> Vec<(u8, bool)> {
        current.pending().iter().map(|one| (one.role.0, one.forced)).collect()
    };
    assert_eq!(asked(&current), [(0, false)]);
    assert_eq!(current.advance(&never()), Err(MatchError::Pending(Role(0))));
    let idle = current.submit(Role(1), Answer::choice(Move::IDLE));
    assert_eq!(idle, Err(MatchError::NotPending(Role(1))));
    current.submit(Role(0), Answer::text("(take 2)")).unwrap();
    assert_eq!(asked(&current), []);
    let twice = current.submit(Role(0), Answer::text("(take 1)"));
    assert_eq!(twice, Err(MatchError::NotPending(Role(0))));
    current.advance(&never()).unwrap();
    assert_eq!(asked(&current), [(1, false)]);

    let eager = start(&countdown(), |setup| setup.seats[1].asked_when_forced = true);
    assert_eq!(asked(&eager), [(0, false), (1, true)]);
    // With hidden information, all roles are asked; otherwise the question itself would reveal
    // something.
    assert_eq!(asked(&start(&claim(), |_| ())), [(0, true), (1, true)]);
}

#[test]
fn illegal_answers_are_replaced_and_recorded() {
    for (answer, kind, said) in [
        (Answer::text("(take 7)"), FaultKind::Illegal, Some("(take 7)")),
        (Answer::choice(Move(6)), FaultKind::Illegal, Some("(take 7)")),
        (Answer::fault(FaultKind::Crash, "it broke"), FaultKind::Crash, None),
    ] {
        let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(2)));
        let mut current = start(&game, |_| ());
        current.submit(Role(0), answer.after(Duration::from_millis(5))).unwrap();
        current.advance(&never()).unwrap();
        let record = current.record();
        let fault = &record.errors[0];
        assert_eq!((fault.kind, fault.step, fault.seat), (kind, 1, Some(0)));
        assert_eq!(fault.answer.as_deref(), said);
        assert_eq!(fault.played.as_ref(), Some(&record.moves[0][0]));
        assert_eq!(record.times_ms, [[5.0, 0.0]]);
        play(&mut current, 99);
        assert_eq!(current.end(), Some(MatchEnd::Terminal));
    }
}

#[test]
fn substitutes_do_not_depend_on_other_draws() {
    let substitute = |other: &str| {
        let mut current = start(&countdown(), |setup| setup.limits.max_steps = 3);
        let fault = || Answer::fault(FaultKind::Late, "late");
        current.submit(Role(0), fault()).unwrap();
        current.advance(&never()).unwrap();
        let answer = if other.is_empty() { fault() } else { Answer::text(other) };
        current.submit(Role(1), answer).unwrap();
        current.advance(&never()).unwrap();
        current.submit(Role(0), fault()).unwrap();
        current.advance(&never()).unwrap();
        current.record().errors.iter().rfind(|one| one.kind == FaultKind::Late).unwrap().clone()
    };
    assert_eq!(substitute("(take 1)").played, substitute("(take 2)").played);
    assert_eq!(substitute("(take 1)").played, substitute("").played);
}

#[test]
fn events_describe_the_match() {
    let mut current = start(&claim(), |_| ());
    play(&mut current, 99);
    let events = current.take_events();
    assert!(current.take_events().is_empty());
    let names: Vec<String> = events
        .iter()
        .map(|event| {
            let value = serde_json::to_value(event).unwrap();
            assert_eq!(serde_json::from_value::<Event>(value.clone()).unwrap(), *event);
            value["event"].as_str().unwrap().to_owned()
        })
        .collect();
    let turn = ["asked", "asked", "answered", "answered", "stepped"];
    let silent = ["stepped"; 3];
    let all = [&["started"][..], &silent, &turn, &turn, &["ended"]].concat();
    assert_eq!(names, all);
    let Some(Event::Started { seed_hash, .. }) = events.first() else { panic!() };
    let Some(Event::Ended { seed, salt, .. }) = events.last() else { panic!() };
    let (seed, salt) = (Seed::parse(seed).unwrap(), Seed::parse(salt).unwrap());
    assert_eq!(magister_core::draws::seed_hash(&seed, &salt), *seed_hash);
}

#[test]
fn a_salt_changes_the_hash_and_nothing_else() {
    let record = |salt: Option<Seed>| {
        let mut current = start(&claim(), |setup| setup.salt = salt);
        play(&mut current, 99);
        current.into_record()
    };
    let (one, other) = (record(None), record(Some(Seed::from(99))));
    assert_ne!(one.seed_hash, other.seed_hash);
    assert_eq!((&one.moves, &one.seed), (&other.moves, &other.seed));
    other.replay(&*claim(), &never()).unwrap();
}

#[test]
fn a_paused_match_waits() {
    let mut current = start(&countdown(), |_| ());
    assert_eq!(current.resume(), Err(MatchError::NotPaused));
    current.pause().unwrap();
    assert!(current.pending().is_empty() && current.is_paused());
    assert_eq!(current.submit(Role(0), Answer::text("(take 1)")), Err(MatchError::Paused));
    assert_eq!(current.advance(&never()), Err(MatchError::Paused));
    current.resume().unwrap();
    assert_eq!(current.pending().len(), 1);
    play(&mut current, 99);
    assert_eq!(current.pause(), Err(MatchError::Ended(MatchEnd::Terminal)));
}

#[test]
fn matches_end_in_many_ways() {
    let end = |how: &dyn Fn(&mut Match)| {
        let mut current = start(&countdown(), |_| ());
        play(&mut current, 2);
        how(&mut current);
        assert!(matches!(current.take_events().last(), Some(Event::Ended { .. })));
        assert!(current.pending().is_empty());
        let record = current.into_record();
        assert_eq!(record.rewards, [None, None]);
        record.replay(&*countdown(), &never()).unwrap();
        let fault = record.errors.last().unwrap().clone();
        (record.end.unwrap(), fault.kind, fault.seat, fault.step)
    };
    let resigned = end(&|current| current.resign(Role(1)).unwrap());
    assert_eq!(resigned, (MatchEnd::Resigned, FaultKind::Resigned, Some(1), 3));
    let left = end(&|current| current.leave(Role(0)).unwrap());
    assert_eq!(left, (MatchEnd::Left, FaultKind::Left, Some(0), 3));
    let aborted = end(&|current| current.abort("the server stops").unwrap());
    assert_eq!(aborted, (MatchEnd::Aborted, FaultKind::Aborted, None, 3));
    let broken = end(&|current| current.break_off("it takes too long").unwrap());
    assert_eq!(broken, (MatchEnd::BrokenOff, FaultKind::BrokenOff, None, 3));

    let mut long = start(&countdown(), |setup| setup.limits.max_steps = 4);
    play(&mut long, 99);
    assert_eq!((long.end(), long.record().moves.len()), (Some(MatchEnd::BrokenOff), 4));
    assert_eq!(long.abort("again"), Err(MatchError::Ended(MatchEnd::BrokenOff)));
}

#[test]
fn openings_are_random_and_proven() {
    let mut current = start(&countdown(), |setup| setup.limits.opening = 3);
    for _ in 0..3 {
        assert!(current.pending().is_empty());
        current.advance(&never()).unwrap();
    }
    assert_eq!(current.pending().len(), 1);
    play(&mut current, 99);
    let record = current.into_record();
    record.replay(&*countdown(), &never()).unwrap();
    let mut forged = record.clone();
    let other = if record.moves[0][0] == "(take 1)" { "(take 2)" } else { "(take 1)" };
    forged.moves[0][0] = other.to_owned();
    assert!(forged.replay(&*countdown(), &never()).is_err());
}

#[test]
fn turns_are_taken_back_and_redone() {
    let mut current = start(&countdown(), |_| ());
    current.submit(Role(0), Answer::fault(FaultKind::Late, "late")).unwrap();
    current.advance(&never()).unwrap();
    play(&mut current, 4);
    let before = current.record().clone();
    assert_eq!((current.reach(Role(0)), current.reach(Role(1))), ((2, 0), (2, 0)));
    assert_eq!(current.take_back(Role(0), 3, &never()), Err(MatchError::NoSuchTurn));

    current.take_back(Role(0), 2, &never()).unwrap();
    assert_eq!((current.turn(), current.record().moves.len()), (0, 0));
    let kinds: Vec<FaultKind> = current.record().errors.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, [FaultKind::TakenBack], "the fault of a turn is removed with the turn");
    current.redo(Role(0), 2, &never()).unwrap();
    assert_eq!(current.record().moves, before.moves);
    assert!(current.record().has(FaultKind::Late) && current.record().has(FaultKind::TakenBack));

    // After another continuation, the moves that were taken back are gone.
    current.take_back(Role(1), 1, &never()).unwrap();
    assert_eq!((current.turn(), current.reach(Role(1))), (3, (1, 1)));
    play(&mut current, 99);
    assert_eq!(current.reach(Role(1)).1, 0);
    assert_eq!(current.end(), Some(MatchEnd::Terminal));
    current.record().replay(&*countdown(), &never()).unwrap();
    // Also after the end.
    current.take_back(Role(0), 1, &never()).unwrap();
    assert_eq!((current.end(), &current.record().rewards[..]), (None, &[None, None][..]));
    let rebuilt = Match::from_record(&countdown(), current.record(), &never()).unwrap();
    assert_eq!(rebuilt.record(), current.record());
    assert_eq!(rebuilt.reach(Role(0)).0, current.reach(Role(0)).0);
}

/// What a viewer sees of a match.
fn seen(current: &Match, viewer: Viewer) -> SeenRecord {
    current.record().seen_by(viewer, current.game().info())
}

#[test]
fn during_a_hidden_match_a_role_sees_its_own_and_spectators_see_little() {
    let mut current = start(&claim(), |setup| setup.thoughts = true);
    play(&mut current, 1);
    current.submit(LOW, Answer::text("cheat")).unwrap();
    let whole = current.record().clone();
    let hand = |role: Role| whole.percepts[3].as_ref().unwrap()[role.index()].clone();
    assert_ne!(hand(LOW), hand(HIGH));

    for viewer in [Viewer::Role(LOW), Viewer::Role(HIGH), Viewer::Spectator] {
        let part = seen(&current, viewer);
        assert_eq!((&part.seed, &part.salt), (&None, &None));
        assert_eq!(part.seed_hash, whole.seed_hash);
        // The three silently dealt cards are not even counted.
        assert_eq!((part.moves.len(), part.times_ms.len()), (1, 1));
        assert!(part.silent.is_empty() && part.thoughts.is_empty() && part.gains.is_empty());
        let text = serde_json::to_string(&part).unwrap();
        assert!(!text.contains("(deal"), "{text}");
        assert!(!text.contains(&whole.seed) && !text.contains(&whole.salt), "{text}");
        if let Viewer::Role(role) = viewer {
            let other = if role == LOW { HIGH } else { LOW };
            assert_eq!(part.percepts[0][role.index()], Some(hand(role)));
            assert_eq!(part.percepts[0][other.index()], None);
            assert_eq!(part.moves[0][role.index()].as_deref(), Some("-"));
            assert_eq!((&part.moves[0][other.index()], &part.moves[0][2]), (&None, &None));
            assert_eq!(part.times_ms[0][other.index()], None);
            assert_eq!(part.errors.len(), usize::from(role == LOW));
        } else {
            assert!(part.percepts[0].iter().all(Option::is_none));
            assert!(part.moves[0].iter().all(Option::is_none));
            assert!(part.times_ms[0].iter().all(Option::is_some));
            let fault = &part.errors[0];
            assert_eq!((fault.kind, fault.step), (FaultKind::Illegal, 2));
            assert!(!fault.what.contains("cheat"));
            assert_eq!((&fault.answer, &fault.played), (&None, &None));
        }
    }
    assert_eq!(seen(&current, Viewer::Referee).moves.len(), 4);

    // After the end everyone sees everything.
    play(&mut current, 99);
    let whole = seen(&current, Viewer::Referee);
    assert_eq!(seen(&current, Viewer::Spectator), whole);
    assert_eq!(seen(&current, Viewer::Role(HIGH)), whole);
    assert!(whole.seed.is_some() && whole.moves.len() == 5);
}

/// Two matches that a role cannot distinguish give it the same bytes while they last.
#[test]
fn twins_look_the_same_to_a_role() {
    let mut known: Vec<(Vec<String>, String, String)> = Vec::new();
    let mut twins = 0;
    for seed in 0..200 {
        let mut current = start(&claim(), |setup| {
            (setup.seed, setup.salt) = (Seed::from(seed), Some(Seed::from(7)));
        });
        play(&mut current, 1);
        let choice = current.legal(HIGH)[(seed % 2) as usize];
        current.submit(HIGH, Answer::choice(choice)).unwrap();
        let info = claim();
        let mut part = seen(&current, Viewer::Role(LOW));
        part.seed_hash.clear();
        let record = serde_json::to_string(&part).unwrap();
        let events: Vec<Event> = current
            .take_events()
            .iter()
            .filter_map(|event| event.seen_by(Viewer::Role(LOW), info.info()))
            .filter(|event| !matches!(event, Event::Started { .. }))
            .collect();
        let events = serde_json::to_string(&events).unwrap();
        let hand = current.record().percepts[3].as_ref().unwrap()[0].clone();
        if let Some((_, other, others)) = known.iter().find(|(same, ..)| *same == hand) {
            assert_eq!((other, others), (&record, &events));
            twins += 1;
        }
        known.push((hand, record, events));
    }
    assert!(twins > 100, "{twins}");
}

#[test]
fn during_an_open_match_only_answers_seeds_and_thoughts_are_hidden() {
    let mut current = start(&countdown(), |_| ());
    play(&mut current, 2);
    current.submit(Role(0), Answer::text("(take 2)")).unwrap();
    let info = countdown();
    let events = current.take_events();
    let part = seen(&current, Viewer::Spectator);
    assert_eq!(part.moves.len(), 2);
    assert!(part.moves.iter().flatten().all(Option::is_some) && part.seed.is_none());
    let answer = events.last().unwrap();
    let seen = |viewer| match answer.seen_by(viewer, info.info()) {
        Some(Event::Answered { choice, .. }) => choice,
        other => panic!("{other:?}"),
    };
    assert_eq!(seen(Viewer::Role(Role(0))).as_deref(), Some("(take 2)"));
    assert_eq!((seen(Viewer::Role(Role(1))), seen(Viewer::Spectator)), (None, None));
    for event in events {
        let seen = event.seen_by(Viewer::Spectator, info.info()).unwrap();
        assert!(matches!(event, Event::Answered { .. }) || seen == event);
    }
}

/// If both decide simultaneously, the move that was drawn for one stays hidden until both have
/// decided.
#[test]
fn a_drawn_move_is_hidden_until_the_turn_is_made() {
    let mut current = start(&countdown(), |setup| setup.seats[1].asked_when_forced = true);
    current.submit(Role(0), Answer::text("(take 9)")).unwrap();
    let info = countdown();
    let (other, own) = (Viewer::Role(Role(1)), Viewer::Role(Role(0)));
    let fault = |viewer| seen(&current, viewer).errors[0].clone();
    assert!(fault(own).played.is_some() && fault(own).what.contains("(take 9)"));
    assert_eq!((fault(other).played, fault(other).answer), (None, None));
    assert!(!fault(other).what.contains("take"));
    let events = current.take_events();
    let Some(Event::Faulted { fault, .. }) = events.last().unwrap().seen_by(other, info.info())
    else {
        panic!()
    };
    assert_eq!((fault.kind, fault.played), (FaultKind::Illegal, None));
    play(&mut current, 1);
    assert!(seen(&current, other).errors[0].played.is_some());
}
