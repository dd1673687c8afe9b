//! Ten small games of our own that decompose. Every position has the same value with and without
//! decomposition.
#![allow(clippy::print_stdout, reason = "figures are printed")]

use crate::common;
use crate::products::side_by_side;

use std::sync::Arc;

use magister_core::{Budget, Game as _, Role, Stop};
use magister_decompose::{Decomposition, Kind, PartValues, Product, solve};
use magister_solve::{Solution, SolveLimits};

/// The name of each game, its number of subgames, and one of its kinds.
const GAMES: [(&str, usize, Kind); 10] = [
    ("heaps", 2, Kind::Impartial),
    ("heaps-misere", 2, Kind::Impartial),
    ("pins", 2, Kind::Impartial),
    ("dominoes", 2, Kind::Asynchronous),
    ("races", 2, Kind::Separate),
    ("tables", 2, Kind::Serial),
    ("machines", 2, Kind::Compound),
    ("dials", 2, Kind::Asynchronous),
    ("pennies", 2, Kind::Synchronous),
    ("three", 2, Kind::Asynchronous),
];

#[test]
fn every_position_has_the_same_value_with_and_without_parts() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games");
    for (name, subgames, kind) in GAMES {
        let text =
            std::fs::read_to_string(folder.join(format!("{name}.kif"))).expect("a rulesheet");
        let game = common::game(name, &text);
        let stop = Stop::never();
        let whole = Decomposition::new(game.compiled(), &stop).expect("parts");
        println!("{name}: {} subgames, {:?}", whole.subgames.len(), whole.kinds);
        assert_eq!(whole.subgames.len(), subgames, "{name}: {:?}", whole.kinds);
        assert!(whole.kinds.contains(&kind), "{name}: {:?}", whole.kinds);
        let product = Arc::new(Product::new(game.compiled(), &whole, &stop).expect("a quotient"));
        let quotient = product.game();
        let pairs = side_by_side(&**game, &*quotient, name);
        let limits = SolveLimits::default();
        let solution = |game: &dyn magister_core::Game| {
            let mut budget = Budget::until(stop.clone());
            Solution::of_game(game, Role(0), &limits, &mut budget).expect("a solution")
        };
        let (plain, by_parts) = (solution(&**game), solution(&*quotient));
        // A position has no value if play need not end there, with and without parts.
        let mut valued = 0;
        let same = |one: Option<&[f64]>, other: Option<&[f64]>| match (one, other) {
            (Some(one), Some(other)) => one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-6),
            (one, other) => one.is_none() && other.is_none(),
        };
        for (state, class) in &pairs {
            let (one, other) = (plain.values(state), by_parts.values(class));
            let text = || game.text().state_text(state);
            assert!(same(one, other), "{name}: {one:?} {other:?} in {}", text());
            valued += usize::from(one.is_some());
        }
        println!("{name}: {} positions, {valued} with a value", pairs.len());
        assert!(valued > pairs.len() / 2, "{name}");
        let solved = solve(game.compiled(), &whole, &limits, &stop).expect("a solution by parts");
        assert!(
            same(Some(&solved.value), Some(plain.value())),
            "{name}: {:?} by {:?}, {:?} without",
            solved.value,
            solved.method,
            plain.value()
        );
        assert!(solved.states <= plain.positions(), "{name}");
        // The queries of a player during a match.
        let mut values = PartValues::new(game.compiled(), &whole, &limits, &stop).expect("values");
        for state in pairs.keys() {
            let (one, other) = (plain.values(state), values.values(state, &stop).expect("values"));
            let text = || game.text().state_text(state);
            assert!(same(one, other.as_deref()), "{name}: {one:?} {other:?} in {}", text());
        }
    }
}
