//! Chance and hidden information: exact probabilities, information sets, distributions.

use std::collections::{BTreeMap, BTreeSet};

use magister_core::{
    Batch, Detail, Game, Information, Move, Results, Role, Seed, Step, Stop, Stream, Turn, Worker,
    draw, view,
};
use magister_games::native;

fn text(game: &dyn Game, choice: Move) -> String {
    game.text().move_text(choice)
}

/// The probability of winning, if the candidate always does this in the end and chooses the first
/// door before: by enumeration of everything that chance can do.
fn winning(game: &dyn Game, worker: &mut dyn Worker, last: &str) -> f64 {
    let (candidate, random) = (Role(0), Role(1));
    if worker.terminal() {
        let mut goals = Vec::new();
        worker.goals(candidate, &mut goals);
        return goals[0] / 100.0;
    }
    let own = worker.legal(candidate);
    let choice = *own
        .iter()
        .find(|&&choice| text(game, choice) == last)
        .unwrap_or(&own[0]);
    let others = worker.legal(random).to_vec();
    assert!(worker.weights().is_empty());
    let mut probability = 0.0;
    for &other in &others {
        worker
            .step(&[choice, other], &mut Step::new(), &Stop::never())
            .unwrap();
        probability += winning(game, worker, last) / others.len() as f64;
        assert!(worker.undo());
    }
    probability
}

#[test]
fn switching_wins_the_car_two_times_in_three() {
    let game = native::find("monty-hall").unwrap();
    let mut worker = game.worker();
    assert!((winning(&*game, &mut *worker, "switch") - 2.0 / 3.0).abs() < 1e-12);
    assert!((winning(&*game, &mut *worker, "stay") - 1.0 / 3.0).abs() < 1e-12);
}

/// Collects, for each role, the histories in which it has a choice, as the role saw them.
fn information_sets(
    worker: &mut dyn Worker,
    histories: &[Vec<Turn>],
    sets: &mut BTreeSet<(Role, Vec<Turn>)>,
) {
    let roles: Vec<Role> = worker.info().all_roles().collect();
    let lists: Vec<Vec<Move>> = roles
        .iter()
        .map(|&role| worker.legal(role).to_vec())
        .collect();
    for role in worker.info().players() {
        if lists[role.index()].len() > 1 {
            sets.insert((role, histories[role.index()].clone()));
        }
    }
    // In these games one role has a choice at a time, or chance and one player.
    let mut joints = vec![vec![]];
    for list in &lists {
        joints = joints
            .into_iter()
            .flat_map(|joint: Vec<Move>| list.iter().map(move |&m| [&joint[..], &[m]].concat()))
            .collect();
    }
    let mut step = Step::new();
    for joint in joints {
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
        let mut longer = histories.to_vec();
        for &role in &roles {
            let seen = view::observe(Information::Hidden, role, &joint, &step);
            longer[role.index()].push(Turn {
                own: joint[role.index()],
                seen,
            });
        }
        information_sets(worker, &longer, sets);
        assert!(worker.undo());
    }
}

#[test]
fn kuhn_poker_has_twelve_information_sets_and_monty_hall_seven() {
    for (name, expected) in [("kuhn-poker", 12), ("monty-hall", 7)] {
        let game = native::find(name).unwrap();
        let mut sets = BTreeSet::new();
        let histories = vec![Vec::new(); game.info().roles.len()];
        information_sets(&mut *game.worker(), &histories, &mut sets);
        assert_eq!(sets.len(), expected, "{name}");
    }
}

#[test]
fn chance_puts_nine_twos_for_each_four_evenly_over_the_board() {
    let game = native::find("2048").unwrap();
    let worker = game.worker();
    assert_eq!(worker.weights().len(), 32);
    let mut rng = Seed::from(11).rng();
    let mut counts: BTreeMap<Move, f64> = BTreeMap::new();
    let draws = 64_000;
    for _ in 0..draws {
        let choice = draw(worker.legal(Role(1)), worker.weights(), &mut rng).unwrap();
        *counts.entry(choice).or_default() += 1.0;
    }
    let total: f64 = worker
        .weights()
        .iter()
        .map(|&weight| f64::from(weight))
        .sum();
    let chi_square: f64 = worker
        .legal(Role(1))
        .iter()
        .zip(worker.weights())
        .map(|(choice, &weight)| {
            let expected = f64::from(draws) * f64::from(weight) / total;
            (counts[choice] - expected).powi(2) / expected
        })
        .sum();
    // 31 degrees of freedom: above 61.1 once in a thousand seeds.
    assert!(chi_square < 61.1, "{chi_square}");
}

#[test]
fn random_tic_tac_toe_is_won_by_x_in_585_of_1000_games() {
    let game = native::find("tictactoe").unwrap();
    let mut worker = game.worker();
    let mut start = Vec::new();
    worker.save(&mut start);
    let streams = [Stream {
        id: 0,
        start: &start,
        quota: 20_000,
    }];
    let batch = Batch {
        seed: 5,
        streams: &streams,
        max_steps: 100,
        detail: Detail::PerPlayout,
    };
    let mut results = Results::default();
    worker
        .playouts(&batch, &mut results, &Stop::never())
        .unwrap();
    let tally = &results.streams[0];
    assert_eq!((tally.finished, tally.truncated), (20_000, 0));
    let share = |reward: f64| {
        let games = tally
            .rewards
            .iter()
            .step_by(2)
            .filter(|&&r| r == Some(reward))
            .count();
        games as f64 / 20_000.0
    };
    assert!((share(100.0) - 0.585).abs() < 0.01, "x {}", share(100.0));
    assert!((share(0.0) - 0.288).abs() < 0.01, "o {}", share(0.0));
    assert!((share(50.0) - 0.127).abs() < 0.01, "draw {}", share(50.0));
    let mean_length = tally.steps as f64 / 20_000.0;
    assert!((mean_length - 7.626).abs() < 0.03, "{mean_length}");
    assert!(
        (tally.mean(Role(0)).unwrap() - 100.0 * (share(100.0) + share(50.0) / 2.0)).abs() < 1e-9
    );
}

/// The exact figures, so that a change of the contract of playouts does not go unnoticed.
#[test]
fn playouts_are_pinned() {
    let expected = [("tictactoe", 772, 6_900.0), ("2048", 24_150, 111_248.0)];
    for (name, steps, sum) in expected {
        let game = native::find(name).unwrap();
        let mut worker = game.worker();
        let mut start = Vec::new();
        worker.save(&mut start);
        let streams = [Stream {
            id: 7,
            start: &start,
            quota: 100,
        }];
        let batch = Batch {
            seed: 1,
            streams: &streams,
            max_steps: 1_000,
            detail: Detail::Sums,
        };
        let mut results = Results::default();
        worker
            .playouts(&batch, &mut results, &Stop::never())
            .unwrap();
        let tally = &results.streams[0];
        assert_eq!((tally.steps, tally.sum[0]), (steps, sum), "{name}");
    }
}
