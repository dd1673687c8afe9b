//! Puzzles of placements: the plan that is found wins the actual game.
#![allow(clippy::print_stdout, reason = "figures and skipped games are printed")]

use crate::common;

use magister_core::{Game as _, Role, Step, Stop};
use magister_decompose::Placement;

/// Plays the plan for a puzzle; returns the final goal value and whether it is proven to be the
/// best, or `None` if the game is not such a puzzle.
fn play(name: &str, text: &str) -> Option<(f64, bool)> {
    let game = common::game(name, text);
    let stop = Stop::never();
    let placement = Placement::new(game.game(), &stop).expect("no limit")?;
    let mut worker = game.worker();
    let mut state = Vec::new();
    worker.save(&mut state);
    let plan = placement.plan(&state, &stop).expect("no limit").expect("a plan");
    let mut step = Step::new();
    for choice in plan.moves {
        worker.step(&[choice], &mut step, &stop).expect("a legal move");
    }
    assert!(worker.terminal(), "{name}: the plan reaches a terminal state");
    let mut goals = Vec::new();
    worker.goals(Role(0), &mut goals);
    assert_eq!(goals, [plan.value], "{name}");
    Some((plan.value, plan.proven))
}

#[test]
fn puzzles_of_the_catalogue_are_solved() {
    for name in ["nonogram", "cryptarithmetic", "futoshiki", "sudoku", "hidato"] {
        let value = play(name, &common::bundled(name));
        assert_eq!(value, Some((100.0, true)), "{name}");
    }
}

#[test]
fn puzzles_of_the_oracle_are_solved() {
    let names = ["sudoku", "nonogram_5x5_1", "futoshiki4", "hidato37"];
    for name in names {
        let Some(text) = common::oracle(name) else { continue };
        let value = play(name, &text);
        assert_eq!(value, Some((100.0, true)), "{name}");
    }
}

/// A game in which moves undo each other is not a puzzle of placements.
#[test]
fn moves_that_undo_each_other_are_no_placements() {
    assert_eq!(play("eightpuzzle", &common::bundled("eightpuzzle")), None);
}

/// Puzzles whose moves forbid others, or whose end comes after a number of steps.
#[test]
fn puzzles_with_rules_on_the_way_are_solved() {
    for name in ["hidato19", "queens08ug", "queens08lg"] {
        let Some(text) = common::oracle(name) else { continue };
        let value = play(name, &text);
        assert_eq!(value, Some((100.0, true)), "{name}");
    }
}

/// The eighth column of this nonogram has two first groups, so no picture fits.
#[test]
fn a_puzzle_without_solution_is_refuted() {
    let name = "nonogram_10x10_1";
    let Some(text) = common::oracle(name) else { return };
    assert_eq!(play(name, &text), Some((0.0, true)));
}

/// A set of moves does not say how often a move is made, so that nothing is proven if the steps
/// count and a move can be repeated: one move and two waits would be better.
#[test]
fn repeated_moves_are_not_refuted() {
    let text = "
        (role player)
        (init (step 0))
        (after 0 1) (after 1 2) (after 2 3)
        (thing a) (thing b) (thing c)
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
        (<= (legal player (take ?x)) (thing ?x) (not (true (taken ?x))))
        (legal player wait)
        (<= (next (taken ?x)) (does player (take ?x)))
        (<= (next (taken ?x)) (true (taken ?x)))
        (<= terminal (true (step 3)))
        (<= alone (true (taken a)) (not (true (taken b))) (not (true (taken c))))
        (<= (goal player 100) alone)
        (<= (goal player 50) (not alone))
    ";
    assert_eq!(play("waiting", text), Some((50.0, false)));
}
