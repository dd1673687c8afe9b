//! A value that several threads wait for.

use std::sync::{Condvar, Mutex};
use std::time::Instant;

use super::locked;

/// A value that is filled in once and waited for by any number of threads.
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
    /// Fills it in, if no one did so before, and gives what it holds then.
    pub(super) fn fill(&self, value: T) -> T {
        let mut held = locked(&self.value);
        let kept = held.get_or_insert(value).clone();
        drop(held);
        self.filled.notify_all();
        kept
    }

    /// What it holds.
    pub(super) fn get(&self) -> Option<T> {
        locked(&self.value).clone()
    }

    /// Replaces what it holds.
    pub(super) fn set(&self, value: Option<T>) {
        *locked(&self.value) = value;
        self.filled.notify_all();
    }

    /// Waits until it is filled in, but not longer than this.
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
