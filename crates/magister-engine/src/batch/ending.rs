//! The end of a sweep: the next state replaces the current one, or the start state does where a
//! playout has ended.

use magister_lanes::Commit;

/// How the next state replaces the current one.
#[derive(Debug)]
pub(super) enum Ending {
    /// By a separate kernel.
    Commit(Commit),
    /// As part of the tape of the next state; `starts` is the first row of the start states.
    Tape { starts: u32 },
}
