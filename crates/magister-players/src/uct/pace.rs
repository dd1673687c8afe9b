//! How many descents a round has.

use std::time::Duration;

use magister_core::Budget;

use super::Config;

/// With fewer rounds than this to come, all are full: in a game whose playouts take long, a round of
/// one descent costs as much as a full one.
const FEW: u32 = 2000;

/// And then a round is at most so many times as large as the one before.
const GROWTH: u32 = 4;

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
}
