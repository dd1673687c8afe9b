//! States that a role may be in at one turn.

use crate::pool::Pool;
use crate::views::ViewId;

/// States with their probabilities.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Words of states; behind them, if they are kept, the histories of all roles.
    pub(super) pool: Pool,
    /// How many words stand behind a state.
    pub(super) tail: usize,
    pub(super) shares: Vec<f64>,
    /// How many courses of the game end in each state.
    pub(super) courses: Vec<f64>,
    /// Whether the game is over there.
    pub(super) over: Vec<bool>,
}

impl Layer {
    pub(super) fn new(tail: usize) -> Self {
        Layer { tail, ..Layer::default() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// The words of a state.
    pub fn state(&self, at: usize) -> &[u64] {
        let row = self.pool.get(at);
        &row[..row.len() - self.tail]
    }

    /// The histories of all roles, if they are kept.
    pub fn views(&self, at: usize) -> impl Iterator<Item = ViewId> {
        let row = self.pool.get(at);
        row[row.len() - self.tail..].iter().map(|&id| ViewId(id as u32))
    }

    /// Whether the game is over in a state.
    pub fn is_over(&self, at: usize) -> bool {
        self.over[at]
    }

    /// How likely a state is, given what was seen.
    pub fn share(&self, at: usize) -> f64 {
        self.shares[at]
    }

    /// How many courses of the game end in a state.
    pub fn courses(&self, at: usize) -> f64 {
        self.courses[at]
    }

    pub(super) fn add(&mut self, row: &[u64], share: f64, courses: f64, over: bool) {
        let (at, new) = self.pool.insert(row);
        if new {
            self.shares.push(0.0);
            self.courses.push(0.0);
            self.over.push(over);
        }
        self.shares[at] += share;
        self.courses[at] += courses;
    }

    /// Adds a state of another layer.
    pub(super) fn copy(&mut self, other: &Layer, at: usize) {
        let Layer { pool, shares, courses, over, .. } = other;
        self.add(pool.get(at), shares[at], courses[at], over[at]);
    }

    /// Makes the probabilities sum up to one, and gives the sum they had.
    pub(super) fn normalise(&mut self) -> f64 {
        let total: f64 = self.shares.iter().sum();
        if total > 0.0 {
            self.shares.iter_mut().for_each(|share| *share /= total);
        }
        total
    }
}
