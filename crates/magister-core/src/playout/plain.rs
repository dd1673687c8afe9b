//! The plain evaluator of playouts.

use super::moves::MoveBook;
use super::{Batch, Detail, LANES, Playout, Results, Stream, Tally};
use super::{lane_quota, numbers, pick, pick_weighted};
use crate::{Halt, Move, Payment, Role, Step, Stop, Worker};

/// The plain evaluator, which plays one lane at a time with the steps of a worker. It is the
/// default of [`Worker::playouts`] and the reference for faster evaluators.
pub fn one_by_one<W: Worker + ?Sized>(
    worker: &mut W,
    batch: &Batch<'_>,
    out: &mut Results,
    stop: &Stop,
) -> Result<(), Halt> {
    let info = worker.info();
    let mut player = Player::new(info.roles.len(), info.chance, info.payment);
    out.streams.resize_with(batch.streams.len(), Tally::default);
    for (stream, tally) in batch.streams.iter().zip(&mut out.streams) {
        player.play(worker, batch, stream, tally, stop)?;
    }
    Ok(())
}

/// The number of sweeps whose random numbers are stored. Lanes are played through this many sweeps
/// in turn, so that they share the planes while memory stays bounded for any quota. A word has one
/// bit for each of them.
const WINDOW: usize = 64;

/// The buffers of the plain evaluator. The data of every lane and role is in one vector, lane after
/// lane, because small batches are common and allocations would dominate them.
struct Player {
    roles: usize,
    chance: Option<Role>,
    payment: Payment,
    lanes: Vec<Lane>,
    /// The gains of each lane and role in the current playout.
    gains: Vec<f64>,
    /// The rewards of each lane and role so far, and their squares.
    sum: Vec<f64>,
    squares: Vec<f64>,
    /// For each sweep of the window and each draw, the numbers of the lanes.
    numbers: Vec<[u64; LANES]>,
    /// For each draw, the sweeps of the window whose numbers are already computed.
    known: Vec<u64>,
    joint: Vec<Move>,
    step: Step,
    goals: Vec<f64>,
    /// The rewards of the playout that ends.
    paid: Vec<Option<f64>>,
    moves: MoveBook,
}

/// One lane between two windows.
#[derive(Clone, Default)]
struct Lane {
    /// The number of remaining playouts.
    left: u32,
    /// Steps of the current playout.
    steps: u32,
    /// The state of the current playout, once it has left the start state.
    state: Vec<u64>,
    /// The details of finished playouts, if requested.
    playouts: Vec<Playout>,
    rewards: Vec<Option<f64>>,
}

impl Player {
    fn new(roles: usize, chance: Option<Role>, payment: Payment) -> Self {
        Player {
            roles,
            chance,
            payment,
            lanes: vec![Lane::default(); LANES],
            gains: vec![0.0; LANES * roles],
            sum: vec![0.0; LANES * roles],
            squares: vec![0.0; LANES * roles],
            numbers: vec![[0; LANES]; WINDOW * roles],
            known: vec![0; roles],
            joint: vec![Move::IDLE; roles],
            step: Step::new(),
            goals: Vec::new(),
            paid: vec![None; roles],
            moves: MoveBook::default(),
        }
    }

    fn play<W: Worker + ?Sized>(
        &mut self,
        worker: &mut W,
        batch: &Batch<'_>,
        stream: &Stream<'_>,
        tally: &mut Tally,
        stop: &Stop,
    ) -> Result<(), Halt> {
        tally.clear(self.roles);
        for sums in [&mut self.gains, &mut self.sum, &mut self.squares] {
            sums.fill(0.0);
        }
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            lane.left = lane_quota(stream.quota, index);
            lane.steps = 0;
            lane.playouts.clear();
            lane.rewards.clear();
        }
        if batch.detail == Detail::Moves {
            self.moves.clear();
        }
        let mut first = 0;
        while self.lanes.iter().any(|lane| lane.left > 0) {
            self.known.fill(0);
            for index in 0..LANES {
                if self.lanes[index].left > 0 {
                    let window = Window { batch, stream, first, index };
                    self.window(worker, &window, tally, stop)?;
                }
            }
            first += WINDOW as u64;
        }
        for (index, lane) in self.lanes.iter().enumerate() {
            for role in 0..self.roles {
                tally.sum[role] += self.sum[index * self.roles + role];
                tally.squares[role] += self.squares[index * self.roles + role];
            }
            tally.playouts.extend_from_slice(&lane.playouts);
            tally.rewards.extend_from_slice(&lane.rewards);
        }
        if batch.detail == Detail::Moves {
            self.moves.write(&mut tally.moves);
        }
        Ok(())
    }

    /// Plays one lane through one window.
    fn window<W: Worker + ?Sized>(
        &mut self,
        worker: &mut W,
        window: &Window<'_>,
        tally: &mut Tally,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let Window { batch, stream, index, .. } = *window;
        let own = index * self.roles..(index + 1) * self.roles;
        let lane = &self.lanes[index];
        let here = if lane.steps == 0 { stream.start } else { &lane.state };
        worker.load(here, stop)?;
        let mut offset = 0;
        while offset < WINDOW {
            stop.check()?;
            let finished = worker.terminal();
            if finished || self.lanes[index].steps == batch.max_steps {
                self.end(worker, window, tally, finished);
                if self.lanes[index].left == 0 {
                    return Ok(());
                }
                worker.load(stream.start, stop)?;
                // Windows begin with even sweeps.
                offset += 2 - offset % 2;
                continue;
            }
            let mut draw = 0;
            for role in 0..self.roles {
                let choice = self.choose(worker, window, offset, role, &mut draw);
                self.joint[role] = choice;
            }
            worker.step(&self.joint, &mut self.step, stop)?;
            self.lanes[index].steps += 1;
            if batch.detail == Detail::Moves {
                for (role, &choice) in self.joint.iter().enumerate() {
                    self.moves.note(index, Role(role as u8), choice);
                }
            }
            for (sum, gain) in self.gains[own.clone()].iter_mut().zip(&self.step.gains) {
                *sum += gain;
            }
            offset += 1;
        }
        worker.save(&mut self.lanes[index].state);
        Ok(())
    }

    /// The move of a role in a sweep of a window. If it has a choice, it takes the next draw.
    fn choose<W: Worker + ?Sized>(
        &mut self,
        worker: &W,
        window: &Window<'_>,
        offset: usize,
        role: usize,
        draw: &mut u8,
    ) -> Move {
        let name = Role(role as u8);
        let legal = worker.legal(name);
        if let [only] = legal {
            return *only;
        }
        let this = usize::from(*draw);
        let lanes = &mut self.numbers[offset * self.roles + this];
        if self.known[this] >> offset & 1 == 0 {
            let sweep = window.first + offset as u64;
            *lanes = numbers(window.batch.seed, window.stream.id, sweep, *draw);
            self.known[this] |= 1 << offset;
        }
        *draw += 1;
        let number = lanes[window.index];
        let weights = if self.chance == Some(name) { worker.weights() } else { &[] };
        legal[if weights.is_empty() {
            pick(number, legal.len())
        } else {
            pick_weighted(number, weights)
        }]
    }

    /// Records a playout that has ended.
    fn end<W: Worker + ?Sized>(
        &mut self,
        worker: &W,
        window: &Window<'_>,
        tally: &mut Tally,
        finished: bool,
    ) {
        let lane = &mut self.lanes[window.index];
        for role in 0..self.roles {
            let slot = window.index * self.roles + role;
            let gained = std::mem::take(&mut self.gains[slot]);
            let reward = match self.payment {
                _ if self.chance == Some(Role(role as u8)) => None,
                Payment::OnTheWay => Some(gained),
                Payment::AtEnd if finished => {
                    worker.goals(Role(role as u8), &mut self.goals);
                    if let [goal] = self.goals[..] { Some(goal) } else { None }
                }
                Payment::AtEnd => None,
            };
            if let Some(reward) = reward {
                tally.paid[role] += 1;
                self.sum[slot] += reward;
                self.squares[slot] += reward * reward;
            }
            self.paid[role] = reward;
        }
        if window.batch.detail == Detail::Moves {
            self.moves.end(window.index, &self.paid);
        }
        if window.batch.detail == Detail::PerPlayout {
            lane.rewards.extend_from_slice(&self.paid);
            lane.playouts.push(Playout { steps: lane.steps, finished });
        }
        *(if finished { &mut tally.finished } else { &mut tally.truncated }) += 1;
        tally.steps += u64::from(lane.steps);
        lane.steps = 0;
        lane.left -= 1;
    }
}

/// A lane and its sweeps.
struct Window<'a> {
    batch: &'a Batch<'a>,
    stream: &'a Stream<'a>,
    /// The first sweep.
    first: u64,
    /// The lane.
    index: usize,
}
