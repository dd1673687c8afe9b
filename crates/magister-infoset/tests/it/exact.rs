//! The exact tracker, compared with textbook answers and with brute force.

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{game, random_view, turn};
use magister_core::{Game, Move, Observation, Role, Step, Stop, Turn, Worker, view::observe};
use magister_infoset::{InfosetError, InfosetLimits, Keep, Known, Tracker, Uniform};

fn boards(game: &dyn Game, tracker: &Tracker) -> usize {
    let board = game.board().unwrap();
    let mut all: Vec<Vec<u16>> = (0..tracker.layer().len())
        .map(|at| {
            let mut cells = vec![0; board.shape().cells.len()];
            board.cells(tracker.layer().state(at), &mut cells);
            cells
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// Exercise 1 of the chapter on incomplete information.
#[test]
fn blind_tictactoe() {
    let game = game("blind-tictactoe");
    let white = game.info().role("white").unwrap();
    let ok: &[&str] = &["ok"];
    let nil: &[&str] = &[];
    let cases = [
        (nil, ok, 8, 8, 5.0 / 96.0, 15.0),
        (nil, nil, 1, 1, 1.0 / 288.0, 1.0),
        (ok, nil, 8, 8, 47.0 / 288.0, 47.0),
        (ok, ok, 36, 29, 25.0 / 32.0, 225.0),
    ];
    for (first, second, states, different, probability, histories) in cases {
        let mut tracker = Tracker::new(Arc::clone(&game), white, &Stop::never()).unwrap();
        for (own, seen) in [("mark(2,2)", first), ("mark(1,3)", second)] {
            let turn = turn(&*game, white, own, seen);
            tracker.advance(&turn, &Stop::never()).unwrap();
        }
        assert_eq!(tracker.layer().len(), states);
        assert_eq!(boards(&*game, &tracker), different);
        assert!((tracker.probability() - probability).abs() < 1e-12);
        let layer = tracker.layer();
        let all: f64 = (0..layer.len()).map(|at| layer.histories(at)).sum();
        assert!((all - histories).abs() < 1e-9);
        let shares: f64 = (0..layer.len()).map(|at| layer.share(at)).sum();
        assert!((shares - 1.0).abs() < 1e-12);
    }
}

#[test]
fn facts_that_are_certain() {
    let game = game("blind-tictactoe");
    let white = game.info().role("white").unwrap();
    let mut tracker = Tracker::new(Arc::clone(&game), white, &Stop::never()).unwrap();
    tracker.advance(&turn(&*game, white, "mark(2,2)", &[]), &Stop::never()).unwrap();
    let layer = tracker.layer();
    let states = (0..layer.len()).map(|at| (layer.state(at), layer.share(at)));
    let known = Known::of(&*game, white, states, &Stop::never()).unwrap();
    assert!(known.certain().any(|fact| fact == "(cell 2 2 o)"));
    assert!(known.certain().any(|fact| fact == "(tried black 2 2)"));
    assert!(known.likely().is_empty());
    assert_eq!(known.legal().len(), 8);
}

#[test]
fn impossible_observations_are_refused() {
    let game = game("blind-tictactoe");
    let white = game.info().role("white").unwrap();
    let mut tracker = Tracker::new(Arc::clone(&game), white, &Stop::never()).unwrap();
    let first = turn(&*game, white, "mark(2,2)", &["ok"]);
    tracker.advance(&first, &Stop::never()).unwrap();
    // The same cell cannot be marked again.
    let again = tracker.advance(&first, &Stop::never());
    assert_eq!(again, Err(InfosetError::Impossible { turn: 1 }));
    assert_eq!((tracker.turns(), tracker.layer().len()), (1, 9));
    let outlook = tracker.outlook(first.own, &Stop::never()).unwrap();
    assert!(outlook.is_empty());
    let stop = Stop::new();
    stop.set();
    let halted = tracker.advance(&turn(&*game, white, "mark(1,3)", &["ok"]), &stop);
    assert!(matches!(halted, Err(InfosetError::Halt(magister_core::Halt::Stopped))));
}

#[test]
fn too_large_information_sets_are_refused() {
    let game = game("blind-tictactoe");
    let white = game.info().role("white").unwrap();
    for limits in
        [InfosetLimits { states: 3, steps: 1000 }, InfosetLimits { states: 1000, steps: 3 }]
    {
        let game = Arc::clone(&game);
        let mut tracker = Tracker::with(
            Arc::clone(&game),
            white,
            Keep::States,
            limits,
            Arc::new(Uniform),
            &Stop::never(),
        )
        .unwrap();
        let turn = turn(&*game, white, "mark(2,2)", &["ok"]);
        assert_eq!(tracker.advance(&turn, &Stop::never()), Err(InfosetError::TooLarge));
        assert_eq!(tracker.layer().len(), 1);
    }
}

/// All histories of a game, filtered by a role's observations: the definition of an information
/// set, without merging.
struct BruteForce<'a> {
    worker: Box<dyn Worker>,
    role: Role,
    turns: &'a [Turn],
    /// The probabilities of states, and of states with the information states of all roles.
    states: BTreeMap<Vec<u64>, f64>,
    views: BTreeMap<(Vec<u64>, Vec<Vec<Turn>>), f64>,
}

impl BruteForce<'_> {
    fn go(&mut self, state: &[u64], turn: usize, share: f64, lived: &[Vec<Turn>]) {
        let stop = Stop::never();
        self.worker.load(state, &stop).unwrap();
        let silent = self.worker.silent();
        if turn == self.turns.len() && !silent {
            *self.states.entry(state.to_vec()).or_default() += share;
            *self.views.entry((state.to_vec(), lived.to_vec())).or_default() += share;
            return;
        }
        if self.worker.terminal() {
            return;
        }
        let info = self.worker.info().clone();
        let mut joints = vec![(Vec::new(), share)];
        for role in info.all_roles() {
            let legal = self.worker.legal(role).to_vec();
            let weights = self.worker.weights().to_vec();
            let total: f64 = weights.iter().map(|&w| f64::from(w)).sum();
            let mut longer: Vec<(Vec<Move>, f64)> = Vec::new();
            for (joint, share) in &joints {
                for (at, &choice) in legal.iter().enumerate() {
                    let likely = if role == self.role && !silent {
                        if choice != self.turns[turn].own {
                            continue;
                        }
                        1.0
                    } else if info.chance == Some(role) && !weights.is_empty() {
                        f64::from(weights[at]) / total
                    } else {
                        1.0 / legal.len() as f64
                    };
                    longer.push(([&joint[..], &[choice]].concat(), share * likely));
                }
            }
            joints = longer;
        }
        for (joint, share) in joints {
            let mut step = Step::new();
            self.worker.load(state, &stop).unwrap();
            self.worker.step(&joint, &mut step, &stop).unwrap();
            let mut next = Vec::new();
            self.worker.save(&mut next);
            if silent {
                self.go(&next, turn, share, lived);
                continue;
            }
            if observe(info.information, self.role, &joint, &step) != self.turns[turn].seen {
                continue;
            }
            let mut lived = lived.to_vec();
            for role in info.players() {
                let seen = observe(info.information, role, &joint, &step);
                lived[role.index()].push(Turn { own: joint[role.index()], seen });
            }
            self.go(&next, turn + 1, share, &lived);
        }
    }
}

#[test]
fn the_tracker_agrees_with_brute_force() {
    let games = [
        ("blind-tictactoe", 3),
        ("monty-hall", 3),
        ("exploding-bomb", 3),
        ("exploding-bomb-tell", 3),
        ("kuhn-poker", 4),
        ("mastermind-easy", 3),
        ("meier", 4),
        ("muddy-children", 2),
        ("krieg-tictactoe", 3),
        ("latent-tictactoe", 3),
        ("high-card-round", 2),
        ("tiger", 4),
    ];
    for (name, turns) in games {
        let game = game(name);
        for role in game.info().players() {
            for seed in 0..3 {
                let (view, truth) = random_view(&game, role, turns, seed);
                compare(name, &game, role, view.turns(), &truth);
            }
        }
    }
}

fn compare(name: &str, game: &Arc<dyn Game>, role: Role, turns: &[Turn], truth: &[u64]) {
    let mut worker = game.worker();
    worker.reset();
    let mut first = Vec::new();
    worker.save(&mut first);
    let (states, views) = (BTreeMap::new(), BTreeMap::new());
    let mut all = BruteForce { worker, role, turns, states, views };
    all.go(&first, 0, 1.0, &vec![Vec::new(); game.info().roles.len()]);
    let probability: f64 = all.states.values().sum();
    for keep in [Keep::States, Keep::Views] {
        let mut tracker = Tracker::with(
            Arc::clone(game),
            role,
            keep,
            InfosetLimits::default(),
            Arc::new(Uniform),
            &Stop::never(),
        )
        .unwrap();
        for turn in turns {
            tracker.advance(turn, &Stop::never()).unwrap();
        }
        assert!((tracker.probability() / probability - 1.0).abs() < 1e-9, "{name}");
        let layer = tracker.layer();
        let expected = if keep == Keep::States { all.states.len() } else { all.views.len() };
        assert_eq!(layer.len(), expected, "{name} {keep:?}");
        assert!(
            (0..layer.len()).any(|at| layer.state(at) == truth),
            "{name}: the true state is missing"
        );
        for at in 0..layer.len() {
            let state = layer.state(at).to_vec();
            let share = match tracker.views() {
                None => all.states[&state],
                Some(views) => {
                    let lived = layer.views(at).map(|view| views.turns(view)).collect();
                    all.views[&(state, lived)]
                }
            };
            assert!((share / probability - layer.share(at)).abs() < 1e-9, "{name}");
        }
    }
}

/// With perfect information every role knows the state.
#[test]
fn perfect_information_leaves_one_state() {
    let game = game("tictactoe");
    for role in game.info().players() {
        let (view, truth) = random_view(&game, role, 5, 2);
        let mut tracker = Tracker::new(Arc::clone(&game), role, &Stop::never()).unwrap();
        for turn in view.turns() {
            assert!(matches!(turn.seen, Observation::Joint(_)));
            tracker.advance(turn, &Stop::never()).unwrap();
        }
        assert_eq!(tracker.layer().len(), 1);
        assert_eq!(tracker.layer().state(0), truth);
    }
}
