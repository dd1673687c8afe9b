//! Where unseen cards may be.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Halt, Seed, Stop};

use crate::deals::random_match;

/// The pile of each card in the text of a state.
fn places(state: &str) -> BTreeMap<&str, &str> {
    let mut places = BTreeMap::new();
    for pile in state.split('(').filter(|part| part.contains("loc.")) {
        let mut words = pile.trim_end_matches([')', ' ']).split(' ');
        let place = words.next().unwrap_or_default();
        places.extend(words.map(|card| (card, place)));
    }
    places
}

/// In every game and for every role, the true place of a card is one of its possible places.
#[test]
fn the_true_place_of_a_card_is_possible() {
    let (mut wrong, mut counted, mut uncounted) = (Vec::new(), 0, BTreeMap::new());
    for (name, cards) in crate::catalogue::all() {
        let game: Arc<dyn Game> = Arc::new(cards.clone());
        for (seed, turns) in [(1, 5), (2, 14), (3, 30)] {
            let (views, truth) = random_match(&game, seed, turns);
            let text = game.text().state_text(&truth);
            let places = places(&text);
            for view in &views {
                let (role, mut rng) = (view.role(), Seed::from(seed).rng());
                let never = Stop::never();
                let odds = match cards.card_odds(role, view.turns(), &mut rng, &never) {
                    Ok(odds) => odds,
                    Err(Halt::Limit(_)) => {
                        *uncounted.entry(name.clone()).or_insert(0) += 1;
                        continue;
                    }
                    Err(halt) => panic!("{name}: {halt}"),
                };
                counted += 1;
                let ways = format!("{name}, seed {seed}, {role:?}");
                let mut unseen: BTreeMap<&str, &[(String, f64)]> = BTreeMap::new();
                for one in &odds {
                    let total: f64 = one.piles.iter().map(|(_, share)| share).sum();
                    assert!((total - 1.0).abs() < 1e-9, "{ways}: {one:?}");
                    unseen.insert(&one.card, &one.piles);
                }
                for (card, place) in &places {
                    let Some(piles) = unseen.get(card) else { continue };
                    if !piles.iter().any(|(pile, _)| pile == place) {
                        wrong.push(format!("{ways}: {card} is in {place}, not in {piles:?}"));
                    }
                }
                for card in places.keys().filter(|card| !unseen.contains_key(*card)) {
                    let mut rng = Seed::from(seed).rng();
                    let sure = cards.one_card_odds_text(role, view.turns(), card, &mut rng, &never);
                    let sure = sure.expect("counted before");
                    let sure = sure.unwrap_or_else(|| panic!("{ways}: {card} is no card"));
                    let owner = places[card].split('.').next().unwrap_or_default();
                    let whose = match owner {
                        "table" => "the ".to_owned(),
                        name if name == game.info().role_name(role) => "your ".to_owned(),
                        name => format!("{name}'s "),
                    };
                    if !sure.contains(&format!("is in {whose}")) {
                        wrong.push(format!("{ways}: {sure} {}", places[card]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counted > 300, "{counted} counted, not: {uncounted:?}");
}
