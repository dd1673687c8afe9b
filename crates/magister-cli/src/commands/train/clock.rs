//! The time of a training.

use std::time::{Duration, Instant};

use super::super::bench::process::{cpu_time, process_time};

/// Measures a training. With one actor, its processor time is the limit of `--seconds`; with several,
/// elapsed time is, because people who start several threads want to be done sooner. Rates are always
/// per second of processor time, of all actors together.
pub(super) struct Clock {
    start: Instant,
    thread: Option<Duration>,
    process: Option<Duration>,
    /// The times at which it was stopped.
    stopped: Option<(f64, f64)>,
}

impl Clock {
    pub(super) fn new(threads: u16) -> Self {
        let several = threads > 1;
        Clock {
            start: Instant::now(),
            thread: if several { None } else { cpu_time() },
            process: if several { process_time() } else { None },
            stopped: None,
        }
    }

    /// Stops it: writing a file of many weights is no part of a rate.
    pub(super) fn stop(&mut self) {
        self.stopped = Some((self.seconds(), self.processor()));
    }

    /// Lets it go on, with the time since it was stopped.
    pub(super) fn go_on(&mut self) {
        self.stopped = None;
    }

    /// The time that `--seconds` limits.
    pub(super) fn seconds(&self) -> f64 {
        if let Some((seconds, _)) = self.stopped {
            return seconds;
        }
        let spent = self.thread.and_then(|start| cpu_time()?.checked_sub(start));
        spent.unwrap_or_else(|| self.start.elapsed()).as_secs_f64()
    }

    /// The processor time of all actors, or elapsed time if the system does not report it.
    pub(super) fn processor(&self) -> f64 {
        if let Some((_, processor)) = self.stopped {
            return processor;
        }
        let spent = self.process.and_then(|start| process_time()?.checked_sub(start));
        spent.map_or_else(|| self.seconds(), |spent| spent.as_secs_f64())
    }
}
