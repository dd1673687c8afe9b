//! A watchdog for rules that take too long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use magister_core::Stop;

/// Sets a flag when a match makes no step for too long.
pub(crate) struct Watchdog {
    stop: Stop,
    steps: Arc<AtomicU64>,
    /// The thread ends when this is dropped.
    _over: mpsc::Sender<()>,
}

impl Watchdog {
    pub(crate) fn new(patience: Duration) -> std::io::Result<Self> {
        let (over, wait) = mpsc::channel::<()>();
        let dog = Watchdog { stop: Stop::new(), steps: Arc::new(AtomicU64::new(1)), _over: over };
        let (stop, steps) = (dog.stop.clone(), Arc::clone(&dog.steps));
        thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            let mut last = u64::MAX;
            while wait.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                // An even number means that the rules are running, an odd one that the players are
                // thinking.
                let now = steps.load(Ordering::Relaxed);
                if now == last && now % 2 == 0 {
                    stop.set();
                }
                last = now;
            }
        })?;
        Ok(dog)
    }

    /// Watches one computation of the rules.
    pub(crate) fn watch<T>(&self, work: impl FnOnce(&Stop) -> T) -> T {
        self.steps.fetch_add(1, Ordering::Relaxed);
        let result = work(&self.stop);
        self.steps.fetch_add(1, Ordering::Relaxed);
        result
    }
}
