//! What a cloud tells about its particles.

use super::Cloud;
use crate::views::{ViewId, Views};

impl Cloud {
    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.now.len()
    }

    /// Whether there are none, which is so only after an error.
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

    /// The weight of a particle; those of all sum up to one.
    pub fn weight(&self, at: usize) -> f64 {
        self.now.weights[at]
    }

    /// The histories of all roles in a particle, if they are kept.
    pub fn views_of(&self, at: usize) -> &[ViewId] {
        let roles = self.game.info().roles.len();
        if self.views.is_none() { &[] } else { &self.now.views[at * roles..(at + 1) * roles] }
    }

    /// All histories, if they are kept.
    pub fn views(&self) -> Option<&Views> {
        self.views.as_ref()
    }

    /// The same, to add what may be seen later.
    pub fn views_mut(&mut self) -> Option<&mut Views> {
        self.views.as_mut()
    }

    /// How many equally likely particles would be worth as much as these.
    pub fn effective(&self) -> f64 {
        let squares: f64 = self.now.weights.iter().map(|weight| weight * weight).sum();
        if squares > 0.0 { 1.0 / squares } else { 0.0 }
    }

    /// How many different states there are among the particles.
    pub fn distinct(&self) -> usize {
        let mut pool = crate::Pool::default();
        (0..self.len()).for_each(|at| {
            pool.insert(self.state(at));
        });
        pool.len()
    }

    /// Whether the weights say how likely the particles are. They do not after a course had to be
    /// looked for by trying everything.
    pub fn is_fair(&self) -> bool {
        !self.found
    }

    /// The natural logarithm of the estimated probability of what was seen since the anchor.
    pub fn log_probability(&self) -> f64 {
        self.log
    }

    /// The particles that agreed with the last turn, before they were drawn anew.
    pub fn survivors(&self) -> usize {
        self.survived
    }

    /// The courses that were tried since the cloud was made, whether they agreed or not.
    pub fn tried(&self) -> u64 {
        self.made
    }

    /// The particles that have gone on side by side since the cloud was made.
    pub fn together(&self) -> u64 {
        self.together.count
    }
}
