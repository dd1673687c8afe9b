//! The processor time of a thread, which other programs on the machine do not change much.

use std::time::Duration;

/// The processor time of the calling thread so far; none where the system does not tell.
pub fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}
