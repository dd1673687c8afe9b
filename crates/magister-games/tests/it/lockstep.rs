//! Games in Rust and their rulesheets, move by move: the same legal moves, percepts, ends and
//! rewards in random games.
//!
//! Versions whose moves have other names are compared elsewhere: Tic-Tac-Toe and Nim by counts of
//! sequences (`catalogue.rs`), Kuhn poker by deals (`cards.rs`), hold'em and 2048 with slow versions
//! (`holdem.rs`, `slides.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Step, Stop, Worker};
use magister_engine::prepare;
use magister_games::{catalogue, native};
use magister_gdl::{Options, read};

/// The texts of the legal moves of a role, without passes.
fn legal(game: &dyn Game, worker: &dyn Worker, role: Role) -> BTreeMap<String, Move> {
    let moves = worker.legal(role).iter();
    moves
        .filter(|&&choice| choice != Move::IDLE)
        .map(|&choice| (game.text().move_text(choice), choice))
        .filter(|(text, _)| text != "noop")
        .collect()
}

fn percepts(game: &dyn Game, step: &Step, role: Role) -> Vec<String> {
    let mut texts: Vec<String> =
        step.percepts.of(role).iter().map(|&p| game.text().percept_text(p)).collect();
    texts.sort();
    texts
}

#[test]
fn rust_versions_play_like_their_rulesheets() {
    for name in [
        "blackjack",
        "breakthrough",
        "connect-four",
        "einstein",
        "hex-5",
        "hex-7",
        "leduc-poker",
        "nim-3-4-5",
        "othello",
        "othello-6x6",
        "rubik-2x2x2",
        "rubik-3x3x3",
        "sim",
        "yavalath",
    ] {
        let entry = catalogue::find(name).unwrap();
        let (_, sheet) = entry.gdl_sheets().next().unwrap();
        let rules = read(sheet.text, &Options::default()).rules;
        let slow = prepare(&rules, sheet.text, name, None, &Stop::never()).unwrap().game;
        let fast = native::find(name).unwrap();
        together(name, &slow, &fast);
    }
}

fn together(name: &str, slow: &Arc<dyn Game>, fast: &Arc<dyn Game>) {
    assert_eq!(slow.info().roles, fast.info().roles, "{name}");
    let mut rng = Seed::from(22).derive(name).rng();
    let (mut one, mut two) = (slow.worker(), fast.worker());
    let (mut first, mut second) = (Step::new(), Step::new());
    for _ in 0..300 {
        one.reset();
        two.reset();
        loop {
            assert_eq!(one.terminal(), two.terminal(), "{name}");
            if one.terminal() {
                break;
            }
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for role in slow.info().all_roles() {
                let (a, b) = (legal(&**slow, &*one, role), legal(&**fast, &*two, role));
                assert!(a.keys().eq(b.keys()), "{name}: {a:?} and {b:?}");
                if a.is_empty() {
                    left.push(one.legal(role)[0]);
                    right.push(two.legal(role)[0]);
                } else {
                    let number = rng.below(a.len() as u64) as usize;
                    left.extend(a.values().nth(number));
                    right.extend(b.values().nth(number));
                }
            }
            one.step(&left, &mut first, &Stop::never()).unwrap();
            two.step(&right, &mut second, &Stop::never()).unwrap();
            for role in slow.info().players() {
                let seen = percepts(&**slow, &first, role);
                assert_eq!(seen, percepts(&**fast, &second, role), "{name}");
            }
        }
        for role in slow.info().players() {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            one.goals(role, &mut a);
            two.goals(role, &mut b);
            assert_eq!(a, b, "{name}");
        }
    }
}
