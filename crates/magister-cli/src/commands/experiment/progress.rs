//! Progress of long experiments on standard error.

use std::io::Write;
use std::time::{Duration, Instant};

/// The time between two lines.
const PAUSE: Duration = Duration::from_secs(10);

/// The progress of a number of matches. Standard output keeps the results alone.
pub(super) struct Progress {
    what: String,
    total: u64,
    last: Instant,
}

impl Progress {
    /// Announces matches.
    pub(super) fn new(what: String, total: u64) -> Self {
        let progress = Progress { what, total, last: Instant::now() };
        progress.write(0);
        progress
    }

    /// Shows the number of finished matches, unless the last line is recent.
    pub(super) fn show(&mut self, done: u64) {
        if self.last.elapsed() >= PAUSE {
            self.last = Instant::now();
            self.write(done);
        }
    }

    /// A standard error that is closed must not end the experiment.
    fn write(&self, done: u64) {
        let Progress { what, total, .. } = self;
        let _ = writeln!(anstream::stderr(), "{what}: {done} of {total} matches");
    }
}
