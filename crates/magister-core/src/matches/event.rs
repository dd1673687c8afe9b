//! What happens in a match, as it happens.

use serde::{Deserialize, Serialize};

use crate::Info;
use crate::record::{Fault, MatchEnd, MatchLimits, Seat, Thoughts, Viewer, seen::Sight};

/// Something that happened in a match. As JSON it is an object whose key `event` names it.
///
/// The referee sees events whole. What others may see of them while the match goes on,
/// [`Event::seen_by`] gives; each event says here what that is. Once a match has ended, everybody
/// may see everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// The match started. Everybody may see it.
    Started {
        /// The name of the match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the game.
        game: String,
        /// SHA-256 of the rules in canonical form.
        rules_hash: String,
        /// The roles, chance included.
        roles: Vec<String>,
        /// The names of the players, in seat order.
        players: Vec<String>,
        /// What else is known of the players, in seat order.
        seats: Vec<Seat>,
        /// The limits.
        limits: MatchLimits,
        /// SHA-256 of salt and seed.
        seed_hash: String,
    },
    /// A player must decide. Everybody may see it where nothing is hidden; where something is, all
    /// players are asked in every turn, so that it tells nothing.
    Asked {
        /// The turn, from 0.
        turn: usize,
        /// The seat.
        seat: usize,
    },
    /// A player answered with a legal move. Everybody may see that it did, but a role in a game
    /// that hides information sees only its own answers. Before the step is made, the move is
    /// for the player itself, and so it stays where information is hidden.
    Answered {
        /// The turn, from 0.
        turn: usize,
        /// The seat.
        seat: usize,
        /// The move; `None` for who may not see it.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        choice: Option<String>,
        /// How long it took, in milliseconds.
        time_ms: f64,
        /// What the player thought. Nobody else sees it before the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thoughts: Option<Thoughts>,
    },
    /// Something went wrong. As with an answer, the drawn move stays with its player until the
    /// step is made; see [`Fault`] for the rest.
    Faulted {
        /// The turn, from 0.
        turn: usize,
        /// What went wrong.
        fault: Fault,
        /// How long it took, in milliseconds.
        time_ms: f64,
    },
    /// A step was made. Everybody may see it where nothing is hidden. Where something is, a role
    /// sees its own move and percepts, spectators see that a turn was made, and nobody sees silent
    /// steps.
    Stepped {
        /// The number of the step, from 1. For who sees no silent steps it counts the others.
        step: usize,
        /// How many turns are made now.
        turn: usize,
        /// Whether the players had a turn.
        tick: bool,
        /// The moves in role order; `None` for those that may not be seen.
        moves: Vec<Option<String>>,
        /// The percepts in role order; empty where nothing is hidden.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        percepts: Vec<Option<Vec<String>>>,
        /// The gains in role order, in games that pay on the way.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gains: Vec<f64>,
    },
    /// Moves were taken back, or made again. Everybody may see it.
    TakenBack {
        /// The seat of who took them back.
        seat: usize,
        /// How many turns are made now.
        turn: usize,
        /// How many steps are made now; `None` for who may not count silent steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
    },
    /// The match is paused. Everybody may see it.
    Paused,
    /// The match goes on. Everybody may see it.
    Resumed {
        /// How many turns are made.
        turn: usize,
    },
    /// The match ended. Everybody may see it, and with it seed and salt.
    Ended {
        /// How.
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
    /// What somebody may see of the event while the match goes on; `None` if nothing.
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
