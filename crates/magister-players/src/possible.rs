//! The legal moves of a role, for callers that need no more.

use magister_core::{Budget, Halt, Information, Move, Rng, Stop, View};
use magister_infoset::Keep;

use crate::follow::Follower;
use crate::hidden::Mind;

/// The number of states to enumerate, and of histories to sample if there are more. A few suffice,
/// because in a sensible game the role's legal moves are the same in all of them.
const STATES: usize = 64;
const PARTICLES: usize = 16;

/// Finds the legal moves of a role, also with hidden information.
pub struct Possible {
    follower: Follower,
    mind: Mind,
}

impl Default for Possible {
    fn default() -> Self {
        let mind = Mind::new(Keep::States, PARTICLES, STATES);
        Possible { follower: Follower::new(), mind }
    }
}

impl Possible {
    /// Creates the data that [`Possible::moves`] needs.
    pub(crate) fn prepare(&mut self, view: &View, stop: &Stop) -> Result<(), Halt> {
        match view.game().info().information {
            Information::Perfect => self.follower.follow(view, stop).map(drop),
            Information::Hidden => self.mind.prepare(view, stop),
        }
    }

    /// The moves that are legal according to the information state of the role, and whether this is
    /// certain. If no consistent position is found in time, the moves are those of a nearly
    /// consistent one.
    pub fn moves(
        &mut self,
        view: &View,
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<(Vec<Move>, bool), Halt> {
        match view.game().info().information {
            Information::Perfect => {
                let worker = self.follower.follow(view, budget.stop())?;
                Ok((worker.legal(view.role()).to_vec(), true))
            }
            Information::Hidden => self.mind.moves(view, budget, rng),
        }
    }
}

impl std::fmt::Debug for Possible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Possible").finish_non_exhaustive()
    }
}
