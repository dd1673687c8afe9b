//! Particles that are advanced on vectors have the same distribution as those advanced one by one.

use crate::common;

use std::sync::Arc;

use common::{chi_square, random_view, turn};
use magister_core::playout::LANES;
use magister_core::{Game, Halt, Role, Seed, Stop, Tried, Tries, Turn};
use magister_engine::Evaluator;
use magister_infoset::{InfosetError, ParticleFilter, Pool, Tracker, Uniform};

/// A bundled game with a given evaluator.
fn evaluated(name: &str, evaluator: Option<Evaluator>) -> Arc<dyn Game> {
    let options = magister::Options { evaluator, ..magister::Options::default() };
    options.open(name).unwrap().game
}

/// A bundled game whose steps are always tried on vectors.
fn on_vectors(name: &str) -> Arc<dyn Game> {
    evaluated(name, Some(Evaluator::Batch))
}

/// Draws states of the exact information set before the last turn and tries one step from each.
/// Those that agree must have the distribution of the states after the turn, and the share that
/// agrees must be the probability of the observation.
fn compare(name: &str, game: &Arc<dyn Game>, role: Role, turns: &[Turn]) {
    const COUNT: usize = 40_000;
    let stop = Stop::never();
    let mut exact = Tracker::new(Arc::clone(game), role, &stop).unwrap();
    let (last, before) = turns.split_last().unwrap();
    before.iter().for_each(|turn| exact.advance(turn, &stop).unwrap());
    let layer = exact.layer().clone();
    let mut rng = Seed::from(11).rng();
    let starts: Vec<&[u64]> = (0..COUNT)
        .map(|_| {
            let mut point = rng.f64();
            let drawn = (0..layer.len()).find(|&at| {
                point -= layer.share(at);
                point < 0.0
            });
            layer.state(drawn.unwrap_or(layer.len() - 1))
        })
        .collect();
    let unlikely = exact.log_probability();
    exact.advance(last, &stop).unwrap();
    let share = (exact.log_probability() - unlikely).exp();
    let after = exact.layer();
    let mut places = Pool::default();
    for at in 0..after.len() {
        places.insert(after.state(at));
    }
    let mut counts = vec![0.0; after.len()];
    let mut agreed = 0;
    let mut worker = game.worker();
    for (number, starts) in starts.chunks(1000).enumerate() {
        let first = (number * 1000_usize.div_ceil(LANES)) as u64;
        let tries = Tries { seed: 5, first, starts, role, turn: last };
        let mut tried = Tried::default();
        assert!(worker.tries(&tries, &mut tried, &stop).unwrap());
        let words = tried.states.len() / tried.places.len().max(1);
        for state in tried.states.chunks(words.max(1)) {
            let place = places.find(state);
            counts[place.unwrap_or_else(|| panic!("{name}: an impossible state"))] += 1.0;
        }
        agreed += tried.places.len();
    }
    let shares: Vec<f64> = (0..after.len()).map(|at| after.share(at)).collect();
    let others = (COUNT - agreed) as f64;
    for (counts, shares) in
        [(&counts[..], &shares[..]), (&[agreed as f64, others], &[share, 1.0 - share])]
    {
        chi_square(counts, shares).unwrap_or_else(|how| panic!("{name}: {how}"));
    }
}

#[test]
fn blind_tictactoe() {
    let game = on_vectors("blind-tictactoe");
    let white = game.info().role("white").unwrap();
    let t = |own: &str, seen: &[&str]| turn(&*game, white, own, seen);
    let (first, ok, nil) = (t("mark(2,2)", &["ok"]), t("mark(1,3)", &["ok"]), t("mark(1,3)", &[]));
    compare("ok", &game, white, std::slice::from_ref(&first));
    compare("ok ok", &game, white, &[first.clone(), ok]);
    compare("ok nil", &game, white, &[first, nil]);
}

#[test]
fn monty_hall() {
    let game = on_vectors("monty-hall");
    let role = game.info().role("candidate").unwrap();
    let turns = [turn(&*game, role, "(choose 1)", &[]), turn(&*game, role, "noop", &["(open 3)"])];
    compare("monty hall, choose", &game, role, &turns[..1]);
    compare("monty hall, open", &game, role, &turns);
}

#[test]
fn a_deal_and_a_code() {
    for (name, turns) in [("high-card-round", 2), ("mastermind-easy", 3), ("dark-hex-3x3", 3)] {
        let game = on_vectors(name);
        for role in game.info().players() {
            for seed in 0..2 {
                let (view, _) = random_view(&game, role, turns, seed);
                for count in 1..=view.turns().len() {
                    compare(name, &game, role, &view.turns()[..count]);
                }
            }
        }
    }
}

/// The turns of a role in a game with too many states for enumeration, so that particles advance
/// on vectors.
fn wide(
    name: &str,
    count: usize,
    evaluator: Option<Evaluator>,
) -> (Arc<dyn Game>, Role, Vec<Turn>) {
    let game = evaluated(name, evaluator);
    let role = game.info().players().next().unwrap();
    let (view, _) = random_view(&game, role, count, 3);
    let turns = view.turns().to_vec();
    (game, role, turns)
}

fn filter(game: &Arc<dyn Game>, role: Role, size: usize, seed: u64) -> ParticleFilter {
    let anchor = Tracker::new(Arc::clone(game), role, &Stop::never()).unwrap().layer().clone();
    let mut rng = Seed::from(seed).rng();
    ParticleFilter::new(Arc::clone(game), role, Arc::new(Uniform), anchor, None, size, &mut rng)
}

/// Whole particle filters, compared with the exact information set turn by turn.
#[test]
fn filters_are_fair_on_vectors() {
    let stop = Stop::never();
    for (name, count, runs) in [("mastermind", 4, 7000), ("blind-breakthrough", 6, 4000)] {
        let (game, role, turns) = wide(name, count, Some(Evaluator::Batch));
        let mut exact = Tracker::new(Arc::clone(&game), role, &stop).unwrap();
        turns.iter().for_each(|turn| exact.advance(turn, &stop).unwrap());
        let layer = exact.layer();
        let mut places = Pool::default();
        for at in 0..layer.len() {
            places.insert(layer.state(at));
        }
        let mut counts = vec![0.0; layer.len()];
        let mut together = 0;
        for seed in 0..runs {
            let mut rng = Seed::from(seed).derive("sample").rng();
            let mut filter = filter(&game, role, 160, seed);
            for turn in &turns {
                filter.advance(turn, &mut rng, &|| true, &stop).unwrap();
            }
            together += filter.together();
            for at in 0..filter.len() {
                let known = places.find(filter.state(at)).is_some();
                assert!(known, "{name}: an impossible state");
            }
            // One particle per filter, because the particles of one filter are dependent.
            let mut point = rng.f64();
            let drawn = (0..filter.len()).find(|&at| {
                point -= filter.weight(at);
                point < 0.0
            });
            let state = filter.state(drawn.unwrap_or(filter.len() - 1));
            counts[places.find(state).unwrap()] += 1.0;
        }
        assert!(together > runs * 90, "{name}: {together} were advanced on vectors");
        let shares: Vec<f64> = (0..layer.len()).map(|at| layer.share(at)).collect();
        chi_square(&counts, &shares).unwrap_or_else(|how| panic!("{name}: {how}"));
    }
}

/// The same seed gives the same particles however the engine makes the steps.
#[test]
fn filters_do_not_depend_on_the_evaluator() {
    let stop = Stop::never();
    let ways = [Some(Evaluator::Batch), Some(Evaluator::Sweep), Some(Evaluator::Code), None];
    let mut all: Vec<Vec<(Vec<u64>, u64)>> = Vec::new();
    for way in ways {
        let (game, role, turns) = wide("wumpus", 4, way);
        let mut filter = filter(&game, role, 3000, 1);
        let mut rng = Seed::from(2).rng();
        for turn in &turns {
            filter.advance(turn, &mut rng, &|| true, &stop).unwrap();
        }
        assert!(filter.together() > 1000);
        let particle = |at: usize| (filter.state(at).to_vec(), filter.weight(at).to_bits());
        all.push((0..filter.len()).map(particle).collect());
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

/// A stop between two blocks ends the pass, and the filter restarts at its anchor afterwards.
#[test]
fn a_stop_ends_the_pass() {
    let (game, role, turns) = wide("wumpus", 4, Some(Evaluator::Batch));
    let mut filter = filter(&game, role, 3000, 1);
    let mut rng = Seed::from(2).rng();
    let (last, before) = turns.split_last().unwrap();
    for turn in before {
        filter.advance(turn, &mut rng, &|| true, &Stop::never()).unwrap();
    }
    let together = filter.together();
    let stop = Stop::new();
    let calls = std::cell::Cell::new(0);
    let patience = || {
        // After the particles that are advanced one by one, and a block or two.
        calls.set(calls.get() + 1);
        if calls.get() == 67 {
            stop.set();
        }
        true
    };
    let error = filter.advance(last, &mut rng, &patience, &stop).unwrap_err();
    assert!(matches!(error, InfosetError::Halt(Halt::Stopped)), "{error}");
    assert!(filter.together() < together + 3000);
    filter.advance(last, &mut rng, &|| true, &Stop::never()).unwrap();
    assert!(!filter.is_empty());
}
