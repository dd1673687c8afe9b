//! The end of a sweep: the next state replaces the state, or the start state where a playout has
//! ended.

use magister_lanes::Commit;

/// How the next state replaces the state.
#[derive(Debug)]
pub(super) enum Ending {
    /// By a separate kernel.
    Commit(Commit),
    /// As part of the tape of the next state; the start states are in the rows from here on.
    Tape { starts: u32 },
}
