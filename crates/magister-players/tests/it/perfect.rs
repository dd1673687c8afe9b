//! Solved games must be played perfectly, from every position, by every player that can do so.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Budget, Game, Move, Observation, Role, Seed, Step, Stop, Turn, View, Worker};
use magister_games::native;
use magister_players::Spec;

/// The full solution of a game in which one role moves at a time: the value of every position for
/// each role, if every role maximises its own reward and ties do not matter.
struct Solution {
    values: BTreeMap<Vec<u64>, Vec<f64>>,
    /// One path to each non-terminal position.
    ways: Vec<Vec<Vec<Move>>>,
}

fn solve(game: &dyn Game) -> Solution {
    let mut solution = Solution { values: BTreeMap::new(), ways: Vec::new() };
    let mut worker = game.worker();
    visit(worker.as_mut(), &mut Vec::new(), &mut solution);
    solution
}

fn visit(worker: &mut dyn Worker, way: &mut Vec<Vec<Move>>, solution: &mut Solution) -> Vec<f64> {
    let mut state = Vec::new();
    worker.save(&mut state);
    if let Some(values) = solution.values.get(&state) {
        return values.clone();
    }
    let roles: Vec<Role> = worker.info().all_roles().collect();
    let mut best: Option<Vec<f64>> = None;
    if worker.terminal() {
        let goal = |&role: &Role| {
            let mut goals = Vec::new();
            worker.goals(role, &mut goals);
            goals[0]
        };
        best = Some(roles.iter().map(goal).collect());
    } else {
        solution.ways.push(way.clone());
        let mover = roles.iter().position(|&role| worker.legal(role).len() > 1).unwrap_or(0);
        for joint in joints(worker) {
            worker.load(&state, &Stop::never()).unwrap();
            worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
            way.push(joint);
            let values = visit(worker, way, solution);
            way.pop();
            if best.as_ref().is_none_or(|best| values[mover] > best[mover]) {
                best = Some(values);
            }
        }
    }
    let best = best.unwrap();
    solution.values.insert(state, best.clone());
    best
}

/// All joint moves.
fn joints(worker: &dyn Worker) -> Vec<Vec<Move>> {
    let mut all = vec![Vec::new()];
    for role in worker.info().all_roles() {
        let legal = worker.legal(role);
        let longer = |joint: &Vec<Move>| -> Vec<Vec<Move>> {
            legal.iter().map(|&choice| [&joint[..], &[choice]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The number of positions in which a player plays a suboptimal move.
fn mistakes(game: &Arc<dyn Game>, solution: &Solution, player: &str, iterations: u64) -> usize {
    let spec: Spec = player.parse().unwrap();
    let mut wrong = 0;
    for (number, way) in solution.ways.iter().enumerate() {
        let mut worker = game.worker();
        let mut step = Step::new();
        worker.reset();
        for joint in way {
            worker.step(joint, &mut step, &Stop::never()).unwrap();
        }
        let Some(role) = worker.info().players().find(|&role| worker.legal(role).len() > 1) else {
            continue;
        };
        let mut view = View::new(Arc::clone(game), role);
        for joint in way {
            let seen = Observation::Joint(joint.clone().into());
            view.push(Turn { own: joint[role.index()], seen });
        }
        let mut rng = Seed::from(number as u64).rng();
        let mut budget = Budget::iterations(iterations);
        let decision = spec.agent().decide(&view, &mut budget, &mut rng).unwrap();
        assert!(worker.legal(role).contains(&decision.choice), "{player}: {way:?}");
        let value = |worker: &dyn Worker| {
            let mut state = Vec::new();
            worker.save(&mut state);
            solution.values[&state][role.index()]
        };
        let (mut state, possible) = (Vec::new(), value(worker.as_ref()));
        worker.save(&mut state);
        let mut joint: Vec<Move> =
            worker.info().all_roles().map(|role| worker.legal(role)[0]).collect();
        let mut comes_to = |choice: Move| {
            joint[role.index()] = choice;
            worker.load(&state, &Stop::never()).unwrap();
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
            value(worker.as_ref())
        };
        wrong += usize::from(comes_to(decision.choice) < possible);
        // A value that is reported as proven must be correct. A search with cutoffs that has
        // visited everything gives no value to moves that it only has bounds for.
        let everything = player == "alphabeta" && possible < 100.0;
        for thought in decision.thoughts.iter().filter(|thought| thought.proven || everything) {
            if let Some(value) = thought.value {
                assert!((value - comes_to(thought.choice)).abs() < 1e-6, "{player}: {way:?}");
            }
        }
    }
    wrong
}

#[test]
fn tic_tac_toe_from_every_position() {
    let game = native::find("tictactoe").unwrap();
    let solution = solve(game.as_ref());
    assert_eq!(solution.ways.len(), 4520);
    for (player, iterations) in [("alphabeta", 10_000), ("uct", 20_000)] {
        let wrong = mistakes(&game, &solution, player, iterations);
        assert_eq!(wrong, 0, "{player}");
    }
}

/// A bundled rulesheet, ready to play.
fn sheet(name: &str) -> Arc<dyn Game> {
    magister::open(name).unwrap().game
}

/// Nim with heaps that are small enough to solve.
#[test]
fn nim_from_every_position() {
    let game = sheet("nim-1-5-4-2");
    let solution = solve(game.as_ref());
    for (player, iterations) in [("alphabeta", 5_000), ("uct", 5_000)] {
        assert_eq!(mistakes(&game, &solution, player, iterations), 0, "{player}");
    }
}

/// Plays a puzzle to its end and returns the reward.
fn solved(name: &str, iterations: u64) -> f64 {
    let game = sheet(name);
    let role = game.info().players().next().unwrap();
    let mut view = View::new(Arc::clone(&game), role);
    let mut agent = "uct".parse::<Spec>().unwrap().agent();
    let mut rng = Seed::from(5).rng();
    let mut worker = game.worker();
    worker.reset();
    while !worker.terminal() {
        let mut budget = Budget::iterations(iterations);
        let choice = agent.decide(&view, &mut budget, &mut rng).unwrap().choice;
        let mut joint: Vec<Move> =
            worker.info().all_roles().map(|role| worker.legal(role)[0]).collect();
        joint[role.index()] = choice;
        worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
        view.push(Turn { own: choice, seen: Observation::Joint(joint.into()) });
    }
    let mut goals = Vec::new();
    worker.goals(role, &mut goals);
    goals[0]
}

#[test]
fn puzzles_are_solved() {
    let puzzles = [
        ("buttonsandlights", 2_000),
        ("hanoi", 20_000),
        ("lights-out", 40_000),
        ("queens", 40_000),
        ("jointbuttonsandlights", 600_000),
    ];
    for (name, iterations) in puzzles {
        assert!(solved(name, iterations) > 99.0, "{name}");
    }
}

/// While only the worst reward is in sight, any move that keeps the game open is better than ending
/// it with that reward.
#[test]
fn without_a_solution_play_goes_on() {
    let game = sheet("jointbuttonsandlights");
    let view = View::new(Arc::clone(&game), game.info().players().next().unwrap());
    for seed in 0..3 {
        let mut agent = "uct".parse::<Spec>().unwrap().agent();
        let (mut budget, mut rng) = (Budget::iterations(2_000), Seed::from(seed).rng());
        let choice = agent.decide(&view, &mut budget, &mut rng).unwrap().choice;
        assert_ne!(game.text().move_text(choice), "stop");
    }
}
