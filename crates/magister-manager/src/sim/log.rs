//! The log of a simulated world.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// The events of a world with their times. The default records nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Option<Arc<Mutex<Lines>>>);

#[derive(Debug, Default)]
struct Lines {
    begun: Option<Instant>,
    lines: Vec<String>,
}

impl Log {
    /// A log that records events.
    pub(super) fn new() -> Self {
        Log(Some(Arc::default()))
    }

    /// Marks the beginning of the world.
    pub(super) fn begin(&self) {
        if let Some(held) = &self.0 {
            held.lock().unwrap_or_else(PoisonError::into_inner).begun = Some(Instant::now());
        }
    }

    /// Records an event.
    pub(super) fn note(&self, event: impl FnOnce() -> String) {
        let Some(held) = &self.0 else { return };
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        let time = held.begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        held.lines.push(format!("{time:9.3} s  {}", event()));
    }

    /// The recorded events.
    pub(super) fn lines(&self) -> Vec<String> {
        let held = self.0.as_ref();
        held.map_or_else(Vec::new, |held| {
            held.lock().unwrap_or_else(PoisonError::into_inner).lines.clone()
        })
    }
}
