//! Measures the time and memory of a case.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time limit of a case; a debug build is slower.
const TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 90 } else { 30 });
/// The limit on the peak memory of the process, in bytes.
const MEMORY: u64 = 2 << 30;

/// Runs one case at a time, so that time and memory belong to that case.
static ALONE: Mutex<()> = Mutex::new(());

pub(super) struct Watch {
    start: Instant,
    _alone: MutexGuard<'static, ()>,
}

/// Starts to measure a case.
pub(super) fn watch() -> Watch {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Linux resets the peak on request; on other systems memory is not checked.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    Watch { start: Instant::now(), _alone: alone }
}

impl Watch {
    pub(super) fn end(self, what: &str) {
        let time = self.start.elapsed();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak =
            peak.and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        let peak = peak.unwrap_or(0) * 1024;
        eprintln!("{what}: {time:.2?}, {} MiB at most", peak >> 20);
        assert!(time < TIME, "{what}: {time:?}");
        assert!(peak < MEMORY, "{what}: {peak} bytes");
    }
}
