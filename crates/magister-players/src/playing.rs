//! Shared parts of the Monte Carlo players: means of playouts, and sampling.

use magister_core::{Role, Tally};

use crate::rewards::Scale;

/// The length at which playouts are truncated.
pub(crate) const MAX_STEPS: u32 = 1000;

/// The mean rewards of the playouts of a stream. Truncated playouts count as the middle of the
/// scale; those that ended without a reward count as the lowest value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means<'a> {
    tally: &'a Tally,
    scale: Scale,
}

impl<'a> Means<'a> {
    pub(crate) fn of(tally: &'a Tally, scale: Scale) -> Self {
        Means { tally, scale }
    }

    /// The mean of a role.
    pub(crate) fn role(&self, role: Role) -> f64 {
        let Tally { finished, truncated, paid, sum, .. } = self.tally;
        match (paid.get(role.index()), sum.get(role.index())) {
            (Some(&paid), Some(&sum)) => mean((*finished, *truncated), paid, sum, self.scale),
            _ => self.scale.middle(),
        }
    }
}

/// The mean reward of a role, given the numbers of finished and truncated playouts, the number of
/// those that paid it a reward, and the sum of these rewards. Truncated playouts count as the
/// middle of the scale; those that ended without a reward count as the lowest value.
pub(crate) fn mean(counts: (u32, u32), paid: u32, sum: f64, scale: Scale) -> f64 {
    let (finished, truncated) = counts;
    let all = f64::from(finished + truncated);
    if all == 0.0 {
        return scale.middle();
    }
    // If the game has intermediate rewards, truncated playouts are paid as well.
    let cut = f64::from((finished + truncated - paid).min(truncated));
    let lost = all - f64::from(paid) - cut;
    (sum + cut * scale.middle() + lost * scale.low) / all
}

/// Samples one of several outcomes by probability.
pub(crate) fn outcome(probabilities: &[f64], rng: &mut magister_core::Rng) -> usize {
    if probabilities.len() < 2 {
        return 0;
    }
    let mut rest = rng.f64();
    for (at, likely) in probabilities.iter().enumerate() {
        rest -= likely;
        if rest < 0.0 {
            return at;
        }
    }
    probabilities.len() - 1
}
