//! The processor time of a thread, which other programs on the machine hardly affect.

use std::time::Duration;

/// The processor time of the calling thread so far; `None` if the system does not report it.
pub fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}
