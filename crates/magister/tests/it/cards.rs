//! Card games in RECYCLE, through the library.

use magister::core::{Move, Referee, Role, Seed, Stop};
use magister::{Error, FrontEnd, Input, Language, Options};

const GUESS: &str = "
;; Who bets on the higher card?
(game
  (setup (create players 2)
    (create deck (game iloc STOCK) (deck (RANK (LOW, MIDDLE, HIGH)))))
  (do ((shuffle (game iloc STOCK))
       (set (game points VALUE) (((RANK : MIDDLE) 1) ((RANK : HIGH) 2)))
       (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))
  (stage player (end (all player 'P (== ('P str DONE) YES)))
    (choice (
      (do ((set ((current player) str DONE) YES)
           (inc ((current player) sto SCORE)
                (sum ((current player) iloc HAND) using (game points VALUE)))))
      (do ((set ((current player) str DONE) YES) (inc ((current player) sto SCORE) 1))))))
  (scoring max ((current player) sto SCORE)))";

#[test]
fn a_card_game_is_recognised_and_played() {
    let input = Input { name: "guess".to_owned(), text: GUESS.to_owned(), exact: true };
    assert_eq!(magister::recognise(&input), FrontEnd::Recycle);
    let playable = magister::open_text("guess", GUESS).expect("a game");
    assert_eq!((playable.language(), playable.evaluator), (Language::Recycle, "recycle"));
    let mut referee =
        Referee::new(playable.game.clone(), Seed::from(4), &Stop::never()).expect("a match");
    while !referee.terminal() {
        let joint: Vec<Move> =
            playable.game.info().all_roles().map(|role| referee.legal(role)[0]).collect();
        referee.advance(&joint, &Stop::never()).expect("a legal step");
    }
    let outcome = referee.outcome().expect("an end");
    assert!(outcome[..2].iter().all(|reward| matches!(reward, Some(0.0..=2.0))), "{outcome:?}");
}

#[test]
fn a_player_knows_its_own_card_and_not_the_other() {
    let playable = magister::open_text("guess", GUESS).expect("a game");
    let game = playable.game.clone();
    let referee = Referee::new(game.clone(), Seed::from(4), &Stop::never()).expect("a match");
    // The match begins with silent steps; the last card of the shuffle is a turn for all players.
    let mut referee = referee;
    while referee.legal(Role(0)) == [Move::IDLE] && referee.legal(Role(1)) == [Move::IDLE] {
        let joint: Vec<Move> = game.info().all_roles().map(|role| referee.legal(role)[0]).collect();
        referee.advance(&joint, &Stop::never()).expect("chance moves");
    }
    let seen = |role: Role| -> Vec<String> {
        let turns = referee.view(role).turns();
        turns
            .iter()
            .flat_map(|turn| match &turn.seen {
                magister::core::Observation::Percepts(percepts) => percepts.to_vec(),
                magister::core::Observation::Joint(_) => Vec::new(),
            })
            .map(|percept| game.text().percept_text(percept))
            .filter(|text| text.contains(" move "))
            .collect()
    };
    for (role, own, other) in
        [(Role(0), "p0.iloc.HAND", "p1.iloc.HAND"), (Role(1), "p1.iloc.HAND", "p0.iloc.HAND")]
    {
        let seen = seen(role);
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert!(seen.iter().any(|text| text.contains(own) && !text.contains('?')), "{seen:?}");
        assert!(seen.iter().any(|text| text.contains(other) && text.contains('?')), "{seen:?}");
    }
}

#[test]
fn errors_are_findings() {
    let wrong = GUESS.replace("(sum ", "(total ");
    match magister::open_text("guess.rcy", &wrong) {
        Err(Error::Rules(findings)) => {
            let line = findings.first_error().expect("an error");
            assert!(line.contains("error[R103]"), "{line}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn card_games_have_no_evaluator_to_choose() {
    let options =
        Options { evaluator: Some(magister::engine::Evaluator::Reference), ..Options::default() };
    assert!(matches!(options.open_text("guess", GUESS), Err(Error::NoEvaluator { .. })));
}
