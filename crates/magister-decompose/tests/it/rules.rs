//! Rules as text: subgames as rules, and subgames from the rules alone.

use magister_core::Stop;
use magister_decompose::{Decomposition, Symbolic, rules_text};
use magister_engine::Program;
use magister_gdl::{Options, read};

use crate::common;

fn symbolic(text: &str) -> Symbolic {
    let rules = read(text, &Options::default()).rules;
    let program = Program::canonical(&rules, text).expect("a program");
    Symbolic::new(&program, &Stop::never()).expect("parts")
}

/// The text of a subgame describes the same game.
#[test]
fn written_rules_are_the_same_game() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games");
    for name in ["heaps", "dominoes", "tables", "machines", "pennies", "three"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.kif"))).expect("rules");
        let game = common::game(name, &text);
        let stop = Stop::never();
        let whole = Decomposition::new(game.compiled(), &stop).expect("parts");
        for number in 0..whole.subgames.len() {
            let Ok(part) = whole.subgame(game.compiled(), number, &stop) else { continue };
            let text = rules_text(part.compiled(), "a subgame").expect("text");
            let again = common::game(name, &text);
            let mut count = 0;
            same_tree(&part, &**again, 6, &mut count);
            assert!(count > 1, "{name} {number}");
        }
    }
}

/// Walks through two games with the same names of moves.
fn same_tree(
    one: &dyn magister_core::Game,
    other: &dyn magister_core::Game,
    depth: usize,
    count: &mut usize,
) {
    let (mut a, mut b) = (one.worker(), other.worker());
    a.reset();
    b.reset();
    walk(one, other, &mut *a, &mut *b, depth, count);
}

fn walk(
    one: &dyn magister_core::Game,
    other: &dyn magister_core::Game,
    a: &mut dyn magister_core::Worker,
    b: &mut dyn magister_core::Worker,
    depth: usize,
    count: &mut usize,
) {
    use magister_core::{Move, Step};
    *count += 1;
    assert_eq!(a.terminal(), b.terminal());
    let roles: Vec<_> = one.info().all_roles().collect();
    for &role in &roles {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.goals(role, &mut x);
        b.goals(role, &mut y);
        if a.terminal() {
            assert_eq!(x, y);
        }
    }
    if a.terminal() || depth == 0 {
        return;
    }
    let texts = |game: &dyn magister_core::Game, moves: &[Move]| -> Vec<String> {
        let mut all: Vec<String> = moves
            .iter()
            .map(|&choice| match choice {
                Move::IDLE => "noop".to_owned(),
                choice => game.text().move_text(choice),
            })
            .collect();
        all.sort();
        all
    };
    let mut joints: Vec<Vec<String>> = vec![vec![]];
    for &role in &roles {
        let (x, y) = (texts(one, a.legal(role)), texts(other, b.legal(role)));
        assert_eq!(x, y);
        joints = joints
            .iter()
            .flat_map(|joint| {
                x.iter().map(move |text| [&joint[..], std::slice::from_ref(text)].concat())
            })
            .collect();
    }
    let find = |game: &dyn magister_core::Game, legal: &[Move], text: &str| {
        *legal
            .iter()
            .find(|&&choice| {
                choice == Move::IDLE && text == "noop" || game.text().move_text(choice) == text
            })
            .expect("a move")
    };
    let (mut here, mut there) = (Vec::new(), Vec::new());
    a.save(&mut here);
    b.save(&mut there);
    let stop = Stop::never();
    for joint in joints {
        a.load(&here, &stop).expect("a state");
        b.load(&there, &stop).expect("a state");
        let moves = |game: &dyn magister_core::Game, worker: &dyn magister_core::Worker| {
            let each = roles.iter().zip(&joint);
            each.map(|(&role, text)| find(game, worker.legal(role), text)).collect::<Vec<Move>>()
        };
        let (x, y) = (moves(one, a), moves(other, b));
        a.step(&x, &mut Step::new(), &stop).expect("a legal move");
        b.step(&y, &mut Step::new(), &stop).expect("a legal move");
        walk(one, other, a, b, depth - 1, count);
    }
}

/// The heaps of Nim, as in the paper: four heaps with their moves, control, and a move without
/// effects.
#[test]
fn nim_by_its_rules() {
    let Some(text) = common::oracle("nim1") else { return };
    let found = symbolic(&text);
    assert_eq!(found.subgames.len(), 4, "{found:?}");
    assert_eq!(found.subgames[0].fluents, ["(heap a ?)"]);
    assert_eq!(found.subgames[0].moves, ["(reduce a ?)"]);
    assert_eq!(found.context, ["(control ?)"]);
    assert_eq!(found.dead, ["noop"]);
    assert!(found.impartial);
}

#[test]
fn two_boards_by_their_rules() {
    let Some(text) = common::oracle("double_tictactoe_dengji") else { return };
    let found = symbolic(&text);
    assert_eq!(found.subgames.len(), 2, "{found:?}");
    assert!(!found.impartial);
}

/// Games that do not decompose do not decompose here either.
#[test]
fn single_games_by_their_rules() {
    for name in ["tictactoe", "connectfour", "breakthrough", "chomp"] {
        let text = common::bundled(name);
        let rules = read(&text, &Options::default()).rules;
        let program = Program::canonical(&rules, &text).expect("a program");
        if let Ok(found) = Symbolic::new(&program, &Stop::never()) {
            assert!(found.subgames.len() <= 1, "{name}: {found:?}");
        }
    }
}
