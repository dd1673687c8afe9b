//! Interrupts, as ^C sends them, and other signals, for tests of what a command does then.

use std::process::{Child, Command};

/// The bits of SIGHUP, SIGINT and SIGTERM in a mask of signals.
const ENDING: u64 = 1 | 1 << 1 | 1 << 14;

/// The binary as a command that signals can end.
///
/// A program that a script starts in the background ignores interrupts, and so do its children, these
/// tests included. `env` restores the default.
pub(crate) fn interruptible() -> Command {
    let binary = env!("CARGO_BIN_EXE_magister");
    if ignored() & ENDING == 0 {
        return Command::new(binary);
    }
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,TERM", binary]);
    command
}

/// The signals that this process ignores; none on systems without `/proc`, which do not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Sends an interrupt to a process.
pub(crate) fn interrupt(child: &Child) {
    signal(child, "-INT");
}

/// Sends a signal by the name that `kill` knows.
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}
