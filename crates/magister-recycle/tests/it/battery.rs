//! Card games satisfy the contract of `Game`.

use magister_core::{Seed, battery};
use magister_recycle::{CardGame, Options, examine};

use crate::oracle_games;

fn game(text: &str) -> CardGame {
    let found = examine("test", text, &Options::default());
    let diagnostics = found.diagnostics;
    found.game.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Each player gets three of nine cards, and the highest card of the led suit takes the trick.
const TRICKS: &str = "
(game
  (setup (create players 3)
    (create deck (game iloc STOCK) (deck (RANK (LOW, MID, TOP)) (SUIT (SUN, MOON, STAR)))))
  (do ((shuffle (game iloc STOCK))
       (all player 'P (repeat 3 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (stage player (end (all player 'P (== (size ('P vloc TRICK)) 1)))
      (choice (
        ((== (game str LEAD) NONE) (turn pass))
        (any ((current player) iloc HAND) 'C
          (do ((move 'C (top ((current player) vloc TRICK)))
               (set (game str LEAD) (cardatt SUIT 'C))))))))
    (do ((set (game points ORDER) (((SUIT : (game str LEAD)) 10) ((RANK : TOP) 3) ((RANK : MID) 2)))
         (cycle next (owner (max (union (all player 'P ('P vloc TRICK))) using (game points ORDER))))
         (inc ((next player) sto WON) 1)
         (all player 'P (move (top ('P vloc TRICK)) (top (game vloc DONE)))))))
  (scoring max ((current player) sto WON)))";

#[test]
fn a_trick_game() {
    battery::assert_game(&game(TRICKS));
}

/// Subsets, hidden cards, memory, random numbers, and options with chance in them.
const MIXED: &str = "
(game
  (setup (create players 2)
    (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE, FOUR)) (SUIT (SUN, MOON)))))
  (do ((shuffle (game iloc STOCK))
       (set (game points VALUE) (((RANK : ONE) 1) ((RANK : TWO) 2) ((RANK : THREE) 3) ((RANK : FOUR) 4)))
       (all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P hloc DARK)))))
       (repeat 3 (move (top (game iloc STOCK)) (top (game vloc POOL))))))
  (stage player (end (== (game sto TURNS) 6))
    (choice (
      (any (filter (subsets (game vloc POOL)) 'S (== (size 'S) 2)) 'T
        (do ((all 'T 'C (move 'C (top ((current player) iloc HAND))))
             (inc ((current player) sto SCORE) (random 1 .. 3)))))
      (any ((current player) hloc DARK) 'D
        (do ((move 'D (top ((current player) vloc SHOWN)))
             (remember (top ((current player) vloc SHOWN)) (top (game mem SEEN))))))
      ((> (size (game mem SEEN)) 0) (forget (top (game mem SEEN))))
      (turn pass)))
    (do ((inc (game sto TURNS))
         ((== (game sto TURNS) 3) (shuffle (game vloc POOL))))))
  (scoring min (+ ((current player) sto SCORE) (sum ((current player) vloc SHOWN) using (game points VALUE)))))";

#[test]
fn a_game_of_everything() {
    battery::assert_game(&game(MIXED));
}

#[test]
fn recorded_games() {
    let quick = battery::Options {
        seed: Seed::from(1),
        walks: 2,
        max_steps: 160,
        garbage: 20,
        playouts: 1,
    };
    let mut wrong = Vec::new();
    for (name, text) in oracle_games::all() {
        let options = Options { compat: true, ..Options::default() };
        let Some(game) = examine(&name, &text, &options).game else { continue };
        let report = battery::check(&game, &quick);
        if !report.passed() {
            wrong.push(report.to_string());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
