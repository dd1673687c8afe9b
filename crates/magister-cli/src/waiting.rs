//! What a person sees while a game takes long to prepare.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use magister_engine::grounder::Progress;

/// Who waits less than this is told nothing.
const SOON: Duration = Duration::from_secs(1);
/// The time between two reports.
const TICK: Duration = Duration::from_millis(250);

/// Runs `work`, and says on a terminal how far it has come if it takes long.
pub(crate) fn watched<T: Send>(name: &str, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !std::io::stderr().is_terminal() {
        return work(&progress);
    }
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        let counters = &progress;
        scope.spawn(move || {
            let start = Instant::now();
            let mut told = false;
            let mut pause = SOON;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let line = report(name, start.elapsed(), counters.read());
                let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
                told = true;
                pause = TICK;
            }
            if told {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        });
        let result = work(&progress);
        drop(done);
        result
    })
}

fn report(name: &str, time: Duration, (attempts, instances): (usize, usize)) -> String {
    let again = if attempts > 1 { format!(", attempt {attempts}") } else { String::new() };
    format!(
        "preparing {name}: {:.0} s, {:.1} million instances of rules{again}",
        time.as_secs_f64(),
        instances as f64 / 1e6
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_how_far_it_has_come() {
        let text = report("chess", Duration::from_millis(2600), (1, 1_234_567));
        assert_eq!(text, "preparing chess: 3 s, 1.2 million instances of rules");
        let text = report("chess", Duration::from_secs(9), (2, 0));
        assert_eq!(text, "preparing chess: 9 s, 0.0 million instances of rules, attempt 2");
    }
}
