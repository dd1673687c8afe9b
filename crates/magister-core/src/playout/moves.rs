//! Statistics of playouts by the moves that were made in them.

use std::collections::BTreeMap;

use super::{LANES, Results};
use crate::{Move, Role};

/// The statistics of the playouts in which a role made a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveTally {
    /// The role.
    pub role: Role,
    /// The move.
    pub choice: Move,
    /// The number of playouts that gave the role a reward and in which it made the move.
    pub playouts: u32,
    /// The sum of the role's rewards in those.
    pub sum: f64,
}

impl Results {
    /// The moves of all streams together, summed in the order of the streams.
    pub fn moves(&self) -> Vec<MoveTally> {
        let mut all: BTreeMap<(Role, Move), MoveTally> = BTreeMap::new();
        for tally in self.streams.iter().flat_map(|stream| &stream.moves) {
            let none = MoveTally { playouts: 0, sum: 0.0, ..*tally };
            let entry = all.entry((tally.role, tally.choice)).or_insert(none);
            entry.playouts += tally.playouts;
            entry.sum += tally.sum;
        }
        all.into_values().collect()
    }
}

/// The moves of one stream during play.
#[derive(Default)]
pub(super) struct MoveBook {
    /// The index of each move.
    places: BTreeMap<(Role, Move), usize>,
    /// The role of each index.
    roles: Vec<Role>,
    lanes: Vec<Lane>,
}

#[derive(Clone, Default)]
struct Lane {
    /// The indexes of the moves of the current playout, without duplicates.
    running: Vec<usize>,
    /// The number of the playout in which each index was last recorded.
    noted: Vec<u32>,
    /// The number of the current playout, from 1.
    playout: u32,
    /// For each index, the number of playouts and the sum of rewards.
    totals: Vec<(u32, f64)>,
}

impl MoveBook {
    /// Removes all moves.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.roles.clear();
        self.lanes.clear();
        self.lanes.resize(LANES, Lane { playout: 1, ..Lane::default() });
    }

    /// Records a move in the current playout of a lane.
    pub(super) fn note(&mut self, lane: usize, role: Role, choice: Move) {
        if choice == Move::IDLE {
            return;
        }
        let next = self.roles.len();
        let place = *self.places.entry((role, choice)).or_insert(next);
        if place == next {
            self.roles.push(role);
        }
        let lane = &mut self.lanes[lane];
        if lane.noted.len() <= place {
            lane.noted.resize(place + 1, 0);
            lane.totals.resize(place + 1, (0, 0.0));
        }
        if std::mem::replace(&mut lane.noted[place], lane.playout) != lane.playout {
            lane.running.push(place);
        }
    }

    /// Ends the current playout of a lane, with the reward of each role.
    pub(super) fn end(&mut self, lane: usize, rewards: &[Option<f64>]) {
        let lane = &mut self.lanes[lane];
        for place in lane.running.drain(..) {
            if let Some(reward) = rewards[self.roles[place].index()] {
                lane.totals[place].0 += 1;
                lane.totals[place].1 += reward;
            }
        }
        lane.playout += 1;
    }

    /// The moves of all lanes together.
    pub(super) fn write(&self, out: &mut Vec<MoveTally>) {
        for (&(role, choice), &place) in &self.places {
            let mut tally = MoveTally { role, choice, playouts: 0, sum: 0.0 };
            for &(playouts, sum) in self.lanes.iter().filter_map(|lane| lane.totals.get(place)) {
                tally.playouts += playouts;
                tally.sum += sum;
            }
            if tally.playouts > 0 {
                out.push(tally);
            }
        }
    }
}
