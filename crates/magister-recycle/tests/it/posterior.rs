//! Sampled deals have the distribution of the exact posterior, computed by enumeration on small
//! decks for opponents who move uniformly at random.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Step, Stop, Turn, View, Worker, view};
use magister_recycle::{Options, examine};

use crate::deals::random_match;

/// Follow suit, six cards, three players with two each: discards show voids.
const TRICKS: &str = "(game
  (setup (create players 3)
    (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE)) (SUIT (SUN, MOON)))))
  (do ((shuffle (game iloc STOCK))
       (set (game points ORDER) (((RANK : ONE) 1) ((RANK : TWO) 2) ((RANK : THREE) 3)))
       (repeat 2 (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (do ((set (game str LED) NONE)))
    (stage player (end (all player 'P (== (size ('P vloc TRICK)) 1)))
      (choice (
        (let (filter ((current player) iloc HAND) 'H (== (cardatt SUIT 'H) (game str LED))) 'FOLLOW
          (any (filter ((current player) iloc HAND) 'H
                 (or (== (size 'FOLLOW) 0) (== (cardatt SUIT 'H) (game str LED)))) 'C
            (move 'C (top ((current player) vloc TRICK)))))))
      (do (((== (game str LED) NONE)
             (set (game str LED) (cardatt SUIT (top ((current player) vloc TRICK))))))))
    (do ((all player 'P (move (top ('P vloc TRICK)) (top (game vloc WON)))))))
  (scoring max (size (game vloc WON))))";

/// A card is passed face down to the left, then cards are played face up.
const PASSING: &str = "(game
  (setup (create players 3)
    (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE)) (SUIT (SUN, MOON)))))
  (do ((shuffle (game iloc STOCK))
       (repeat 2 (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player (end (all player 'P (== (size ('P iloc PASSED)) 1)))
    (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) iloc PASSED)))))))
  (stage player (end (all player 'P (== (size ('P iloc PASSED)) 0)))
    (do ((move (top ((current player) iloc PASSED)) (top ((next player) iloc HAND))))))
  (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc PLAYED)))))))
  (scoring max (size ((current player) vloc PLAYED))))";

/// A player that names a rank holds a card of it: a condition on several cards together.
const ASKING: &str = "(game
  (setup (create players 2)
    (create deck (game iloc STOCK) (deck (RANK (ONE, TWO, THREE)) (SUIT (SUN, MOON)))))
  (do ((shuffle (game iloc STOCK))
       (repeat 2 (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND)))))))
  (stage player (end (== (game sto TURNS) 2))
    (choice ((any (partition RANK ((current player) iloc HAND)) 'G
      (do ((set (game str NAMED) (cardatt RANK (top 'G))) (inc (game sto TURNS) 1))))))
    (do ((move (top (game iloc STOCK)) (top (game hloc GONE))))))
  (scoring max (game sto TURNS)))";

/// Both bid a known card face down.
const BIDS: &str = "(game
  (setup (create players 2)
    (create deck ONE ((0 player) iloc HAND) (deck (RANK (ONE, TWO, THREE)) (SUIT (SUN))))
    (create deck TWO ((1 player) iloc HAND) (deck (RANK (ONE, TWO, THREE)) (SUIT (MOON)))))
  (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
    (stage player (end (all player 'P (== (size ('P iloc BID)) 1)))
      (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) iloc BID)))))))
    (do ((all player 'P (move (top ('P iloc BID)) (top ('P vloc USED)))))))
  (scoring max (size ((current player) vloc USED))))";

fn game(text: &str) -> Arc<dyn Game> {
    let examined = examine("small", text, &Options::default());
    Arc::new(examined.game.unwrap_or_else(|| panic!("{:?}", examined.diagnostics)))
}

/// The exact posterior: all histories that are consistent with these turns, by their final states.
struct Exact<'a> {
    role: Role,
    turns: &'a [Turn],
    /// Whether all decisions of others have the same weight, regardless of the number of their
    /// options.
    flat: bool,
    found: BTreeMap<Vec<u64>, f64>,
}

impl Exact<'_> {
    fn search(&mut self, worker: &mut dyn Worker, taken: usize, weight: f64) {
        let mut state = Vec::new();
        worker.save(&mut state);
        if taken == self.turns.len() {
            *self.found.entry(state).or_default() += weight;
            return;
        }
        let info = worker.info().clone();
        // One role decides at a time.
        let decider = info.all_roles().find(|&role| worker.legal(role) != [Move::IDLE]).unwrap();
        let legal = worker.legal(decider).to_vec();
        let mut step = Step::new();
        for &choice in &legal {
            if decider == self.role && choice != self.turns[taken].own {
                continue;
            }
            let joint: Vec<Move> = info
                .all_roles()
                .map(|role| if role == decider { choice } else { Move::IDLE })
                .collect();
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
            let seen = view::observe(info.information, self.role, &joint, &step);
            let one = self.flat || decider == self.role;
            let share = if one { 1.0 } else { 1.0 / legal.len() as f64 };
            if !step.tick {
                self.search(worker, taken, weight * share);
            } else if seen == self.turns[taken].seen {
                self.search(worker, taken + 1, weight * share);
            }
            worker.load(&state, &Stop::never()).unwrap();
        }
    }
}

fn exact(game: &Arc<dyn Game>, view: &View, flat: bool) -> BTreeMap<Vec<u64>, f64> {
    let (role, turns, found) = (view.role(), view.turns(), BTreeMap::new());
    let mut exact = Exact { role, turns, flat, found };
    exact.search(&mut *game.worker(), 0, 1.0);
    let total: f64 = exact.found.values().sum();
    exact.found.into_iter().map(|(state, weight)| (state, weight / total)).collect()
}

/// Compares the piles of every unseen card. The unknown order of cards within a pile does not
/// matter to players, and there are too many orders to compare.
fn places(game: &Arc<dyn Game>, states: &BTreeMap<Vec<u64>, f64>) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (state, weight) in states {
        let text = game.text().state_text(state);
        let piles = text.split('(').filter(|part| part.contains("loc."));
        let mut sorted: Vec<String> = piles
            .map(|pile| {
                let mut words: Vec<&str> = pile.trim_end_matches([')', ' ']).split(' ').collect();
                words[1..].sort_unstable();
                words.join(" ")
            })
            .collect();
        sorted.sort();
        *sums.entry(sorted.join("; ")).or_default() += weight;
    }
    sums
}

fn check(name: &str, text: &str, seed: u64, turns: usize, samples: usize) {
    let game = game(text);
    let (views, _) = random_match(&game, seed, turns);
    for view in &views {
        let exact = places(&game, &exact(&game, view, false));
        let mut rng = Seed::from(seed).rng();
        let mut worlds = game.worlds(view.role()).unwrap();
        worlds.follow(view.turns(), &mut rng, &Stop::never()).unwrap();
        let mut state = Vec::new();
        let mut drawn: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..samples {
            if let Some(weight) = worlds.draw(&mut rng, &mut state, &Stop::never()).unwrap() {
                let weight = weight.exp();
                *drawn.entry(state.clone()).or_default() += weight;
                sum += weight;
                squares += weight * weight;
            }
        }
        assert!(sum > 0.0, "{name}, seed {seed}, {turns} turns: no sample");
        let drawn = places(&game, &drawn);
        for place in drawn.keys() {
            assert!(exact.contains_key(place), "{name}: {place} is not possible");
        }
        // Chi-square with the effective number of samples.
        let effective = sum * sum / squares;
        let chi: f64 = exact
            .iter()
            .map(|(place, &share)| {
                let got = drawn.get(place).copied().unwrap_or(0.0) / sum;
                effective * (got - share).powi(2) / share
            })
            .sum();
        let freedom = (exact.len() - 1) as f64;
        let most = freedom + 5.0 * (2.0 * freedom).sqrt() + 8.0;
        assert!(
            chi < most,
            "{name}, seed {seed}, {turns} turns, {:?}: chi-square {chi:.1} of {freedom}",
            view.role()
        );
    }
}

/// Exact probabilities by counting equal those over all deals in which the others' decisions were
/// possible.
#[test]
fn odds_by_counting_are_exact() {
    let cards = examine("small", TRICKS, &Options::default()).game.unwrap();
    let game: Arc<dyn Game> = Arc::new(cards.clone());
    for (seed, turns) in [(1, 2), (2, 3), (3, 4), (4, 5), (5, 5)] {
        for view in random_match(&game, seed, turns).0 {
            let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
            for (state, share) in exact(&game, &view, true) {
                let text = game.text().state_text(&state);
                for pile in text.split('(').filter(|part| part.contains("loc.")) {
                    let mut words = pile.trim_end_matches([')', ' ']).split(' ');
                    let place = words.next().unwrap_or_default();
                    for card in words {
                        *sums.entry((card.to_owned(), place.to_owned())).or_default() += share;
                    }
                }
            }
            let mut rng = Seed::from(seed).rng();
            let odds = cards.card_odds(view.role(), view.turns(), &mut rng, &Stop::never());
            for one in odds.unwrap() {
                let total: f64 = one.piles.iter().map(|(_, share)| share).sum();
                assert!((total - 1.0).abs() < 1e-9, "{one:?}");
                for (place, share) in one.piles {
                    let exact = sums.get(&(one.card.clone(), place.clone())).copied();
                    let exact = exact.unwrap_or(0.0);
                    assert!((exact - share).abs() < 1e-9, "{} {place}: {share} {exact}", one.card);
                }
            }
        }
    }
}

#[test]
fn voids_change_the_odds_as_they_should() {
    for (seed, turns) in [(1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (6, 5)] {
        check("tricks", TRICKS, seed, turns, 6_000);
    }
}

#[test]
fn passed_cards_may_be_anywhere_that_they_can_be() {
    for (seed, turns) in [(1, 3), (2, 5), (3, 6)] {
        check("passing", PASSING, seed, turns, 6_000);
    }
}

#[test]
fn conditions_on_several_cards_are_sampled_too() {
    for (seed, turns) in [(1, 2), (2, 3), (3, 2), (4, 3)] {
        check("asking", ASKING, seed, turns, 4_000);
    }
}

#[test]
fn hidden_decisions_over_known_cards_are_sampled_too() {
    for (seed, turns) in [(1, 1), (2, 3), (3, 2)] {
        check("bids", BIDS, seed, turns, 2_000);
    }
}
