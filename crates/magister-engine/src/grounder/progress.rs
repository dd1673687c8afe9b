//! The progress of grounding.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Counters that another thread may read while a program is grounded.
#[derive(Debug, Default)]
pub struct Progress {
    attempts: AtomicUsize,
    instances: AtomicUsize,
    work: AtomicU64,
}

impl Progress {
    /// The number of attempts, and the number of instances in the current one.
    pub fn read(&self) -> (usize, usize) {
        (self.attempts.load(Relaxed), self.instances.load(Relaxed))
    }

    /// The work of the finished attempts, in visited rows; see
    /// [`GroundLimits::work`](super::GroundLimits::work).
    pub fn work(&self) -> u64 {
        self.work.load(Relaxed)
    }

    pub(super) fn worked(&self, work: u64) {
        self.work.fetch_add(work, Relaxed);
    }

    pub(super) fn attempt(&self) {
        self.attempts.fetch_add(1, Relaxed);
        self.instances.store(0, Relaxed);
    }

    pub(super) fn found(&self, instances: usize) {
        self.instances.store(instances, Relaxed);
    }
}
