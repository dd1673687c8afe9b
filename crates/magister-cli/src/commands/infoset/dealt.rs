//! Samples of information sets whose start cannot be enumerated, such as the deals of a card game.

use std::sync::Arc;

use anyhow::{Result, bail};
use magister_core::{Budget, Game, Halt, Role, Seed, Stop, Turn};
use magister_infoset::{Belief, InfosetLimits, Pool, Settings};

use super::{Found, turns};
use crate::args::Infoset;

/// The number of states that are enumerated before a sample is drawn.
const ENUMERATED: usize = 1_000;
/// The maximum number of states in which percepts are collected.
const TRIED: usize = 200;

/// The sample after the turns of the command line; the number of the first turn with which no
/// history is consistent, if there is one.
pub(super) fn sampled(
    args: &Infoset,
    game: &Arc<dyn Game>,
    role: Role,
    size: usize,
) -> Result<Result<Found, usize>> {
    let never = Stop::never();
    let limits = InfosetLimits { states: ENUMERATED, steps: 40 * ENUMERATED as u64 };
    let settings = Settings { limits, particles: size, ..Settings::default() };
    let mut belief = Belief::new(Arc::clone(game), role, settings, &never)?;
    let mut rng = Seed::from(args.seed).rng();
    let budget = Budget::until(never.clone());
    let mut lived: Vec<Turn> = Vec::new();
    belief.follow(&lived, &budget, &mut rng)?;
    for text in &args.turn {
        let states: Vec<Vec<u64>> =
            (0..belief.len().min(TRIED)).map(|at| belief.state(at).to_vec()).collect();
        lived.push(turns::read(&**game, role, None, &states, lived.len(), text)?);
        match belief.follow(&lived, &budget, &mut rng) {
            Ok(()) => {}
            Err(Halt::Rules(_)) => return Ok(Err(lived.len())),
            Err(halt) => return Err(halt.into()),
        }
    }
    if belief.is_empty() {
        bail!("no state was found in which the game is not over");
    }
    let all = |belief: &Belief| -> Vec<(Vec<u64>, f64)> {
        (0..belief.len()).map(|at| (belief.state(at).to_vec(), belief.share(at))).collect()
    };
    let mut drawn = all(&belief);
    // A role without a choice is satisfied with one state, but the user wants more.
    for _ in 1..size {
        if belief.is_exact() || belief.len() > 1 {
            break;
        }
        belief.follow(&lived, &budget, &mut rng)?;
        drawn.extend(all(&belief));
    }
    let total: f64 = drawn.iter().map(|(_, share)| share).sum();
    let mut pool = Pool::default();
    let mut shares: Vec<f64> = Vec::new();
    let mut squares = 0.0;
    for (state, share) in &drawn {
        let (number, new) = pool.insert(state);
        if new {
            shares.push(0.0);
        }
        shares[number] += share / total;
        squares += (share / total) * (share / total);
    }
    let states =
        shares.iter().enumerate().map(|(at, &share)| (pool.get(at).to_vec(), share)).collect();
    let effective = if squares > 0.0 { 1.0 / squares } else { 0.0 };
    let sample = (!belief.is_exact()).then_some((drawn.len(), effective));
    Ok(Ok(Found { states, probability: f64::NAN, histories: None, sample }))
}
