//! Games in which the last move wins: values of positions, computed from the rules.

use std::fmt::Write as _;

use magister_core::{Budget, Game, Role, Stop};
use magister_decompose::cgt::Dyadic;
use magister_decompose::{Decomposition, Method, NormalPlay, Region, solve};
use magister_solve::{Solution, SolveLimits};

use crate::common;

/// Rules of Domineering on rectangles side by side, with names; Left plays vertically.
fn domineering(boards: &[(&str, u32, u32)]) -> String {
    let mut text = String::new();
    for &(board, rows, columns) in boards {
        for row in 1..=rows {
            for column in 1..=columns {
                for (role, below, right) in [("left", row + 1, column), ("right", row, column + 1)]
                {
                    if below <= rows && right <= columns {
                        let _ = writeln!(
                            text,
                            "(domino {role} {board} {row} {column} {below} {right})"
                        );
                    }
                }
            }
        }
    }
    text + "
(role left) (role right)
(rival left right) (rival right left)
(init (control left))
(<= (fits ?p ?a ?r ?c) (domino ?p ?a ?r ?c ?b ?d)
    (not (true (filled ?a ?r ?c))) (not (true (filled ?a ?b ?d))))
(<= (legal ?p (lay ?a ?r ?c)) (true (control ?p)) (fits ?p ?a ?r ?c))
(<= (legal ?p noop) (rival ?p ?o) (true (control ?o)))
(<= (next (filled ?a ?r ?c)) (true (filled ?a ?r ?c)))
(<= (next (filled ?a ?r ?c)) (does ?p (lay ?a ?r ?c)))
(<= (next (filled ?a ?b ?d)) (does ?p (lay ?a ?r ?c)) (domino ?p ?a ?r ?c ?b ?d))
(<= (next (control ?o)) (true (control ?p)) (rival ?p ?o))
(<= (mobile ?p) (fits ?p ?a ?r ?c))
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

/// The published values of rectangles up to 4x4, from rules. A second board gives both roles a
/// choice: without one, turns are not recognised on boards on which a role never has two moves.
#[test]
fn domineering_from_rules() {
    let whole = Dyadic::whole;
    for (rows, columns, text, temperature, mean) in [
        (2, 1, "1", whole(-1), whole(1)),
        (1, 2, "-1", whole(-1), whole(-1)),
        (1, 4, "-2", whole(-1), whole(-2)),
        (2, 2, "±1", whole(1), whole(0)),
        (2, 3, "{2|-1/2}", Dyadic::new(5, 2), Dyadic::new(3, 2)),
        (3, 2, "{1/2|-2}", Dyadic::new(5, 2), Dyadic::new(-3, 2)),
        (2, 4, "{{2|0}|0}", whole(0), whole(0)),
        (4, 2, "{0|{0|-2}}", whole(0), whole(0)),
        (3, 3, "±1", whole(1), whole(0)),
        (4, 4, "±(0,{{2|0},{2|{2|0}}|{2|0},{{2|0}|0}})", whole(0), whole(0)),
    ] {
        let boards = [("one", rows, columns), ("other", 3, 3)];
        let game = common::game("domineering", &domineering(&boards));
        let stop = Stop::never();
        let mut play = NormalPlay::new(&**game, &stop).expect("no halt").expect("normal play");
        let regions = play.split(&start(&**game), 1_000_000, &stop).expect("regions");
        let network = game.compiled().network();
        let of_one = |region: &&Region| {
            let first = game.text().move_text(network.moves[region.moves[0]].1);
            first.starts_with("(lay one ")
        };
        assert_eq!(regions.len(), 2, "{rows}x{columns}");
        let form = regions.iter().find(of_one).expect("the region of the board").form;
        let graph = play.forms().thermograph(form);
        let found = (play.forms().text(form), graph.temperature(), graph.mean());
        assert_eq!(found, (text.to_owned(), temperature, mean), "{rows}x{columns}");
    }
}

/// Every position of small boards has the winner that plain search finds.
#[test]
fn values_decide_every_position() {
    for boards in [
        &[("one", 3, 3)][..],
        &[("one", 3, 4)],
        &[("one", 3, 2), ("two", 2, 3), ("three", 3, 2)],
        &[("one", 2, 2), ("two", 3, 3), ("three", 2, 2)],
    ] {
        let game = common::game("domineering", &domineering(boards));
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
            assert_eq!(Some(&values[..]), plain.values(&state), "{boards:?}");
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

/// The initial moves have the same values by classes of the parts and by values of regions, in
/// whatever order the boards come.
#[test]
fn first_moves_of_a_sum() {
    let boards = [("a", 2, 3), ("b", 3, 2), ("c", 2, 3), ("d", 3, 3), ("e", 3, 2)];
    let game = common::game("domineering", &domineering(&boards));
    let stop = Stop::never();
    let whole = Decomposition::new(game.compiled(), &stop).expect("parts");
    let limits = SolveLimits::default();
    let solved = solve(game.compiled(), &whole, &limits, &stop).expect("a solution");
    assert_eq!(solved.method, Method::Sum);
    let mut play = NormalPlay::new(&**game, &stop).expect("no halt").expect("normal play");
    let mut worker = game.worker();
    let moves = play.moves(&mut *worker, Role(0), usize::MAX, &stop).expect("no halt");
    let moves = moves.expect("a choice");
    assert_eq!(moves.len(), solved.first.len());
    let best = moves.iter().filter(|one| one.likely > 0.0).count();
    assert!(best > 0 && best < moves.len(), "{best} of {}", moves.len());
    for one in moves {
        let found = solved.first.iter().find(|first| first.1 == one.choice).expect("a first move");
        assert_eq!(found.2, one.value, "{}", game.text().move_text(one.choice));
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
