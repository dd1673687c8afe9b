//! The particles of a filter.

use magister_core::Rng;

use crate::pool::Rows;
use crate::views::ViewId;

/// The particles, as parallel vectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Particles {
    pub(crate) states: Rows,
    pub(crate) weights: Vec<f64>,
    /// The start state of each particle in the anchor.
    pub(crate) origins: Vec<u32>,
    /// The joint moves since the anchor.
    pub(crate) trails: Vec<u32>,
    /// The information states of all roles, particle after particle.
    pub(crate) views: Vec<ViewId>,
    /// Whether the game is over.
    pub(crate) over: Vec<bool>,
}

impl Particles {
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.weights.clear();
        self.origins.clear();
        self.views.clear();
        self.trails.clear();
        self.over.clear();
    }

    /// Copies a particle from another set.
    pub(super) fn copy(&mut self, other: &Particles, at: usize, weight: f64, roles: usize) {
        self.states.push(other.states.get(at));
        self.weights.push(weight);
        self.origins.push(other.origins[at]);
        self.trails.push(other.trails[at]);
        self.over.push(other.over[at]);
        if !other.views.is_empty() {
            self.views.extend_from_slice(&other.views[at * roles..(at + 1) * roles]);
        }
    }
}

/// Systematic resampling: numbers in proportion to their shares, with one random number for all.
pub(super) fn systematic(shares: &[f64], count: usize, rng: &mut Rng) -> Vec<usize> {
    let total: f64 = shares.iter().sum();
    let step = total / count as f64;
    let mut next = rng.f64() * step;
    let mut sum = 0.0;
    let mut drawn = Vec::with_capacity(count);
    for (at, share) in shares.iter().enumerate() {
        sum += share;
        while next < sum && drawn.len() < count {
            drawn.push(at);
            next += step;
        }
    }
    // The rounding error.
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    drawn.resize(count, last);
    drawn
}
