//! The part of its clock that a player keeps in reserve.

use std::time::Duration;

/// The time that a player keeps in reserve, so that its reply arrives before the clock runs out. It
/// is measured: an agent that has overrun its time gets less from then on.
#[derive(Debug, Default)]
pub(super) struct Margin {
    /// The worst recent overrun of agents.
    worst: Duration,
}

/// The minimum reserve, because a reply takes time to travel.
const LEAST: Duration = Duration::from_millis(80);

impl Margin {
    /// The reserve of a play clock.
    pub(super) fn for_play(&self, clock: Duration) -> Duration {
        (LEAST + clock / 50 + self.worst * 3 / 2).min(clock / 2)
    }

    /// The reserve of a start clock, which managers enforce without a grace period.
    pub(super) fn for_start(&self, clock: Duration) -> Duration {
        (LEAST * 3 + clock / 20 + self.worst * 3 / 2).min(clock / 2)
    }

    /// Records how far an agent overran its time. Old overruns decay slowly.
    pub(super) fn note(&mut self, over: Duration) {
        self.worst = over.max(self.worst * 15 / 16).min(Duration::from_secs(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_overran_gets_less_time() {
        let mut margin = Margin::default();
        let clock = Duration::from_secs(10);
        let before = margin.for_play(clock);
        margin.note(Duration::from_millis(500));
        assert_eq!(margin.for_play(clock), before + Duration::from_millis(750));
        (0..200).for_each(|_| margin.note(Duration::ZERO));
        assert!(margin.for_play(clock) < before + Duration::from_millis(1));
        assert_eq!(margin.for_play(Duration::from_millis(100)), Duration::from_millis(50));
    }
}
