//! Random products of small random games have the same value with and without decomposition.
#![allow(clippy::print_stdout, reason = "figures and skipped games are printed")]

use crate::common;

use std::fmt::Write as _;

use std::sync::Arc;

use magister_core::{Budget, Game, Move, Rng, Role, Seed, Step, Stop};
use magister_decompose::{Decomposition, Method, PartValues, Product, solve};
use magister_solve::{Solution, SolveLimits};

/// How the parts of a random game are combined.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    /// Two roles take turns; the role to move acts in one part.
    Alternating,
    /// Two roles move simultaneously, each in a part of its choice.
    Simultaneous,
    /// One role moves in one part at a time.
    Single,
}

/// Rules of a sum of random graphs. Every state of a part has moves for both roles to later states,
/// so that every part ends; a part is over in its last states.
fn rules(seed: u64, shape: Shape) -> String {
    let mut rng = Seed::from(seed).rng();
    let mut text = String::new();
    let roles: &[&str] = if shape == Shape::Single { &["left"] } else { &["left", "right"] };
    for role in roles {
        let _ = writeln!(text, "(role {role})");
    }
    let parts = 2 + rng.below(2) as usize;
    let mut ends = Vec::new();
    for part in 0..parts {
        let states = 3 + rng.below(4) as usize;
        let _ = writeln!(text, "(init (at{part} 0))");
        for state in 0..states {
            let _ = writeln!(text, "(state{part} {state})");
        }
        let last = states - 1 - rng.below(2) as usize;
        ends.push((last, states));
        for state in 0..last {
            for role in roles {
                for _ in 0..=rng.below(2) {
                    let to = state + 1 + rng.below((states - state - 1) as u64) as usize;
                    let _ = writeln!(text, "(arrow{part} {role} {state} {to})");
                }
            }
        }
        for state in last..states {
            let _ = writeln!(text, "(over{part} {state})");
        }
        let mine = match shape {
            Shape::Alternating => "(true (control ?r))",
            Shape::Simultaneous | Shape::Single => "",
        };
        let _ = writeln!(
            text,
            "(<= (legal ?r (go{part} ?s ?t)) {mine} (true (at{part} ?s)) (arrow{part} ?r ?s ?t))
             (<= (ended{part}) (true (at{part} ?s)) (over{part} ?s))"
        );
        moves_of_part(&mut text, part, shape, &mut rng, states);
    }
    resting(&mut text, parts, shape);
    let over: Vec<String> = (0..parts).map(|part| format!("(ended{part})")).collect();
    if rng.below(3) == 0 {
        for over in &over {
            let _ = writeln!(text, "(<= terminal {over})");
        }
    } else {
        let _ = writeln!(text, "(<= terminal {})", over.join(" "));
    }
    goals(&mut text, parts, roles, &ends, &mut rng);
    text
}

/// The effects of moves on a part.
fn moves_of_part(text: &mut String, part: usize, shape: Shape, rng: &mut Rng, states: usize) {
    match shape {
        Shape::Alternating | Shape::Single => {
            let _ = writeln!(
                text,
                "(<= (next (at{part} ?t)) (does ?r (go{part} ?s ?t)))
                 (<= moved{part} (does ?r (go{part} ?s ?t)))
                 (<= (next (at{part} ?s)) (true (at{part} ?s)) (not moved{part}))"
            );
        }
        Shape::Simultaneous => {
            // If both move in the part, the result is a random state.
            let _ = writeln!(
                text,
                "(<= (moves{part} ?r) (does ?r (go{part} ?s ?t)))
                 (<= (next (at{part} ?s)) (true (at{part} ?s)) (not (moves{part} left)) (not (moves{part} right)))
                 (<= (next (at{part} ?t)) (does left (go{part} ?s ?t)) (not (moves{part} right)))
                 (<= (next (at{part} ?t)) (does right (go{part} ?s ?t)) (not (moves{part} left)))
                 (<= (next (at{part} ?u)) (does left (go{part} ?s ?a)) (does right (go{part} ?s ?b)) (meet{part} ?a ?b ?u))"
            );
            for a in 1..states {
                for b in 1..states {
                    let low = a.max(b);
                    let to = low + rng.below((states - low) as u64) as usize;
                    let _ = writeln!(text, "(meet{part} {a} {b} {to})");
                }
            }
        }
    }
}

/// A role without a turn rests, and so does a role without a move in any part.
fn resting(text: &mut String, parts: usize, shape: Shape) {
    let _ = writeln!(text, "(<= (can ?r) (true (at0 ?s)) (arrow0 ?r ?s ?t))");
    for part in 1..parts {
        let _ = writeln!(text, "(<= (can ?r) (true (at{part} ?s)) (arrow{part} ?r ?s ?t))");
    }
    match shape {
        Shape::Alternating => {
            let _ = writeln!(
                text,
                "(init (control left))
                 (<= (next (control left)) (true (control right)))
                 (<= (next (control right)) (true (control left)))
                 (<= (legal left noop) (true (control right)))
                 (<= (legal right noop) (true (control left)))
                 (<= (legal ?r noop) (true (control ?r)) (not (can ?r)))"
            );
        }
        Shape::Simultaneous | Shape::Single => {
            let _ = writeln!(text, "(<= (legal ?r noop) (role ?r) (not (can ?r)))");
        }
    }
}

/// Goals that depend on the last states of the parts: zero-sum for two roles.
fn goals(text: &mut String, parts: usize, roles: &[&str], ends: &[(usize, usize)], rng: &mut Rng) {
    for (part, end) in ends.iter().enumerate().take(parts) {
        for state in 0..end.1 {
            if rng.below(2) == 0 {
                let _ = writeln!(text, "(good{part} {state})");
            }
        }
        let _ = writeln!(
            text,
            "(good{part} none)
             (<= won{part} (true (at{part} ?s)) (good{part} ?s))"
        );
    }
    for row in 0..1 << parts {
        let value = 10 * rng.below(11);
        let body: Vec<String> = (0..parts)
            .map(|part| {
                if row >> part & 1 == 1 { format!("won{part}") } else { format!("(not won{part})") }
            })
            .collect();
        let body = body.join(" ");
        let _ = writeln!(text, "(<= (goal left {value}) {body})");
        if roles.len() > 1 {
            let _ = writeln!(text, "(<= (goal right {}) {body})", 100 - value);
        }
    }
}

/// Walks through a game and its quotient in lockstep and compares legal moves, terminal states and
/// goals. Returns all positions with their classes.
pub(crate) fn side_by_side(
    game: &dyn Game,
    quotient: &dyn Game,
    note: &str,
) -> std::collections::BTreeMap<Vec<u64>, Vec<u64>> {
    let stop = Stop::never();
    let (mut one, mut other) = (game.worker(), quotient.worker());
    let mut pairs = std::collections::BTreeMap::new();
    let (mut state, mut class) = (Vec::new(), Vec::new());
    one.save(&mut state);
    other.save(&mut class);
    let mut open = vec![(state.clone(), class.clone())];
    pairs.insert(state, class);
    let (mut step, mut goals) = (Step::new(), (Vec::new(), Vec::new()));
    while let Some((state, class)) = open.pop() {
        one.load(&state, &stop).expect("a state");
        other.load(&class, &stop).expect("a class");
        assert_eq!(one.terminal(), other.terminal(), "{note}: {}", game.text().state_text(&state));
        let mut joints: Vec<Vec<Move>> = vec![vec![]];
        for role in game.info().all_roles() {
            one.goals(role, &mut goals.0);
            other.goals(role, &mut goals.1);
            if one.terminal() {
                assert_eq!(goals.0, goals.1, "{note}");
            }
            assert_eq!(one.legal(role), other.legal(role), "{note}");
            let longer = joints.iter().flat_map(|joint| {
                one.legal(role).iter().map(move |&choice| [&joint[..], &[choice]].concat())
            });
            joints = longer.collect();
        }
        if one.terminal() {
            continue;
        }
        for joint in joints {
            one.load(&state, &stop).expect("a state");
            other.load(&class, &stop).expect("a class");
            one.step(&joint, &mut step, &stop).expect("a legal move");
            other.step(&joint, &mut step, &stop).expect("a legal move");
            let (mut next, mut to) = (Vec::new(), Vec::new());
            one.save(&mut next);
            other.save(&mut to);
            if let Some(known) = pairs.get(&next) {
                assert_eq!(*known, to, "{note}: {}", game.text().state_text(&next));
            } else {
                pairs.insert(next.clone(), to.clone());
                open.push((next, to));
            }
        }
    }
    pairs
}

/// The number of random games of each shape.
fn count() -> u64 {
    std::env::var("MAGISTER_PRODUCTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn compare(shape: Shape) {
    let (mut split, mut sums, mut dropped, mut positions) = (0, 0, 0, 0);
    for seed in 0..count() {
        let text = rules(seed, shape);
        let game = common::game("product", &text);
        let stop = Stop::never();
        let whole = Decomposition::new(game.compiled(), &stop).expect("parts");
        let product = Arc::new(Product::new(game.compiled(), &whole, &stop).expect("a quotient"));
        let pairs = side_by_side(&**game, &*product.game(), &format!("seed {seed}, {shape:?}"));
        let mut pruned = Product::new(game.compiled(), &whole, &stop).expect("a quotient");
        dropped += pruned.prune(game.compiled().network());
        let limits = SolveLimits::default();
        let plain = Solution::of_game(&**game, Role(0), &limits, &mut Budget::until(stop.clone()))
            .expect("a solution");
        let found = solve(game.compiled(), &whole, &limits, &stop).expect("a solution by parts");
        split += u64::from(whole.decomposes());
        sums += u64::from(found.method != Method::Product);
        let same = found.value.iter().zip(plain.value()).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(
            same,
            "seed {seed}, {shape:?}: {:?} by {:?}, {:?} without\n{text}",
            found.value,
            found.method,
            plain.value()
        );
        let fewer = found.states <= plain.positions();
        assert!(fewer, "seed {seed}: {} states, {} without", found.states, plain.positions());
        assert_eq!(game.info().roles.len(), found.value.len());
        // The values that a player asks for, in every position.
        let mut values = PartValues::new(game.compiled(), &whole, &limits, &stop).expect("values");
        for state in pairs.keys() {
            let one = plain.values(state).expect("every play ends");
            let other = values.values(state, &stop).expect("no halt").expect("a value");
            let same = one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-6);
            let place = || game.text().state_text(state);
            assert!(same, "seed {seed}, {shape:?}: {one:?} {other:?} in {}\n{text}", place());
        }
        positions += pairs.len();
    }
    println!(
        "{shape:?}: {} games with {positions} positions, {split} decomposed, {sums} as sums, \
         {dropped} actions dropped",
        count()
    );
    // The values above are those of the pruned products.
    assert_eq!(dropped > 0, shape == Shape::Simultaneous, "{dropped} dominated actions");
    assert!(split * 4 > count(), "many products are recognised");
}

#[test]
fn alternating_products_have_the_same_value() {
    compare(Shape::Alternating);
}

#[test]
fn simultaneous_products_have_the_same_value() {
    compare(Shape::Simultaneous);
}

#[test]
fn products_for_one_role_have_the_same_value() {
    compare(Shape::Single);
}
