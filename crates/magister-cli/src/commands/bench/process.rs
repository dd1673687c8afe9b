//! The processor time of this thread and the peak memory of this process. Only Linux reports them,
//! in `/proc`; on other systems there is no result.

use std::time::Duration;

/// The processor time of the calling thread so far.
pub(crate) fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// The processor time of all threads of the process so far, including those that have ended. The
/// system counts it in hundredths of a second.
pub(crate) fn process_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process, in parentheses, may contain blanks.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// The peak memory of the process, in bytes.
pub(super) fn peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Resets the peak to the current memory, if the system supports this.
pub(super) fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
