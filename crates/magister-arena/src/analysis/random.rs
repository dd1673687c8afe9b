//! Statistics of random play.

use magister_core::{Halt, Move, Payment, Step, Stop, draw};
use serde::{Deserialize, Serialize};

use super::Analysis;

/// Statistics of random play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RandomPlay {
    /// The number of matches.
    pub matches: u32,
    /// The number of matches that were cut off.
    pub broken_off: u32,
    /// The mean number of steps, including matches that were cut off.
    pub length: f64,
    /// The mean number of joint moves in a position.
    pub branching: f64,
    /// The largest number of joint moves in a position.
    pub widest: f64,
    /// The decimal logarithm of D. Knuth's estimate of the size of the game tree; of its visited
    /// part, if matches were cut off.
    pub tree_log10: f64,
    /// The mean reward of each seat, if any match ended.
    pub rewards: Option<Vec<f64>>,
    /// The seat that had the first choice in every match, if there is one.
    #[serde(default)]
    pub first: Option<usize>,
}

/// The role with the first choice, over all matches.
#[derive(Clone, Copy, PartialEq)]
enum First {
    Unknown,
    Seat(usize),
    /// Several roles at once, or different roles in different matches.
    Nobody,
}

impl First {
    fn and(self, other: First) -> First {
        match (self, other) {
            (First::Unknown, new) => new,
            (known, new) if known == new => known,
            _ => First::Nobody,
        }
    }
}

impl Analysis {
    pub(super) fn random(&self, stop: &Stop) -> Result<RandomPlay, Halt> {
        let info = self.game.info();
        let mut worker = self.game.worker();
        let mut rng = self.seed.derive("random play").rng();
        let (mut step, mut joint, mut goals) = (Step::new(), Vec::new(), Vec::new());
        let mut found = RandomPlay { matches: self.playouts, ..RandomPlay::default() };
        let (mut positions, mut moves, mut ends) = (0_u64, 0.0, 0_u32);
        let mut tree = f64::NEG_INFINITY;
        let mut rewards = vec![0.0; info.players().count()];
        let mut first = First::Unknown;
        for _ in 0..self.playouts {
            worker.reset();
            // Knuth's estimate: the sum of the products of the branching factors along a random
            // path. Logarithms are used, because long games have more positions than floats can
            // represent.
            let (mut product, mut nodes, mut steps) = (0.0_f64, 0.0_f64, 0);
            let mut totals = vec![0.0; info.roles.len()];
            let mut chosen = false;
            while !worker.terminal() && steps < self.max_steps {
                stop.check()?;
                joint.clear();
                let mut width = 1.0;
                for role in info.all_roles() {
                    let legal = worker.legal(role);
                    width *= legal.len() as f64;
                    let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
                    joint.push(draw(legal, weights, &mut rng).unwrap_or(Move::IDLE));
                }
                let open = |&(_, role): &(usize, _)| worker.legal(role).len() > 1;
                let mut open = info.players().enumerate().filter(open).map(|(seat, _)| seat);
                if let Some(seat) = open.next().filter(|_| !chosen) {
                    chosen = true;
                    let alone = open.next().is_none();
                    first = first.and(if alone { First::Seat(seat) } else { First::Nobody });
                }
                product += width.log10();
                nodes = log10_sum(nodes, product);
                moves += width;
                positions += 1;
                found.widest = found.widest.max(width);
                worker.step(&joint, &mut step, stop)?;
                totals.iter_mut().zip(&step.gains).for_each(|(total, gain)| *total += gain);
                steps += 1;
            }
            tree = log10_sum(tree, nodes);
            found.length += f64::from(steps) / f64::from(self.playouts);
            if !worker.terminal() {
                found.broken_off += 1;
                continue;
            }
            ends += 1;
            for (seat, role) in info.players().enumerate() {
                worker.goals(role, &mut goals);
                rewards[seat] += match info.payment {
                    Payment::OnTheWay => totals[role.index()],
                    Payment::AtEnd => goals.first().copied().unwrap_or(0.0),
                };
            }
        }
        found.branching = moves / positions.max(1) as f64;
        found.tree_log10 = (tree - f64::from(self.playouts).log10()).max(0.0);
        rewards.iter_mut().for_each(|sum| *sum /= f64::from(ends.max(1)));
        found.rewards = (ends > 0).then_some(rewards);
        found.first = if let First::Seat(seat) = first { Some(seat) } else { None };
        Ok(found)
    }
}

/// The decimal logarithm of the sum of two numbers, given their logarithms.
fn log10_sum(one: f64, other: f64) -> f64 {
    let (more, less) = if one > other { (one, other) } else { (other, one) };
    if less == f64::NEG_INFINITY { more } else { more + (1.0 + 10_f64.powf(less - more)).log10() }
}

#[cfg(test)]
mod tests {
    use super::log10_sum;

    #[test]
    fn sums_of_logarithms() {
        assert!((log10_sum(2.0, 2.0) - 200_f64.log10()).abs() < 1e-12);
        assert!((log10_sum(f64::NEG_INFINITY, 1.5) - 1.5).abs() < 1e-12);
        assert!((log10_sum(1000.0, 3.0) - 1000.0).abs() < 1e-12);
        assert!((log10_sum(0.0, 900.0) - 900.0).abs() < 1e-12);
    }
}
