//! Strategy profiles, their values, and the gains of best responses.

use crate::ExtensiveForm;

/// A behavioural strategy for each player: the probability of each move in each information set.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// For each player and each of its sequences, the conditional probability of its last move.
    pub(crate) shares: Vec<Vec<f64>>,
}

/// A best response of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Its value.
    pub value: f64,
    /// Its moves, as in a profile.
    pub(crate) shares: Vec<f64>,
}

impl Profile {
    /// The uniform profile.
    pub fn even(form: &ExtensiveForm) -> Self {
        let even = |player: usize| {
            let plan = &form.plans[player];
            let mut shares = vec![1.0; plan.sequences];
            for set in &plan.sets {
                shares[set.range()].fill(1.0 / f64::from(set.count));
            }
            shares
        };
        Profile { shares: (0..form.plans.len()).map(even).collect() }
    }

    /// The mixture of a player in an information set.
    pub fn mixture(&self, form: &ExtensiveForm, player: usize, set: usize) -> &[f64] {
        &self.shares[player][form.plans[player].sets[set].range()]
    }

    /// Sets the mixture of a player in an information set: non-negative shares, which are
    /// normalised. Other input is ignored.
    pub fn set(&mut self, form: &ExtensiveForm, player: usize, set: usize, shares: &[f64]) {
        let total: f64 = shares.iter().sum();
        let place = &mut self.shares[player][form.plans[player].sets[set].range()];
        if place.len() == shares.len() && total > 0.0 && total.is_finite() {
            place.iter_mut().zip(shares).for_each(|(share, given)| *share = given / total);
        }
    }

    /// The profile with one player's strategy replaced.
    #[must_use]
    pub fn with(&self, player: usize, reply: &Reply) -> Self {
        let mut shares = self.shares.clone();
        shares[player].clone_from(&reply.shares);
        Profile { shares }
    }

    /// The profile without moves that are less likely than this.
    #[must_use]
    pub fn without(&self, form: &ExtensiveForm, less: f64) -> Self {
        let mut shares = self.shares.clone();
        for (plan, shares) in form.plans.iter().zip(&mut shares) {
            for set in &plan.sets {
                let shares = &mut shares[set.range()];
                shares.iter_mut().filter(|share| **share < less).for_each(|share| *share = 0.0);
                let total: f64 = shares.iter().sum();
                if total > 0.0 {
                    shares.iter_mut().for_each(|share| *share /= total);
                }
            }
        }
        Profile { shares }
    }
}

impl ExtensiveForm {
    /// The realisation probability of each sequence of a player.
    pub(crate) fn reach(&self, player: usize, shares: &[f64], out: &mut Vec<f64>) {
        let plan = &self.plans[player];
        out.clear();
        out.resize(plan.sequences, 1.0);
        for set in &plan.sets {
            let before = out[set.parent as usize];
            for at in set.range() {
                out[at] = before * shares[at];
            }
        }
    }

    pub(crate) fn reaches(&self, profile: &Profile) -> Vec<Vec<f64>> {
        let mut all = vec![Vec::new(); self.players.len()];
        for (player, out) in all.iter_mut().enumerate() {
            self.reach(player, &profile.shares[player], out);
        }
        all
    }

    /// For each sequence of a player, the payoffs right after it, weighted by the reach of chance
    /// and the others.
    pub(crate) fn gradient(&self, player: usize, reaches: &[Vec<f64>], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.plans[player].sequences, 0.0);
        let count = self.players.len();
        if count == 2 {
            let other = &reaches[1 - player];
            for (at, payoff) in self.sequences.chunks_exact(2).zip(self.payoffs.chunks_exact(2)) {
                out[at[player] as usize] += payoff[player] * other[at[1 - player] as usize];
            }
            return;
        }
        for (at, payoff) in self.sequences.chunks_exact(count).zip(self.payoffs.chunks_exact(count))
        {
            out[at[player] as usize] += payoff[player] * others(player, at, reaches);
        }
    }

    /// The value for each player.
    pub fn values(&self, profile: &Profile) -> Vec<f64> {
        let reaches = self.reaches(profile);
        let count = self.players.len();
        let mut values = vec![0.0; count];
        for (at, payoff) in self.sequences.chunks_exact(count).zip(self.payoffs.chunks_exact(count))
        {
            let likely = others(count, at, &reaches);
            values.iter_mut().zip(payoff).for_each(|(value, payoff)| *value += likely * payoff);
        }
        values
    }

    /// The exact best response of a player: from the last information sets to the first, the move
    /// with the highest value. Among equal moves it takes the first.
    pub fn best_reply(&self, player: usize, profile: &Profile) -> Reply {
        let mut worth = Vec::new();
        self.gradient(player, &self.reaches(profile), &mut worth);
        let plan = &self.plans[player];
        let mut shares = vec![0.0; plan.sequences];
        shares[0] = 1.0;
        for set in plan.sets.iter().rev() {
            let better = |best: usize, at: usize| if worth[at] > worth[best] { at } else { best };
            let best = set.range().fold(set.first as usize, better);
            shares[best] = 1.0;
            worth[set.parent as usize] += worth[best];
        }
        Reply { value: worth[0], shares }
    }

    /// The gain of each player from a unilateral deviation. If all gains are zero, the profile is a
    /// Nash equilibrium.
    pub fn gains(&self, profile: &Profile) -> Vec<f64> {
        let values = self.values(profile);
        let gain = |(player, value): (usize, &f64)| {
            (self.best_reply(player, profile).value - value).max(0.0)
        };
        values.iter().enumerate().map(gain).collect()
    }

    /// For each information set of a player its reach probability, and the value of each of its
    /// moves if play continues according to the profile. The values are NaN in sets that are never
    /// reached, and in games with intermediate rewards.
    pub fn report(&self, player: usize, profile: &Profile) -> Vec<(f64, Vec<f64>)> {
        let reaches = self.reaches(profile);
        let (mut worth, count) = (Vec::new(), self.players.len());
        self.gradient(player, &reaches, &mut worth);
        let plan = &self.plans[player];
        // The probability with which chance and the others allow each sequence to be completed.
        let mut mass = vec![0.0; plan.sequences];
        for (at, chance) in self.sequences.chunks_exact(count).zip(&self.chances) {
            mass[at[player] as usize] += chance * others(player, at, &reaches);
        }
        let mut all = vec![(0.0, Vec::new()); plan.sets.len()];
        let shares = &profile.shares[player];
        for (number, set) in plan.sets.iter().enumerate().rev() {
            let parent = set.parent as usize;
            let values = set.range().map(|at| worth[at] / mass[at]).collect();
            let met: f64 = set.range().map(|at| shares[at] * mass[at]).sum();
            all[number] = (met * reaches[player][parent], values);
            mass[parent] += met;
            worth[parent] += set.range().map(|at| shares[at] * worth[at]).sum::<f64>();
        }
        all
    }
}

/// The product of the reach probabilities of all players except one.
fn others(but: usize, sequences: &[u32], reaches: &[Vec<f64>]) -> f64 {
    let all = sequences.iter().zip(reaches).enumerate();
    all.filter(|(player, _)| *player != but).map(|(_, (&at, reach))| reach[at as usize]).product()
}
