//! The extensive form of a game, compared with a plain traversal of its tree.

use std::sync::Arc;

use magister_core::view::observe;
use magister_core::{Game, Move, Role, Seed, Step, Stop, Turn, Worker};
use magister_solve::{ExtensiveForm, Profile, SolveLimits};

fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).expect("a bundled game").game
}

/// The expected rewards from here on; every player decides by its own turns.
fn expected(
    worker: &mut dyn Worker,
    form: &ExtensiveForm,
    profile: &Profile,
    turns: &[Vec<Turn>],
    nodes: &mut usize,
) -> Vec<f64> {
    *nodes += 1;
    let info = worker.info().clone();
    let mut value = vec![0.0; info.roles.len()];
    if worker.terminal() {
        let mut goals = Vec::new();
        for role in info.players() {
            worker.goals(role, &mut goals);
            value[role.index()] = goals[0];
        }
        return value;
    }
    let mut joints: Vec<(Vec<Move>, f64)> = vec![(Vec::new(), 1.0)];
    for role in info.all_roles() {
        let legal = worker.legal(role).to_vec();
        let even = vec![1.0 / legal.len() as f64; legal.len()];
        let shares = match form.find(role, &turns[role.index()]) {
            _ if legal.len() == 1 => vec![1.0],
            _ if info.chance == Some(role) => even,
            Some((player, set)) => {
                assert_eq!(form.moves(player, set), legal);
                profile.mixture(form, player, set).to_vec()
            }
            None => panic!("an information set is missing"),
        };
        let longer = |(joint, likely): &(Vec<Move>, f64)| -> Vec<(Vec<Move>, f64)> {
            let all = legal.iter().zip(&shares);
            all.map(|(&m, share)| ([&joint[..], &[m]].concat(), likely * share)).collect()
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    let (mut state, mut step) = (Vec::new(), Step::new());
    worker.save(&mut state);
    for (joint, likely) in joints {
        worker.load(&state, &Stop::never()).unwrap();
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
        let mut after = turns.to_vec();
        if step.tick {
            for role in info.players() {
                let seen = observe(info.information, role, &joint, &step);
                after[role.index()].push(Turn { own: joint[role.index()], seen });
            }
        }
        let gains = step.gains.clone();
        let rest = expected(worker, form, profile, &after, nodes);
        for (at, value) in value.iter_mut().enumerate() {
            *value += likely * (rest[at] + gains[at]);
        }
    }
    value
}

/// A profile with random mixtures in every information set.
fn uneven(form: &ExtensiveForm, seed: u64) -> Profile {
    let mut rng = Seed::from(seed).rng();
    let mut profile = Profile::even(form);
    for player in 0..form.players().len() {
        for set in 0..form.sets(player) {
            let shares: Vec<f64> = form.moves(player, set).iter().map(|_| rng.f64()).collect();
            profile.set(form, player, set, &shares);
        }
    }
    profile
}

#[test]
fn values_agree_with_the_tree() {
    let names = [
        "kuhn-poker",
        "leduc-poker",
        "monty-hall",
        "high-card-round",
        "two-generals",
        "face-down-deal",
        "mini-poker",
        "rock-paper-scissors",
    ];
    for name in names {
        let game = game(name);
        let form = ExtensiveForm::new(&*game, &SolveLimits::default(), &Stop::never()).unwrap();
        assert_eq!(form.revealed_by_legal_moves(), 0, "{name}");
        let profile = uneven(&form, 7);
        let mut worker = game.worker();
        worker.reset();
        let turns = vec![Vec::new(); game.info().roles.len()];
        let mut nodes = 0;
        let all = expected(&mut *worker, &form, &profile, &turns, &mut nodes);
        let of = |role: &Role| all[role.index()];
        let values = form.values(&profile);
        let expected: Vec<f64> = form.players().iter().map(of).collect();
        for (value, expected) in values.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-9, "{name}: {values:?} {expected:?}");
        }
        assert!(form.size().nodes <= nodes, "{name}: more nodes than in the tree");
        // No change of a single move beats the best response.
        for (player, value) in values.iter().enumerate() {
            let best = form.best_reply(player, &profile);
            assert!(best.value >= value - 1e-9);
            let again = form.values(&profile.with(player, &best))[player];
            assert!((again - best.value).abs() < 1e-9, "{name}: {again} {best:?}");
        }
    }
}

/// In small games the best response is the best of all pure strategies.
#[test]
fn best_responses_are_best() {
    for name in ["kuhn-poker", "exploding-bomb", "monty-hall", "mini-poker"] {
        let game = game(name);
        let form = ExtensiveForm::new(&*game, &SolveLimits::default(), &Stop::never()).unwrap();
        for seed in 0..5 {
            let profile = uneven(&form, seed);
            for player in 0..form.players().len() {
                let counts: Vec<usize> =
                    (0..form.sets(player)).map(|set| form.moves(player, set).len()).collect();
                let mut most = f64::NEG_INFINITY;
                for mut number in 0..counts.iter().product::<usize>() {
                    let mut plan = profile.clone();
                    for (set, &count) in counts.iter().enumerate() {
                        let mut shares = vec![0.0; count];
                        shares[number % count] = 1.0;
                        number /= count;
                        plan.set(&form, player, set, &shares);
                    }
                    most = most.max(form.values(&plan)[player]);
                }
                let best = form.best_reply(player, &profile).value;
                assert!((best - most).abs() < 1e-9, "{name}: {best} {most}");
            }
        }
    }
}
