//! Progress reports while a game is prepared.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use magister_engine::grounder::Progress;

use crate::Options;

/// The time between two reports.
const TICK: Duration = Duration::from_millis(250);

/// How far the preparation of a game has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// What the game is called.
    pub name: &'a str,
    /// Since the preparation began.
    pub elapsed: Duration,
    /// Ways to ground the rules that were tried, with the present one.
    pub attempts: usize,
    /// Instances of rules that the present way has found.
    pub instances: usize,
    /// Whether this is the last report: the game is prepared, or can not be.
    pub done: bool,
}

/// Runs `work` and reports how far it has come to whoever the options name.
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
