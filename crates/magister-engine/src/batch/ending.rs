//! The end of a sweep: the next state becomes the state, or the start where a playout has ended.

use magister_lanes::Commit;

/// How the next state becomes the state.
#[derive(Debug)]
pub(super) enum Ending {
    /// By itself.
    Commit(Commit),
    /// As part of the tape of the next state, the start states being in the rows from here on.
    Tape { starts: u32 },
}
