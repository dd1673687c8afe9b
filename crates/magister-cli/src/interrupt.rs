//! Handles ^C and other signals: the first ^C lets the command finish regularly, the second one ends
//! it at once.

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

/// The same, and SIGTERM and the end of the terminal (SIGHUP) set the flag too. Commands that may
/// outlive their terminal on purpose, under `nohup`, use [`catch`].
pub(crate) fn catch_all() {
    catch();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (ready, wait) = std::sync::mpsc::channel();
        let listen = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            // Without it, these signals end the process as usual.
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
                let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
                let _ = ready.send(());
                loop {
                    tokio::select! {
                        // A shell may repeat it, so the second one does not end the process.
                        _ = hangup.recv() => PRESSED.store(true, Ordering::Relaxed),
                        _ = terminate.recv() => handle(),
                    }
                }
            });
        };
        if std::thread::Builder::new().name("signals".to_owned()).spawn(listen).is_ok() {
            let _ = wait.recv_timeout(std::time::Duration::from_secs(1));
        }
    }
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
