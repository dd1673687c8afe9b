//! Particles that go on side by side: where one try is enough for each, and the others are taken
//! to draw their moves evenly, the engine makes the steps of many at once and tells which agree.

use magister_core::{Rng, Stop, Tried, Tries, Turn};

use super::particles::Particles;
use super::propose::Pace;
use super::{BLOCK, Cloud};
use crate::Trouble;
use crate::joints::Order;

/// The most blocks that go on together: as many particles as the widest vectors have lanes. And no
/// more than have gone on before in the same turn, since nobody looks at the clock meanwhile.
const TOGETHER: usize = 8;

/// What the steps of a turn are asked for with.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// The key of the random numbers of this turn, once one is needed, and the next stream.
    key: Option<u64>,
    stream: u64,
    /// The blocks of this turn so far.
    blocks: usize,
    tried: Tried,
    /// The particles that have gone on like this since the cloud was made.
    pub(super) count: u64,
    /// The engine has said that it can not.
    refused: bool,
}

impl Together {
    /// Before the first particle of a turn.
    pub(super) fn begin(&mut self) {
        (self.key, self.stream, self.blocks) = (None, 0, 0);
    }
}

impl Cloud {
    /// The particles of the next block, or of some more if they can go on together: so many there
    /// are, and whether they can. What decides must not be how these particles fare themselves.
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

    /// Makes one step of each of some particles and adds those that agree to the next ones. False
    /// if the engine can not; then none has gone on.
    pub(super) fn advance_together(
        &mut self,
        places: &[usize],
        turn: &Turn,
        pace: &mut Pace,
        next: &mut Particles,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<bool, Trouble> {
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
