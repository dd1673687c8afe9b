//! Budgets: how long an agent may think.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Stop;

/// A clock that the caller provides, because this crate never reads the time itself.
pub trait Clock: Send + Sync {
    /// The remaining time, zero when the time is up; `None` if time is not limited.
    fn remaining(&self) -> Option<Duration>;
}

/// The resources for a decision: a number of iterations, time, or both.
///
/// With a limit on iterations alone, the same seed gives the same decision.
///
/// ```
/// let mut budget = magister_core::Budget::iterations(2);
/// assert!(budget.spend(1) && budget.spend(1) && !budget.spend(1));
/// ```
#[derive(Clone)]
pub struct Budget {
    iterations: Option<u64>,
    stop: Stop,
    clock: Option<Arc<dyn Clock>>,
}

impl Budget {
    /// A number of iterations; each agent documents what an iteration is.
    pub fn iterations(iterations: u64) -> Self {
        Budget { iterations: Some(iterations), stop: Stop::never(), clock: None }
    }

    /// No limit except the flag.
    pub fn until(stop: Stop) -> Self {
        Budget { iterations: None, stop, clock: None }
    }

    /// The same budget, ended by this flag.
    #[must_use]
    pub fn with_stop(self, stop: Stop) -> Self {
        Budget { stop, ..self }
    }

    /// The same budget, ended by this clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Budget { clock: Some(clock), ..self }
    }

    /// Takes iterations from the budget. Returns false and takes nothing if fewer are left, the
    /// flag is set or the time is up.
    pub fn spend(&mut self, iterations: u64) -> bool {
        if self.stop.is_set() || self.remaining() == Some(Duration::ZERO) {
            return false;
        }
        match &mut self.iterations {
            None => true,
            Some(left) => match left.checked_sub(iterations) {
                None => false,
                Some(rest) => {
                    *left = rest;
                    true
                }
            },
        }
    }

    /// A budget with a part of the iterations and the whole remaining time.
    #[must_use]
    pub fn part(&self, iterations: Option<u64>) -> Self {
        Budget { iterations, ..self.clone() }
    }

    /// The remaining iterations; `None` if they are not limited.
    pub fn left(&self) -> Option<u64> {
        self.iterations
    }

    /// The remaining time; `None` if it is not limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.clock.as_ref().and_then(|clock| clock.remaining())
    }

    /// The flag to pass to workers, so that a long step ends with the budget.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("iterations", &self.iterations)
            .field("remaining", &self.remaining())
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Over;

    impl Clock for Over {
        fn remaining(&self) -> Option<Duration> {
            Some(Duration::ZERO)
        }
    }

    #[test]
    fn refused_iterations_are_not_taken() {
        let mut budget = Budget::iterations(40);
        assert!(budget.spend(32));
        assert!(!budget.spend(32));
        assert_eq!(budget.left(), Some(8));
    }

    #[test]
    fn the_flag_and_the_clock_end_the_budget() {
        let stop = Stop::new();
        let mut budget = Budget::until(stop.clone());
        assert!(budget.spend(1_000_000));
        stop.set();
        assert!(!budget.spend(1));
        assert!(!Budget::iterations(5).with_clock(Arc::new(Over)).spend(1));
    }
}
