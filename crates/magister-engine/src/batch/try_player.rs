//! Makes one step from each of many states, one in every lane, and compares it with a role's
//! observation. The result is a mask of the lanes that agree.

use std::sync::Arc;

use magister_core::{Halt, Move, Observation, Stop, Tried, Tries};
use magister_lanes::{BITS, Planes, Width, Wires, hold, scale};

use super::player::BatchError;
use super::rows::{STATE, YES};
use super::squares::{bring, take};
use super::try_plan::TryPlan;

/// Tries steps for a role.
#[derive(Debug)]
pub(crate) struct TryPlayer {
    plan: Arc<TryPlan>,
    wires: Wires,
    /// The resulting states, after the row of the constant.
    after: Wires,
    /// The lanes with a state, and those that agree so far.
    busy: Vec<u64>,
    agreed: Vec<u64>,
    /// The joint move of each lane, and the states of 64 lanes.
    joints: Vec<Move>,
    squares: Vec<[u64; 64]>,
}

impl TryPlayer {
    /// A player with this width.
    pub(crate) fn new(plan: Arc<TryPlan>, width: Width) -> Self {
        let mut wires = Wires::new(width, plan.rows.max(1));
        let mut after = Wires::new(width, plan.after.rows.max(1));
        wires.row_mut(YES).fill(!0);
        after.row_mut(YES).fill(!0);
        let (words, roles) = (width.words(), plan.made.len());
        Self {
            wires,
            after,
            busy: vec![0; words],
            agreed: vec![0; words],
            joints: vec![Move::IDLE; width.lanes() * roles],
            squares: Vec::new(),
            plan,
        }
    }

    /// Whether it is for this role and this width.
    pub(crate) fn fits(&self, role: usize, width: Width) -> bool {
        self.plan.role == role && self.wires.width() == width
    }

    /// Tries states that have the right number of words.
    pub(crate) fn play(
        &mut self,
        tries: &Tries<'_>,
        out: &mut Tried,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        out.clear();
        let plan = Arc::clone(&self.plan);
        let own = plan.own.iter().find(|own| own.choice == tries.turn.own);
        for own in &plan.own {
            self.wires.row_mut(own.input).fill(0);
        }
        if let Some(own) = own {
            self.wires.row_mut(own.input).fill(!0);
        }
        let width = self.wires.width();
        for (round, starts) in tries.starts.chunks(width.lanes()).enumerate() {
            stop.check()?;
            self.load(starts)?;
            match own {
                Some(own) => self.meet(own.legal, true),
                // No role has such a move.
                None => self.agreed.fill(0),
            }
            if self.none_left() {
                continue;
            }
            let mut planes = Planes::new(width, tries.seed);
            for slot in 0..width.slots() {
                let stream = (round * width.slots() + slot) as u64;
                planes.begin(slot, tries.first.wrapping_add(stream), 0);
            }
            self.choose(&planes);
            plan.next.run(&mut self.wires);
            self.perceive(tries);
            if self.none_left() {
                continue;
            }
            hold(&self.wires, &plan.fluents, &self.agreed, &mut self.after, STATE);
            plan.after.tape.run(&mut self.after);
            let stuck = self.after.row(plan.after.stuck);
            self.agreed.iter_mut().zip(stuck).for_each(|(lanes, stuck)| *lanes &= !stuck);
            self.collect(round * width.lanes(), tries.turn.own, out);
        }
        Ok(())
    }

    /// Loads states into the lanes. Non-terminal states may agree.
    fn load(&mut self, starts: &[&[u64]]) -> Result<(), BatchError> {
        let Some(&some) = starts.first() else { return Ok(()) };
        let plan = Arc::clone(&self.plan);
        let fluents = plan.fluents.len();
        for word in 0..self.busy.len() {
            let own = starts.get(word * 64..).unwrap_or(&[]);
            let count = own.len().min(64);
            self.busy[word] = if count == 0 { 0 } else { !0 >> (64 - count) };
            if count > 0 {
                // Fills unused lanes.
                let mut states = [some; 64];
                states[..count].copy_from_slice(&own[..count]);
                bring(&mut self.wires, word, &states, fluents);
            }
        }
        plan.legal.run(&mut self.wires);
        let bad = |row: &[u64], flip: u64| {
            let lanes = row.iter().zip(&self.busy).map(|(row, busy)| (row ^ flip) & busy);
            let found = lanes.enumerate().find(|&(_, lanes)| lanes != 0);
            found.map(|(word, lanes)| word * 64 + lanes.trailing_zeros() as usize)
        };
        if bad(self.wires.row(plan.possible), !0).is_some() {
            return Err(Halt::BadState.into());
        }
        if let Some(lane) = bad(self.wires.row(plan.stuck), 0) {
            return Err(BatchError::State(starts[lane].to_vec()));
        }
        self.agreed.copy_from_slice(&self.busy);
        self.meet(plan.terminal, false);
        Ok(())
    }

    /// Keeps only lanes in which a row has the given value.
    fn meet(&mut self, row: u32, wanted: bool) {
        let flip = if wanted { 0 } else { !0 };
        let row = self.wires.row(row).iter();
        self.agreed.iter_mut().zip(row).for_each(|(lanes, row)| *lanes &= row ^ flip);
    }

    fn none_left(&self) -> bool {
        self.agreed.iter().all(|&word| word == 0)
    }

    /// Draws the moves of the other roles: from the upper planes first, and from all planes if the
    /// upper ones do not suffice in a lane.
    fn choose(&mut self, planes: &Planes) {
        let Self { plan, wires, .. } = self;
        for choice in &plan.choices {
            let (mut from, mut below) = (choice.from, BITS);
            loop {
                planes.fill(wires, plan.random, choice.role, 0, from..below);
                if scale(wires, plan.random, from, &choice.count, choice.number) || from == 0 {
                    break;
                }
                below = std::mem::take(&mut from);
            }
        }
    }

    /// Compares the percepts of the role with its observation.
    fn perceive(&mut self, tries: &Tries<'_>) {
        let plan = Arc::clone(&self.plan);
        match &tries.turn.seen {
            Observation::Percepts(seen) => {
                // Unknown or duplicate percepts never occur.
                let known = |number: u32| plan.percepts.binary_search_by_key(&number, |p| p.0);
                if !seen.iter().all(|percept| known(percept.0).is_ok())
                    || !seen.is_sorted_by(|one, other| one < other)
                {
                    self.agreed.fill(0);
                }
                for &(number, row) in &plan.percepts {
                    self.meet(row, seen.iter().any(|percept| percept.0 == number));
                }
            }
            Observation::Joint(joint) => {
                if joint.len() != plan.made.len() || joint[plan.role] != tries.turn.own {
                    self.agreed.fill(0);
                    return;
                }
                for (whose, &choice) in joint.iter().enumerate().filter(|&(w, _)| w != plan.role) {
                    if choice == Move::IDLE {
                        for &(_, row) in &plan.made[whose] {
                            self.meet(row, false);
                        }
                        continue;
                    }
                    match plan.made[whose].iter().find(|(other, _)| *other == choice) {
                        Some(&(_, row)) => self.meet(row, true),
                        None => self.agreed.fill(0),
                    }
                }
            }
        }
    }

    /// Writes the agreeing lanes; the first lane has the index `first` in the request.
    fn collect(&mut self, first: usize, own: Move, out: &mut Tried) {
        let Self { plan, wires, after, agreed, joints, squares, .. } = self;
        let roles = plan.made.len();
        joints.fill(Move::IDLE);
        for (whose, moves) in plan.made.iter().enumerate() {
            for &(choice, row) in moves {
                for (word, (row, agreed)) in wires.row(row).iter().zip(&*agreed).enumerate() {
                    for lane in lanes(row & agreed) {
                        joints[(word * 64 + lane) * roles + whose] = choice;
                    }
                }
            }
        }
        let terminal = after.row(plan.after.terminal);
        for (word, &bits) in agreed.iter().enumerate().filter(|&(_, &bits)| bits != 0) {
            take(wires, word, &plan.fluents, squares);
            for lane in lanes(bits) {
                let at = word * 64 + lane;
                joints[at * roles + plan.role] = own;
                out.places.push((first + at) as u32);
                out.joints.extend_from_slice(&joints[at * roles..(at + 1) * roles]);
                out.over.push(terminal[word] >> lane & 1 == 1);
                for square in &*squares {
                    out.states.push(square[lane]);
                }
            }
        }
    }
}

/// The set bits of a word, lowest first.
fn lanes(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}
