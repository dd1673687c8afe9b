//! Values of a sum in a two-player constant-sum game, by a search that caches every state.

use std::sync::Arc;

use magister_core::{Halt, Move, Role, Stop};
use rustc_hash::FxHashMap;

use crate::abstracted::Dynamics;
use crate::sum::Sum;

/// The maximum height of a sum for this recursive search.
const DEEPEST: usize = 4_000;

/// A search over the states of a sum.
#[derive(Debug)]
pub(crate) struct Search {
    sum: Arc<Sum>,
    /// The value of each state for the first role.
    known: FxHashMap<Box<[u64]>, f64>,
    /// The least and the greatest value that the first role can get.
    bounds: (f64, f64),
    limit: usize,
}

impl Search {
    /// A search, if the sum is a two-player constant-sum game that always ends.
    pub(crate) fn new(sum: &Arc<Sum>, limit: usize) -> Option<Self> {
        let deep = sum.height()?;
        let fits = sum.outcomes.opposite() && deep <= DEEPEST && sum.turns_only();
        let bounds = sum.outcomes.bounds()?;
        let sum = Arc::clone(sum);
        fits.then(|| Search { sum, known: FxHashMap::default(), bounds, limit })
    }

    /// The sum that is searched.
    pub(crate) fn sum(&self) -> &Arc<Sum> {
        &self.sum
    }

    /// The number of states that were evaluated.
    pub(crate) fn states(&self) -> usize {
        self.known.len()
    }

    /// The value of a state for the first role.
    pub(crate) fn value(&mut self, state: &[u64], stop: &Stop) -> Result<f64, Halt> {
        if let Some(&value) = self.known.get(state) {
            return Ok(value);
        }
        if self.known.len().is_multiple_of(1024) {
            stop.check()?;
        }
        if self.known.len() >= self.limit {
            return Err(Halt::Limit(format!("more than {} states", self.limit)));
        }
        let mut legal = vec![Vec::new(); 2];
        let value = if self.sum.moves(state, &mut legal) {
            let mut goals = Vec::new();
            self.sum.goals(state, Role(0), &mut goals);
            goals[0]
        } else {
            let role = usize::from(legal[0].is_empty());
            if legal[role].is_empty() && self.sum.is_stuck(state) {
                return Err(Halt::Limit(
                    "the game continues although no role has a move".to_owned(),
                ));
            }
            let mut best: Option<f64> = None;
            let options =
                if legal[role].is_empty() { vec![Move::IDLE] } else { legal[role].clone() };
            for choice in options {
                let mut joint = [Move::IDLE; 2];
                joint[role] = choice;
                let mut next = state.to_vec();
                self.sum.make(&mut next, &joint);
                let value = self.value(&next, stop)?;
                let better = |old: f64| if role == 0 { value.max(old) } else { value.min(old) };
                best = Some(best.map_or(value, better));
                // No value is better than the best possible one.
                let limit = if role == 0 { self.bounds.1 } else { self.bounds.0 };
                if best == Some(limit) {
                    break;
                }
            }
            best.unwrap_or(self.bounds.0)
        };
        self.known.insert(state.into(), value);
        Ok(value)
    }
}
