//! The faults of a match, and how a match ends.

use serde::{Deserialize, Serialize};

/// A fault in a match.
///
/// With perfect information everyone may see a fault once the turn is made; before that, others see
/// its step, seat and kind, but neither the message nor the moves, which would show what the role
/// tried. With hidden information, a role sees only its own faults, and spectators see the step,
/// seat and kind of all faults until the end. See
/// [`MatchRecord::seen_by`](crate::MatchRecord::seen_by).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The step at which it happened, from 1; 0 is before the first.
    pub step: usize,
    /// The seat that it concerns; `None` if it concerns no particular seat.
    pub seat: Option<usize>,
    /// The role of that seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened, as a sentence.
    pub what: String,
    /// The player's illegal answer, if it can be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The move that was drawn for the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// No answer came in time.
    Late,
    /// The answer is not a legal move.
    Illegal,
    /// The player crashed.
    Crash,
    /// The player refused to move.
    Refused,
    /// The player could not be reached.
    Connection,
    /// A player resigned, which ended the match.
    Resigned,
    /// A player left, which ended the match.
    Left,
    /// Moves were taken back.
    TakenBack,
    /// The match could not continue: its rules failed, or it became too long.
    BrokenOff,
    /// The match was ended from outside.
    Aborted,
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

impl FaultKind {
    /// Whether it is a mistake of a player, for which a move was drawn.
    pub fn is_mistake(self) -> bool {
        matches!(
            self,
            FaultKind::Late
                | FaultKind::Illegal
                | FaultKind::Crash
                | FaultKind::Refused
                | FaultKind::Connection
        )
    }

    /// The word used in records.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Illegal => "illegal",
            FaultKind::Crash => "crash",
            FaultKind::Refused => "refused",
            FaultKind::Connection => "connection",
            FaultKind::Resigned => "resigned",
            FaultKind::Left => "left",
            FaultKind::TakenBack => "taken-back",
            FaultKind::BrokenOff => "broken-off",
            FaultKind::Aborted => "aborted",
            FaultKind::Unknown => "unknown",
        }
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// How a match ended. Everyone may see it when it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MatchEnd {
    /// In a terminal state of the game.
    Terminal,
    /// A player resigned.
    Resigned,
    /// A player left.
    Left,
    /// The rules failed, or the match became too long.
    BrokenOff,
    /// It was ended from outside.
    Aborted,
    /// In a way that this version does not know.
    #[serde(other)]
    Unknown,
}

impl MatchEnd {
    /// The kind of the fault that reports such an end; `None` for a terminal state.
    pub(crate) fn fault(self) -> Option<FaultKind> {
        match self {
            MatchEnd::Terminal | MatchEnd::Unknown => None,
            MatchEnd::Resigned => Some(FaultKind::Resigned),
            MatchEnd::Left => Some(FaultKind::Left),
            MatchEnd::BrokenOff => Some(FaultKind::BrokenOff),
            MatchEnd::Aborted => Some(FaultKind::Aborted),
        }
    }
}
