//! One step from each of many states, with sampled moves of the other roles, for particle filters.
//!
//! A worker that tries many states at once and one that tries them one by one give the same
//! results, bit for bit. **This is the contract:**
//!
//! 1. A request has states, and a turn of a role: its move and its observation. The states are
//!    assigned to streams of 32 lanes in order; the ids of the streams are consecutive from
//!    `first`.
//! 2. No step is made from a terminal state, or from one in which the role's move is illegal.
//! 3. Every other role with two or more legal moves draws one by a random number of 40 bits: that
//!    of the lane in sweep 0 of its stream, where the number of the draw is the number of the role.
//!    The number selects a move as for [playouts](super).
//! 4. A step agrees with the turn if it gives the role the same observation and the step is
//!    possible. (If the rules failed in the next state, the match would have been broken off.)
//!
//! Games with silent steps do not support this.

use super::{LANES, numbers, pick, pick_weighted};
use crate::{Halt, Move, Role, Step, Stop, Turn, Worker};

/// A request for one step from each of many states.
#[derive(Clone, Copy, Debug)]
pub struct Tries<'a> {
    /// The key of all random numbers.
    pub seed: u64,
    /// The id of the first stream.
    pub first: u64,
    /// The states.
    pub starts: &'a [&'a [u64]],
    /// The role of the turn.
    pub role: Role,
    /// The role's move and observation.
    pub turn: &'a Turn,
}

/// The steps that agreed, in the order of the states. After an error the contents are meaningless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// The states from which a step agreed, by their index in the request.
    pub places: Vec<u32>,
    /// The states after these steps, concatenated.
    pub states: Vec<u64>,
    /// The joint moves, concatenated.
    pub joints: Vec<Move>,
    /// Whether the game is over after each of them.
    pub over: Vec<bool>,
}

impl Tried {
    /// Removes all results.
    pub fn clear(&mut self) {
        self.places.clear();
        self.states.clear();
        self.joints.clear();
        self.over.clear();
    }
}

/// The plain method: one state at a time, with the steps of a worker.
pub fn tries_one_by_one<W: Worker + ?Sized>(
    worker: &mut W,
    tries: &Tries<'_>,
    out: &mut Tried,
    stop: &Stop,
) -> Result<(), Halt> {
    out.clear();
    let roles = worker.info().roles.len();
    // The numbers of the lanes of a stream for each role, computed on demand.
    let mut drawn: Vec<Option<[u64; LANES]>> = vec![None; roles];
    let (mut joint, mut step, mut state) = (Vec::new(), Step::new(), Vec::new());
    for (block, starts) in tries.starts.chunks(LANES).enumerate() {
        drawn.fill(None);
        let stream = tries.first.wrapping_add(block as u64);
        for (lane, start) in starts.iter().enumerate() {
            stop.check()?;
            worker.load(start, stop)?;
            let number = |role: Role| {
                let numbers = drawn[role.index()]
                    .get_or_insert_with(|| numbers(tries.seed, stream, 0, role.0));
                numbers[lane]
            };
            if !draw(worker, tries, &mut joint, number) {
                continue;
            }
            match worker.step(&joint, &mut step, stop) {
                Ok(()) => {}
                Err(Halt::Rules(_)) => continue,
                Err(halt) => return Err(halt),
            }
            if tries.turn.seen.agrees(tries.role, &joint, &step) {
                worker.save(&mut state);
                out.places.push((block * LANES + lane) as u32);
                out.states.extend_from_slice(&state);
                out.joints.extend_from_slice(&joint);
                out.over.push(worker.terminal());
            }
        }
    }
    Ok(())
}

/// Draws the joint move in a worker's state; false if there is none.
fn draw<W: Worker + ?Sized>(
    worker: &W,
    tries: &Tries<'_>,
    joint: &mut Vec<Move>,
    mut number: impl FnMut(Role) -> u64,
) -> bool {
    joint.clear();
    if worker.terminal() {
        return false;
    }
    let info = worker.info();
    for role in info.all_roles() {
        let legal = worker.legal(role);
        let own = role == tries.role;
        if own && !legal.contains(&tries.turn.own) || legal.is_empty() {
            return false;
        }
        joint.push(match legal {
            _ if own => tries.turn.own,
            [one] => *one,
            _ if info.chance == Some(role) && !worker.weights().is_empty() => {
                legal[pick_weighted(number(role), worker.weights())]
            }
            _ => legal[pick(number(role), legal.len())],
        });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Countdown;
    use crate::{Game, Native, Observation};

    #[test]
    fn steps_are_compared_with_observations() {
        let game = Native::new(Countdown(5));
        let mut worker = game.worker();
        let stop = Stop::never();
        let (first, second) = (Role(0), Role(1));
        let own = worker.legal(first)[0];
        let idle = worker.legal(second)[0];
        let mut start = Vec::new();
        worker.save(&mut start);
        let starts: Vec<&[u64]> = vec![&start; 70];
        let (seed, mut out) = (3, Tried::default());
        let seen = Observation::Joint(Box::new([own, idle]));
        let turn = Turn { own, seen };
        let tries = Tries { seed, first: 9, starts: &starts, role: first, turn: &turn };
        tries_one_by_one(&mut *worker, &tries, &mut out, &stop).unwrap();
        // The other role has no choice.
        assert_eq!(out.places, (0..70).collect::<Vec<_>>());
        assert_eq!((out.joints.len(), out.over.len()), (140, 70));
        // The waiting role observes the sampled move of the first.
        let turn = Turn { own: idle, seen: turn.seen.clone() };
        let tries = Tries { role: second, turn: &turn, ..tries };
        tries_one_by_one(&mut *worker, &tries, &mut out, &stop).unwrap();
        assert!(out.places.len() > 20 && out.places.len() < 50, "{:?}", out.places);
        let before = out.clone();
        tries_one_by_one(&mut *worker, &tries, &mut out, &stop).unwrap();
        assert_eq!(out, before);
        // An illegal move, and a stop.
        let turn = Turn { own: Move(77), seen: turn.seen.clone() };
        let tries = Tries { turn: &turn, ..tries };
        tries_one_by_one(&mut *worker, &tries, &mut out, &stop).unwrap();
        assert_eq!(out, Tried::default());
        let stop = Stop::new();
        stop.set();
        let halt = tries_one_by_one(&mut *worker, &tries, &mut out, &stop);
        assert_eq!(halt, Err(Halt::Stopped));
        assert!(!worker.tries(&tries, &mut out, &Stop::never()).unwrap());
    }
}
