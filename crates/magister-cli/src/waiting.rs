//! Progress reports for a person during a long computation.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use magister::Report;

/// Nothing is shown before this time.
const SOON: Duration = Duration::from_secs(1);

/// Shows progress on a terminal.
pub(crate) type Progress = Arc<dyn Fn(&Report<'_>) + Send + Sync>;

/// Shows the progress of preparing a game, if standard error is a terminal.
pub(crate) fn progress() -> Option<Progress> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    Some(Arc::new(|report| {
        let mut err = std::io::stderr();
        // The last report clears the line, so that further output starts on an empty line.
        let line = if report.done { String::new() } else { line(report) };
        if report.elapsed >= SOON {
            let _ = write!(err, "\r\x1b[K{line}");
        }
    }))
}

fn line(report: &Report<'_>) -> String {
    let Report { name, elapsed, attempts, instances, .. } = *report;
    let again = if attempts > 1 { format!(", attempt {attempts}") } else { String::new() };
    let found = match instances {
        0..100_000 => String::new(),
        _ => format!(", {:.1} million instances of rules", instances as f64 / 1e6),
    };
    format!("preparing {name}: {:.0} s{found}{again}", elapsed.as_secs_f64())
}

/// A line on standard error that shows how long a computation has been running and how much memory
/// it uses. It disappears when the computation is over.
pub(crate) struct Ticker {
    /// Dropped to end the thread.
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Shows progress from now on, if standard error is a terminal.
    pub(crate) fn start(what: String) -> Self {
        let none = Ticker { over: None, thread: None };
        if !std::io::stderr().is_terminal() {
            return none;
        }
        let (over, ended) = channel::<()>();
        let begun = Instant::now();
        let show = move || {
            let mut shown = false;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(SOON) {
                let memory = memory().map_or(String::new(), |mib| format!(", {mib} MiB in use"));
                let seconds = begun.elapsed().as_secs();
                let _ = write!(std::io::stderr(), "\r\x1b[K{what}: {seconds} s{memory}");
                shown = true;
            }
            if shown {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        };
        match std::thread::Builder::new().name("progress".to_owned()).spawn(show) {
            Ok(thread) => Ticker { over: Some(over), thread: Some(thread) },
            Err(_) => none,
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.over = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The memory of this process in MiB, if the system reports it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}
