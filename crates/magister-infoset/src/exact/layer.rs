//! The possible states of a role at one turn.

use crate::pool::Pool;
use crate::views::ViewId;

/// States with their probabilities.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// The words of each state, followed by the information states of all roles if they are stored.
    pub(super) pool: Pool,
    /// The number of words after each state.
    pub(super) tail: usize,
    pub(super) shares: Vec<f64>,
    /// The number of histories that end in each state.
    pub(super) histories: Vec<f64>,
    /// Whether the game is over there.
    pub(super) over: Vec<bool>,
}

impl Layer {
    pub(super) fn new(tail: usize) -> Self {
        Layer { tail, ..Layer::default() }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// The words of a state.
    pub fn state(&self, at: usize) -> &[u64] {
        let row = self.pool.get(at);
        &row[..row.len() - self.tail]
    }

    /// The information states of all roles, if they are stored.
    pub fn views(&self, at: usize) -> impl Iterator<Item = ViewId> {
        let row = self.pool.get(at);
        row[row.len() - self.tail..].iter().map(|&id| ViewId(id as u32))
    }

    /// Whether the game is over in a state.
    pub fn is_over(&self, at: usize) -> bool {
        self.over[at]
    }

    /// The probability of a state, given the observations.
    pub fn share(&self, at: usize) -> f64 {
        self.shares[at]
    }

    /// The number of histories that end in a state.
    pub fn histories(&self, at: usize) -> f64 {
        self.histories[at]
    }

    pub(super) fn add(&mut self, row: &[u64], share: f64, histories: f64, over: bool) {
        let (at, new) = self.pool.insert(row);
        if new {
            self.shares.push(0.0);
            self.histories.push(0.0);
            self.over.push(over);
        }
        self.shares[at] += share;
        self.histories[at] += histories;
    }

    /// Adds a state of another layer.
    pub(super) fn copy(&mut self, other: &Layer, at: usize) {
        let Layer { pool, shares, histories, over, .. } = other;
        self.add(pool.get(at), shares[at], histories[at], over[at]);
    }

    /// Normalises the probabilities and returns their former sum.
    pub(super) fn normalise(&mut self) -> f64 {
        let total: f64 = self.shares.iter().sum();
        if total > 0.0 {
            self.shares.iter_mut().for_each(|share| *share /= total);
        }
        total
    }
}
