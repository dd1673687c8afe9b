//! How many descents a round has, and a node takes at once.

use std::num::NonZeroU32;
use std::time::Duration;

use magister_core::Budget;

use super::Config;

/// With fewer rounds than this to come, all are full: in a game whose playouts take long, a round of
/// one descent costs as much as a full one.
const FEW: u32 = 2000;

/// And then a round is at most so many times as large as the one before.
const GROWTH: u32 = 4;

/// What visits are divided by grows by one with each so many rounds that a clock leaves time for:
/// where it leaves time for fewer, nodes take all that come.
const ROUNDS: u32 = 64;

/// Tells how large rounds are to be. Where only iterations count, that depends on nothing but the
/// visits.
#[derive(Debug)]
pub(super) struct Pace {
    began: Option<Duration>,
    rounds: u32,
    last: u32,
}

impl Pace {
    pub(super) fn new(budget: &Budget) -> Self {
        Pace { began: budget.remaining(), rounds: 0, last: 0 }
    }

    /// The descents of the next round.
    pub(super) fn size(&mut self, visits: u32, config: &Config, budget: &Budget) -> u32 {
        let batch = config.batch;
        let size = (visits / config.patience).clamp(1, batch);
        self.rounds += 1;
        let (Some(began), Some(left)) = (self.began, budget.remaining()) else { return size };
        let each = began.saturating_sub(left) / self.rounds;
        // The first rounds find out how long one takes: one that is not done in time is lost.
        let full = batch.min(self.last.saturating_mul(GROWTH));
        self.last = if self.rounds > 1 && left < each * FEW { full.max(size) } else { size };
        self.last
    }

    /// A node takes at most its visits divided by this at once; all that come if there is none. That
    /// is how it is where rounds take so long that a search which begins with small ones would be
    /// over before it comes to large ones.
    pub(super) fn concurrency_cap(&self, config: &Config, budget: &Budget) -> Option<NonZeroU32> {
        let (Some(began), Some(left)) = (self.began, budget.remaining()) else {
            return NonZeroU32::new(config.concurrency_cap);
        };
        let each = began.saturating_sub(left) / self.rounds.max(1);
        let rounds = began.as_nanos() / each.as_nanos().max(1);
        let parts = u32::try_from(rounds).unwrap_or(u32::MAX) / ROUNDS;
        NonZeroU32::new(parts.min(config.concurrency_cap))
    }
}
