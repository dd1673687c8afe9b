//! A value that several threads wait for.

use std::sync::{Condvar, Mutex};
use std::time::Instant;

use super::locked;

/// A value that is set once and that any number of threads can wait for.
#[derive(Debug)]
pub(super) struct Slot<T> {
    value: Mutex<Option<T>>,
    filled: Condvar,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { value: Mutex::new(None), filled: Condvar::new() }
    }
}

impl<T: Clone> Slot<T> {
    /// Sets the value, unless it was set before, and returns the value that it then has.
    pub(super) fn fill(&self, value: T) -> T {
        let mut held = locked(&self.value);
        let kept = held.get_or_insert(value).clone();
        drop(held);
        self.filled.notify_all();
        kept
    }

    /// The value, if it is set.
    pub(super) fn get(&self) -> Option<T> {
        locked(&self.value).clone()
    }

    /// Replaces the value.
    pub(super) fn set(&self, value: Option<T>) {
        *locked(&self.value) = value;
        self.filled.notify_all();
    }

    /// Waits until the value is set or the deadline has passed.
    pub(super) fn wait(&self, until: Instant) -> Option<T> {
        let mut held = locked(&self.value);
        loop {
            if held.is_some() {
                return held.clone();
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            held = match self.filled.wait_timeout(held, left) {
                Ok((held, _)) => held,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}
