//! Agreement and disagreement are detected.

use std::time::Duration;

use magister_core::{Game, Stop};
use magister_gdl::{Options, read};

use super::{Extent, agree};
use crate::{Evaluator, Prepared, prepare};

const COUNT: &str = "
    (role you)
    (succ 0 1) (succ 1 2) (succ 2 3)
    (init (at 0))
    (<= (legal you (go ?n)) (true (at ?m)) (succ ?m ?n))
    (legal you stay)
    (<= (next (at ?n)) (does you (go ?n)))
    (<= (next (at ?n)) (does you stay) (true (at ?n)))
    (<= terminal (true (at 3)))
    (<= (goal you 100) (true (at 3)))
    (<= (goal you 0) (not (true (at 3))))";

fn game(text: &str, evaluator: Evaluator) -> Prepared {
    let rules = read(text, &Options::default()).rules;
    prepare(&rules, text, "test", Some(evaluator), &Stop::never()).unwrap()
}

fn extent() -> Extent {
    Extent { positions: 500, steps: 50, seed: 1, time: Duration::from_mins(1) }
}

#[test]
fn evaluators_of_the_same_rules_agree() {
    let all: Vec<Prepared> = Evaluator::ALL.iter().map(|&e| game(COUNT, e)).collect();
    let games: Vec<&dyn Game> = all.iter().map(|p| p.game.as_ref()).collect();
    let out = agree(&games, &extent(), &Stop::never());
    assert_eq!(out.disagreements, Vec::<String>::new());
    assert_eq!(out.positions, 500);
    assert_eq!(out.distinct, 4);
    assert!(out.compared.iter().all(|&positions| positions == 500));
}

#[test]
fn different_rules_are_distinguished() {
    let cases = [
        ("(next (at ?n)) (does you stay)", "(next (at 0)) (does you stay)", "state"),
        ("terminal (true (at 3))", "terminal (true (at 2))", "terminal"),
        ("(legal you stay)", "(<= (legal you stay) (true (at 0)))", "legal moves"),
        ("(goal you 0) (not (true (at 3)))", "(goal you 0) (true (at 0))", "goals"),
    ];
    for (from, to, what) in cases {
        assert!(COUNT.contains(from));
        let changed = COUNT.replace(from, to);
        let one = game(COUNT, Evaluator::Incremental);
        let other = game(&changed, Evaluator::Reference);
        let out = agree(&[one.game.as_ref(), other.game.as_ref()], &extent(), &Stop::never());
        let first = out.disagreements.first().expect("they differ");
        assert!(first.contains(what), "{first}");
    }
}

#[test]
fn an_evaluator_stops_when_its_time_is_over() {
    let one = game(COUNT, Evaluator::Sweep);
    let other = game(COUNT, Evaluator::Reference);
    let extent = Extent { time: Duration::ZERO, ..extent() };
    let out = agree(&[one.game.as_ref(), other.game.as_ref()], &extent, &Stop::never());
    assert_eq!(out.positions, 1);
}
