//! From an extensive form to an equilibrium with a proven bound.

use std::sync::Arc;

use magister_core::Stop;

use crate::cfr::{Cfr, Variant};
use crate::{ExtensiveForm, Profile};

/// A strategy profile, and the bounds that prove its quality.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The game.
    pub form: Arc<ExtensiveForm>,
    /// The strategies of all players.
    pub profile: Profile,
    /// The value for each player.
    pub values: Vec<f64>,
    /// The best-response value of each player while the others do not change.
    pub best: Vec<f64>,
    /// The number of rounds.
    pub rounds: u64,
    /// Whether the result is exact, as in games of one player.
    pub exact: bool,
}

/// When to stop the search for an equilibrium.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The target for the sum of all players' gains, as a share of the range of payoffs.
    pub target: f64,
    /// The maximum number of rounds.
    pub rounds: u64,
    /// How regrets are stored.
    pub variant: Variant,
    /// A flag that ends the computation; the result is then the one found so far.
    pub stop: Stop,
}

impl Default for Effort {
    fn default() -> Self {
        let (variant, stop) = (Variant::Plus, Stop::never());
        Effort { target: 1e-4, rounds: 1_000_000, variant, stop }
    }
}

impl Equilibrium {
    /// Computes an equilibrium.
    pub fn find(form: Arc<ExtensiveForm>, effort: &Effort) -> Self {
        if let [_] = form.players() {
            let even = Profile::even(&form);
            let profile = even.with(0, &form.best_reply(0, &even));
            return Self::of(form, profile, 0, true);
        }
        let mut cfr = Cfr::new(Arc::clone(&form), effort.variant);
        let target = effort.target * Self::spread(&form);
        let mut next = 16;
        while cfr.rounds() < effort.rounds && !effort.stop.is_set() {
            cfr.round();
            if cfr.rounds() >= next {
                next += next / 4;
                if form.gains(&cfr.average()).iter().sum::<f64>() <= target {
                    break;
                }
            }
        }
        let rounds = cfr.rounds();
        let mut found = Self::of(Arc::clone(&form), cfr.average(), rounds, false);
        // Removes the small probabilities that are left over from the first rounds.
        for less in [1e-4, 1e-3, 1e-2] {
            let tidy =
                Self::of(Arc::clone(&form), found.profile.without(&form, less), rounds, false);
            if tidy.gain() <= found.gain().max(target) {
                found = tidy;
            }
        }
        found
    }

    fn of(form: Arc<ExtensiveForm>, profile: Profile, rounds: u64, exact: bool) -> Self {
        let values = form.values(&profile);
        let best = (0..values.len()).map(|player| form.best_reply(player, &profile).value);
        let best = best.zip(&values).map(|(best, &value): (f64, _)| best.max(value)).collect();
        Equilibrium { form, profile, values, best, rounds, exact }
    }

    /// The sum of the players' gains from unilateral deviations (`NashConv`).
    pub fn gain(&self) -> f64 {
        self.best.iter().zip(&self.values).map(|(best, value)| best - value).sum()
    }

    /// The average gain of a player from deviating (exploitability).
    pub fn exploitability(&self) -> f64 {
        self.gain() / self.values.len().max(1) as f64
    }

    /// The exploitability as a share of the range of payoffs.
    pub fn share(&self) -> f64 {
        self.exploitability() / Self::spread(&self.form)
    }

    /// Bounds on the value of the game for each player, in one-player and two-player constant-sum
    /// games: the value against the best response, and the value of the player's own best response.
    /// Other games have no such value.
    pub fn bounds(&self) -> Option<Vec<(f64, f64)>> {
        match (&self.best[..], self.form.constant_sum()) {
            ([one], _) => Some(vec![(*one, *one)]),
            ([one, two], Some(sum)) => Some(vec![(sum - two, *one), (sum - one, *two)]),
            _ => None,
        }
    }

    fn spread(form: &ExtensiveForm) -> f64 {
        let (low, high) = form.range();
        if high > low && (high - low).is_finite() { high - low } else { 1.0 }
    }
}
