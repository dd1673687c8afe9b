//! What a person sees while a game takes long to prepare.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use magister::Report;

/// Nothing is shown before this.
const SOON: Duration = Duration::from_secs(1);

/// Shows progress on a terminal.
pub(crate) type Progress = Arc<dyn Fn(&Report<'_>) + Send + Sync>;

/// Who shows progress, if standard error is a terminal.
pub(crate) fn progress() -> Option<Progress> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    Some(Arc::new(|report| {
        let mut err = std::io::stderr();
        // The last report clears the line, so that what comes next starts on an empty one.
        let line = if report.done { String::new() } else { line(report) };
        if report.elapsed >= SOON {
            let _ = write!(err, "\r\x1b[K{line}");
        }
    }))
}

fn line(report: &Report<'_>) -> String {
    let Report { name, elapsed, attempts, instances, .. } = *report;
    let again = if attempts > 1 { format!(", attempt {attempts}") } else { String::new() };
    format!(
        "preparing {name}: {:.0} s, {:.1} million instances of rules{again}",
        elapsed.as_secs_f64(),
        instances as f64 / 1e6
    )
}
