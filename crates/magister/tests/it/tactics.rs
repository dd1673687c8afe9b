//! Tactical playouts: legal moves are compared with a plain one-move search, and all lanes with
//! single steps.

use magister_core::{Game, Halt, Move, Role, Seed, Step, Stop, Worker};
use magister_engine::agree::{Amount, lanes};

/// Games with tactics of different kinds: cells, columns, pieces.
const GAMES: [&str; 4] = ["tictactoe", "connect-four", "breakthrough", "qubic"];

/// The moves of the role to move after which the game ends with its highest goal.
fn winning(worker: &mut dyn Worker, state: &[u64], role: Role) -> Result<Vec<Move>, Halt> {
    let stop = Stop::never();
    worker.load(state, &stop)?;
    let info = worker.info().clone();
    let mut wins = Vec::new();
    for choice in worker.legal(role).to_vec() {
        worker.load(state, &stop)?;
        let joint: Vec<Move> = info
            .all_roles()
            .map(|other| if other == role { choice } else { worker.legal(other)[0] })
            .collect();
        worker.step(&joint, &mut Step::new(), &stop)?;
        let mut goals = Vec::new();
        worker.goals(role, &mut goals);
        if worker.terminal() && goals == [info.rewards.1] {
            wins.push(choice);
        }
    }
    Ok(wins)
}

/// The state in which the other role has the turn.
fn passed(game: &dyn Game, state: &[u64], from: &str, to: &str) -> Option<Vec<u64>> {
    let turn = |role: &str| format!("(control {role})");
    let text = game.text().state_text(state);
    let passed = text.replace(&turn(from), &turn(to));
    if passed == text {
        return None; // Another fluent marks the turn.
    }
    game.text().parse_state(&passed)
}

#[test]
fn roles_win_at_once_or_block() {
    for name in GAMES {
        let playable = magister::open(name).expect("a game of the catalogue");
        let game = &*playable.game;
        let tactical = game.tactical().unwrap_or_else(|| panic!("{name} has tactics"));
        let (mut plain, mut sharp) = (game.worker(), tactical.worker());
        let (info, stop) = (game.info().clone(), Stop::never());
        let mut rng = Seed::from(3).derive(name).rng();
        let (mut won, mut blocked, mut quiet) = (0, 0, 0);
        for _ in 0..40 {
            plain.reset();
            while !plain.terminal() {
                let mut state = Vec::new();
                plain.save(&mut state);
                let Some(role) = info.players().find(|&role| plain.legal(role).len() > 1) else {
                    break;
                };
                let other = Role(1 - role.0);
                sharp.load(&state, &stop).expect("a state of both games");
                let legal = plain.legal(role).to_vec();
                let chosen = sharp.legal(role).to_vec();
                assert_eq!(sharp.legal(other), plain.legal(other));
                let wins = winning(&mut *plain, &state, role).expect("steps");
                let (own, theirs) = (info.role_name(role), info.role_name(other));
                let threats = passed(game, &state, own, theirs).map_or(Vec::new(), |state| {
                    winning(&mut *plain, &state, other).expect("steps")
                });
                let blocks: Vec<Move> =
                    legal.iter().copied().filter(|choice| threats.contains(choice)).collect();
                let (expected, counter) = if !wins.is_empty() {
                    (wins, &mut won)
                } else if !blocks.is_empty() {
                    (blocks, &mut blocked)
                } else {
                    (legal.clone(), &mut quiet)
                };
                *counter += 1;
                assert_eq!(chosen, expected, "{name}: {}", game.text().state_text(&state));
                plain.load(&state, &stop).expect("a state");
                let joint: Vec<Move> = info
                    .all_roles()
                    .map(|role| {
                        let legal = plain.legal(role);
                        legal[rng.below(legal.len() as u64) as usize]
                    })
                    .collect();
                plain.step(&joint, &mut Step::new(), &stop).expect("a step");
            }
        }
        assert!(won > 10 && quiet > 10, "{name}: {won} wins, {blocked} blocks, {quiet} others");
        // A pawn of one side never makes the same move as a pawn of the other.
        assert!(blocked > 10 || name == "breakthrough", "{name}: {blocked} blocks");
    }
}

/// Large ways to win are omitted, so a network may overlook a win. It never mistakes another move
/// for a win or a block, and it never leaves a role without a move.
#[test]
fn tactics_of_every_game_are_sound() {
    let stop = Stop::never();
    let mut examined = 0;
    for entry in magister_games::catalogue::all() {
        let Ok(playable) = magister::open(entry.name) else { continue };
        let game = &*playable.game;
        let Some(tactical) = game.tactical() else { continue };
        let (mut plain, mut sharp) = (game.worker(), tactical.worker());
        let info = game.info().clone();
        let mut rng = Seed::from(5).derive(entry.name).rng();
        let mut steps = 0;
        while steps < 60 {
            plain.reset();
            while !plain.terminal() && steps < 60 {
                steps += 1;
                let mut state = Vec::new();
                plain.save(&mut state);
                sharp.load(&state, &stop).expect("a state of both games");
                for role in info.players() {
                    let legal = plain.legal(role).to_vec();
                    let chosen = sharp.legal(role).to_vec();
                    if chosen == legal {
                        continue;
                    }
                    let name = entry.name;
                    assert!(!chosen.is_empty(), "{name}");
                    assert!(chosen.iter().all(|choice| legal.contains(choice)), "{name}");
                    let other = info.players().find(|&other| other != role).expect("two roles");
                    let wins = winning(&mut *plain, &state, role).expect("steps");
                    let (own, theirs) = (info.role_name(role), info.role_name(other));
                    let all = |known: &[Move]| chosen.iter().all(|choice| known.contains(choice));
                    let text = game.text().state_text(&state);
                    if let Some(passed) = passed(game, &state, own, theirs) {
                        let threats = winning(&mut *plain, &passed, other).expect("steps");
                        let texts = |moves: &[Move]| -> Vec<String> {
                            moves.iter().map(|&one| game.text().move_text(one)).collect()
                        };
                        assert!(
                            all(&wins) || all(&threats),
                            "{name}: {text}: chose {:?} of {:?}; wins {:?}, threats {:?}",
                            texts(&chosen),
                            texts(&legal),
                            texts(&wins),
                            texts(&threats),
                        );
                        examined += 1;
                    }
                    plain.load(&state, &stop).expect("a state");
                }
                let joint: Vec<Move> = info
                    .all_roles()
                    .map(|role| {
                        let legal = plain.legal(role);
                        legal[rng.below(legal.len() as u64) as usize]
                    })
                    .collect();
                plain.step(&joint, &mut Step::new(), &stop).expect("a step");
            }
        }
    }
    assert!(examined > 50, "{examined}");
}

#[test]
fn lanes_play_the_same_as_single_steps() {
    for name in GAMES {
        let playable = magister::open(name).expect("a game of the catalogue");
        let game = playable.network().expect("a network");
        let tactical = game.with_tactics().unwrap_or_else(|| panic!("{name} has tactics"));
        let amount = Amount { streams: 9, quota: 40, ..Amount::default() };
        let found = lanes(&tactical, amount, &Stop::never()).expect("it plays");
        assert_eq!(found.different, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn games_without_alternation_have_no_tactics() {
    for name in ["kuhn-poker", "rock-paper-scissors", "hanoi"] {
        let Ok(playable) = magister::open(name) else { continue };
        assert!(playable.game.tactical().is_none(), "{name}");
    }
}
