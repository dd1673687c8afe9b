//! Published numbers and our own counts: the paper's Nim table and its Double Tic-Tac-Toe.
#![allow(clippy::print_stdout, reason = "figures and skipped games are printed")]

use crate::common;

use magister_core::{Game as _, Role, Stop};
use magister_decompose::{Decomposition, Errors, Kind, Method, Sequences, Solved, solve};
use magister_solve::SolveLimits;

fn solved(name: &str) -> Option<(Decomposition, Solved, Vec<String>)> {
    let game = common::game(name, &common::oracle(name)?);
    let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
    let solved = solve(game.compiled(), &whole, &SolveLimits::default(), &Stop::never())
        .expect("a solution");
    let best = solved.best.iter().map(|&(_, choice)| game.text().move_text(choice)).collect();
    Some((whole, solved, best))
}

/// The heaps, the Nim sum, and the only winning first move, if there is one.
#[test]
fn the_nim_table_of_the_paper() {
    let rows: [(&str, &[u32], Option<&str>); 4] = [
        ("nim1", &[1, 2, 4, 5], Some("(reduce d 0)")),
        ("nim2", &[2, 2, 10, 10], None),
        ("nim3", &[11, 12, 15, 25], Some("(reduce d 8)")),
        ("nim4", &[12, 12, 20, 20], None),
    ];
    for (name, heaps, winning) in rows {
        let Some((whole, solved, best)) = solved(name) else { continue };
        assert!(whole.kinds.contains(&Kind::Impartial), "{name}");
        assert_eq!(solved.method, Method::Nimbers, "{name}");
        let mut found = solved.nimbers.clone().expect("nimbers");
        found.sort_unstable();
        assert_eq!(found, heaps, "{name}");
        match winning {
            Some(winning) => {
                assert_eq!(solved.value, [100.0, 0.0], "{name}");
                assert_eq!(best, [winning], "{name}");
            }
            None => assert_eq!(solved.value, [0.0, 100.0], "{name}"),
        }
    }
}

#[test]
fn double_tictactoe_is_drawn_by_all_first_moves() {
    let Some((whole, solved, best)) = solved("double_tictactoe_dengji") else { return };
    assert_eq!(whole.subgames.len(), 2);
    assert!(whole.worth.useful);
    assert_eq!(solved.value, [50.0, 50.0]);
    assert_eq!(best.len(), 18);
    assert!(solved.first.iter().all(|&(role, _, value)| role == Role(0) && value == Some(50.0)));
    assert_eq!((solved.sizes.classes, solved.sizes.pruned), (606, 594));
    assert!(solved.states <= 71_684, "{} states", solved.states);
}

#[test]
fn sequences_of_the_paper() {
    let name = "double_tictactoe_dengji";
    let Some(text) = common::oracle(name) else { return };
    let game = common::game(name, &text);
    let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
    for part in 0..2 {
        let found = Sequences::new(game.compiled(), &whole, part, &Stop::never()).expect("counts");
        assert_eq!(found.all, 58_242_432);
        assert_eq!(found.kept, 912, "{found:?}");
        assert_eq!(found.lengths, [0, 0, 0, 2, 8, 22, 52, 114, 238, 476]);
    }
}

/// Every subgame of Double Tic-Tac-Toe is a game that can be played to its end.
#[test]
fn subgames_are_games() {
    for name in ["double_tictactoe_dengji", "nim1"] {
        let Some(text) = common::oracle(name) else { continue };
        let game = common::game(name, &text);
        let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
        for number in 0..whole.subgames.len() {
            let part = whole.subgame(game.compiled(), number, &Stop::never());
            let part = part.unwrap_or_else(|halt| panic!("{name}, subgame {number}: {halt}"));
            magister_core::battery::assert_game(&part);
        }
        let none = whole.subgame(game.compiled(), whole.subgames.len(), &Stop::never());
        assert!(none.is_err());
    }
}

/// The paper's rule keeps losing moves and drops drawing moves.
#[test]
fn the_papers_rule_errs() {
    let Some(text) = common::oracle("double_tictactoe_dengji") else { return };
    let game = common::game("double_tictactoe_dengji", &text);
    let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
    let errors = Errors::new(game.compiled(), &whole, &Stop::never()).expect("a comparison");
    println!("{} of {} wrong, {} losing", errors.wrong, errors.states, errors.losing);
    assert_eq!(errors.value, (50.0, 50.0));
    assert!(errors.wrong > 0 && errors.losing > 0);
    // With two moves left, the role to move could draw the last board, but the search does not find
    // this.
    for mistake in &errors.mistakes {
        let sign = if mistake.mover == 0 { 1.0 } else { -1.0 };
        assert_eq!(
            (mistake.left, sign * (mistake.value - mistake.found)),
            (2, 25.0),
            "{mistake:?}"
        );
    }
}

/// Sequences truncated at a depth, with all turn orders.
#[test]
fn sequences_to_a_depth() {
    let Some(text) = common::oracle("double_tictactoe_dengji") else { return };
    let game = common::game("double_tictactoe_dengji", &text);
    let whole = Decomposition::new(game.compiled(), &Stop::never()).expect("parts");
    for (depth, expected) in [(1, 18), (2, 288), (3, 4_032), (4, 47_328), (5, 441_312)] {
        let found = Sequences::to_depth(game.compiled(), &whole, 0, Some(depth), &Stop::never())
            .expect("counts");
        assert_eq!(found.all, expected, "depth {depth}");
        assert!(found.kept < found.all || depth == 1, "depth {depth}: {}", found.kept);
    }
}
