//! The parts of a record that a viewer may see.

use serde::Serialize;

use super::{Fault, FaultKind, MatchEnd, MatchLimits, MatchRecord, Seat, Thoughts};
use crate::{Info, Information, Role};

/// A viewer of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The program that runs the match. It sees everything.
    Referee,
    /// The player of a role.
    Role(Role),
    /// Anyone else.
    Spectator,
}

/// The part of a record that a viewer may see. Hidden parts are `None` or left out. As JSON it has
/// the keys of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeenRecord {
    /// As in [`MatchRecord::schema`].
    pub schema: u32,
    /// As in [`MatchRecord::magister`].
    pub magister: String,
    /// As in [`MatchRecord::id`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// As in [`MatchRecord::game`].
    pub game: String,
    /// As in [`MatchRecord::rules_hash`].
    pub rules_hash: String,
    /// As in [`MatchRecord::text_hash`].
    pub text_hash: String,
    /// As in [`MatchRecord::roles`].
    pub roles: Vec<String>,
    /// As in [`MatchRecord::chance`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<String>,
    /// The seed, after the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// The salt, after the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// As in [`MatchRecord::seed_hash`].
    pub seed_hash: String,
    /// As in [`MatchRecord::players`].
    pub players: Vec<String>,
    /// As in [`MatchRecord::seats`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Seat>,
    /// As in [`MatchRecord::limits`].
    pub limits: MatchLimits,
    /// As in [`MatchRecord::round`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The joint moves. During a match with hidden information, silent steps are left out and the
    /// moves of others are `None`.
    pub moves: Vec<Vec<Option<String>>>,
    /// The percepts of each step; those of others are `None`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Vec<Option<Vec<String>>>>,
    /// The gains, if they may be seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<Vec<f64>>,
    /// The silent steps, if they may be seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<usize>,
    /// As in [`MatchRecord::rewards`].
    pub rewards: Vec<Option<f64>>,
    /// As in [`MatchRecord::end`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<MatchEnd>,
    /// As in [`MatchRecord::clairvoyant`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clairvoyant: Vec<String>,
    /// The faults that may be seen.
    pub errors: Vec<Fault>,
    /// The times of each step; those of others are `None` if they may not be seen.
    pub times_ms: Vec<Vec<Option<f64>>>,
    /// The thoughts, after the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thoughts>,
}

impl MatchRecord {
    /// The part of the match that a viewer may see: everything after the end, and before that the
    /// parts in the table of [`record`](crate::record).
    pub fn seen_by(&self, viewer: Viewer, info: &Info) -> SeenRecord {
        let sight = Sight::new(viewer, info, self.end.is_some());
        let visible = |step: &usize| sight.all || !self.silent.contains(&(step + 1));
        let steps: Vec<usize> = (0..self.moves.len()).filter(visible).collect();
        let moves = steps.iter().map(|&at| sight.moves(&self.moves[at])).collect();
        let seen = |at: &usize| Some(sight.percepts(self.percepts.get(*at)?.as_ref()));
        let percepts = steps.iter().filter_map(seen).collect();
        let times = |at: &usize| Some(sight.times(self.times_ms.get(*at)?));
        // Step numbers count the visible steps.
        let number = |step: usize| {
            let silent = self.silent.iter().filter(|&&silent| silent <= step).count();
            if sight.all { step } else { step - silent }
        };
        let open = |fault: &Fault| fault.step > self.moves.len();
        let errors = self.errors.iter().filter_map(|fault| sight.fault(fault, open(fault)));
        let errors = errors.map(|fault| Fault { step: number(fault.step), ..fault }).collect();
        SeenRecord {
            schema: self.schema,
            magister: self.magister.clone(),
            id: self.id.clone(),
            game: self.game.clone(),
            rules_hash: self.rules_hash.clone(),
            text_hash: self.text_hash.clone(),
            roles: self.roles.clone(),
            chance: self.chance.clone(),
            seed: sight.secret(&self.seed),
            salt: sight.secret(&self.salt),
            seed_hash: self.seed_hash.clone(),
            players: self.players.clone(),
            seats: self.seats.clone(),
            limits: self.limits.clone(),
            round: self.round,
            moves,
            percepts,
            gains: if sight.open { self.gains.clone() } else { Vec::new() },
            silent: if sight.all { self.silent.clone() } else { Vec::new() },
            rewards: self.rewards.clone(),
            end: self.end,
            clairvoyant: self.clairvoyant.clone(),
            errors,
            times_ms: steps.iter().filter_map(times).collect(),
            thoughts: if sight.all { self.thoughts.clone() } else { Vec::new() },
        }
    }
}

/// The extent of a viewer's sight.
pub(crate) struct Sight {
    /// Everything, because the match is over or the viewer runs it.
    pub(crate) all: bool,
    /// Every step, because the game has perfect information.
    pub(crate) open: bool,
    spectator: bool,
    /// The role and the seat of the viewer.
    own: Option<(Role, usize)>,
}

impl Sight {
    pub(crate) fn new(viewer: Viewer, info: &Info, over: bool) -> Self {
        let all = over || viewer == Viewer::Referee;
        let own = match viewer {
            Viewer::Role(role) => info.players().position(|one| one == role).map(|at| (role, at)),
            _ => None,
        };
        Sight {
            all,
            open: all || info.information == Information::Perfect,
            spectator: viewer == Viewer::Spectator,
            own,
        }
    }

    /// Whether a role is the viewer's own.
    pub(crate) fn is_own(&self, role: usize) -> bool {
        self.own.is_some_and(|(own, _)| own.index() == role)
    }

    /// Whether a seat is the viewer's own.
    pub(crate) fn is_own_seat(&self, seat: usize) -> bool {
        self.own.is_some_and(|(_, own)| own == seat)
    }

    /// Whether the times and faults of a seat may be seen.
    pub(crate) fn watches(&self, seat: usize) -> bool {
        self.open || self.spectator || self.is_own_seat(seat)
    }

    fn secret(&self, text: &str) -> Option<String> {
        (self.all && !text.is_empty()).then(|| text.to_owned())
    }

    pub(crate) fn moves(&self, joint: &[String]) -> Vec<Option<String>> {
        let seen =
            |(role, text): (usize, &String)| (self.open || self.is_own(role)).then(|| text.clone());
        joint.iter().enumerate().map(seen).collect()
    }

    pub(crate) fn percepts(&self, percepts: Option<&Vec<Vec<String>>>) -> Vec<Option<Vec<String>>> {
        let seen = |(role, percepts): (usize, &Vec<String>)| {
            (self.all || self.is_own(role)).then(|| percepts.clone())
        };
        percepts.into_iter().flatten().enumerate().map(seen).collect()
    }

    pub(crate) fn times(&self, times: &[f64]) -> Vec<Option<f64>> {
        times.iter().enumerate().map(|(seat, &time)| self.watches(seat).then_some(time)).collect()
    }

    /// The visible part of a fault. The message and the moves show what a role tried, which stays
    /// hidden in every game until the turn is made, because others may still have to decide.
    pub(crate) fn fault(&self, fault: &Fault, open_turn: bool) -> Option<Fault> {
        let own = fault.seat.is_some_and(|seat| self.is_own_seat(seat));
        if self.all || own || (self.open && !open_turn) {
            return Some(fault.clone());
        }
        if !fault.seat.is_none_or(|seat| self.watches(seat)) {
            return None;
        }
        // Taking moves back and ending a match are public.
        let public = !fault.kind.is_mistake() && fault.kind != FaultKind::Unknown;
        let what = if public { fault.what.clone() } else { fault.kind.to_string() };
        Some(Fault { what, answer: None, played: None, ..fault.clone() })
    }
}
