//! Handles ^C: the first one lets the command finish regularly, the second one ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The exit code of a command that was interrupted, by convention of shells.
const INTERRUPTED: i32 = 130;

static PRESSED: AtomicBool = AtomicBool::new(false);

/// What to do at the first ^C.
type Action = Box<dyn FnOnce() + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// From now on ^C only sets a flag, which [`pressed`] reads.
pub(crate) fn catch() {
    // If no handler can be installed, ^C ends the process as usual.
    let _ = ctrlc::try_set_handler(handle);
}

/// From now on, ^C runs this action and ends the process.
pub(crate) fn on_interrupt(action: impl FnOnce() + Send + 'static) {
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(action));
    catch();
}

/// Whether ^C was pressed.
pub(crate) fn pressed() -> bool {
    PRESSED.load(Ordering::Relaxed)
}

#[expect(clippy::exit, reason = "the other threads of the process may compute for long")]
fn handle() {
    let again = PRESSED.swap(true, Ordering::Relaxed);
    let action = ACTION.lock().unwrap_or_else(PoisonError::into_inner).take();
    match action {
        Some(action) if !again => {
            action();
            std::process::exit(INTERRUPTED);
        }
        _ if again => std::process::exit(INTERRUPTED),
        _ => {}
    }
}
