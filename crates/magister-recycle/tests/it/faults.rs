//! Rules that fail at run time: what is reported, and where.

use magister_core::{Game, Halt, Move, Step, Stop};
use magister_diagnostic::Source;
use magister_recycle::{CardGame, Code, Options, examine};

/// A game with these blocks in the lines from 3.
fn text(blocks: &str) -> String {
    format!(
        "(game (setup (create players 2)\n  (create deck (game iloc STOCK) (deck (RANK (A, B, C)) \
         (SUIT (D, E, F)))))\n{blocks}\n(scoring max ((current player) sto POINTS)))"
    )
}

/// The only error of a game, as a line of text.
fn error(blocks: &str) -> String {
    let text = text(blocks);
    let found = examine("game", &text, &Options::default());
    assert!(found.game.is_none(), "{blocks}");
    let [one] = found.diagnostics.as_slice() else { panic!("{:?}", found.diagnostics) };
    assert_eq!(one.code, Code::FailsAtStart);
    Source::new("game", &text).line(one)
}

/// A game in which a player decides first, and the fault after that decision.
fn later(blocks: &str) -> Halt {
    let text = text(&format!("(choice ((turn pass)))\n{blocks}"));
    let game: CardGame = examine("game", &text, &Options::default()).game.expect("a game");
    let mut worker = game.worker();
    let joint: Vec<Move> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
    worker.step(&joint, &mut Step::new(), &Stop::never()).expect_err("it fails")
}

#[test]
fn faults_before_the_first_decision_are_errors() {
    for (blocks, wanted) in [
        (
            "(do ((inc (game sto X)\n (+ 1 (// 1 0)))))",
            "4:7: a number is divided by zero: `(// 1 0)`",
        ),
        (
            "(do ((inc (game sto X) (^ 2 (- 0 1)))))",
            "3:24: the exponent of a power is negative: `(^ 2 (- 0 1))`",
        ),
        (
            "(do ((set (game sto X) (random 5 .. 2))))",
            "3:24: chance has no number to draw: the range is empty: `(random 5 .. 2)`",
        ),
        (
            "(do (\n(repeat 10 (move (top (game iloc STOCK)) (top (game iloc PILE))))))",
            "4:18: a card is needed where there is none: `(top (game iloc STOCK))`",
        ),
        (
            "(stage player (end (== 1 2))\n (do ((repeat 3 (inc (game sto X) 1)))))",
            "3:1: the rules run on without any decision: `(stage player (end (== 1 2)) (do ((repeat 3 (inc (game sto X) 1)))))`",
        ),
        (
            "(do (\n(repeat 2000000000 (inc (game sto X) 1))))",
            "4:1: the rules run on without any decision: `(repeat 2000000000 (inc (game sto X) 1))`",
        ),
        // The order of the cards does not matter.
        (
            "(do ((shuffle (game iloc STOCK)) (inc (game sto X) (// 1 0))))",
            "3:52: a number is divided by zero: `(// 1 0)`",
        ),
        (
            "(choice (\n((== 1 2) (turn pass))))",
            "3:1: a player must choose and has no option: `(choice ( ((== 1 2) (turn pass))))`",
        ),
        (
            "(choice ((any (range 1 .. 1000) 'A\n (any (range 1 .. 1000) 'B (any (range 1 .. 1000) 'C (turn pass))))))",
            "a choice has too many options",
        ),
        (
            "(choice ((any (range 1 .. 1000) 'A\n (any (range 1 .. 1000) 'B (any (range 1 .. 1000) 'C ((== 'C 0) (turn pass)))))))",
            "a choice has too many combinations to try",
        ),
    ] {
        let found = error(blocks).replace("error[R404]: no match can begin: ", "");
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
}

/// Some orders of the cards have no fault, so the game is not rejected.
#[test]
fn a_fault_of_some_deals_is_no_error_at_the_start() {
    let blocks = "(do ((shuffle (game iloc STOCK))
        ((== (cardatt RANK (top (game iloc STOCK))) A) (inc (game sto X) (// 1 0)))))";
    let text = text(blocks);
    let found = examine("game", &text, &Options::default());
    assert!(found.game.is_some(), "{:?}", found.diagnostics);
}

#[test]
fn many_subsets_are_an_error_at_the_start() {
    let text = "(game (setup (create players 2) (create deck (game iloc STOCK)
        (deck (RANK (A, B, C, D, E, F, G, H, I, J)) (SUIT (K, L, M, N)))))
        (do ((set (game sto X) (size (subsets (game iloc STOCK))))))
        (scoring max (game sto X)))";
    let found = examine("game", text, &Options::default());
    let [one] = found.diagnostics.as_slice() else { panic!("{:?}", found.diagnostics) };
    let wanted = "a collection grows beyond the limits: `(set (game sto X) (size (subsets";
    assert!(one.message.contains(wanted), "{}", one.message);
}

#[test]
fn a_fault_of_the_scoring_has_a_place() {
    let text = text("").replace("((current player) sto POINTS)", "(// 7 (game sto X))");
    let found = examine("game", &text, &Options::default());
    let [one] = found.diagnostics.as_slice() else { panic!("{:?}", found.diagnostics) };
    assert_eq!(one.code, Code::FailsAtStart);
    assert!(one.message.ends_with("by zero: `(// 7 (game sto X))`"), "{}", one.message);
}

#[test]
fn later_faults_have_a_line_and_an_expression() {
    for (blocks, wanted) in [
        (
            "(do ((inc (game sto X) (% 1 (game sto X)))))",
            "a number is divided by zero, in line 4: `(% 1 (game sto X))`",
        ),
        (
            "(do ((move (top (game iloc STICK)) (top (game iloc STOCK)))))",
            "a card is needed where there is none, in line 4: `(top (game iloc STICK))`",
        ),
        (
            "(do (\n ((== (owner (top (game iloc STOCK))) (current player)) (turn pass))))",
            "a card that lies on the table has no owner, in line 5: `(owner (top (game iloc STOCK)))`",
        ),
        (
            "(do ((move (top (game iloc STOCK)) (5 (game iloc PILE)))))",
            "a position is outside of the pile, in line 4: `(5 (game iloc PILE))`",
        ),
        (
            "(choice (((== 1 2) (turn pass))))",
            "a player must choose and has no option, in line 4: `(choice (((== 1 2) (turn pass))))`",
        ),
    ] {
        assert_eq!(later(blocks), Halt::Rules(wanted.to_owned()));
    }
    let endless = "(stage player (end (== 1 2)) (do ((inc (game sto X) 1))))";
    let wanted = format!("the rules run on without any decision, in line 4: `{endless}`");
    assert_eq!(later(endless), Halt::Limit(wanted));
}
