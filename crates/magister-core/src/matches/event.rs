//! The events of a match.

use serde::{Deserialize, Serialize};

use crate::Info;
use crate::record::{Fault, MatchEnd, MatchLimits, Seat, Thoughts, Viewer, seen::Sight};

/// An event of a match. As JSON it is an object whose key `event` names it.
///
/// The referee sees whole events. [`Event::seen_by`] returns the part that others may see during
/// the match; the documentation of each event describes this part. After the end of a match,
/// everyone may see everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// The match started. Visible to everyone.
    Started {
        /// The name of the match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the game.
        game: String,
        /// SHA-256 of the rules in canonical form.
        rules_hash: String,
        /// The roles, including chance.
        roles: Vec<String>,
        /// The names of the players, in seat order.
        players: Vec<String>,
        /// More about the players, in seat order.
        seats: Vec<Seat>,
        /// The limits.
        limits: MatchLimits,
        /// SHA-256 of salt and seed.
        seed_hash: String,
    },
    /// A player must decide. With perfect information, visible to everyone. With hidden information
    /// all players are asked in every turn, so the event reveals nothing.
    Asked {
        /// The turn, from 0.
        turn: usize,
        /// The seat.
        seat: usize,
    },
    /// A player answered with a legal move. Everyone may see that it answered, but with hidden
    /// information a role sees only its own answers. Before the step, only the player itself may
    /// see the move; with hidden information, this remains so after the step.
    Answered {
        /// The turn, from 0.
        turn: usize,
        /// The seat.
        seat: usize,
        /// The move; `None` for viewers that may not see it.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        choice: Option<String>,
        /// The time in milliseconds.
        time_ms: f64,
        /// The player's thoughts. No other viewer sees them before the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thoughts: Option<Thoughts>,
    },
    /// A fault occurred. As with an answer, only the player sees the substituted move until the
    /// step is made; see [`Fault`] for the rest.
    Faulted {
        /// The turn, from 0.
        turn: usize,
        /// The fault.
        fault: Fault,
        /// The time in milliseconds.
        time_ms: f64,
    },
    /// A step was made. With perfect information, visible to everyone. With hidden information a
    /// role sees its own move and percepts, spectators see that a turn was made, and silent steps
    /// are invisible.
    Stepped {
        /// The number of the step, from 1. Viewers that do not see silent steps get a count without
        /// them.
        step: usize,
        /// The number of turns so far.
        turn: usize,
        /// Whether the players had a turn.
        tick: bool,
        /// The moves in role order; `None` for those that may not be seen.
        moves: Vec<Option<String>>,
        /// The percepts in role order; empty with perfect information.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        percepts: Vec<Option<Vec<String>>>,
        /// The gains in role order, in games with intermediate rewards.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gains: Vec<f64>,
    },
    /// Moves were taken back or redone. Visible to everyone.
    TakenBack {
        /// The seat that took them back.
        seat: usize,
        /// The number of turns now.
        turn: usize,
        /// The number of steps now; `None` for viewers that may not count silent steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
    },
    /// The match is paused. Visible to everyone.
    Paused,
    /// The match continues. Visible to everyone.
    Resumed {
        /// The number of turns so far.
        turn: usize,
    },
    /// The match ended. Visible to everyone, including seed and salt.
    Ended {
        /// The reason.
        end: MatchEnd,
        /// The rewards in seat order.
        rewards: Vec<Option<f64>>,
        /// The seed.
        seed: String,
        /// The salt.
        salt: String,
    },
}

impl Event {
    /// The part of the event that a viewer may see during the match; `None` if there is none.
    pub fn seen_by(&self, viewer: Viewer, info: &Info) -> Option<Event> {
        let sight = Sight::new(viewer, info, false);
        if sight.all {
            return Some(self.clone());
        }
        match self {
            Event::Answered { turn, seat, choice, time_ms, .. } => {
                if !sight.watches(*seat) {
                    return None;
                }
                let own = sight.is_own_seat(*seat);
                Some(Event::Answered {
                    turn: *turn,
                    seat: *seat,
                    choice: choice.clone().filter(|_| own),
                    time_ms: *time_ms,
                    thoughts: None,
                })
            }
            Event::Faulted { turn, fault, time_ms } => {
                let mut fault = sight.fault(fault, true)?;
                if !sight.open && fault.step > 0 {
                    fault.step = turn + 1;
                }
                Some(Event::Faulted { turn: *turn, fault, time_ms: *time_ms })
            }
            Event::Stepped { turn, tick, moves, percepts, .. } if !sight.open => {
                let seen = |all: &[Option<String>]| -> Vec<Option<String>> {
                    let one = |(role, text): (usize, &Option<String>)| {
                        text.clone().filter(|_| sight.is_own(role))
                    };
                    all.iter().enumerate().map(one).collect()
                };
                let perceived = percepts.iter().enumerate();
                let perceived =
                    perceived.map(|(role, one)| one.clone().filter(|_| sight.is_own(role)));
                tick.then(|| Event::Stepped {
                    step: *turn,
                    turn: *turn,
                    tick: true,
                    moves: seen(moves),
                    percepts: perceived.collect(),
                    gains: Vec::new(),
                })
            }
            Event::TakenBack { seat, turn, .. } if !sight.open => {
                Some(Event::TakenBack { seat: *seat, turn: *turn, step: None })
            }
            _ => Some(self.clone()),
        }
    }
}
