//! A search with a stub model.

use std::sync::Arc;

use magister_core::{
    Budget, Decision, Evaluate, Evaluations, Game, Halt, Move, Observation, Positions, Role, Seed,
    StateObserver, Step, Stop, Turn, View,
};
use magister_games::native;

use super::{Config, decide};
use crate::Playouts;
use crate::follow::Follower;

/// A linear function of the observation of a state with arbitrary weights. It counts its calls and
/// cuts requests into parts.
struct Linear {
    observer: StateObserver,
    cut: usize,
    policies: bool,
    calls: usize,
    positions: usize,
    /// The size of the largest request.
    largest: usize,
    rows: Vec<f32>,
}

impl Linear {
    fn new(game: &Arc<dyn Game>, cut: usize) -> Self {
        let observer = StateObserver::new(game);
        Linear {
            observer,
            cut,
            policies: false,
            calls: 0,
            positions: 0,
            largest: 0,
            rows: Vec::new(),
        }
    }

    /// Maps one row of numbers to a value from 0 to 100.
    fn value(row: &[f32], salt: usize) -> f64 {
        let weight = |at: usize| f64::from(((at + salt) * 2_654_435_761 % 1000) as u32) / 1000.0;
        let sum: f64 = row.iter().enumerate().map(|(at, &x)| f64::from(x) * weight(at)).sum();
        100.0 * sum / (1.0 + sum)
    }
}

impl Evaluate for Linear {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let len = self.observer.tensors().len();
        self.largest = self.largest.max(positions.len());
        let numbers: Vec<usize> = (0..positions.len()).collect();
        for part in numbers.chunks(self.cut) {
            stop.check()?;
            self.calls += 1;
            self.positions += part.len();
            self.rows.resize(part.len() * len, 0.0);
            let states: Vec<&[u64]> = part.iter().map(|&at| positions.get(at).state()).collect();
            self.observer.write_batch(states, &mut self.rows);
            for (&at, row) in part.iter().zip(self.rows.chunks_exact(len)) {
                for (role, value) in out.values_mut(at).iter_mut().enumerate() {
                    *value = Self::value(row, 17 * role);
                }
                let choices = if self.policies { positions.get(at).choices().len() } else { 0 };
                for choice in 0..choices {
                    // All moves except one get prior zero.
                    let priors = out.priors_mut(at, choice);
                    priors.fill(0.001);
                    priors[0] = 1.0;
                }
            }
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        8
    }

    fn has_policies(&self) -> bool {
        self.policies
    }
}

const CONFIG: Config = Config { c: 1.25, sharp: 0.0, loss: 0.0, batch: 0, memory: 64 << 20 };

fn search(game: &Arc<dyn Game>, model: &mut dyn Evaluate, config: Config) -> Decision {
    let role = game.info().players().next().unwrap_or(Role(0));
    let mut view = View::new(Arc::clone(game), role);
    // Advances to where the player has a choice.
    let (mut worker, mut step) = (game.worker(), Step::new());
    while worker.legal(role).len() < 2 {
        let joint: Vec<Move> = game.info().all_roles().map(|role| worker.legal(role)[0]).collect();
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
        let own = joint[role.index()];
        view.push(Turn { own, seen: Observation::Joint(joint.into()) });
    }
    let mut budget = Budget::iterations(400);
    decide(&mut Follower::new(), model, config, &view, &mut budget, &mut Seed::from(5).rng())
        .unwrap()
}

/// Games with turns, with chance, with intermediate rewards, and with simultaneous moves.
fn games() -> Vec<Arc<dyn Game>> {
    ["connect-four", "2048", "tictactoe", "rock-paper-scissors"]
        .map(|name| native::find(name).unwrap())
        .into_iter()
        .filter(|game| game.info().information == magister_core::Information::Perfect)
        .collect()
}

#[test]
fn results_do_not_depend_on_how_requests_are_cut() {
    for game in games() {
        for config in [
            Config { sharp: 3.0, ..CONFIG },
            Config { loss: 1.0, ..CONFIG },
            Config { loss: 1.0, sharp: 3.0, batch: 5, ..CONFIG },
        ] {
            let mut whole = Linear::new(&game, usize::MAX);
            let expected = search(&game, &mut whole, config);
            assert_eq!(expected.iterations, 400);
            for cut in [1, 2, 7] {
                let mut model = Linear::new(&game, cut);
                assert_eq!(search(&game, &mut model, config), expected, "{}", game.info().name);
                assert_eq!(model.positions, whole.positions);
                assert_eq!(model.calls > whole.calls, whole.largest > cut);
            }
        }
    }
}

#[test]
fn without_virtual_loss_a_batch_is_a_descent() {
    for game in games() {
        let one = search(&game, &mut Linear::new(&game, 1), CONFIG);
        for batch in [1, 4, 64] {
            let mut model = Linear::new(&game, usize::MAX);
            assert_eq!(search(&game, &mut model, Config { batch, ..CONFIG }), one);
            // One call for the root, and one for each new position that is not terminal.
            assert!(model.calls <= 401 && model.calls == model.positions);
        }
    }
}

#[test]
fn one_call_serves_a_batch() {
    let game = native::find("connect-four").unwrap();
    let mut model = Linear::new(&game, usize::MAX);
    let decision = search(&game, &mut model, Config { loss: 1.0, ..CONFIG });
    assert_eq!(decision.iterations, 400);
    assert!(model.positions > 350, "{} positions", model.positions);
    // Batches of eight are requested, but at first the tree is too small for that.
    assert!(model.calls < 80, "{} calls", model.calls);
    let mut larger = Linear::new(&game, usize::MAX);
    search(&game, &mut larger, Config { loss: 1.0, batch: 32, ..CONFIG });
    assert!(larger.calls < model.calls / 2, "{} calls", larger.calls);
}

#[test]
fn moves_and_successors_share_one_call() {
    let game = native::find("connect-four").unwrap();
    let mut model = Linear::new(&game, usize::MAX);
    search(&game, &mut model, Config { sharp: 3.0, ..CONFIG });
    assert!(model.calls <= 401 && model.positions > 6 * model.calls);
}

#[test]
fn policies_guide_the_search() {
    let game = native::find("connect-four").unwrap();
    let mut model = Linear::new(&game, usize::MAX);
    model.policies = true;
    for config in [CONFIG, Config { sharp: 3.0, ..CONFIG }, Config { loss: 1.0, ..CONFIG }] {
        let decision = search(&game, &mut model, Config { c: 20.0, ..config });
        assert_eq!(decision.choice, decision.thoughts[0].choice);
        assert!(decision.thoughts[0].visits > 350, "{decision:?}");
    }
}

/// A model that returns NaN, and one that fails.
struct Broken(bool);

impl Evaluate for Broken {
    fn evaluate(
        &mut self,
        positions: &Positions,
        out: &mut Evaluations,
        _: &Stop,
    ) -> Result<(), Halt> {
        for at in 0..positions.len() {
            out.values_mut(at).fill(f64::NAN);
            for choice in 0..positions.get(at).choices().len() {
                out.priors_mut(at, choice).fill(f32::NEG_INFINITY);
            }
        }
        if self.0 { Err(Halt::Rules("the model failed".to_owned())) } else { Ok(()) }
    }

    fn has_policies(&self) -> bool {
        true
    }
}

#[test]
fn a_broken_model_does_not_end_the_match() {
    let game = native::find("connect-four").unwrap();
    let nonsense = search(&game, &mut Broken(false), CONFIG);
    assert_eq!(nonsense.iterations, 400);
    assert!(nonsense.thoughts.iter().all(|thought| thought.value.is_some_and(f64::is_finite)));
    let failing = search(&game, &mut Broken(true), CONFIG);
    assert_eq!((failing.iterations, failing.thoughts.len()), (0, 0));
}

#[test]
fn the_memory_limit_ends_growth_but_not_the_search() {
    let game = native::find("connect-four").unwrap();
    for loss in [0.0, 1.0] {
        let mut model = Linear::new(&game, usize::MAX);
        let config = Config { loss, memory: 20_000, ..CONFIG };
        assert_eq!(search(&game, &mut model, config).iterations, 400);
    }
}

/// The states after each move from the initial state.
fn some(game: &Arc<dyn Game>) -> Positions {
    let mut positions = Positions::new(game.info().roles.len(), Role(0));
    let mut worker = game.worker();
    let moves = worker.legal(Role(0)).to_vec();
    let (mut step, mut state) = (Step::new(), Vec::new());
    for choice in moves {
        worker.reset();
        let joint = [choice, Move::IDLE];
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
        worker.save(&mut state);
        positions.push(&state, [&joint[..]]);
    }
    positions
}

#[test]
fn playout_values_do_not_depend_on_the_request() {
    let game = native::find("connect-four").unwrap();
    let positions = some(&game);
    for each in [32, 40, 64] {
        let mut playouts = Playouts::new(&game, each);
        let mut all = Evaluations::default();
        all.reset(&positions, 0.0);
        playouts.evaluate(&positions, &mut all, &Stop::never()).unwrap();
        for at in 0..positions.len() {
            let mut one = Positions::new(2, Role(0));
            one.push(positions.get(at).state(), []);
            let mut alone = Evaluations::default();
            alone.reset(&one, 0.0);
            playouts.evaluate(&one, &mut alone, &Stop::never()).unwrap();
            assert_eq!(alone.values(0), all.values(at));
            assert!((all.values(at).iter().sum::<f64>() - 100.0).abs() < 1e-9);
        }
    }
}

#[test]
fn few_playouts_share_lanes() {
    let game = native::find("connect-four").unwrap();
    let positions = some(&game);
    let value = |each| {
        let mut out = Evaluations::default();
        out.reset(&positions, -1.0);
        Playouts::new(&game, each).evaluate(&positions, &mut out, &Stop::never()).unwrap();
        (0..positions.len()).map(|at| out.values(at)[0]).collect::<Vec<f64>>()
    };
    for each in [1, 4, 16] {
        let values = value(each);
        assert_eq!(values, value(each));
        assert!(values.iter().all(|&value| (0.0..=100.0).contains(&value)), "{values:?}");
    }
}

/// If the positions after each move are evaluated, the first descent visits the move that wins, and
/// a reply that wins lowers the value of the move before it. The model only knows the middle.
#[test]
fn evaluated_moves_come_first() {
    struct Middle;
    impl Evaluate for Middle {
        fn evaluate(
            &mut self,
            positions: &Positions,
            out: &mut Evaluations,
            _: &Stop,
        ) -> Result<(), Halt> {
            (0..positions.len()).for_each(|at| out.values_mut(at).fill(50.0));
            Ok(())
        }
    }
    let game = native::find("tictactoe").unwrap();
    let roles: Vec<Role> = game.info().players().collect();
    // The first player has two in a row. It wins at once, or its opponent must block.
    for (plies, iterations) in [(4, 1), (3, 9)] {
        let (mut worker, mut step) = (game.worker(), Step::new());
        let me = roles[plies % 2];
        let mut view = View::new(Arc::clone(&game), me);
        let cells = ["1 1", "2 1", "1 2", "3 1"];
        for cell in &cells[..plies] {
            let named = |role: Role| {
                let legal = worker.legal(role);
                let name = |choice: &&Move| game.text().move_text(**choice).contains(cell);
                *legal.iter().find(name).unwrap_or(&legal[0])
            };
            let joint: Vec<Move> = game.info().all_roles().map(named).collect();
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
            let own = joint[me.index()];
            view.push(Turn { own, seen: Observation::Joint(joint.into()) });
        }
        let mut budget = Budget::iterations(iterations);
        let config = Config { sharp: 20.0, ..CONFIG };
        let mut rng = Seed::from(5).rng();
        let decision =
            decide(&mut Follower::new(), &mut Middle, config, &view, &mut budget, &mut rng);
        let choice = game.text().move_text(decision.unwrap().choice);
        assert!(choice.contains("1 3"), "{plies} plies: {choice}");
    }
}
