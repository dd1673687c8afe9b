//! Statistics of playouts by their moves, collected in all lanes at once.
//!
//! Each move has a row that marks the lanes in which the move was made in the current playout. When
//! a playout ends, its lane is put aside together with its payments; lanes that were put aside are
//! counted when one of them is needed again, which is once in many sweeps.

use magister_core::playout::MoveTally;
use magister_core::{Move, Role};
use magister_lanes::{Tally, Width, Wires, note};

use crate::network::Network;

/// The counted moves.
#[derive(Debug)]
pub(super) struct CountedMoves {
    /// The moves of all roles that have rewards, role by role.
    moves: Vec<(Role, Move)>,
    /// The rows that mark each move.
    rows: Vec<u32>,
    /// Their indexes in a book of moves, from 0.
    places: Vec<u32>,
    roles: Vec<Rewarded>,
}

/// The moves of a role, and its rewards as weighted sets of lanes.
#[derive(Debug)]
struct Rewarded {
    from: usize,
    to: usize,
    sets: Vec<Set>,
    /// The number of sets of the previous roles, and of their counts.
    first_set: usize,
    first_count: usize,
}

/// The lanes with one of several rewards.
#[derive(Debug)]
struct Set {
    /// What each lane adds to a sum. The first set of a role, which contains the lanes with any
    /// reward, adds nothing: its lanes are counted.
    weight: f64,
    /// The rows of the rewards.
    rows: Vec<u32>,
}

impl CountedMoves {
    /// The moves of a network, and the rewards of a program.
    pub(super) fn new(network: &Network, rewards: &[(usize, f64, u32)]) -> Self {
        let mut counted =
            Self { moves: Vec::new(), rows: Vec::new(), places: Vec::new(), roles: Vec::new() };
        let (mut first_set, mut first_count) = (0, 0);
        for role in 0..network.roles() {
            let own: Vec<(f64, u32)> = rewards
                .iter()
                .filter(|r| r.0 == role)
                .map(|&(_, value, row)| (value, row))
                .collect();
            if own.is_empty() {
                continue;
            }
            let from = counted.moves.len();
            for at in network.places(Role(role as u8)) {
                counted.moves.push(network.moves[at]);
                counted.rows.push(network.inputs[at].node().0);
            }
            let to = counted.moves.len();
            let sets = sets(&own);
            let count = sets.len();
            counted.roles.push(Rewarded { from, to, sets, first_set, first_count });
            first_set += count;
            first_count += count * (to - from);
        }
        counted.places = (0..counted.moves.len() as u32).collect();
        counted
    }
}

/// Rewards as few weighted sets: one for each value, or one for each binary digit.
fn sets(rewards: &[(f64, u32)]) -> Vec<Set> {
    let rows = |wanted: &dyn Fn(f64) -> bool| -> Vec<u32> {
        rewards.iter().filter(|(value, _)| wanted(*value)).map(|&(_, row)| row).collect()
    };
    let mut values: Vec<f64> = rewards.iter().map(|&(value, _)| value).collect();
    values.retain(|&value| value != 0.0);
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut sets = vec![Set { weight: 0.0, rows: rows(&|_| true) }];
    let whole = |value: &f64| *value >= 0.0 && *value < f64::from(1 << 30);
    let most = values.last().map_or(0, |&value| value as u64);
    let digits = u64::BITS - most.leading_zeros();
    if values.iter().all(whole) && (digits as usize) < values.len() {
        sets.extend((0..digits).map(|digit| Set {
            weight: f64::from(1 << digit),
            rows: rows(&|value| value as u64 >> digit & 1 == 1),
        }));
    } else {
        sets.extend(values.iter().map(|&value| Set {
            weight: value,
            rows: rows(&|other| other.total_cmp(&value).is_eq()),
        }));
    }
    sets
}

/// Counts moves in the lanes of a player.
#[derive(Debug)]
pub(super) struct MoveBook {
    /// The lanes in which each move was made in the current playout.
    made: Wires,
    /// The same for finished playouts that are not counted yet, followed by their sets of rewards
    /// and the lanes in use.
    aside: Wires,
    sets: Wires,
    lanes: Vec<u64>,
    /// The lanes that are put aside after the moves of this sweep.
    ending: Vec<u64>,
    /// For every role, set and move, the count in each stream.
    counts: Tally,
}

impl MoveBook {
    pub(super) fn new(counted: &CountedMoves, width: Width) -> Self {
        let moves = counted.moves.len();
        let last = counted.roles.last();
        let sets = last.map_or(0, |role| role.first_set + role.sets.len());
        let counts = last.map_or(0, |r| r.first_count + r.sets.len() * (r.to - r.from));
        Self {
            made: Wires::new(width, moves),
            aside: Wires::new(width, moves),
            sets: Wires::new(width, sets),
            lanes: vec![0; width.words()],
            ending: vec![0; width.words()],
            counts: Tally::new(width, counts),
        }
    }

    /// Clears everything.
    pub(super) fn clear(&mut self) {
        self.made.clear();
        self.lanes.fill(0);
        self.ending.fill(0);
        self.counts.clear();
    }

    /// Records the moves of a sweep; lanes that restart begin with none.
    pub(super) fn note(&mut self, counted: &CountedMoves, wires: &Wires, restart: u32) {
        let Self { made, aside, ending, .. } = self;
        note(wires, &counted.rows, restart, made, ending, aside);
        ending.fill(0);
    }

    /// Whether the lanes that were put aside must be counted before these can join them.
    pub(super) fn is_full(&self, finished: &[u64]) -> bool {
        self.lanes.iter().zip(finished).any(|(aside, finished)| aside & finished != 0)
    }

    /// Puts lanes with finished playouts aside when the moves of this sweep are recorded. If others
    /// must be counted first, all of those have been paid.
    pub(super) fn finish(&mut self, counted: &CountedMoves, finished: &[u64]) {
        if self.is_full(finished) {
            self.count(counted);
        }
        self.ending.copy_from_slice(finished);
        self.lanes.iter_mut().zip(finished).for_each(|(lanes, finished)| *lanes |= finished);
    }

    /// Records the payments in some of the lanes that were put aside.
    pub(super) fn pay(&mut self, counted: &CountedMoves, wires: &Wires, paid: &[u64]) {
        for role in &counted.roles {
            for (at, set) in (role.first_set as u32..).zip(&role.sets) {
                for (word, place) in self.sets.row_mut(at).iter_mut().enumerate() {
                    let any = set.rows.iter().fold(0, |any, &row| any | wires.row(row)[word]);
                    *place = (*place & !paid[word]) | (any & paid[word]);
                }
            }
        }
    }

    /// Counts the lanes that were put aside.
    fn count(&mut self, counted: &CountedMoves) {
        for role in &counted.roles {
            let places = &counted.places[role.from..role.to];
            for at in 0..role.sets.len() {
                let lanes: Vec<u64> = self
                    .sets
                    .row((role.first_set + at) as u32)
                    .iter()
                    .zip(&self.lanes)
                    .map(|(set, lanes)| set & lanes)
                    .collect();
                if lanes.iter().any(|&word| word != 0) {
                    let first = role.first_count + at * places.len();
                    self.counts.add(first as u32, &self.aside, places, &lanes);
                }
            }
        }
        self.lanes.fill(0);
    }

    /// Writes the moves of a finished stream.
    pub(super) fn close(&mut self, counted: &CountedMoves, slot: usize, out: &mut Vec<MoveTally>) {
        let (word, shift) = (slot / 2, slot % 2 * 32);
        let aside = self.lanes[word] & 0xffff_ffff << shift;
        for role in &counted.roles {
            let moves = role.to - role.from;
            for at in 0..moves {
                let place = role.from + at;
                let made = self.aside.row(place as u32)[word] & aside;
                let (role_of, choice) = counted.moves[place];
                let mut tally = MoveTally { role: role_of, choice, playouts: 0, sum: 0.0 };
                for (number, set) in role.sets.iter().enumerate() {
                    let row = (role.first_count + number * moves + at) as u32;
                    let now = made & self.sets.row((role.first_set + number) as u32)[word];
                    let playouts = self.counts.take(row, slot) + now.count_ones();
                    if number == 0 {
                        tally.playouts = playouts;
                    }
                    tally.sum += set.weight * f64::from(playouts);
                }
                if tally.playouts > 0 {
                    out.push(tally);
                }
            }
        }
        self.lanes[word] &= !aside;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_become_few_sets() {
        let total = |sets: &[Set], row: u32| -> f64 {
            sets.iter().filter(|set| set.rows.contains(&row)).map(|set| set.weight).sum()
        };
        let few = [(0.0, 5), (50.0, 6), (100.0, 7)];
        let many: Vec<(f64, u32)> = (0..=100).map(|n| (f64::from(n), n as u32 + 20)).collect();
        let below: Vec<(f64, u32)> = (0..40).map(|n| (f64::from(n - 20), n as u32)).collect();
        for (rewards, count) in [(&few[..], 3), (&many, 8), (&below, 40), (&[], 1)] {
            let sets = sets(rewards);
            assert_eq!(sets.len(), count);
            assert_eq!(sets[0].rows.len(), rewards.len());
            for &(value, row) in rewards {
                assert!((total(&sets, row) - value).abs() < 1e-9, "row {row}");
            }
        }
    }
}
