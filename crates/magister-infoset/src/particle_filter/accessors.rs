//! Access to the particles and their statistics.

use super::ParticleFilter;
use crate::views::{ViewId, Views};

impl ParticleFilter {
    /// The number of particles.
    pub fn len(&self) -> usize {
        self.now.len()
    }

    /// Whether there are no particles, which is the case only after an error.
    pub fn is_empty(&self) -> bool {
        self.now.len() == 0
    }

    /// The state of a particle.
    pub fn state(&self, at: usize) -> &[u64] {
        self.now.states.get(at)
    }

    /// Whether the game is over in a particle.
    pub fn is_over(&self, at: usize) -> bool {
        self.now.over[at]
    }

    /// The weight of a particle; all weights sum to one.
    pub fn weight(&self, at: usize) -> f64 {
        self.now.weights[at]
    }

    /// The information states of all roles in a particle, if they are stored.
    pub fn views_of(&self, at: usize) -> &[ViewId] {
        let roles = self.game.info().roles.len();
        if self.views.is_none() { &[] } else { &self.now.views[at * roles..(at + 1) * roles] }
    }

    /// All information states, if they are stored.
    pub fn views(&self) -> Option<&Views> {
        self.views.as_ref()
    }

    /// As [`views`](ParticleFilter::views), for adding possible future observations.
    pub fn views_mut(&mut self) -> Option<&mut Views> {
        self.views.as_mut()
    }

    /// The effective sample size.
    pub fn effective(&self) -> f64 {
        let squares: f64 = self.now.weights.iter().map(|weight| weight * weight).sum();
        if squares > 0.0 { 1.0 / squares } else { 0.0 }
    }

    /// The number of distinct states among the particles.
    pub fn distinct(&self) -> usize {
        let mut pool = crate::Pool::default();
        (0..self.len()).for_each(|at| {
            pool.insert(self.state(at));
        });
        pool.len()
    }

    /// Whether the weights are unbiased. They are not after an exhaustive search.
    pub fn is_fair(&self) -> bool {
        !self.found
    }

    /// The natural logarithm of the estimated probability of the observations since the anchor.
    pub fn log_probability(&self) -> f64 {
        self.log
    }

    /// The number of particles that agreed with the last turn, before resampling.
    pub fn survivors(&self) -> usize {
        self.survived
    }

    /// The number of histories that were tried so far, consistent or not.
    pub fn tried(&self) -> u64 {
        self.made
    }

    /// The number of particles that were advanced on vectors so far.
    pub fn together(&self) -> u64 {
        self.together.count
    }
}
