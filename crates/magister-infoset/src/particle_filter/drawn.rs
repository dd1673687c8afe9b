//! Sampling particles from the anchor, and resampling.

use magister_core::Rng;

use super::ParticleFilter;
use super::particles::systematic;
use crate::trail::{START, Trails};

impl ParticleFilter {
    /// Draws particles at the anchor by its probabilities.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        let roles = self.game.info().roles.len();
        self.now.clear();
        self.trails = Trails::new(roles);
        let shares: Vec<f64> = (0..self.anchor.len()).map(|at| self.anchor.share(at)).collect();
        let weight = 1.0 / self.size as f64;
        for at in systematic(&shares, self.size, rng) {
            self.now.states.push(self.anchor.state(at));
            self.now.weights.push(weight);
            self.now.origins.push(at as u32);
            self.now.trails.push(START);
            self.now.over.push(self.anchor.is_over(at));
            if self.views.is_some() {
                self.now.views.extend(self.anchor.views(at).take(roles));
            }
        }
    }

    /// Resamples the particles if their weights are uneven.
    pub(super) fn even_out(&mut self, rng: &mut Rng) {
        if self.effective() < self.size as f64 / 2.0 {
            self.resample(self.size, rng);
        }
    }

    /// Resamples particles by weight; afterwards all weights are equal.
    pub fn resample(&mut self, size: usize, rng: &mut Rng) {
        let roles = self.game.info().roles.len();
        let mut next = std::mem::take(&mut self.spare);
        next.clear();
        let weight = 1.0 / size as f64;
        for at in systematic(&self.now.weights, size, rng) {
            next.copy(&self.now, at, weight, roles);
        }
        self.spare = std::mem::replace(&mut self.now, next);
    }
}
