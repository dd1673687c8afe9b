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
}

impl Clock {
    pub(super) fn new(threads: u16) -> Self {
        let several = threads > 1;
        Clock {
            start: Instant::now(),
            thread: if several { None } else { cpu_time() },
            process: if several { process_time() } else { None },
        }
    }

    /// The time that `--seconds` limits.
    pub(super) fn seconds(&self) -> f64 {
        let spent = self.thread.and_then(|start| cpu_time()?.checked_sub(start));
        spent.unwrap_or_else(|| self.start.elapsed()).as_secs_f64()
    }

    /// The processor time of all actors, or elapsed time if the system does not report it.
    pub(super) fn processor(&self) -> f64 {
        let spent = self.process.and_then(|start| process_time()?.checked_sub(start));
        spent.map_or_else(|| self.seconds(), |spent| spent.as_secs_f64())
    }
}
