//! Numbers of games and positions, compared with published or independent counts.

use std::collections::{BTreeMap, BTreeSet};

use magister_core::{Game, Move, Native, Role, Step, Stop, Worker};
use magister_games::native::{self, Nim};

/// All joint moves of the current state.
fn joints(worker: &dyn Worker) -> Vec<Vec<Move>> {
    let mut joints = vec![Vec::new()];
    for role in worker.info().all_roles() {
        let extended = |joint: &Vec<Move>| {
            let with = |&choice: &Move| joint.iter().copied().chain([choice]).collect();
            worker.legal(role).iter().map(with).collect::<Vec<Vec<Move>>>()
        };
        joints = joints.iter().flat_map(extended).collect();
    }
    joints
}

/// The number of complete games, and all positions in them.
fn perft(worker: &mut dyn Worker, step: &mut Step, positions: &mut BTreeSet<Vec<u64>>) -> u64 {
    let mut state = Vec::new();
    worker.save(&mut state);
    positions.insert(state);
    if worker.terminal() {
        return 1;
    }
    let mut games = 0;
    for joint in joints(worker) {
        worker.step(&joint, step, &Stop::never()).unwrap();
        games += perft(worker, step, positions);
        assert!(worker.undo());
    }
    games
}

fn count(game: &dyn Game) -> (u64, usize) {
    let mut positions = BTreeSet::new();
    let games = perft(&mut *game.worker(), &mut Step::new(), &mut positions);
    (games, positions.len())
}

#[test]
fn tic_tac_toe_has_255168_games_and_5478_positions() {
    assert_eq!(count(&*native::find("tictactoe").unwrap()), (255_168, 5_478));
}

#[test]
fn the_small_games() {
    // Nine pairs of hands; six deals with five lines each; three cars and three choices, of which
    // three leave two doors to open and six leave one, with two decisions each.
    assert_eq!(count(&*native::find("rock-paper-scissors").unwrap()), (9, 10));
    assert_eq!(count(&*native::find("kuhn-poker").unwrap()).0, 30);
    assert_eq!(count(&*native::find("monty-hall").unwrap()).0, 24);
}

/// The number of ways to clear heaps, whose order does not matter.
fn ways(mut heaps: Vec<u8>, known: &mut BTreeMap<Vec<u8>, u64>) -> u64 {
    heaps.sort_unstable();
    if heaps.iter().all(|&heap| heap == 0) {
        return 1;
    }
    if let Some(&ways) = known.get(&heaps) {
        return ways;
    }
    let mut total = 0;
    for index in 0..heaps.len() {
        for left in 0..heaps[index] {
            let mut next = heaps.clone();
            next[index] = left;
            total += ways(next, known);
        }
    }
    known.insert(heaps, total);
    total
}

#[test]
fn nim_has_as_many_games_as_ways_to_clear_the_heaps() {
    for heaps in [&[1][..], &[2, 2], &[1, 2, 3], &[2, 1, 2, 1]] {
        let game = Native::new(Nim::new(3, heaps).unwrap());
        let expected = ways(heaps.to_vec(), &mut BTreeMap::new());
        assert_eq!(count(&game).0, expected, "{heaps:?}");
    }
    assert!(Nim::new(3, &[1; 7]).is_none());
}

#[test]
fn nim_3_4_5_has_every_possible_heap_and_turn() {
    let game = native::find("nim-3-4-5").unwrap();
    let mut seen = BTreeSet::new();
    let mut worker = game.worker();
    let mut state = Vec::new();
    worker.save(&mut state);
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        worker.load(&state, &Stop::never()).unwrap();
        for joint in joints(&*worker) {
            worker.load(&state, &Stop::never()).unwrap();
            worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
            let mut next = Vec::new();
            worker.save(&mut next);
            open.push(next);
        }
    }
    // After n moves any position is possible with at least n objects taken and at most n heaps
    // touched. So a turn t is possible if some n = t (mod 3) lies between the number of heaps
    // touched and the number of objects taken.
    let mut expected = 0;
    for a in 0..=3_u32 {
        for b in 0..=4_u32 {
            for c in 0..=5_u32 {
                let taken = a + b + c;
                let touched = u32::from(a > 0) + u32::from(b > 0) + u32::from(c > 0);
                expected += (touched..=taken).map(|n| n % 3).collect::<BTreeSet<_>>().len();
            }
        }
    }
    assert_eq!(seen.len(), expected);
}

#[test]
fn taking_the_last_object_wins_and_the_next_player_gets_nothing() {
    let game = Native::new(Nim::new(3, &[2, 1]).unwrap());
    let mut worker = game.worker();
    for text in ["(take 1 2)", "(take 2 1)"] {
        let joint: Vec<Move> = game
            .info()
            .all_roles()
            .map(|role| {
                let choice = game.text().parse_move(role, text).unwrap();
                if worker.legal(role).contains(&choice) { choice } else { Move::IDLE }
            })
            .collect();
        worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
    }
    let goals = [0, 1, 2].map(|role| {
        let mut goals = Vec::new();
        worker.goals(Role(role), &mut goals);
        goals
    });
    assert_eq!(goals, [[50.0], [100.0], [0.0]]);
}
