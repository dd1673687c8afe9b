//! Advances many particles at once. If one try per particle is enough and the other roles are
//! assumed to move uniformly, the engine makes the steps of many particles on vectors and reports
//! which agree.

use magister_core::{Rng, Stop, Tried, Tries, Turn};

use super::particles::Particles;
use super::propose::Pace;
use super::{BLOCK, ParticleFilter};
use crate::InfosetError;
use crate::joints::Order;

/// The maximum number of blocks in one call: as many particles as the widest vectors have lanes. It
/// is also limited by the number of particles so far in the same turn, because the clock is not
/// checked during a call.
const TOGETHER: usize = 8;

/// The state of vector stepping during a turn.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// The key of this turn's random numbers, once needed, and the next stream.
    key: Option<u64>,
    stream: u64,
    /// The number of blocks of this turn so far.
    blocks: usize,
    tried: Tried,
    /// The number of particles that were advanced in this way so far.
    pub(super) count: u64,
    /// Whether the engine has refused.
    refused: bool,
}

impl Together {
    /// Resets the state before the first particle of a turn.
    pub(super) fn begin(&mut self) {
        (self.key, self.stream, self.blocks) = (None, 0, 0);
    }
}

impl ParticleFilter {
    /// The number of particles in the next call, and whether they can be advanced together. The
    /// decision must not depend on the results of these particles.
    pub(super) fn next_places(
        &mut self,
        order: &mut Order,
        pace: &Pace,
        all: usize,
        places: &mut Vec<usize>,
    ) -> bool {
        let together = pace.is_single()
            && !self.together.refused
            && self.views.is_none()
            && self.model.is_uniform()
            && self.proposal.is_exhausted();
        places.clear();
        let most = if together { self.together.blocks.clamp(1, TOGETHER) } else { 1 };
        for start in order.by_ref().take(most).map(|block| block as usize * BLOCK) {
            places.extend(start..(start + BLOCK).min(all));
            self.together.blocks += 1;
        }
        together
    }

    /// Makes one step of each of some particles and adds those that agree to the next ones. Returns
    /// false if the engine cannot do it; then nothing has changed.
    pub(super) fn advance_together(
        &mut self,
        places: &[usize],
        turn: &Turn,
        pace: &mut Pace,
        next: &mut Particles,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<bool, InfosetError> {
        let Together { key, stream, tried, count, refused, .. } = &mut self.together;
        let seed = *key.get_or_insert_with(|| rng.next_u64());
        let starts: Vec<&[u64]> = places.iter().map(|&at| self.now.states.get(at)).collect();
        let (first, role) = (*stream, self.role);
        let tries = Tries { seed, first, starts: &starts, role, turn };
        if !self.worker.tries(&tries, tried, stop)? {
            *refused = true;
            return Ok(false);
        }
        *stream += places.len().div_ceil(magister_core::playout::LANES) as u64;
        *count += places.len() as u64;
        self.made += places.len() as u64;
        let roles = self.game.info().roles.len();
        let words = tried.states.len() / tried.places.len().max(1);
        let mut agreed = 0;
        for (number, &place) in tried.places.iter().enumerate() {
            let over = tried.over[number];
            if self.asked && over {
                continue;
            }
            agreed += 1;
            let at = places[place as usize];
            next.states.push(&tried.states[number * words..(number + 1) * words]);
            next.weights.push(self.now.weights[at]);
            next.origins.push(self.now.origins[at]);
            let joint = &tried.joints[number * roles..(number + 1) * roles];
            next.trails.push(self.trails.extend(self.now.trails[at], joint));
            next.over.push(over);
        }
        pace.note(places.len() as u64, places.len() as u64, agreed);
        Ok(true)
    }
}
