//! Time control.

use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::record::MatchLimits;
use magister_core::{Budget, Clock, Stop};

/// How long a player may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// The time for a move.
    pub time: Option<Duration>,
    /// The iterations for a move.
    pub iterations: Option<u64>,
    /// The time before the first move.
    pub start: Option<Duration>,
    /// How late an answer may be and still count, because a busy machine is not the player's fault.
    pub grace: Duration,
}

impl Default for TimeControl {
    fn default() -> Self {
        TimeControl { time: None, iterations: None, start: None, grace: Duration::from_millis(50) }
    }
}

impl TimeControl {
    /// The limits as recorded.
    pub fn recorded(&self) -> MatchLimits {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        MatchLimits {
            time_ms: self.time.map(ms),
            iterations: self.iterations,
            start_ms: self.start.map(ms),
            grace_ms: ms(self.grace),
            ..MatchLimits::default()
        }
    }

    /// The budget of one decision with a deadline.
    pub(crate) fn budget(&self, time: Option<Duration>, stop: &Stop) -> Budget {
        let budget = match self.iterations {
            Some(iterations) => Budget::iterations(iterations).with_stop(stop.clone()),
            None => Budget::until(stop.clone()),
        };
        match time {
            Some(time) => budget.with_clock(Arc::new(Deadline::within(time))),
            None => budget,
        }
    }
}

/// A clock that counts down to a deadline.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline this long from now.
    pub fn within(time: Duration) -> Self {
        Deadline(Instant::now() + time)
    }
}

impl Clock for Deadline {
    fn remaining(&self) -> Option<Duration> {
        Some(self.0.saturating_duration_since(Instant::now()))
    }
}

/// The part of its time that a player keeps in reserve, so that the answer arrives in time: threads
/// wake up late on a busy machine.
pub(crate) fn margin(time: Duration) -> Duration {
    (time / 10).clamp(Duration::from_millis(2), Duration::from_millis(200)).min(time / 2)
}
