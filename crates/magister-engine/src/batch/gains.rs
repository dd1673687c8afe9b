//! Intermediate rewards (payments on the way): the gains of each lane in its current playout, and
//! in all its playouts so far.
//!
//! Sums are taken in the order of the contract, step by step and lane by lane, so that they are
//! bit-identical to the sums of single games for all values.

use magister_core::Tally;
use magister_core::playout::LANES;
use magister_lanes::{Width, Wires};

/// The gains of all lanes.
#[derive(Debug)]
pub(super) struct Gains {
    roles: usize,
    chance: Option<usize>,
    /// The gains of each lane and role in the current playout.
    now: Vec<f64>,
    /// The gains in all finished playouts, and their squares.
    sum: Vec<f64>,
    squares: Vec<f64>,
    /// The gains of each lane in one step.
    step: Vec<f64>,
}

impl Gains {
    pub(super) fn new(width: Width, roles: usize, chance: Option<usize>) -> Self {
        let all = vec![0.0; width.lanes() * roles];
        let step = vec![0.0; width.lanes()];
        Self { roles, chance, now: all.clone(), sum: all.clone(), squares: all, step }
    }

    /// Starts a stream in the lanes of a slot.
    pub(super) fn begin(&mut self, slot: usize) {
        let own = slot * LANES * self.roles..(slot + 1) * LANES * self.roles;
        for sums in [&mut self.now, &mut self.sum, &mut self.squares] {
            sums[own.clone()].fill(0.0);
        }
    }

    /// Adds the payments of a step: role, value and row of each gain. Lanes that made no step gain
    /// nothing.
    pub(super) fn add(&mut self, gains: &[(usize, f64, u32)], wires: &Wires, resting: u32) {
        for same in gains.chunk_by(|one, other| one.0 == other.0) {
            let role = same[0].0;
            for word in 0..wires.width().words() {
                let going = !wires.row(resting)[word];
                let mut any = 0;
                for &(_, value, row) in same {
                    let lanes = wires.row(row)[word] & going;
                    any |= lanes;
                    each(lanes, |lane| self.step[word * 64 + lane] += value);
                }
                each(any, |lane| {
                    let lane = word * 64 + lane;
                    self.now[lane * self.roles + role] += std::mem::take(&mut self.step[lane]);
                });
            }
        }
    }

    /// Ends the playout of a lane and writes its rewards, one per role.
    pub(super) fn end(&mut self, lane: usize, out: Option<&mut Vec<Option<f64>>>) {
        let own = lane * self.roles..(lane + 1) * self.roles;
        if let Some(out) = out {
            let rewards = self.now[own.clone()].iter().enumerate();
            out.extend(rewards.map(|(role, &now)| (self.chance != Some(role)).then_some(now)));
        }
        for at in own {
            let reward = std::mem::take(&mut self.now[at]);
            self.sum[at] += reward;
            self.squares[at] += reward * reward;
        }
    }

    /// Sums up a finished stream.
    pub(super) fn close(&self, slot: usize, playouts: u32, tally: &mut Tally) {
        for role in (0..self.roles).filter(|&role| self.chance != Some(role)) {
            tally.paid[role] = playouts;
            for lane in slot * LANES..(slot + 1) * LANES {
                tally.sum[role] += self.sum[lane * self.roles + role];
                tally.squares[role] += self.squares[lane * self.roles + role];
            }
        }
    }

    /// Clears everything.
    pub(super) fn clear(&mut self) {
        for sums in [&mut self.now, &mut self.sum, &mut self.squares] {
            sums.fill(0.0);
        }
    }

    /// Adds the gains of a lane's playout to the sums of the roles, and counts the payment.
    pub(super) fn collect(&self, lane: usize, paid: &mut [u32], sum: &mut [f64]) {
        let own = &self.now[lane * self.roles..(lane + 1) * self.roles];
        for (role, &now) in own.iter().enumerate().filter(|&(role, _)| self.chance != Some(role)) {
            paid[role] += 1;
            sum[role] += now;
        }
    }
}

/// Calls `then` on every lane of a word.
pub(super) fn each(mut lanes: u64, mut then: impl FnMut(usize)) {
    while lanes != 0 {
        then(lanes.trailing_zeros() as usize);
        lanes &= lanes - 1;
    }
}
