//! Hold'em against a slow version that knows only the texts of the moves so far.

use magister_core::{Move, Role, Seed, Step, Stop};
use magister_games::native;

/// A hand as the list of its moves; everything is computed from it again and again.
struct Slow(Vec<String>);

impl Slow {
    /// The rounds of bets, each with its actions, and the number of cards.
    fn rounds(&self) -> (Vec<Vec<&str>>, usize) {
        let (mut rounds, mut cards) = (Vec::new(), 0);
        for text in &self.0 {
            if text.starts_with('(') {
                cards += 1;
                if [4, 7, 8, 9].contains(&cards) {
                    rounds.push(Vec::new());
                }
            } else {
                rounds.last_mut().expect("cards come first").push(text.as_str());
            }
        }
        (rounds, cards)
    }

    /// The chips of the small and of the big blind, the bets of the last round, and the player who
    /// is to act in it.
    fn chips(&self) -> ([u32; 2], usize, usize) {
        let mut chips = [1, 2];
        let (mut bets, mut player) = (1, 0);
        for (number, actions) in self.rounds().0.iter().enumerate() {
            let size = if number < 2 { 2 } else { 4 };
            (bets, player) = if number == 0 { (1, 0) } else { (0, 1) };
            for &action in actions {
                match action {
                    "call" => chips[player] = chips[1 - player],
                    "raise" => {
                        chips[player] = chips[1 - player] + size;
                        bets += 1;
                    }
                    _ => {}
                }
                player = 1 - player;
            }
        }
        (chips, bets, player)
    }

    fn round_is_over(actions: &[&str]) -> bool {
        actions.len() >= 2 && ["call", "check"].contains(&actions[actions.len() - 1])
    }

    fn folded(&self) -> bool {
        self.0.last().is_some_and(|text| text == "fold")
    }

    fn over(&self) -> bool {
        let (rounds, cards) = self.rounds();
        self.folded() || cards == 9 && rounds.last().is_some_and(|last| Self::round_is_over(last))
    }

    fn deals(&self) -> bool {
        let (rounds, cards) = self.rounds();
        let complete = [4, 7, 8, 9].contains(&cards);
        !self.over() && (!complete || rounds.last().is_some_and(|last| Self::round_is_over(last)))
    }

    fn legal(&self) -> Vec<String> {
        if self.deals() {
            let ranks = "23456789tjqka".chars();
            let cards = ranks
                .flat_map(|rank| "cdhs".chars().map(move |suit| format!("(deal {rank}{suit})")));
            return cards.filter(|card| !self.0.contains(card)).collect();
        }
        let (chips, bets, player) = self.chips();
        let mut all =
            if chips[player] < chips[1 - player] { vec!["fold", "call"] } else { vec!["check"] };
        if bets < 4 {
            all.push("raise");
        }
        all.into_iter().map(str::to_owned).collect()
    }
}

#[test]
fn holdem_plays_like_the_slow_version() {
    let game = native::find("limit-holdem").unwrap();
    let mut worker = game.worker();
    let mut rng = Seed::from(22).derive("holdem").rng();
    let mut step = Step::new();
    let (mut folds, mut showdowns) = (0, 0);
    for _ in 0..300 {
        worker.reset();
        let mut slow = Slow(Vec::new());
        while !worker.terminal() {
            assert!(!slow.over(), "{:?}", slow.0);
            let active = (0..3).map(Role).find(|&role| worker.legal(role) != [Move::IDLE]);
            let role = active.expect("a role has moves");
            assert_eq!(role == Role(2), slow.deals(), "{:?}", slow.0);
            if role != Role(2) {
                assert_eq!(role.index(), slow.chips().2, "{:?}", slow.0);
            }
            let moves = worker.legal(role).to_vec();
            let mut texts: Vec<String> =
                moves.iter().map(|&one| game.text().move_text(one)).collect();
            let mut expected = slow.legal();
            let chosen = rng.below(moves.len() as u64) as usize;
            // Folds are made rarely, so that most games reach the end.
            let chosen =
                if texts[chosen] == "fold" && rng.below(4) > 0 { chosen + 1 } else { chosen };
            slow.0.push(texts[chosen].clone());
            texts.sort();
            expected.sort();
            assert_eq!(texts, expected);
            let mut joint = vec![Move::IDLE; 3];
            joint[role.index()] = moves[chosen];
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
        }
        assert!(slow.over(), "{:?}", slow.0);
        let (chips, _, next) = slow.chips();
        let mut goals = Vec::new();
        worker.goals(Role(0), &mut goals);
        let won = goals[0];
        if slow.folded() {
            folds += 1;
            // The player who is next did not fold.
            let lost = f64::from(chips[1 - next]);
            assert!((won - if next == 0 { lost } else { -lost }).abs() < 1e-9, "{:?}", slow.0);
        } else {
            showdowns += 1;
            assert_eq!(chips[0], chips[1]);
            assert!(won.abs() < 1e-9 || (won.abs() - f64::from(chips[0])).abs() < 1e-9);
        }
    }
    assert!(folds > 20 && showdowns > 20, "{folds} {showdowns}");
}
