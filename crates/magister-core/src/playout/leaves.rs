//! A few playouts from each of many states, for the leaves of a search tree.
//!
//! A stream of 32 lanes has one start state, so four playouts per state would leave 28 of its lanes
//! empty. Here states share the lanes of a stream. **This is the contract**, in addition to that of
//! [streams](super):
//!
//! 1. A request has start states and a number `e` of playouts from each: 1, 2, 4, 8, 16 or 32. The
//!    states are assigned to streams in order, `32 / e` to each; the ids of the streams are
//!    consecutive from `first`. State `s` of a stream uses the lanes from `s * e` to
//!    `(s + 1) * e - 1`, one playout in each.
//! 2. The random numbers of step `t` of a playout, counted from 0, are those of sweep `t` of its
//!    stream; they are drawn and used as for streams.
//! 3. Sums are taken over the lanes of a state in order.

use super::{LANES, numbers, pick, pick_weighted};
use crate::{Halt, Move, Payment, Role, Step, Stop, Worker};

/// A request for a few playouts from each of many states.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a> {
    /// The key of all random numbers.
    pub seed: u64,
    /// The id of the first stream.
    pub first: u64,
    /// The states.
    pub starts: &'a [&'a [u64]],
    /// The playouts per state: a power of two, at most 32.
    pub each: u32,
    /// The number of steps after which a playout is truncated.
    pub max_steps: u32,
}

/// Whether a number of playouts per state divides the 32 lanes of a stream.
#[must_use]
pub const fn shares_lanes(each: u32) -> bool {
    each.is_power_of_two() && each as usize <= LANES
}

impl Leaves<'_> {
    /// The number of states that share a stream. Other numbers of playouts are rounded up to the
    /// next valid one.
    #[must_use]
    pub fn sharing(&self) -> usize {
        LANES / self.playouts() as usize
    }

    /// The number of playouts per state.
    #[must_use]
    pub fn playouts(&self) -> u32 {
        self.each.clamp(1, LANES as u32).next_power_of_two()
    }
}

/// The results of each state. After an error the contents are meaningless.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafResults {
    /// The number of roles.
    pub roles: usize,
    /// For each state, how many playouts reached a terminal state; the others were truncated.
    pub finished: Vec<u32>,
    /// For each state and role, how many playouts gave the role a reward.
    pub paid: Vec<u32>,
    /// For each state and role, the sum of the rewards.
    pub sum: Vec<f64>,
}

impl LeafResults {
    /// Resets the results for a number of states and roles.
    pub fn clear(&mut self, states: usize, roles: usize) {
        self.roles = roles;
        self.finished.clear();
        self.finished.resize(states, 0);
        self.paid.clear();
        self.paid.resize(states * roles, 0);
        self.sum.clear();
        self.sum.resize(states * roles, 0.0);
    }

    /// Copies results to the states from `at` on.
    pub(super) fn copy(&mut self, at: usize, part: &LeafResults) {
        let (states, roles) = (part.finished.len(), self.roles);
        self.finished[at..at + states].copy_from_slice(&part.finished);
        self.paid[at * roles..(at + states) * roles].copy_from_slice(&part.paid);
        self.sum[at * roles..(at + states) * roles].copy_from_slice(&part.sum);
    }
}

/// The plain evaluator of leaves: one playout at a time with the steps of a worker.
pub fn leaves_one_by_one<W: Worker + ?Sized>(
    worker: &mut W,
    leaves: &Leaves<'_>,
    out: &mut LeafResults,
    stop: &Stop,
) -> Result<(), Halt> {
    let info = worker.info();
    let mut player = Player {
        roles: info.roles.len(),
        chance: info.chance,
        payment: info.payment,
        numbers: Vec::new(),
        joint: Vec::new(),
        step: Step::new(),
        gains: Vec::new(),
        goals: Vec::new(),
    };
    out.clear(leaves.starts.len(), player.roles);
    let each = leaves.playouts() as usize;
    for (block, starts) in leaves.starts.chunks(leaves.sharing()).enumerate() {
        player.numbers.clear();
        let stream = leaves.first.wrapping_add(block as u64);
        for (place, start) in starts.iter().enumerate() {
            let state = block * leaves.sharing() + place;
            for lane in place * each..(place + 1) * each {
                worker.load(start, stop)?;
                player.play(worker, leaves, (stream, lane), stop)?;
                player.end(worker, state, out);
            }
        }
    }
    Ok(())
}

struct Player {
    roles: usize,
    chance: Option<Role>,
    payment: Payment,
    /// For each step and draw, the numbers of the lanes of a stream, computed on demand.
    numbers: Vec<Option<Box<[u64; LANES]>>>,
    joint: Vec<Move>,
    step: Step,
    gains: Vec<f64>,
    goals: Vec<f64>,
}

impl Player {
    fn play<W: Worker + ?Sized>(
        &mut self,
        worker: &mut W,
        leaves: &Leaves<'_>,
        (stream, lane): (u64, usize),
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.gains.clear();
        self.gains.resize(self.roles, 0.0);
        for sweep in 0..leaves.max_steps {
            stop.check()?;
            if worker.terminal() {
                return Ok(());
            }
            self.joint.clear();
            let mut draw = 0_u8;
            for role in 0..self.roles {
                let legal = worker.legal(Role(role as u8));
                if let [only] = legal {
                    self.joint.push(*only);
                    continue;
                }
                let place = sweep as usize * self.roles + usize::from(draw);
                if self.numbers.len() <= place {
                    self.numbers.resize(place + 1, None);
                }
                let lanes = self.numbers[place].get_or_insert_with(|| {
                    Box::new(numbers(leaves.seed, stream, u64::from(sweep), draw))
                });
                draw += 1;
                let number = lanes[lane];
                let own = self.chance == Some(Role(role as u8));
                let weights = if own { worker.weights() } else { &[] };
                self.joint.push(
                    legal[if weights.is_empty() {
                        pick(number, legal.len())
                    } else {
                        pick_weighted(number, weights)
                    }],
                );
            }
            worker.step(&self.joint, &mut self.step, stop)?;
            self.gains.iter_mut().zip(&self.step.gains).for_each(|(sum, gain)| *sum += gain);
        }
        Ok(())
    }

    /// Records a playout that has ended.
    fn end<W: Worker + ?Sized>(&mut self, worker: &W, state: usize, out: &mut LeafResults) {
        let finished = worker.terminal();
        out.finished[state] += u32::from(finished);
        for role in 0..self.roles {
            let reward = match self.payment {
                _ if self.chance == Some(Role(role as u8)) => None,
                Payment::OnTheWay => Some(self.gains[role]),
                Payment::AtEnd if finished => {
                    worker.goals(Role(role as u8), &mut self.goals);
                    if let [goal] = self.goals[..] { Some(goal) } else { None }
                }
                Payment::AtEnd => None,
            };
            if let Some(reward) = reward {
                out.paid[state * self.roles + role] += 1;
                out.sum[state * self.roles + role] += reward;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Detail, Game, Native, Results, Stream, examples::Countdown};

    #[test]
    fn a_state_with_its_own_stream_agrees_with_the_stream() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let stop = Stop::never();
        let streams: Vec<Stream<'_>> =
            (7..10).map(|id| Stream { id, start: &start, quota: 32 }).collect();
        let batch = Batch { seed: 5, streams: &streams, max_steps: 900, detail: Detail::Sums };
        let mut results = Results::default();
        game.worker().playouts(&batch, &mut results, &stop).unwrap();
        let starts = vec![&start[..]; 3];
        let leaves = Leaves { seed: 5, first: 7, starts: &starts, each: 32, max_steps: 900 };
        let mut out = LeafResults::default();
        game.worker().leaves(&leaves, &mut out, &stop).unwrap();
        for (at, tally) in results.streams.iter().enumerate() {
            assert_eq!(out.finished[at], tally.finished);
            assert_eq!(out.paid[at * out.roles..][..out.roles], tally.paid);
            assert_eq!(out.sum[at * out.roles..][..out.roles], tally.sum);
        }
    }

    #[test]
    fn states_that_share_a_stream_use_its_lanes() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let stop = Stop::never();
        let play = |states: usize, each: u32| {
            let starts = vec![&start[..]; states];
            let leaves = Leaves { seed: 1, first: 3, starts: &starts, each, max_steps: 900 };
            let mut out = LeafResults::default();
            game.worker().leaves(&leaves, &mut out, &stop).unwrap();
            (out.sum.iter().sum::<f64>(), out.finished)
        };
        let (total, finished) = play(2, 32);
        assert_eq!(finished, [32, 32]);
        for each in [1, 2, 4, 8, 16] {
            let (sum, finished) = play(64 / each as usize, each);
            assert!((sum - total).abs() < 1e-9, "{each} playouts per state");
            assert_eq!(finished, vec![each; 64 / each as usize]);
        }
        assert!(shares_lanes(1) && shares_lanes(32) && !shares_lanes(3) && !shares_lanes(64));
    }

    #[test]
    fn truncated_playouts_are_not_finished() {
        let game = Native::new(Countdown(21));
        let mut start = Vec::new();
        game.worker().save(&mut start);
        let leaves = Leaves { seed: 1, first: 3, starts: &[&start], each: 4, max_steps: 1 };
        let mut out = LeafResults::default();
        game.worker().leaves(&leaves, &mut out, &Stop::never()).unwrap();
        assert_eq!((out.finished[0], out.paid[0]), (0, 0));
    }
}
