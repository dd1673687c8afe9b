//! The one clock of the engine.
//!
//! The evaluators of a network return equal results and differ only in speed, which is measured.
//! Everything else that a caller can see is decided by counting, so this is the only place that
//! reads the time. A caller that needs even the choice of an evaluator to be reproducible provides
//! a counting clock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A clock for measuring evaluators.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<dyn Fn() -> Duration + Send + Sync>>);

impl Clock {
    /// The clock of the machine, which is the default.
    pub fn machine() -> Self {
        Self(None)
    }

    /// A clock read by a function: the time since any fixed moment.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now)))
    }

    /// A clock that advances by this amount at each reading.
    pub fn counting(tick: Duration) -> Self {
        let reads = AtomicU64::new(0);
        Self::new(move || {
            let read = reads.fetch_add(1, Ordering::Relaxed);
            Duration::from_nanos(read.saturating_mul(tick.as_nanos() as u64))
        })
    }

    /// Starts a measurement.
    pub fn start(&self) -> Stopwatch {
        Stopwatch(match &self.0 {
            None => Watch::Machine(machine_now()),
            Some(now) => Watch::Other(Arc::clone(now), now()),
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that may read the time")]
fn machine_now() -> Instant {
    Instant::now()
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_none() { "Clock(machine)" } else { "Clock(other)" })
    }
}

enum Watch {
    Machine(Instant),
    Other(Arc<dyn Fn() -> Duration + Send + Sync>, Duration),
}

/// A running measurement.
pub struct Stopwatch(Watch);

impl Stopwatch {
    /// The time since its start.
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            Watch::Machine(begun) => machine_now().saturating_duration_since(*begun),
            Watch::Other(now, begun) => now().saturating_sub(*begun),
        }
    }
}

impl fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopwatch")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counting_clock_advances_when_read() {
        let clock = Clock::counting(Duration::from_millis(3));
        let watch = clock.start();
        assert_eq!(watch.elapsed(), Duration::from_millis(3));
        assert_eq!(watch.elapsed(), Duration::from_millis(6));
        assert_eq!(clock.start().elapsed(), Duration::from_millis(3));
    }

    #[test]
    fn the_clock_of_the_machine_never_runs_backwards() {
        let watch = Clock::machine().start();
        let first = watch.elapsed();
        assert!(watch.elapsed() >= first);
    }
}
