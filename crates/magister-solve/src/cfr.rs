//! Counterfactual regret minimisation.

use std::sync::Arc;

use crate::{ExtensiveForm, Profile};

/// How regrets are stored and strategies averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// As published by Zinkevich et al.: all regrets are kept, and all rounds have equal weight.
    Plain,
    /// Tammelin's CFR+: regrets never fall below zero, players update in turn, and later rounds
    /// weigh more.
    #[default]
    Plus,
}

/// Counterfactual regret minimisation: all players adapt their strategies to their regrets, round
/// after round.
///
/// In two-player constant-sum games the average strategy converges to an equilibrium. In other
/// games it need not; [`ExtensiveForm::gains`] measures the distance.
#[derive(Debug)]
pub struct Cfr {
    form: Arc<ExtensiveForm>,
    variant: Variant,
    rounds: u64,
    regrets: Vec<Vec<f64>>,
    current: Profile,
    reaches: Vec<Vec<f64>>,
    /// For each player, the weighted sum of the realisation probabilities of its sequences.
    sums: Vec<Vec<f64>>,
    worth: Vec<f64>,
}

impl Cfr {
    /// The state before the first round, in which all moves are equally likely.
    pub fn new(form: Arc<ExtensiveForm>, variant: Variant) -> Self {
        let zeros = || form.plans.iter().map(|plan| vec![0.0; plan.sequences]).collect();
        let current = Profile::even(&form);
        let reaches = form.reaches(&current);
        let (regrets, sums, worth) = (zeros(), zeros(), Vec::new());
        Cfr { form, variant, rounds: 0, regrets, current, reaches, sums, worth }
    }

    /// The number of rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// One round: every player updates all its information sets once.
    pub fn round(&mut self) {
        self.rounds += 1;
        let players = self.form.players.len();
        match self.variant {
            Variant::Plus => {
                for player in 0..players {
                    self.regret(player);
                    self.adjust(player);
                    self.count(player, self.rounds as f64);
                }
            }
            Variant::Plain => {
                (0..players).for_each(|player| self.regret(player));
                for player in 0..players {
                    self.count(player, 1.0);
                    self.adjust(player);
                }
            }
        }
    }

    /// Adds the counterfactual regrets of a player.
    fn regret(&mut self, player: usize) {
        self.form.gradient(player, &self.reaches, &mut self.worth);
        let (worth, shares) = (&mut self.worth, &self.current.shares[player]);
        let regrets = &mut self.regrets[player];
        for set in self.form.plans[player].sets.iter().rev() {
            let got: f64 = set.range().map(|at| shares[at] * worth[at]).sum();
            for at in set.range() {
                regrets[at] += worth[at] - got;
                if self.variant == Variant::Plus {
                    regrets[at] = regrets[at].max(0.0);
                }
            }
            worth[set.parent as usize] += got;
        }
    }

    /// Regret matching: sets the strategy in proportion to the positive regrets.
    fn adjust(&mut self, player: usize) {
        let (regrets, shares) = (&self.regrets[player], &mut self.current.shares[player]);
        for set in &self.form.plans[player].sets {
            let total: f64 = set.range().map(|at| regrets[at].max(0.0)).sum();
            for at in set.range() {
                shares[at] = if total > 0.0 {
                    regrets[at].max(0.0) / total
                } else {
                    1.0 / f64::from(set.count)
                };
            }
        }
        self.form.reach(player, &self.current.shares[player], &mut self.reaches[player]);
    }

    fn count(&mut self, player: usize, weight: f64) {
        let sums = self.sums[player].iter_mut();
        sums.zip(&self.reaches[player]).for_each(|(sum, reach)| *sum += weight * reach);
    }

    /// The average strategy of all rounds; uniform in information sets that were never reached.
    pub fn average(&self) -> Profile {
        let mut profile = Profile::even(&self.form);
        for (player, plan) in self.form.plans.iter().enumerate() {
            for set in &plan.sets {
                let sums = &self.sums[player][set.range()];
                let total: f64 = sums.iter().sum();
                if total > 0.0 {
                    let shares = &mut profile.shares[player][set.range()];
                    shares.iter_mut().zip(sums).for_each(|(share, sum)| *share = sum / total);
                }
            }
        }
        profile
    }
}
