//! Options have names that a person can read.

use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Step, Stop, draw};
use magister_recycle::{Options, examine};

/// The texts of all options in a random match.
fn options(game: &Arc<dyn Game>, seed: u64) -> Vec<String> {
    let info = game.info();
    let mut worker = game.worker();
    let (mut rng, mut step) = (Seed::from(seed).rng(), Step::new());
    let mut texts = Vec::new();
    for _ in 0..400 {
        if worker.terminal() {
            break;
        }
        for role in info.players().filter(|&role| worker.legal(role) != [Move::IDLE]) {
            let legal: Vec<String> =
                worker.legal(role).iter().map(|&choice| game.text().move_text(choice)).collect();
            let mut sorted = legal.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), legal.len(), "two options look the same: {legal:?}");
            for (text, &choice) in legal.iter().zip(worker.legal(role)) {
                assert_eq!(game.text().parse_move(role, text), Some(choice), "{text}");
            }
            texts.extend(legal);
        }
        let joint: Vec<Move> = info
            .all_roles()
            .map(|role| draw(worker.legal(role), worker.weights(), &mut rng).unwrap())
            .collect();
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
    }
    texts
}

/// Every alternative of our own games has a name, so no option is numbered.
#[test]
fn options_of_our_games_have_names() {
    for (name, game) in crate::catalogue::all() {
        let game: Arc<dyn Game> = Arc::new(game);
        for text in options(&game, 3) {
            let label = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
            let technical = ["move-", "set-", "increase-", "decrease-"];
            let plain = !label.contains('#') && !technical.iter().any(|t| label.starts_with(t));
            assert!(plain, "{name}: {text}");
        }
    }
}

const COINS: &str = "
(game
  (setup (create players 1)
    (create deck (game vloc TABLE) (deck (RANK (ACE, KING)) (COLOR (RED (SUIT (HEARTS)))))))
  (stage player (end (== (game sto TURNS) 2))
    (choice (
      ;; turn over:
      (any (game vloc TABLE) 'C
        (do ((move 'C (top (game vloc TURNED))) (inc (game sto TURNS) 1))))
      ;; This is a sentence and not a name:
      (do ((set (game str STATE) DONE) (inc (game sto TURNS) 1)))
      (do ((move (top (game vloc TABLE)) (top (game vloc AWAY))) (inc (game sto TURNS) 1))))))
  (scoring max (game sto TURNS)))";

#[test]
fn a_comment_before_an_alternative_names_it() {
    let found = examine("coins", COINS, &Options::default());
    let game: Arc<dyn Game> = Arc::new(found.game.expect("a game"));
    let worker = game.worker();
    let mut texts: Vec<String> =
        worker.legal(Role(0)).iter().map(|&choice| game.text().move_text(choice)).collect();
    texts.sort();
    assert_eq!(texts, ["(set-state-done)", "(table-to-away)", "(turn-over AH)", "(turn-over KH)"]);
}

/// Clubs have short names beside hearts, but not beside cups and coins, which begin with C too.
#[test]
fn short_names_of_suits_are_clear() {
    for (suits, wanted) in [("CLUBS, HEARTS", "AC"), ("CLUBS, CUPS, COINS", "ACE-CLUBS")] {
        let text = format!(
            "(game (setup (create players 1)
               (create deck (game vloc S) (deck (RANK (ACE, KNIGHT)) (SUIT ({suits})))))
             (choice ((any (game vloc S) 'C (move 'C (top (game vloc T)))))) (scoring max 1))"
        );
        let game = examine("suits", &text, &Options::default()).game.expect("a game");
        assert!(game.has_card(wanted) && game.has_card(&wanted.to_lowercase()), "{suits}");
        assert_eq!(game.has_card("KnC"), wanted == "AC", "{suits}");
        assert!(!game.has_card("KnD"), "{suits}");
    }
}
