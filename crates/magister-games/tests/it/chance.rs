//! Chance and hidden information: exact probabilities, information sets, distributions.

use std::collections::{BTreeMap, BTreeSet};

use magister_core::{Game, Information, Move, Role, Seed, Step, Stop, Turn, Worker, draw, view};
use magister_games::native;

fn text(game: &dyn Game, choice: Move) -> String {
    game.text().move_text(choice)
}

/// The probability of winning if the candidate chooses the first door and always makes this last
/// move, by enumeration of all chance outcomes.
fn winning(game: &dyn Game, worker: &mut dyn Worker, last: &str) -> f64 {
    let (candidate, random) = (Role(0), Role(1));
    if worker.terminal() {
        let mut goals = Vec::new();
        worker.goals(candidate, &mut goals);
        return goals[0] / 100.0;
    }
    let own = worker.legal(candidate);
    let choice = *own.iter().find(|&&choice| text(game, choice) == last).unwrap_or(&own[0]);
    let others = worker.legal(random).to_vec();
    assert!(worker.weights().is_empty());
    let mut probability = 0.0;
    for &other in &others {
        worker.step(&[choice, other], &mut Step::new(), &Stop::never()).unwrap();
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

/// Collects, for each role, the information states in which it has a choice.
fn information_sets(
    worker: &mut dyn Worker,
    histories: &[Vec<Turn>],
    sets: &mut BTreeSet<(Role, Vec<Turn>)>,
) {
    let roles: Vec<Role> = worker.info().all_roles().collect();
    let lists: Vec<Vec<Move>> = roles.iter().map(|&role| worker.legal(role).to_vec()).collect();
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
            longer[role.index()].push(Turn { own: joint[role.index()], seen });
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
    let total: f64 = worker.weights().iter().map(|&weight| f64::from(weight)).sum();
    let chi_square: f64 = worker
        .legal(Role(1))
        .iter()
        .zip(worker.weights())
        .map(|(choice, &weight)| {
            let expected = f64::from(draws) * f64::from(weight) / total;
            (counts[choice] - expected).powi(2) / expected
        })
        .sum();
    // 31 degrees of freedom: the value exceeds 61.1 for one in a thousand seeds.
    assert!(chi_square < 61.1, "{chi_square}");
}

/// The expected win of the first player under these mixtures, given the cards and the public line.
fn kuhn_value(worker: &mut dyn Worker, game: &dyn Game, card: [u32; 2], line: &str) -> f64 {
    let turn = Role(u8::from(worker.legal(Role(0)).len() == 1));
    if worker.terminal() {
        let mut goals = Vec::new();
        worker.goals(Role(0), &mut goals);
        return goals[0];
    }
    let mut value = 0.0;
    for choice in worker.legal(turn).to_vec() {
        let action = text(game, choice);
        let brave = match (turn.0, card[turn.index()], line) {
            // One of Kuhn's equilibria: the first player never bets, and calls with the queen one
            // time in three; the second bluffs with the jack one time in three.
            (0, _, "") | (_, 0, "bet" | "checkbet") | (1, 1, "check") => 0.0,
            (1, 0, "check") | (_, 1, _) => 1.0 / 3.0,
            _ => 1.0,
        };
        let probability =
            if ["bet", "call"].contains(&action.as_str()) { brave } else { 1.0 - brave };
        let mut joint = [Move::IDLE; 3];
        joint[turn.index()] = choice;
        worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
        value += probability * kuhn_value(worker, game, card, &format!("{line}{action}"));
        assert!(worker.undo());
    }
    value
}

#[test]
fn in_equilibrium_the_second_kuhn_player_wins_a_chip_in_eighteen_games() {
    let game = native::find("kuhn-poker").unwrap();
    let mut worker = game.worker();
    let mut value = 0.0;
    let mut step = Step::new();
    for deal in worker.legal(Role(2)).to_vec() {
        worker.step(&[Move::IDLE, Move::IDLE, deal], &mut step, &Stop::never()).unwrap();
        let card = [0, 1].map(|role| step.percepts.of(Role(role))[0].0);
        value += kuhn_value(&mut *worker, &*game, card, "") / 6.0;
        assert!(worker.undo());
    }
    assert!((value + 1.0 / 18.0).abs() < 1e-12, "{value}");
}
