//! Plays a few playouts from each of many states: one in every lane, until the longest has ended.

use magister_core::playout::LANES;
use magister_core::{LeafResults, Leaves, Stop};
use magister_lanes::{Ledger, Planes, Start, Width, Wires, hold};

use super::check::Check;
use super::ending::Ending;
use super::player::{BatchError, BatchPlayer};
use super::rows::{STATE, YES};
use super::squares::bring;
use magister_core::Halt;

/// Thirty-two lanes: a stream, and the start phase of the states that are played in them. A stream
/// whose states start in different phases has a seat for each.
#[derive(Clone, Copy, Debug)]
struct Seat {
    stream: usize,
    phase: usize,
}

/// The data that only leaves need.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The start states of all lanes, after the row of the constant, and their checks.
    starts: Wires,
    /// For each reward, the lanes in which it was paid; then the lanes that ended.
    paid: Wires,
    /// The lanes that start in the first sweep, and those that start in the second.
    begin: [Vec<u64>; 2],
    seats: Vec<Seat>,
}

impl Sheet {
    pub(super) fn new(check: &Check, rewards: usize, width: Width) -> Self {
        let mut starts = Wires::new(width, check.rows.max(1));
        starts.row_mut(YES).fill(!0);
        Sheet {
            starts,
            paid: Wires::new(width, rewards + 1),
            begin: [vec![0; width.words()], vec![0; width.words()]],
            seats: Vec::new(),
        }
    }
}

impl BatchPlayer {
    /// Plays leaves whose states have the right number of words.
    pub(crate) fn play_leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        let plan = self.plan();
        let Some(check) = &plan.check else { return Err(BatchError::Strange) };
        let mut sheet = match self.sheet.take() {
            Some(sheet) => sheet,
            None => Sheet::new(check, plan.rewards().len(), self.width()),
        };
        out.clear(leaves.starts.len(), plan.roles());
        let (slots, sharing) = (self.width().slots(), leaves.sharing());
        let mut result = Ok(());
        sheet.seats.clear();
        let mut stream = 0;
        let mut starts = leaves.starts.chunks(sharing);
        let mut next = starts.next();
        while result.is_ok() && (next.is_some() || !sheet.seats.is_empty()) {
            let seats = sheet.seats.len();
            if let Some(states) = next {
                for phase in 0..plan.phases() {
                    if states.iter().any(|state| plan.turn(state) == phase) {
                        sheet.seats.push(Seat { stream, phase });
                    }
                }
            }
            if next.is_some() && sheet.seats.len() <= slots {
                stream += 1;
                next = starts.next();
            }
            if sheet.seats.len() > slots {
                // The others are played in the next round.
                sheet.seats.truncate(seats);
            } else if next.is_some() && sheet.seats.len() < slots {
                continue;
            }
            result = self.round(&mut sheet, leaves, out, stop);
            sheet.seats.clear();
        }
        self.sheet = Some(sheet);
        result
    }

    /// Plays the current seats.
    fn round(
        &mut self,
        sheet: &mut Sheet,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        let Some(first) = sheet.seats.first().map(|seat| seat.phase) else { return Ok(()) };
        self.load_leaves(sheet, leaves, first)?;
        self.planes = Planes::new(self.width(), leaves.seed);
        self.ledger = Ledger::new(self.width(), leaves.max_steps, 1);
        self.keeping.fill(0);
        if let Some(gains) = &mut self.gains {
            gains.clear();
        }
        sheet.paid.clear();
        (self.sweep, self.phase) = (0, first);
        let mut late = sheet.begin[1].iter().any(|&word| word != 0);
        self.begin_leaves(sheet, leaves, 0);
        loop {
            stop.check()?;
            if self.sweep == 1 && late {
                self.begin_leaves(sheet, leaves, 1);
                late = false;
            }
            if self.step_leaves(sheet, late)? {
                break;
            }
        }
        let plan = self.plan();
        if let Some(goals) = plan.apart() {
            goals.tape.run(&mut self.kept);
            for (at, &(.., row)) in plan.rewards().iter().enumerate() {
                let from = self.kept.row(row).iter().zip(&self.keeping);
                let place = sheet.paid.row_mut(at as u32).iter_mut().zip(from);
                place.for_each(|(place, (row, keeping))| *place = row & keeping);
            }
        }
        self.collect(sheet, leaves, out);
        Ok(())
    }

    /// Loads the states into the lanes and checks them.
    fn load_leaves(
        &mut self,
        sheet: &mut Sheet,
        leaves: &Leaves<'_>,
        first: usize,
    ) -> Result<(), BatchError> {
        let plan = self.plan();
        let (sharing, each) = (leaves.sharing(), leaves.playouts() as usize);
        let fluents = plan.fluents();
        // Fills unused lanes.
        let some = leaves.starts[sheet.seats[0].stream * sharing];
        sheet.begin.iter_mut().for_each(|mask| mask.fill(0));
        for word in 0..self.width().words() {
            let mut states = [some; 64];
            for (half, lanes) in states.chunks_mut(LANES).enumerate() {
                let Some(&seat) = sheet.seats.get(word * 2 + half) else { continue };
                let own = &leaves.starts[seat.stream * sharing..];
                for (place, state) in own.iter().take(sharing).enumerate() {
                    lanes[place * each..(place + 1) * each].fill(state);
                    if plan.turn(state) == seat.phase {
                        let lanes = (!0 >> (64 - each)) << (half * LANES + place * each);
                        sheet.begin[usize::from(seat.phase != first)][word] |= lanes;
                    }
                }
            }
            bring(&mut sheet.starts, word, &states, fluents);
        }
        self.wires.copy_rows(STATE, &sheet.starts, STATE, fluents);
        match plan.ending() {
            Ending::Tape { starts } => {
                self.wires.copy_rows(*starts, &sheet.starts, STATE, fluents);
            }
            Ending::Commit(_) => {
                if self.starts.count() < fluents {
                    self.starts = Wires::new(self.width(), fluents);
                }
                self.starts.copy_rows(0, &sheet.starts, STATE, fluents);
            }
        }
        if let Some(check) = &plan.check {
            check.tape.run(&mut sheet.starts);
            let holds = |row: u32, lanes: &[u64]| {
                sheet.starts.row(row).iter().zip(lanes).all(|(row, lanes)| lanes & !row == 0)
            };
            if !sheet.begin.iter().all(|lanes| holds(check.possible, lanes)) {
                return Err(Halt::BadState.into());
            }
            let phases = [first, 1 - first.min(1)];
            let known = |(phase, lanes): (&usize, &Vec<u64>)| {
                check.known.get(*phase).is_none_or(|&row| holds(row, lanes))
            };
            if !phases.iter().zip(&sheet.begin).all(known) {
                return Err(BatchError::Strange);
            }
        }
        Ok(())
    }

    /// Starts the playouts of the lanes that start in the first sweep, or in the second.
    fn begin_leaves(&mut self, sheet: &Sheet, leaves: &Leaves<'_>, sweep: u64) {
        let now = self.now();
        self.ledger.begin_once(&sheet.begin[sweep as usize]);
        for (slot, seat) in sheet.seats.iter().enumerate() {
            if seat.phase == now || self.phases() == 1 {
                let id = leaves.first.wrapping_add(seat.stream as u64);
                self.planes.begin(slot, id, sweep);
            }
        }
    }

    /// One sweep; returns whether all playouts have ended. With `late`, some of them have not
    /// started yet.
    fn step_leaves(&mut self, sheet: &mut Sheet, late: bool) -> Result<bool, BatchError> {
        let now = self.now();
        let plan = self.plan();
        let program = plan.program(now);
        program.legal.run(&mut self.wires);
        let found =
            self.ledger.sweep(&mut self.wires, program.terminal, program.stuck, program.restart);
        if found.stuck {
            return Err(BatchError::State(self.stuck()));
        }
        if found.ended {
            let finished = self.ledger.finished();
            if let Some(goals) = plan.apart() {
                hold(&self.wires, &goals.fluents, finished, &mut self.kept, 1);
                self.keeping.iter_mut().zip(finished).for_each(|(kept, now)| *kept |= now);
            } else {
                program.goals.run(&mut self.wires);
                for (at, &(.., row)) in program.rewards.iter().enumerate() {
                    let from = self.wires.row(row).iter().zip(finished);
                    let place = sheet.paid.row_mut(at as u32).iter_mut().zip(from);
                    place.for_each(|(place, (row, finished))| *place |= row & finished);
                }
            }
            let all = sheet.paid.row_mut(program.rewards.len() as u32).iter_mut();
            all.zip(finished).for_each(|(all, now)| *all |= now);
            if !late && self.ledger.alive().iter().all(|&word| word == 0) {
                return Ok(true);
            }
        }
        self.choose();
        program.next.run(&mut self.wires);
        if let Some(gains) = &mut self.gains {
            gains.add(&program.gains, &self.wires, program.restart);
        }
        if let Ending::Commit(commit) = &program.ending {
            commit.run(&mut self.wires, program.restart, Start::Rows(&self.starts));
        }
        self.sweep += 1;
        Ok(false)
    }

    /// Writes the payments.
    fn collect(&self, sheet: &Sheet, leaves: &Leaves<'_>, out: &mut LeafResults) {
        let plan = self.plan();
        let (rewards, roles) = (plan.rewards(), plan.roles());
        let (sharing, each) = (leaves.sharing(), leaves.playouts() as usize);
        let mask = !0 >> (64 - each);
        for (slot, seat) in sheet.seats.iter().enumerate() {
            let from = seat.stream * sharing;
            for (place, state) in leaves.starts[from..].iter().take(sharing).enumerate() {
                if plan.turn(state) != seat.phase {
                    continue;
                }
                let (leaf, shift) = (from + place, slot % 2 * LANES + place * each);
                let count = |row: u32| sheet.paid.row(row)[slot / 2] >> shift & mask;
                out.finished[leaf] = count(rewards.len() as u32).count_ones();
                if let Some(gains) = &self.gains {
                    let own = leaf * roles..(leaf + 1) * roles;
                    let first = slot * LANES + place * each;
                    for lane in first..first + each {
                        gains.collect(lane, &mut out.paid[own.clone()], &mut out.sum[own.clone()]);
                    }
                }
                for (at, &(role, value, _)) in rewards.iter().enumerate() {
                    let lanes = count(at as u32);
                    if lanes != 0 {
                        let paid = lanes.count_ones();
                        out.paid[leaf * roles + role] += paid;
                        out.sum[leaf * roles + role] += value * f64::from(paid);
                    }
                }
            }
        }
    }
}
