//! From a form to an answer that proves itself.

use std::sync::Arc;

use magister_core::Stop;

use crate::cfr::{Cfr, Variant};
use crate::{Form, Profile};

/// How to play a game, and what the answer is worth.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The game.
    pub form: Arc<Form>,
    /// How everybody plays.
    pub profile: Profile,
    /// What each player gets.
    pub values: Vec<f64>,
    /// What each player would get at best if the others do not change.
    pub best: Vec<f64>,
    /// The rounds it took.
    pub rounds: u64,
    /// Whether it was found by looking at all there is: for one player.
    pub exact: bool,
}

/// When to look for an equilibrium no longer.
#[derive(Clone, Debug)]
pub struct Effort {
    /// What all players together could still gain, as a part of the range of payoffs.
    pub target: f64,
    /// Rounds at most.
    pub rounds: u64,
    /// How regrets are kept.
    pub variant: Variant,
    /// A flag that ends it; what was found by then is the answer.
    pub stop: Stop,
}

impl Default for Effort {
    fn default() -> Self {
        let (variant, stop) = (Variant::Plus, Stop::never());
        Effort { target: 1e-4, rounds: 1_000_000, variant, stop }
    }
}

impl Equilibrium {
    /// Looks for an equilibrium.
    pub fn find(form: Arc<Form>, effort: &Effort) -> Self {
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
        // What is left of the first rounds is not meant to be played.
        for less in [1e-4, 1e-3, 1e-2] {
            let tidy =
                Self::of(Arc::clone(&form), found.profile.without(&form, less), rounds, false);
            if tidy.gain() <= found.gain().max(target) {
                found = tidy;
            }
        }
        found
    }

    fn of(form: Arc<Form>, profile: Profile, rounds: u64, exact: bool) -> Self {
        let values = form.values(&profile);
        let best = (0..values.len()).map(|player| form.best_reply(player, &profile).value);
        let best = best.zip(&values).map(|(best, &value): (f64, _)| best.max(value)).collect();
        Equilibrium { form, profile, values, best, rounds, exact }
    }

    /// What all players together could gain by playing otherwise, each alone.
    pub fn gain(&self) -> f64 {
        self.best.iter().zip(&self.values).map(|(best, value)| best - value).sum()
    }

    /// What a player could gain by playing otherwise, on the average over the players.
    pub fn exploitability(&self) -> f64 {
        self.gain() / self.values.len().max(1) as f64
    }

    /// The same as a part of the range of payoffs.
    pub fn share(&self) -> f64 {
        self.exploitability() / Self::spread(&self.form)
    }

    /// Bounds of the value of the game for each player, in a game of one player, or of two with
    /// opposite interests: what it gets against the best reply, and what it gets with its own best
    /// reply. In other games there is no such value.
    pub fn bounds(&self) -> Option<Vec<(f64, f64)>> {
        match (&self.best[..], self.form.constant_sum()) {
            ([one], _) => Some(vec![(*one, *one)]),
            ([one, two], Some(sum)) => Some(vec![(sum - two, *one), (sum - one, *two)]),
            _ => None,
        }
    }

    fn spread(form: &Form) -> f64 {
        let (low, high) = form.range();
        if high > low && (high - low).is_finite() { high - low } else { 1.0 }
    }
}
