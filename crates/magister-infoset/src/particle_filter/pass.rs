//! Advances all particles by one turn.

use magister_core::{Rng, Stop};

use super::propose::MEMORY;
use super::{BLOCK, ParticleFilter};
use crate::InfosetError;
use crate::joints::Order;

impl ParticleFilter {
    /// Advances all particles by one turn. Returns false, with no particles, if none is left.
    pub(super) fn pass(
        &mut self,
        turn: usize,
        eager: u64,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<bool, InfosetError> {
        if self.now.len() == 0 {
            return Ok(false);
        }
        let mut pace = self.pace(turn, eager, stop)?;
        let seen = self.turns[turn].clone();
        self.looked.clear();
        let mut next = std::mem::take(&mut self.spare);
        next.clear();
        let before = self.now.len();
        let mut mass = 0.0;
        // Blocks come in random order, because the blocks that were processed before patience ends
        // must be a sample of all.
        let mut order = Order::new(before.div_ceil(BLOCK) as u64, rng);
        let mut places = Vec::new();
        self.together.begin();
        'all: loop {
            let together = self.next_places(&mut order, &pace, before, &mut places);
            if places.is_empty() {
                break;
            }
            if together
                && patience()
                && self.advance_together(&places, &seen, &mut pace, &mut next, rng, stop)?
            {
                mass += places.iter().map(|&at| self.now.weights[at]).sum::<f64>();
                continue;
            }
            for &at in &places {
                if !patience() {
                    break 'all;
                }
                let turn = (turn, &seen);
                let share = match self.propagate(at, turn, &mut pace, rng, patience, stop) {
                    Err(InfosetError::TooLarge) => break 'all,
                    share => share?,
                };
                mass += self.now.weights[at];
                if share > 0.0 && !(self.asked && self.best.over) {
                    let best = &mut self.best;
                    next.states.push(&best.state);
                    next.weights.push(self.now.weights[at] * share);
                    next.origins.push(self.now.origins[at]);
                    let trail = self.trails.extend(self.now.trails[at], &best.path);
                    next.trails.push(trail);
                    next.over.push(best.over);
                    next.views.extend_from_slice(&best.views);
                }
            }
        }
        self.spare = std::mem::replace(&mut self.now, next);
        self.survived = self.now.len();
        let total: f64 = self.now.weights.iter().sum();
        if total <= 0.0 {
            return Ok(false);
        }
        if self.trails.len() > 4 * self.now.len() * (self.turns.len() + 1) + MEMORY {
            self.trails.keep(&mut self.now.trails);
        }
        self.log += (total / mass).ln();
        self.now.weights.iter_mut().for_each(|weight| *weight /= total);
        Ok(true)
    }
}
