//! Plays streams of playouts, as many side by side as a row has lanes.

use std::sync::Arc;

use magister_core::playout::{LANES, Playout, lane_quota};
use magister_core::{Batch, Detail, Halt, Results, Stop, Tally};
use magister_lanes::{Slot, Start, Width, Wires, planes, scale};

use super::program::BatchProgram;
use crate::network::Network;

/// What all players of a game share.
#[derive(Debug)]
pub(crate) struct BatchPlan {
    network: Arc<Network>,
    program: BatchProgram,
    /// For every goal of the network its role and its value, if that is a number.
    goals: Vec<(usize, Option<f64>)>,
    roles: usize,
    /// The role that has no reward.
    chance: Option<usize>,
    /// A role without a goal has zero.
    zero: bool,
}

impl BatchPlan {
    /// The plan of a network. `values` are those of its goals, as numbers.
    pub(crate) fn new(
        network: Arc<Network>,
        values: &[Option<f64>],
        chance: Option<usize>,
        zero: bool,
        stop: &Stop,
    ) -> Self {
        let program = BatchProgram::new(&network, stop);
        let goals = network.goals.iter().zip(values);
        let goals = goals.map(|(&(role, ..), &value)| (role as usize, value)).collect();
        let roles = network.idle.len();
        Self { network, program, goals, roles, chance, zero }
    }

    /// The gates of a step, the choice of moves among them.
    pub(crate) fn gates(&self) -> usize {
        self.program.gates()
    }
}

/// Why a batch did not come to its end.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Something that needs no state to be told.
    Halt(Halt),
    /// The state in which the rules are at fault.
    State(Vec<u64>),
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Self {
        Trouble::Halt(halt)
    }
}

/// Plays batches.
#[derive(Debug)]
pub(crate) struct BatchPlayer {
    plan: Arc<BatchPlan>,
    wires: Wires,
    /// The start states, if streams have different ones.
    starts: Wires,
    /// The start state, if they have the same: all ones or all zeros for each fluent.
    start: Vec<u64>,
    same: bool,
    slots: Vec<Playing>,
    /// The lanes whose playouts are wanted.
    alive: Vec<u64>,
    ended: Vec<u64>,
    finished: Vec<u64>,
    /// The first sweep, counted over all, at which a lane may have made its last step.
    deadline: u64,
    sweep: u64,
}

/// The 32 lanes that play one stream.
#[derive(Clone, Debug)]
struct Playing {
    /// The stream, by its place in the batch; none if there is nothing left to play.
    stream: Option<usize>,
    /// The sweep, counted over all, at which the stream began.
    since: u64,
    /// Playouts still to be ended.
    left: [u32; LANES],
    /// The sweep, counted over all, at which the current playout began.
    began: [u64; LANES],
    /// With details, the playouts and rewards of each lane.
    playouts: Vec<Vec<Playout>>,
    rewards: Vec<Vec<Option<f64>>>,
}

impl BatchPlayer {
    /// A player of so many lanes.
    pub(crate) fn new(plan: Arc<BatchPlan>, width: Width) -> Self {
        let words = width.words();
        let fluents = plan.network.fluents.len();
        let mut wires = Wires::new(width, plan.program.rows.max(1));
        wires.row_mut(plan.program.yes).fill(!0);
        let idle = Playing {
            stream: None,
            since: 0,
            left: [0; LANES],
            began: [0; LANES],
            playouts: vec![Vec::new(); LANES],
            rewards: vec![Vec::new(); LANES],
        };
        Self {
            wires,
            starts: Wires::new(width, 0),
            start: vec![0; fluents],
            same: true,
            slots: vec![idle; width.slots()],
            alive: vec![0; words],
            ended: vec![0; words],
            finished: vec![0; words],
            deadline: 0,
            sweep: 0,
            plan,
        }
    }

    /// Plays a batch whose start states are states of the game.
    pub(crate) fn play(
        &mut self,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), Trouble> {
        let roles = self.plan.roles;
        out.streams.resize_with(batch.streams.len(), Tally::default);
        out.streams.iter_mut().for_each(|tally| tally.clear(roles));
        self.sweep = 0;
        self.deadline = u64::MAX;
        self.alive.fill(0);
        self.prepare_starts(batch);
        let mut waiting = 0;
        for slot in 0..self.slots.len() {
            self.slots[slot].stream = None;
            self.fill(slot, batch, &mut waiting);
        }
        while self.alive.iter().any(|&word| word != 0) {
            stop.check()?;
            self.step(batch, out)?;
            for slot in 0..self.slots.len() {
                let done = self.slots[slot].stream.is_some() && lanes(&self.alive, slot) == 0;
                if done {
                    self.close(slot, batch, out);
                    self.fill(slot, batch, &mut waiting);
                }
            }
        }
        Ok(())
    }

    /// Whether all streams start in the same state, and that state.
    fn prepare_starts(&mut self, batch: &Batch<'_>) {
        let Some(first) = batch.streams.first() else { return };
        self.same = batch.streams.iter().all(|stream| stream.start == first.start);
        if self.same {
            for (fluent, bits) in self.start.iter_mut().enumerate() {
                *bits = if holds(first.start, fluent) { !0 } else { 0 };
            }
        } else if self.starts.count() < self.start.len() {
            self.starts = Wires::new(self.wires.width(), self.start.len());
        }
    }

    /// Gives a slot the next stream that has anything to play.
    fn fill(&mut self, slot: usize, batch: &Batch<'_>, waiting: &mut usize) {
        self.slots[slot].stream = None;
        while let Some(stream) = batch.streams.get(*waiting) {
            let number = *waiting;
            *waiting += 1;
            if stream.quota == 0 {
                continue;
            }
            let (word, shift) = (slot / 2, slot % 2 * 32);
            for fluent in 0..self.start.len() {
                let bits = if holds(stream.start, fluent) { 0xffff_ffff << shift } else { 0 };
                let rows = [
                    Some((&mut self.wires, self.plan.program.state + fluent as u32)),
                    (!self.same).then_some((&mut self.starts, fluent as u32)),
                ];
                for (wires, row) in rows.into_iter().flatten() {
                    let row = &mut wires.row_mut(row)[word];
                    *row = (*row & !(0xffff_ffff << shift)) | bits;
                }
            }
            let playing = &mut self.slots[slot];
            playing.stream = Some(number);
            playing.since = self.sweep;
            playing.began.fill(self.sweep);
            let mut alive = 0u64;
            for lane in 0..LANES {
                playing.left[lane] = lane_quota(stream.quota, lane);
                alive |= u64::from(playing.left[lane] > 0) << lane;
            }
            self.alive[word] = (self.alive[word] & !(0xffff_ffff << shift)) | alive << shift;
            self.deadline = self.deadline.min(self.sweep.saturating_add(batch.max_steps.into()));
            return;
        }
    }

    /// Puts the details of a stream in the order of the contract.
    fn close(&mut self, slot: usize, batch: &Batch<'_>, out: &mut Results) {
        let playing = &mut self.slots[slot];
        let Some(stream) = playing.stream.take() else { return };
        if batch.detail == Detail::PerPlayout {
            let tally = &mut out.streams[stream];
            playing.playouts.iter_mut().for_each(|list| tally.playouts.append(list));
            playing.rewards.iter_mut().for_each(|list| tally.rewards.append(list));
        }
    }

    /// One sweep: every lane makes a step, or ends its playout.
    fn step(&mut self, batch: &Batch<'_>, out: &mut Results) -> Result<(), Trouble> {
        let plan = Arc::clone(&self.plan);
        let program = &plan.program;
        program.legal.run(&mut self.wires);
        let terminal = self.wires.row(program.terminal);
        let mut any = 0;
        for (word, &over) in terminal.iter().enumerate() {
            self.finished[word] = over & self.alive[word];
            self.ended[word] = self.finished[word];
            any |= self.ended[word];
        }
        if self.sweep >= self.deadline {
            any |= self.truncate(batch.max_steps);
        }
        let stuck = self.wires.row(program.stuck);
        for (word, &stuck) in stuck.iter().enumerate() {
            let trouble = stuck & self.alive[word] & !self.ended[word];
            if trouble != 0 {
                let lane = word * 64 + trouble.trailing_zeros() as usize;
                return Err(Trouble::State(self.state(lane)));
            }
        }
        if any != 0 {
            program.goals.run(&mut self.wires);
            self.pay(batch, out);
            self.end(batch, out);
        }
        // What is not wanted any more may start again and again.
        let restart = self.wires.row_mut(program.restart);
        for (word, row) in restart.iter_mut().enumerate() {
            *row = self.ended[word] | !self.alive[word];
        }
        let mut slots = [Slot::default(); Width::W512.slots()];
        for (slot, playing) in slots.iter_mut().zip(&self.slots) {
            if let Some(stream) = playing.stream {
                let sweep = self.sweep - playing.since;
                *slot = Slot { stream: batch.streams[stream].id, sweep };
            }
        }
        let slots = &slots[..self.slots.len()];
        for (draw, &first) in program.draws.iter().enumerate() {
            planes(&mut self.wires, first, batch.seed, draw as u8, slots);
        }
        program.mix.run(&mut self.wires);
        for choice in &program.choices {
            scale(&mut self.wires, choice.random, &choice.count, choice.number);
        }
        program.next.run(&mut self.wires);
        let start = if self.same { Start::Same(&self.start) } else { Start::Rows(&self.starts) };
        program.commit.run(&mut self.wires, program.restart, start);
        self.sweep += 1;
        Ok(())
    }

    /// Ends the playouts that have made their last step. Gives whether there are any.
    fn truncate(&mut self, max_steps: u32) -> u64 {
        let mut any = 0;
        self.deadline = u64::MAX;
        for (slot, playing) in self.slots.iter().enumerate() {
            let (word, shift) = (slot / 2, slot % 2 * 32);
            for (lane, &began) in playing.began.iter().enumerate() {
                let bit = 1u64 << (shift + lane);
                if self.alive[word] & bit == 0 {
                    continue;
                }
                let last = began.saturating_add(max_steps.into());
                if last <= self.sweep {
                    self.ended[word] |= bit;
                    any |= bit;
                    // It starts again with the next sweep.
                    let again = (self.sweep + 1).saturating_add(max_steps.into());
                    self.deadline = self.deadline.min(again);
                } else {
                    self.deadline = self.deadline.min(last);
                }
            }
        }
        any
    }

    /// Adds up the rewards of playouts that came to a terminal state.
    fn pay(&mut self, batch: &Batch<'_>, out: &mut Results) {
        let plan = Arc::clone(&self.plan);
        let detail = batch.detail == Detail::PerPlayout;
        for word in 0..self.finished.len() {
            if self.finished[word] == 0 {
                continue;
            }
            for role in (0..plan.roles).filter(|&role| plan.chance != Some(role)) {
                // A reward is what exactly one goal gives.
                let rows = plan.goals.iter().zip(&plan.program.goal_rows);
                let rows = rows.filter(|((whose, _), _)| *whose == role);
                let (mut one, mut two) = (0, 0);
                for ((_, value), &row) in rows.clone() {
                    if value.is_some() {
                        let goal = self.wires.row(row)[word];
                        two |= one & goal;
                        one |= goal;
                    }
                }
                let single = one & !two & self.finished[word];
                let mut add = |lanes: u64, value: f64| {
                    for half in 0..2 {
                        let lanes = (lanes >> (32 * half)) as u32;
                        let slot = &mut self.slots[2 * word + half];
                        if let Some(stream) = slot.stream.filter(|_| lanes != 0) {
                            let count = lanes.count_ones();
                            let tally = &mut out.streams[stream];
                            tally.paid[role] += count;
                            tally.sum[role] += value * f64::from(count);
                            tally.squares[role] += value * value * f64::from(count);
                        }
                    }
                };
                for ((_, value), &row) in rows {
                    if let Some(value) = value {
                        add(self.wires.row(row)[word] & single, *value);
                    }
                }
                if plan.zero {
                    add(self.finished[word] & !one, 0.0);
                }
            }
        }
        if detail {
            self.detail();
        }
    }

    /// Notes the rewards of each playout that ends now, role by role.
    fn detail(&mut self) {
        let plan = Arc::clone(&self.plan);
        for slot in 0..self.slots.len() {
            let (word, shift) = (slot / 2, slot % 2 * 32);
            for lane in each(lanes(&self.ended, slot)) {
                let bit = 1u64 << (shift + lane);
                let finished = self.finished[word] & bit != 0;
                for role in 0..plan.roles {
                    let rows = plan.goals.iter().zip(&plan.program.goal_rows);
                    let mut held = rows.filter(|((whose, _), _)| *whose == role).filter_map(
                        |((_, value), &row)| value.filter(|_| self.wires.row(row)[word] & bit != 0),
                    );
                    let reward = match (held.next(), held.next()) {
                        _ if !finished || plan.chance == Some(role) => None,
                        (Some(one), None) => Some(one),
                        (None, _) if plan.zero => Some(0.0),
                        _ => None,
                    };
                    self.slots[slot].rewards[lane].push(reward);
                }
            }
        }
    }

    /// Counts the playouts that end now, and decides which lanes go on.
    fn end(&mut self, batch: &Batch<'_>, out: &mut Results) {
        let detail = batch.detail == Detail::PerPlayout;
        for (slot, playing) in self.slots.iter_mut().enumerate() {
            let ended = lanes(&self.ended, slot);
            let Some(stream) = playing.stream.filter(|_| ended != 0) else { continue };
            let finished = lanes(&self.finished, slot);
            let tally = &mut out.streams[stream];
            tally.finished += finished.count_ones();
            tally.truncated += (ended & !finished).count_ones();
            for lane in each(ended) {
                let steps = (self.sweep - playing.began[lane]) as u32;
                tally.steps += u64::from(steps);
                if detail {
                    let finished = finished >> lane & 1 == 1;
                    playing.playouts[lane].push(Playout { steps, finished });
                }
                playing.began[lane] = self.sweep + 1;
                playing.left[lane] -= 1;
                if playing.left[lane] == 0 {
                    self.alive[slot / 2] &= !(1 << (slot % 2 * 32 + lane));
                }
            }
        }
    }

    /// The state of a lane.
    fn state(&self, lane: usize) -> Vec<u64> {
        let fluents = self.start.len();
        let mut state = vec![0; fluents.div_ceil(64)];
        for fluent in 0..fluents {
            let row = self.wires.row(self.plan.program.state + fluent as u32);
            state[fluent / 64] |= (row[lane / 64] >> (lane % 64) & 1) << (fluent % 64);
        }
        state
    }
}

/// The lanes of a slot, out of a row.
fn lanes(row: &[u64], slot: usize) -> u32 {
    (row[slot / 2] >> (slot % 2 * 32)) as u32
}

/// The numbers of the bits that are set.
fn each(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lowest)
    })
}

fn holds(state: &[u64], fluent: usize) -> bool {
    state[fluent / 64] >> (fluent % 64) & 1 == 1
}
