//! Plays streams of playouts, as many side by side as a row has lanes.

use std::sync::Arc;

use magister_core::playout::{LANES, Playout, lane_quota};
use magister_core::{Batch, Detail, Halt, Results, Stop, Tally};
use magister_lanes::{BITS, Ledger, Planes, Start, Width, Wires, hold, scale};

use super::goals::Pay;
use super::moves::{CountedMoves, MoveBook};
use super::program::{BatchProgram, Ending};
use crate::network::Network;

/// What all players of a game share.
#[derive(Debug)]
pub(crate) struct BatchPlan {
    program: BatchProgram,
    fluents: usize,
    roles: usize,
    /// The moves, if it is told what comes of them.
    moves: Option<CountedMoves>,
}

impl BatchPlan {
    /// The plan of a network. If it is to tell what comes of moves, their numbers are given.
    pub(crate) fn new(network: &Network, pay: &Pay<'_>, numbers: Option<&[u32]>) -> Self {
        let program = BatchProgram::new(network, pay, numbers.is_some());
        let moves = numbers.map(|numbers| CountedMoves::new(network, numbers, &program.rewards));
        Self { program, fluents: network.fluents.len(), roles: network.idle.len(), moves }
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
    ledger: Ledger,
    /// The start states, if streams have different ones.
    starts: Wires,
    /// The start state, if they have the same: all ones or all zeros for each fluent.
    start: Vec<u64>,
    same: bool,
    /// The last states of playouts whose rewards are not yet computed, and the lanes of those.
    kept: Wires,
    keeping: Vec<u64>,
    planes: Planes,
    slots: Vec<Playing>,
    /// How often each reward was paid, and then finished playouts, for every slot.
    counts: magister_lanes::Tally,
    /// What came of moves, if the plan tells that.
    moves: Option<MoveBook>,
    /// The number of sweeps so far.
    sweep: u64,
}

/// The 32 lanes that play one stream.
#[derive(Clone, Debug)]
struct Playing {
    /// The stream, by its place in the batch; none if there is nothing left to play.
    stream: Option<usize>,
    /// The sweep at which the stream began.
    since: u64,
    /// The steps of lanes that have ended their last playout.
    steps: u64,
    /// With details, the playouts and rewards of each lane.
    playouts: Vec<Vec<Playout>>,
    rewards: Vec<Vec<Option<f64>>>,
    /// With details, the sweep at which the current playout of each lane began.
    began: [u64; LANES],
}

impl BatchPlayer {
    /// A player of so many lanes.
    pub(crate) fn new(plan: Arc<BatchPlan>, width: Width) -> Self {
        let mut wires = Wires::new(width, plan.program.rows.max(1));
        wires.row_mut(plan.program.yes).fill(!0);
        let idle = Playing {
            stream: None,
            since: 0,
            steps: 0,
            playouts: vec![Vec::new(); LANES],
            rewards: vec![Vec::new(); LANES],
            began: [0; LANES],
        };
        let mut kept = Wires::new(width, plan.program.apart.as_ref().map_or(0, |goals| goals.rows));
        if kept.count() > 0 {
            kept.row_mut(plan.program.yes).fill(!0);
        }
        Self {
            wires,
            kept,
            keeping: vec![0; width.words()],
            ledger: Ledger::new(width, 0, 0),
            starts: Wires::new(width, 0),
            start: vec![0; plan.fluents],
            same: true,
            planes: Planes::new(width, 0),
            slots: vec![idle; width.slots()],
            counts: magister_lanes::Tally::new(width, plan.program.paid.len() + 1),
            moves: plan.moves.as_ref().map(|counted| MoveBook::new(counted, width)),
            sweep: 0,
            plan,
        }
    }

    /// The number of its lanes.
    pub(crate) fn width(&self) -> Width {
        self.wires.width()
    }

    /// Whether it tells what comes of moves.
    pub(crate) fn tells_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// The number of sweeps that the last batch took.
    pub(crate) fn sweeps(&self) -> u64 {
        self.sweep
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
        self.counts.clear();
        self.keeping.fill(0);
        self.moves.iter_mut().for_each(MoveBook::clear);
        for playing in &mut self.slots {
            playing.playouts.iter_mut().for_each(Vec::clear);
            playing.rewards.iter_mut().for_each(Vec::clear);
        }
        self.planes = Planes::new(self.wires.width(), batch.seed);
        self.sweep = 0;
        let most = batch.streams.iter().map(|stream| lane_quota(stream.quota, 0)).max();
        self.ledger = Ledger::new(self.wires.width(), batch.max_steps, most.unwrap_or(0));
        self.prepare_starts(batch);
        let mut waiting = 0;
        for slot in 0..self.slots.len() {
            self.fill(slot, batch, &mut waiting);
        }
        while self.ledger.alive().iter().any(|&word| word != 0) {
            stop.check()?;
            if !self.step(batch)? {
                continue;
            }
            self.count_steps(batch);
            for slot in 0..self.slots.len() {
                if let Some(stream) = self.slots[slot].stream
                    && lanes(self.ledger.alive(), slot) == 0
                {
                    if lanes(&self.keeping, slot) != 0 {
                        self.pay(batch);
                    }
                    self.close(slot, batch, stream, &mut out.streams[stream]);
                    self.fill(slot, batch, &mut waiting);
                }
            }
        }
        Ok(())
    }

    /// Whether all streams start in the same state, and that state.
    fn prepare_starts(&mut self, batch: &Batch<'_>) {
        let Some(first) = batch.streams.first() else { return };
        if matches!(self.plan.program.ending, Ending::Tape { .. }) {
            return;
        }
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
                let set = |wires: &mut Wires, row: u32| {
                    let row = &mut wires.row_mut(row)[word];
                    *row = (*row & !(0xffff_ffff << shift)) | bits;
                };
                let fluent = fluent as u32;
                set(&mut self.wires, self.plan.program.state + fluent);
                match self.plan.program.ending {
                    Ending::Tape { starts } => set(&mut self.wires, starts + fluent),
                    Ending::Commit(_) if self.same => {}
                    Ending::Commit(_) => set(&mut self.starts, fluent),
                }
            }
            let playing = &mut self.slots[slot];
            playing.stream = Some(number);
            playing.since = self.sweep;
            self.planes.begin(slot, stream.id, self.sweep);
            playing.began.fill(self.sweep);
            for lane in 0..LANES {
                self.ledger.begin(slot * LANES + lane, lane_quota(stream.quota, lane));
            }
            return;
        }
    }

    /// Sums up a stream that has come to its end, details in the order of the contract.
    fn close(&mut self, slot: usize, batch: &Batch<'_>, stream: usize, tally: &mut Tally) {
        let mut count = |what: usize| self.counts.take(what as u32, slot);
        tally.finished = count(self.plan.program.rewards.len());
        tally.truncated = batch.streams[stream].quota - tally.finished;
        tally.steps = std::mem::take(&mut self.slots[slot].steps);
        for (number, &(role, value, _)) in self.plan.program.rewards.iter().enumerate() {
            let paid = count(number);
            tally.paid[role] += paid;
            tally.sum[role] += value * f64::from(paid);
            tally.squares[role] += value * value * f64::from(paid);
        }
        if batch.detail == Detail::PerPlayout {
            let playing = &mut self.slots[slot];
            playing.playouts.iter_mut().for_each(|list| tally.playouts.append(list));
            playing.rewards.iter_mut().for_each(|list| tally.rewards.append(list));
        }
        if let (Some(book), Some(counted)) = (&mut self.moves, &self.plan.moves) {
            book.close(counted, slot, &mut tally.moves);
        }
    }

    /// Counts the steps of the lanes that have just ended their last playout: every sweep was a
    /// step or the end of a playout.
    fn count_steps(&mut self, batch: &Batch<'_>) {
        for (slot, playing) in self.slots.iter_mut().enumerate() {
            let Some(stream) = playing.stream else { continue };
            let mut done = lanes(self.ledger.done(), slot);
            while done != 0 {
                let quota = lane_quota(batch.streams[stream].quota, done.trailing_zeros() as usize);
                playing.steps += self.sweep - playing.since - u64::from(quota);
                done &= done - 1;
            }
        }
    }

    /// One sweep: every lane makes a step, or ends its playout. Gives whether a lane is done.
    fn step(&mut self, batch: &Batch<'_>) -> Result<bool, Trouble> {
        let Self { plan, wires, ledger, .. } = self;
        let program = &plan.program;
        program.legal.run(wires);
        let found = ledger.sweep(wires, program.terminal, program.stuck, program.restart);
        if found.stuck {
            return Err(Trouble::State(self.stuck()));
        }
        if found.ended {
            self.end(batch);
        }
        self.choose();
        let Self { plan, wires, moves, .. } = self;
        plan.program.next.run(wires);
        if let (Some(book), Some(counted)) = (moves, &plan.moves) {
            book.note(counted, wires, plan.program.restart);
        }
        if let Ending::Commit(commit) = &plan.program.ending {
            let start =
                if self.same { Start::Same(&self.start) } else { Start::Rows(&self.starts) };
            commit.run(wires, plan.program.restart, start);
        }
        self.sweep += 1;
        Ok(found.done)
    }

    /// Books the playouts that end in this sweep.
    fn end(&mut self, batch: &Batch<'_>) {
        let held = |(kept, ended): (&u64, &u64)| kept & ended != 0;
        // Lanes whose moves are to be counted are paid before.
        let counting = self.moves.as_ref().is_some_and(|book| book.is_full(self.ledger.finished()))
            && self.keeping.iter().any(|&word| word != 0);
        if counting || self.keeping.iter().zip(self.ledger.ended()).any(held) {
            self.pay(batch);
        }
        let Self { plan, wires, ledger, slots, kept, keeping, moves, .. } = self;
        if let (Some(book), Some(counted)) = (moves, &plan.moves) {
            book.finish(counted, ledger.finished());
        }
        for (keeping, finished) in keeping.iter_mut().zip(ledger.finished()) {
            *keeping |= finished;
        }
        if batch.detail == Detail::PerPlayout {
            for (slot, playing) in slots.iter_mut().enumerate() {
                let (ended, finished) = (ledger.ended(), ledger.finished());
                playing.note(lanes(ended, slot), lanes(finished, slot), self.sweep, plan.roles);
            }
        }
        if let Some(goals) = &plan.program.apart {
            hold(wires, &goals.fluents, ledger.finished(), kept, 1);
        } else {
            plan.program.goals.run(wires);
            self.pay(batch);
        }
    }

    /// Counts the rewards of the states that are kept, or where none are of those that end now.
    fn pay(&mut self, batch: &Batch<'_>) {
        let Self { plan, wires, slots, counts, kept, keeping, moves, .. } = self;
        let from = match &plan.program.apart {
            Some(goals) => {
                goals.tape.run(kept);
                &*kept
            }
            None => &*wires,
        };
        counts.add(0, from, &plan.program.paid, keeping);
        if let (Some(book), Some(counted)) = (moves, &plan.moves) {
            book.pay(counted, from, keeping);
        }
        if batch.detail == Detail::PerPlayout {
            for (slot, playing) in slots.iter_mut().enumerate() {
                playing.pay(plan, from, lanes(keeping, slot), slot);
            }
        }
        keeping.fill(0);
    }

    /// Draws the random numbers and makes the choices: from the upper planes, and if those are
    /// not enough in a lane from all of them.
    fn choose(&mut self) {
        let Self { plan, wires, planes, sweep, .. } = self;
        let program = &plan.program;
        let mut from = program.from;
        let mut below = BITS;
        loop {
            for (draw, &first) in program.draws.iter().enumerate() {
                planes.fill(wires, first, draw as u8, *sweep, from..below);
            }
            if below == BITS { &program.mix } else { &program.mix_rest }.run(wires);
            let enough = match program.unsure {
                Some(unsure) if from > 0 => wires.row(unsure).iter().all(|&word| word == 0),
                _ => program.choices.iter().fold(true, |enough, choice| {
                    enough & scale(wires, choice.random, from, &choice.count, choice.number)
                }),
            };
            if enough || from == 0 {
                return;
            }
            below = std::mem::take(&mut from);
        }
    }

    /// The state of a lane that was alive and can not go on.
    fn stuck(&self) -> Vec<u64> {
        let program = &self.plan.program;
        let stuck = self.wires.row(program.stuck);
        let (alive, ended) = (self.ledger.alive(), self.ledger.ended());
        let lane = (0..stuck.len())
            .map(|word| (word, stuck[word] & alive[word] & !ended[word]))
            .find(|&(_, bits)| bits != 0)
            .map_or(0, |(word, bits)| word * 64 + bits.trailing_zeros() as usize);
        let mut state = vec![0; self.start.len().div_ceil(64)];
        for fluent in 0..self.start.len() {
            let row = self.wires.row(program.state + fluent as u32);
            state[fluent / 64] |= (row[lane / 64] >> (lane % 64) & 1) << (fluent % 64);
        }
        state
    }
}

impl Playing {
    /// Notes the playouts that end in these lanes. Those that are broken off have no rewards.
    fn note(&mut self, mut ended: u32, finished: u32, sweep: u64, roles: usize) {
        while ended != 0 {
            let lane = ended.trailing_zeros() as usize;
            ended &= ended - 1;
            let finished = finished >> lane & 1 == 1;
            let steps = (sweep - self.began[lane]) as u32;
            self.playouts[lane].push(Playout { steps, finished });
            self.began[lane] = sweep + 1;
            if !finished {
                self.rewards[lane].extend((0..roles).map(|_| None));
            }
        }
    }

    /// Notes the rewards of the last finished playout of these lanes.
    fn pay(&mut self, plan: &BatchPlan, wires: &Wires, mut kept: u32, slot: usize) {
        while kept != 0 {
            let lane = kept.trailing_zeros() as usize;
            kept &= kept - 1;
            for role in 0..plan.roles {
                let mut rewards = plan.program.rewards.iter();
                let paid = rewards.find(|&&(whose, _, row)| {
                    whose == role && lanes(wires.row(row), slot) >> lane & 1 == 1
                });
                self.rewards[lane].push(paid.map(|&(_, value, _)| value));
            }
        }
    }
}

/// The lanes of a slot, out of a row.
fn lanes(row: &[u64], slot: usize) -> u32 {
    (row[slot / 2] >> (slot % 2 * 32)) as u32
}

fn holds(state: &[u64], fluent: usize) -> bool {
    state[fluent / 64] >> (fluent % 64) & 1 == 1
}
