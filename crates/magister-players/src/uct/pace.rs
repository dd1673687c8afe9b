//! The number of descents in a round, and the concurrency cap of nodes.

use std::num::NonZeroU32;
use std::time::Duration;

use magister_core::Budget;

use super::Config;

/// If fewer rounds than this remain, all are full, because with slow playouts a round of one
/// descent costs as much as a full one.
const FEW: u32 = 2000;

/// The factor by which a round may then exceed the previous one.
const GROWTH: u32 = 4;

/// The divisor of the visits grows by one for every this many rounds that the clock allows. If it
/// allows fewer, there is no cap.
const ROUNDS: u32 = 64;

/// Decides the sizes of rounds. If only iterations are limited, they depend on the visits alone.
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

    /// The number of descents in the next round.
    pub(super) fn size(&mut self, visits: u32, config: &Config, budget: &Budget) -> u32 {
        let batch = config.batch;
        let size = (visits / config.patience).clamp(1, batch);
        self.rounds += 1;
        let (Some(began), Some(left)) = (self.began, budget.remaining()) else { return size };
        let each = began.saturating_sub(left) / self.rounds;
        // The first rounds measure the duration of a round; a round that does not finish in time is
        // lost.
        let full = batch.min(self.last.saturating_mul(GROWTH));
        self.last = if self.rounds > 1 && left < each * FEW { full.max(size) } else { size };
        self.last
    }

    /// The concurrency cap: the number of concurrent descents through a node is at most its visits
    /// divided by this. `None` if rounds are so slow that a search that starts with small ones
    /// would end before the large ones.
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
