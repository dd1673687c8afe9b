//! Random playouts in batches, identical bit for bit on every evaluator.
//!
//! An engine that plays 512 games at once and one that plays them one by one must give the same
//! results; otherwise no differential test could be exact. The request therefore fixes everything
//! that could depend on how the work is divided. **This is the contract:**
//!
//! 1. A batch has streams. A [`Stream`] has an id, a start state and a quota of playouts, and 32
//!    independent lanes play it. Given a quota `q`, lane `l` plays `q / 32` playouts in sequence,
//!    and one more if `l < q % 32`.
//! 2. A lane works in sweeps, numbered from 0. In a sweep it either makes one step, or, if the
//!    state is terminal or `max_steps` steps of this playout have been made, it ends the playout
//!    and returns to the start state. The next playout begins with the next even sweep, so that in
//!    a turn-based game of two players the same player moves in all lanes. A playout of `n` steps
//!    therefore takes `n + 1` sweeps, or one more if that is odd. A playout is *finished* if its
//!    last state is terminal, otherwise *truncated*. Every step counts, including silent ones and
//!    those of chance alone.
//! 3. In a sweep `t` of a lane, the roles with two or more legal moves draw random numbers `U` of
//!    40 bits, in the order of the roles: the first of them has draw 0, the next draw 1, and so on.
//!    In a turn-based game, all lanes therefore use the same draw, whichever role moves. Bit `k` of
//!    the number of lane `l` is bit `l` of plane `k`. Planes `4b` to `4b + 3` of draw `d` are the
//!    four words of [Philox4x32-10](crate::philox) for the block `b` from 0 to 9, with the seed as
//!    the key (low word first) and the counter
//!    `[t mod 2^32, (t / 2^32) * 2^12 + d * 16 + b, id mod 2^32, id / 2^32]`.
//! 4. A role with `c` legal moves plays number `floor(U * c / 2^40)` of its list. Chance with
//!    weights of total `W` plays the entry whose share of the cumulative weights contains
//!    `floor(U * W / 2^40)`. A role with a single legal move needs no number.
//! 5. If the game pays at the end, the reward of a player is its single goal value in the terminal
//!    state; there is none if the playout is truncated or the rules give none or several. If the
//!    game has intermediate rewards, it is the sum of the gains, also in truncated playouts. Chance
//!    has no reward.
//! 6. Sums are taken in each lane in order of play, starting from zero, and then over the lanes in
//!    order. For integer rewards, which all GDL games have, the order does not matter.
//! 7. With [`Detail::Moves`], two numbers are reported for each role and each move except
//!    [`Move::IDLE`](crate::Move::IDLE): the number of playouts that gave the role a reward and in
//!    which it made the move at least once, whether it had a choice or not; and the sum of the
//!    role's rewards in those playouts. Moves without such a playout are omitted, so chance has
//!    none. Moves before the start state do not count.
//!
//! The choice of a move is uniform up to a relative bias below `c / 2^40`, because `2^40` numbers
//! cannot be divided evenly among `c` moves: below 2^-24 for up to 65,536 moves. No feasible number
//! of playouts can detect this.

mod leaves;
mod moves;
mod plain;
mod team;
mod tries;

use crate::Role;
use crate::philox::philox;

pub use leaves::{LeafResults, Leaves, leaves_one_by_one, shares_lanes};
pub use moves::MoveTally;
pub use plain::one_by_one;
pub use team::Team;
pub use tries::{Tried, Tries, tries_one_by_one};

/// The number of lanes of a stream.
pub const LANES: usize = 32;

/// A request for playouts.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The key of all random numbers.
    pub seed: u64,
    /// The streams to play. Streams with the same id use the same random numbers.
    pub streams: &'a [Stream<'a>],
    /// The number of steps after which a playout is truncated.
    pub max_steps: u32,
    /// What to report.
    pub detail: Detail,
}

/// Playouts from one state.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// Distinguishes the random numbers of this stream from those of others.
    pub id: u64,
    /// The start state of all playouts.
    pub start: &'a [u64],
    /// The number of playouts.
    pub quota: u32,
}

/// What to report for each stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The numbers of playouts, and sums of their rewards.
    Sums,
    /// Also the rewards and the length of each playout.
    PerPlayout,
    /// Also the statistics of the playouts in which each move was made. Summed over a batch, they
    /// serve move-average sampling; for a single stream, all-moves-as-first values.
    Moves,
}

/// The results of a batch, one entry per stream in order. After an error the contents are
/// meaningless. Callers keep one of these and reuse it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The results of each stream.
    pub streams: Vec<Tally>,
}

/// The results of one stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Playouts that reached a terminal state.
    pub finished: u32,
    /// Playouts that were truncated after `max_steps` steps.
    pub truncated: u32,
    /// Total steps of all playouts.
    pub steps: u64,
    /// For each role, how many playouts gave it a reward.
    pub paid: Vec<u32>,
    /// For each role, the sum of its rewards.
    pub sum: Vec<f64>,
    /// For each role, the sum of the squares of its rewards.
    pub squares: Vec<f64>,
    /// With [`Detail::PerPlayout`], each playout, lane after lane in order of play.
    pub playouts: Vec<Playout>,
    /// With [`Detail::PerPlayout`], the rewards of each playout, one per role.
    pub rewards: Vec<Option<f64>>,
    /// With [`Detail::Moves`], the statistics of each move, in the order of roles and moves.
    pub moves: Vec<MoveTally>,
}

/// One playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// The number of its steps.
    pub steps: u32,
    /// Whether it reached a terminal state.
    pub finished: bool,
}

impl Tally {
    /// The mean reward of a role over the playouts that gave it a reward.
    pub fn mean(&self, role: Role) -> Option<f64> {
        let paid = *self.paid.get(role.index())?;
        (paid > 0).then(|| self.sum[role.index()] / f64::from(paid))
    }

    /// Resets the tally for a game with this many roles.
    pub fn clear(&mut self, roles: usize) {
        (self.finished, self.truncated, self.steps) = (0, 0, 0);
        self.paid.clear();
        self.paid.resize(roles, 0);
        for sums in [&mut self.sum, &mut self.squares] {
            sums.clear();
            sums.resize(roles, 0.0);
        }
        self.playouts.clear();
        self.rewards.clear();
        self.moves.clear();
    }
}

/// The number of playouts of one lane.
pub const fn lane_quota(quota: u32, lane: usize) -> u32 {
    quota / LANES as u32 + ((lane as u32) < quota % LANES as u32) as u32
}

/// The number of bits of a random number.
pub const BITS: usize = 40;

/// The planes of random bits of one draw in one sweep of a stream.
pub fn planes(seed: u64, stream: u64, sweep: u64, draw: u8) -> [u32; BITS] {
    let key = [seed as u32, (seed >> 32) as u32];
    let mut planes = [0; BITS];
    for (block, words) in planes.chunks_exact_mut(4).enumerate() {
        let high = ((sweep >> 32) as u32) << 12 | u32::from(draw) << 4 | block as u32;
        let counter = [sweep as u32, high, stream as u32, (stream >> 32) as u32];
        words.copy_from_slice(&philox(counter, key));
    }
    planes
}

/// The random number of each lane for one draw in one sweep of a stream: the planes, transposed.
pub fn numbers(seed: u64, stream: u64, sweep: u64, draw: u8) -> [u64; LANES] {
    let planes = planes(seed, stream, sweep, draw);
    let (low, high) = planes.split_at(LANES);
    let mut rows: [u64; LANES] = std::array::from_fn(|row| u64::from(low[row]));
    rows.iter_mut().zip(high).for_each(|(row, &plane)| *row |= u64::from(plane) << 32);
    transpose(&mut rows);
    rows
}

/// Transposes the low and the high half of the words.
fn transpose(rows: &mut [u64; LANES]) {
    quarters::<16>(rows, 0x0000_ffff_0000_ffff);
    quarters::<8>(rows, 0x00ff_00ff_00ff_00ff);
    quarters::<4>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    quarters::<2>(rows, 0x3333_3333_3333_3333);
    quarters::<1>(rows, 0x5555_5555_5555_5555);
}

/// Swaps the off-diagonal quarters of squares. `WIDTH` is their width, and the mask selects their
/// columns.
fn quarters<const WIDTH: usize>(rows: &mut [u64; LANES], mask: u64) {
    for square in rows.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = square.split_at_mut(WIDTH);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let change = (*upper >> WIDTH ^ *lower) & mask;
            *lower ^= change;
            *upper ^= change << WIDTH;
        }
    }
}

/// The index, among `count` legal moves, that a random number selects.
pub const fn pick(number: u64, count: usize) -> usize {
    ((number as u128 * count as u128) >> BITS) as usize
}

/// The index of the weighted chance outcome that a random number selects.
pub fn pick_weighted(number: u64, weights: &[u32]) -> usize {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut rest = ((u128::from(number) * u128::from(total)) >> BITS) as u64;
    for (index, &weight) in weights.iter().enumerate() {
        match rest.checked_sub(u64::from(weight)) {
            Some(less) => rest = less,
            None => return index,
        }
    }
    weights.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_the_quota() {
        let quotas: Vec<u32> = (0..LANES).map(|lane| lane_quota(70, lane)).collect();
        assert_eq!(quotas.iter().sum::<u32>(), 70);
        assert_eq!((quotas[5], quotas[6]), (3, 2));
    }

    #[test]
    fn a_number_is_a_column_of_the_planes() {
        let planes = planes(0x0123_4567_89ab_cdef, 99, 1 << 33, 2);
        let numbers = numbers(0x0123_4567_89ab_cdef, 99, 1 << 33, 2);
        for (lane, number) in numbers.iter().enumerate() {
            for (k, plane) in planes.iter().enumerate() {
                assert_eq!(number >> k & 1, u64::from(plane >> lane & 1));
            }
        }
    }

    #[test]
    fn the_first_planes_are_the_known_answer() {
        assert_eq!(planes(0, 0, 0, 0)[..4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }

    #[test]
    fn numbers_differ_by_sweep_draw_and_stream() {
        let here = numbers(1, 2, 3, 4);
        assert_ne!(here, numbers(0, 2, 3, 4));
        assert_ne!(here, numbers(1, 0, 3, 4));
        assert_ne!(here, numbers(1, 2, 0, 4));
        assert_ne!(here, numbers(1, 2, 3, 0));
        assert_ne!(here, numbers(1, 2, 3 + (1 << 32), 4));
    }

    #[test]
    fn picks_are_in_range() {
        const LAST: u64 = (1 << BITS) - 1;
        assert_eq!(pick(0, 3), 0);
        assert_eq!(pick(LAST, 3), 2);
        assert_eq!(pick(1 << (BITS - 1), 2), 1);
        assert_eq!(pick_weighted(0, &[9, 1]), 0);
        assert_eq!(pick_weighted(LAST, &[9, 1]), 1);
        assert_eq!(pick_weighted(0xe6_6666_6666, &[9, 1]), 0);
        assert_eq!(pick_weighted(0xe6_6666_6667, &[9, 1]), 1);
        assert_eq!(pick_weighted(LAST, &[u32::MAX]), 0);
    }
}
