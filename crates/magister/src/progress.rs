//! Progress reports while a game is prepared.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use magister_engine::grounder::Progress;

use crate::Options;

/// The time between two reports.
const TICK: Duration = Duration::from_millis(250);

/// The progress of preparing a game.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The name of the game.
    pub name: &'a str,
    /// The time since the start.
    pub elapsed: Duration,
    /// The number of grounding strategies tried, including the current one.
    pub attempts: usize,
    /// The number of rule instances found by the current strategy.
    pub instances: usize,
    /// Whether this is the last report: the preparation succeeded or failed.
    pub done: bool,
}

/// Runs `work` and reports its progress to the callback of the options.
pub(crate) fn watched<T>(name: &str, options: &Options, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    let Some(listener) = &options.progress else { return work(&progress) };
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        let counters = &progress;
        scope.spawn(move || {
            let start = Instant::now();
            let tell = |done| {
                let (attempts, instances) = counters.read();
                listener(&Report { name, elapsed: start.elapsed(), attempts, instances, done });
            };
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tell(false);
            }
            tell(true);
        });
        let result = work(&progress);
        drop(done);
        result
    })
}
