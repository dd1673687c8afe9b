//! Games in which the last move wins: values of positions, computed from the rules.

use std::fmt::Write as _;

use magister_core::{Budget, Game, Role, Stop};
use magister_decompose::NormalPlay;
use magister_decompose::cgt::Dyadic;
use magister_solve::{Solution, SolveLimits};

use crate::common;

/// Rules of Domineering on a rectangle; Left plays vertically.
fn domineering(rows: u32, columns: u32) -> String {
    let mut text = String::new();
    for (name, last) in [("row", rows), ("column", columns)] {
        for number in 1..=last {
            let _ = writeln!(text, "({name} {number})");
        }
        for number in 1..last {
            let _ = writeln!(text, "(next-{name} {number} {})", number + 1);
        }
    }
    text + "
(role left) (role right)
(rival left right) (rival right left)
(init (control left))
(<= (domino left ?r ?c ?b ?c) (next-row ?r ?b) (column ?c))
(<= (domino right ?r ?c ?r ?d) (row ?r) (next-column ?c ?d))
(<= (fits ?p ?r ?c) (domino ?p ?r ?c ?b ?d) (not (true (filled ?r ?c))) (not (true (filled ?b ?d))))
(<= (legal ?p (lay ?r ?c)) (true (control ?p)) (fits ?p ?r ?c))
(<= (legal ?p noop) (rival ?p ?o) (true (control ?o)))
(<= (next (filled ?r ?c)) (true (filled ?r ?c)))
(<= (next (filled ?r ?c)) (does ?p (lay ?r ?c)))
(<= (next (filled ?b ?d)) (does ?p (lay ?r ?c)) (domino ?p ?r ?c ?b ?d))
(<= (next (control ?o)) (true (control ?p)) (rival ?p ?o))
(<= (mobile ?p) (fits ?p ?r ?c))
(<= (beaten ?p) (true (control ?p)) (not (mobile ?p)))
(<= terminal (beaten ?p))
(<= (goal ?p 0) (beaten ?p))
(<= (goal ?p 100) (rival ?p ?o) (beaten ?o))
"
}

fn start(game: &dyn Game) -> Vec<u64> {
    let mut state = Vec::new();
    game.worker().save(&mut state);
    state
}

/// The published values of boards up to 4x4, from rules. Boards on which one role has no moves at
/// all have no proven turns; `values.rs` covers them.
#[test]
fn domineering_from_rules() {
    let whole = Dyadic::whole;
    // On 2x2 and 3x2, one role may never have a move, so that its turns are not recognised.
    for (rows, columns, text, temperature, mean) in [
        (2, 3, "{2|-1/2}", Dyadic::new(5, 2), Dyadic::new(3, 2)),
        (3, 3, "±1", whole(1), whole(0)),
        (4, 4, "±(0,{{2|0},{2|{2|0}}|{2|0},{{2|0}|0}})", whole(0), whole(0)),
    ] {
        let game = common::game("domineering", &domineering(rows, columns));
        let stop = Stop::never();
        let mut play = NormalPlay::new(&**game, &stop).expect("no halt").expect("normal play");
        let form = play.form(&start(&**game), 1_000_000, &stop).expect("a value");
        let graph = play.forms().thermograph(form);
        let found = (play.forms().text(form), graph.temperature(), graph.mean());
        assert_eq!(found, (text.to_owned(), temperature, mean), "{rows}x{columns}");
    }
}

/// Every position of a small board has the winner that plain search finds.
#[test]
fn values_decide_every_position() {
    for (rows, columns) in [(3, 3), (3, 4)] {
        let game = common::game("domineering", &domineering(rows, columns));
        let stop = Stop::never();
        let mut play = NormalPlay::new(&**game, &stop).expect("no halt").expect("normal play");
        let limits = SolveLimits::default();
        let plain = Solution::of_game(&**game, Role(0), &limits, &mut Budget::until(stop.clone()))
            .expect("a solution");
        let mut worker = game.worker();
        let (mut open, mut seen) = (vec![start(&**game)], std::collections::BTreeSet::new());
        let mut step = magister_core::Step::new();
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let values = play.values_of(&state, usize::MAX, &stop).expect("a value");
            assert_eq!(Some(&values[..]), plain.values(&state), "{rows}x{columns}");
            worker.load(&state, &stop).expect("a state");
            if worker.terminal() {
                continue;
            }
            let mover = play.mover(&state);
            for choice in worker.legal(mover).to_vec() {
                worker.load(&state, &stop).expect("a state");
                let mut joint: Vec<_> =
                    game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
                joint[mover.index()] = choice;
                worker.step(&joint, &mut step, &stop).expect("a legal move");
                let mut next = Vec::new();
                worker.save(&mut next);
                open.push(next);
            }
        }
        assert!(seen.len() > 20, "{}", seen.len());
    }
}

/// The values of Kayles are nimbers, and a gap splits a row into two.
#[test]
fn kayles_is_worth_nimbers() {
    let game = common::game("kayles", &common::bundled("kayles"));
    let stop = Stop::never();
    let mut play = NormalPlay::new(&**game, &stop).expect("no halt").expect("normal play");
    let first = start(&**game);
    let form = play.form(&first, 100_000, &stop).expect("a value");
    // Thirteen pins are worth *1 by the published nimbers of Kayles: 0 1 2 3 1 4 3 2 1 4 2 6 4 1.
    assert_eq!(play.forms().nimber_size(form), Some(1));
    let mut worker = game.worker();
    let middle = game.text().parse_move(Role(0), "(one 7)").expect("a move");
    let mut joint: Vec<_> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
    joint[0] = middle;
    worker.step(&joint, &mut magister_core::Step::new(), &stop).expect("a legal move");
    let mut state = Vec::new();
    worker.save(&mut state);
    let regions = play.split(&state, 100_000, &stop).expect("regions");
    let sizes: Vec<_> =
        regions.iter().map(|region| play.forms().nimber_size(region.form)).collect();
    // Two rows of six pins.
    assert_eq!(sizes, [Some(3), Some(3)]);
}

/// Games that end in other ways are not mistaken for normal play.
#[test]
fn other_games_are_none() {
    for name in ["tictactoe", "connectfour", "breakthrough"] {
        let game = common::game(name, &common::bundled(name));
        assert!(NormalPlay::new(&**game, &Stop::never()).expect("no halt").is_none(), "{name}");
    }
}
