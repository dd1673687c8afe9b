//! Decisions at the root in self-play: Gumbel noise, sequential halving, and the improved policy.
//!
//! A few simulations then suffice for a policy that is better than the network's: the policy raises
//! the moves whose values turned out to be above the others.

use magister_core::Rng;

use super::net::softmax;
use super::tree::{Actor, Arm, Tree};

/// The visits that are added to the most visited move when values are weighed against logits.
const VISITS: f32 = 50.0;
/// The weight of values against logits.
const SCALE: f32 = 0.5;
/// The most moves that are compared.
const CONSIDERED: usize = 16;

/// One random number of the Gumbel distribution for each move.
pub(crate) fn noise(count: usize, rng: &mut Rng) -> Vec<f32> {
    let one = |rng: &mut Rng| -logarithm(-logarithm(rng.f64().max(1e-12)));
    (0..count).map(|_| one(rng) as f32).collect()
}

/// The natural logarithm, computed alike on all machines.
pub(crate) fn logarithm(x: f64) -> f64 {
    let bits = x.to_bits();
    let power = (bits >> 52 & 0x7ff) as f64 - 1023.0;
    let part = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // The series of the inverse hyperbolic tangent, for a fraction between 0 and 1/3.
    let ratio = (part - 1.0) / (part + 1.0);
    let square = ratio * ratio;
    let mut sum = 0.0;
    for term in (0..20).rev() {
        sum = sum * square + 1.0 / f64::from(2 * term + 1);
    }
    2.0 * ratio * sum + power * std::f64::consts::LN_2
}

/// For each simulation, the number of visits that the moves in question have: sequential halving
/// of `moves` moves in `simulations` simulations.
pub(crate) fn schedule(moves: usize, simulations: usize) -> Vec<u32> {
    let moves = moves.clamp(1, CONSIDERED);
    if moves == 1 {
        return (0..simulations as u32).collect();
    }
    let phases = moves.next_power_of_two().trailing_zeros() as usize;
    let mut visits = vec![0_u32; moves];
    let mut considered = moves;
    let mut out = Vec::with_capacity(simulations + moves);
    while out.len() < simulations {
        for _ in 0..(simulations / (phases * considered)).max(1) {
            out.extend_from_slice(&visits[..considered]);
            visits[..considered].iter_mut().for_each(|visits| *visits += 1);
        }
        considered = (considered / 2).max(2);
    }
    out.truncate(simulations);
    out
}

/// The move to simulate next: the best of those with this number of visits.
pub(crate) fn next(tree: &Tree, actor: &Actor, noise: &[f32], visits: u32) -> u16 {
    let worth = worth(tree, actor);
    let candidates = |visits: Option<u32>| {
        let all = actor.arms.iter().enumerate();
        all.filter(move |(_, arm)| visits.is_none_or(|visits| arm.visits == visits))
            .map(|(pick, arm)| (arm.logit + noise[pick] + worth[pick], pick as u16))
            .reduce(|a, b| if b.0 > a.0 { b } else { a })
    };
    candidates(Some(visits)).or_else(|| candidates(None)).map_or(0, |best| best.1)
}

/// The move to play: the best of the most visited ones. An exact win is played at once, and an
/// exact loss only if there is nothing else.
pub(crate) fn choose(tree: &Tree, actor: &Actor, noise: &[f32]) -> u16 {
    let most = actor.arms.iter().map(|arm| arm.visits).max().unwrap_or(0);
    let worth = worth(tree, actor);
    let all = actor.arms.iter().enumerate();
    let known = all.clone().any(|(_, arm)| arm.exact.is_some());
    all.filter(|(_, arm)| arm.visits == most || known && arm.exact.is_some())
        .map(|(pick, arm)| (arm.logit + noise[pick] + worth[pick], pick as u16))
        .reduce(|a, b| if b.0 > a.0 { b } else { a })
        .map_or(0, |best| best.1)
}

/// The improved policy.
pub(crate) fn improved(tree: &Tree, actor: &Actor) -> Vec<f32> {
    let worth = worth(tree, actor);
    let mut out: Vec<f32> =
        actor.arms.iter().zip(worth).map(|(arm, worth)| arm.logit + worth).collect();
    softmax(&mut out);
    out
}

/// The values of all moves in units of logits. A move without visits has the mean of the network's
/// value and the visited moves.
fn worth(tree: &Tree, actor: &Actor) -> Vec<f32> {
    let root = &tree.nodes[0];
    let (mut priors, mut values, mut visits, mut most) = (0.0, 0.0, 0.0, 0.0_f32);
    for arm in &actor.arms {
        if let Some(value) = arm.value() {
            priors += arm.prior;
            values += arm.prior * value;
        }
        visits += arm.visits as f32;
        most = most.max(arm.visits as f32);
    }
    let own = root.values.get(actor.player).copied().unwrap_or(0.0);
    let mixed = if priors > 0.0 { (own + visits * values / priors) / (1.0 + visits) } else { own };
    let factor = (VISITS + most) * SCALE;
    let value = |arm: &Arm| factor * tree.share(arm.value().unwrap_or(mixed));
    actor.arms.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;

    #[test]
    fn halving_spends_all_simulations() {
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        // Four moves once each, then the best two.
        assert_eq!(schedule(4, 12), [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        for (moves, simulations) in [(2, 7), (7, 32), (30, 16), (200, 64)] {
            assert_eq!(schedule(moves, simulations).len(), simulations);
        }
    }

    #[test]
    fn the_logarithm_is_close() {
        for x in [1e-12, 1e-3, 0.3, 0.5, 0.999, 1.0, 1.7, 27.6] {
            assert!((logarithm(x) - x.ln()).abs() < 1e-10, "{x}");
        }
    }

    /// The mean of the distribution is Euler's constant.
    #[test]
    fn the_noise_has_the_right_mean() {
        let mut rng = Seed::from(1).rng();
        let numbers = noise(20_000, &mut rng);
        let mean = numbers.iter().sum::<f32>() / 20_000.0;
        assert!((mean - 0.5772).abs() < 0.03, "{mean}");
    }
}
