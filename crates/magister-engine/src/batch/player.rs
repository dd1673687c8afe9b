//! Plays streams of playouts, as many at once as a row has lanes.

use std::collections::VecDeque;
use std::sync::Arc;

use magister_core::playout::{LANES, lane_quota};
use magister_core::{Batch, Detail, Halt, Results, Stop, Tally};
use magister_lanes::{BITS, Ledger, Planes, Start, Width, Wires, hold, scale};

use super::ending::Ending;
use super::gains::{Gains, each};
use super::leaves::Sheet;
use super::moves::MoveBook;
use super::plan::BatchPlan;
use super::rows::{STATE, YES};
use super::slot::{Playing, lanes};

/// Why a batch was not completed.
#[derive(Debug)]
pub(crate) enum BatchError {
    /// An error that concerns no single state.
    Halt(Halt),
    /// The plan does not apply to one of the start states.
    Strange,
    /// The state in which the rules fail.
    State(Vec<u64>),
}

impl From<Halt> for BatchError {
    fn from(halt: Halt) -> Self {
        BatchError::Halt(halt)
    }
}

/// Plays batches.
#[derive(Debug)]
pub(crate) struct BatchPlayer {
    plan: Arc<BatchPlan>,
    pub(super) wires: Wires,
    pub(super) ledger: Ledger,
    /// The start states, if streams have different ones.
    pub(super) starts: Wires,
    /// The start state, if all have the same: all ones or all zeros for each fluent.
    start: Vec<u64>,
    same: bool,
    /// The last states of playouts whose rewards are not computed yet, and their lanes.
    pub(super) kept: Wires,
    pub(super) keeping: Vec<u64>,
    pub(super) planes: Planes,
    slots: Vec<Playing>,
    /// For every slot the number of payments of each reward, and then the finished playouts.
    counts: magister_lanes::Tally,
    /// The statistics of moves, if the plan collects them.
    moves: Option<MoveBook>,
    /// The gains of lanes, if the game pays on the way (intermediate rewards).
    pub(super) gains: Option<Gains>,
    /// The number of sweeps so far.
    pub(super) sweep: u64,
    /// The phase of the first sweep.
    pub(super) phase: usize,
    /// The streams that have not started, for each start phase.
    waiting: Vec<VecDeque<usize>>,
    /// The data for leaves, created on demand.
    pub(super) sheet: Option<Sheet>,
}

impl BatchPlayer {
    /// A player with this width.
    pub(crate) fn new(plan: Arc<BatchPlan>, width: Width) -> Self {
        let rows = plan.programs.iter().map(|program| program.rows).max();
        let mut wires = Wires::new(width, rows.unwrap_or(0).max(1));
        wires.row_mut(YES).fill(!0);
        let idle = Playing::idle();
        let mut kept = Wires::new(width, plan.apart.as_ref().map_or(0, |goals| goals.rows));
        if kept.count() > 0 {
            kept.row_mut(YES).fill(!0);
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
            counts: magister_lanes::Tally::new(width, plan.programs[0].paid.len() + 1),
            moves: plan.moves.as_ref().map(|counted| MoveBook::new(counted, width)),
            gains: plan.on_the_way.then(|| Gains::new(width, plan.roles, plan.chance)),
            sweep: 0,
            phase: 0,
            waiting: vec![VecDeque::new(); plan.programs.len()],
            sheet: None,
            plan,
        }
    }

    /// The number of lanes.
    pub(crate) fn width(&self) -> Width {
        self.wires.width()
    }

    pub(super) fn plan(&self) -> Arc<BatchPlan> {
        Arc::clone(&self.plan)
    }

    /// The number of alternating programs.
    pub(super) fn phases(&self) -> usize {
        self.plan.programs.len()
    }

    /// Whether it collects statistics of moves.
    pub(crate) fn tells_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// The number of sweeps of the last batch.
    pub(crate) fn sweeps(&self) -> u64 {
        self.sweep
    }

    /// Plays a batch whose start states are states of the game.
    pub(crate) fn play(
        &mut self,
        batch: &Batch<'_>,
        out: &mut Results,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        let phases = self.plan.phases_of(batch).ok_or(BatchError::Strange)?;
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
        self.waiting.iter_mut().for_each(VecDeque::clear);
        for (number, stream) in batch.streams.iter().enumerate().filter(|(_, s)| s.quota > 0) {
            debug_assert!(!stream.start.is_empty() || self.start.is_empty());
            self.waiting[usize::from(phases[number])].push_back(number);
        }
        // The phase with the most work comes first.
        let longest = (0..self.waiting.len()).max_by_key(|&phase| self.waiting[phase].len());
        self.phase = longest.unwrap_or(0);
        self.slots.iter_mut().for_each(|playing| playing.stream = None);
        loop {
            self.fill(batch);
            if self.slots.iter().all(|playing| playing.stream.is_none()) {
                if self.waiting.iter().all(VecDeque::is_empty) {
                    return Ok(());
                }
                // Streams that start in the other phase.
                self.sweep += 1;
                continue;
            }
            // There is nothing to fill until a stream ends, unless one waits for its phase.
            loop {
                stop.check()?;
                let done = self.step(batch)?;
                if done {
                    self.count_steps(batch);
                    self.close_all(batch, out);
                }
                if done || self.hungry() {
                    break;
                }
            }
        }
    }

    /// Closes the finished streams.
    fn close_all(&mut self, batch: &Batch<'_>, out: &mut Results) {
        for slot in 0..self.slots.len() {
            if let Some(stream) = self.slots[slot].stream
                && lanes(self.ledger.alive(), slot) == 0
            {
                if lanes(&self.keeping, slot) != 0 {
                    self.pay(batch);
                }
                self.close(slot, batch, stream, &mut out.streams[stream]);
                self.slots[slot].stream = None;
            }
        }
    }

    /// The phase of the next sweep.
    pub(super) fn now(&self) -> usize {
        (self.phase + self.sweep as usize) % self.plan.programs.len()
    }

    /// Whether a slot is idle while a stream waits for the next sweep.
    fn hungry(&self) -> bool {
        self.waiting.len() > 1
            && !self.waiting[self.now()].is_empty()
            && self.slots.iter().any(|playing| playing.stream.is_none())
    }

    /// Loads the start state if all streams share it.
    fn prepare_starts(&mut self, batch: &Batch<'_>) {
        let Some(first) = batch.streams.first() else { return };
        if matches!(self.plan.programs[0].ending, Ending::Tape { .. }) {
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

    /// Fills idle slots with the next streams that start in this phase.
    fn fill(&mut self, batch: &Batch<'_>) {
        let phase = self.now();
        for slot in 0..self.slots.len() {
            if self.slots[slot].stream.is_none()
                && let Some(number) = self.waiting[phase].pop_front()
            {
                self.begin(slot, batch, number);
            }
        }
    }

    /// Begins a stream.
    fn begin(&mut self, slot: usize, batch: &Batch<'_>, number: usize) {
        let stream = &batch.streams[number];
        let (word, shift) = (slot / 2, slot % 2 * 32);
        for fluent in 0..self.start.len() {
            let bits = if holds(stream.start, fluent) { 0xffff_ffff << shift } else { 0 };
            let set = |wires: &mut Wires, row: u32| {
                let row = &mut wires.row_mut(row)[word];
                *row = (*row & !(0xffff_ffff << shift)) | bits;
            };
            let fluent = fluent as u32;
            set(&mut self.wires, STATE + fluent);
            match self.plan.programs[0].ending {
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
        if let Some(gains) = &mut self.gains {
            gains.begin(slot);
        }
        for lane in 0..LANES {
            self.ledger.begin(slot * LANES + lane, lane_quota(stream.quota, lane));
        }
    }

    /// Sums up a finished stream, details in the order of the contract.
    fn close(&mut self, slot: usize, batch: &Batch<'_>, stream: usize, tally: &mut Tally) {
        let mut count = |what: usize| self.counts.take(what as u32, slot);
        let rewards = &self.plan.programs[0].rewards;
        tally.finished = count(rewards.len());
        tally.truncated = batch.streams[stream].quota - tally.finished;
        tally.steps = std::mem::take(&mut self.slots[slot].steps);
        tally.steps -= u64::from(count(rewards.len() + 1));
        if let Some(gains) = &self.gains {
            gains.close(slot, batch.streams[stream].quota, tally);
        }
        for (number, &(role, value, _)) in rewards.iter().enumerate() {
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
    /// step, the end of a playout, or a wait for an even sweep, and waits are counted separately.
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

    /// One sweep: every lane makes a step, or ends its playout. Returns whether a lane is done.
    fn step(&mut self, batch: &Batch<'_>) -> Result<bool, BatchError> {
        let now = self.now();
        let Self { plan, wires, ledger, .. } = self;
        let program = &plan.programs[now];
        program.legal.run(wires);
        let found = ledger.sweep(wires, program.terminal, program.stuck, program.restart);
        if found.stuck {
            return Err(BatchError::State(self.stuck()));
        }
        if found.ended {
            self.end(batch);
        }
        self.choose();
        let Self { plan, wires, moves, .. } = self;
        let program = &plan.programs[now];
        program.next.run(wires);
        if let (Some(book), Some(counted)) = (moves, &plan.moves) {
            book.note(counted, wires, program.restart);
        }
        if let Some(gains) = &mut self.gains {
            gains.add(&program.gains, wires, program.restart);
        }
        if let Ending::Commit(commit) = &program.ending {
            let start =
                if self.same { Start::Same(&self.start) } else { Start::Rows(&self.starts) };
            commit.run(wires, program.restart, start);
        }
        self.sweep += 1;
        Ok(found.done)
    }

    /// Records the playouts that end in this sweep.
    fn end(&mut self, batch: &Batch<'_>) {
        let held = |(kept, ended): (&u64, &u64)| kept & ended != 0;
        // Lanes whose moves are to be counted must be paid first.
        let counting = self.moves.as_ref().is_some_and(|book| book.is_full(self.ledger.finished()))
            && self.keeping.iter().any(|&word| word != 0);
        if counting || self.keeping.iter().zip(self.ledger.ended()).any(held) {
            self.pay(batch);
        }
        let now = self.now();
        let Self { plan, wires, ledger, slots, kept, keeping, moves, counts, .. } = self;
        let waits = plan.programs[0].paid.len() as u32;
        counts.add(waits, wires, &[YES], ledger.waiting());
        if let Some(gains) = &mut self.gains {
            counts.add(waits - 1, wires, &[YES], ledger.finished());
            let details = batch.detail == Detail::PerPlayout;
            for (slot, playing) in slots.iter_mut().enumerate() {
                let (ended, finished) = (lanes(ledger.ended(), slot), ledger.finished());
                if details {
                    playing.note(ended, lanes(finished, slot), self.sweep, 0);
                }
                each(ended.into(), |lane| {
                    let out = details.then(|| &mut playing.rewards[lane]);
                    gains.end(slot * LANES + lane, out);
                });
            }
            return;
        }
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
        if let Some(goals) = &plan.apart {
            hold(wires, &goals.fluents, ledger.finished(), kept, 1);
        } else {
            plan.programs[now].goals.run(wires);
            self.pay(batch);
        }
    }

    /// Counts the rewards of the kept states, or of those that end now.
    fn pay(&mut self, batch: &Batch<'_>) {
        let now = self.now();
        let Self { plan, wires, slots, counts, kept, keeping, moves, .. } = self;
        let program = &plan.programs[now];
        let from = match &plan.apart {
            Some(goals) => {
                goals.tape.run(kept);
                &*kept
            }
            None => &*wires,
        };
        counts.add(0, from, &program.paid, keeping);
        if let (Some(book), Some(counted)) = (moves, &plan.moves) {
            book.pay(counted, from, keeping);
        }
        if batch.detail == Detail::PerPlayout {
            for (slot, playing) in slots.iter_mut().enumerate() {
                playing.pay(&program.rewards, plan.roles, from, lanes(keeping, slot), slot);
            }
        }
        keeping.fill(0);
    }

    /// Draws the random numbers and makes the choices: from the upper planes first, and from all
    /// planes if the upper ones do not suffice in a lane.
    pub(super) fn choose(&mut self) {
        let now = self.now();
        let Self { plan, wires, planes, sweep, .. } = self;
        let program = &plan.programs[now];
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

    /// The state of a running lane that cannot continue.
    pub(super) fn stuck(&self) -> Vec<u64> {
        let stuck = self.ledger.stuck().iter().enumerate();
        let lane = stuck
            .map(|(word, &bits)| (word, bits))
            .find(|&(_, bits)| bits != 0)
            .map_or(0, |(word, bits)| word * 64 + bits.trailing_zeros() as usize);
        let mut state = vec![0; self.start.len().div_ceil(64)];
        for fluent in 0..self.start.len() {
            let row = self.wires.row(STATE + fluent as u32);
            state[fluent / 64] |= (row[lane / 64] >> (lane % 64) & 1) << (fluent % 64);
        }
        state
    }
}

fn holds(state: &[u64], fluent: usize) -> bool {
    state[fluent / 64] >> (fluent % 64) & 1 == 1
}
