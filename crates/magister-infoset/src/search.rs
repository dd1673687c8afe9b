//! One course of the game that agrees with what a role saw, found by trying everything.

use magister_core::{Game, Halt, Move, Observation, Rng, Role, Step, Stop, Turn, Worker};

use crate::evidence::agrees;
use crate::exact::{Layer, possible};
use crate::joints::{Joints, Order, draw_joint};
use crate::model::Model;
use crate::pool::Pool;

/// A course through the turns so far, which is gone on with at the next one. Where it comes to a
/// dead end, other ways are tried, the last steps first. States that lead nowhere are remembered,
/// so that none is tried twice after the same turn. It is some course, and no fair sample.
pub(crate) struct Lifeline {
    /// The states of the anchor that were not tried yet, and the one that was tried last.
    origins: Order,
    origin: Option<u32>,
    frames: Vec<Frame>,
    /// The joint moves between the frames, one after the other.
    path: Vec<Move>,
    seen: Pool,
}

/// What a course is looked for in.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) game: &'a dyn Game,
    pub(crate) role: Role,
    pub(crate) model: &'a dyn Model,
    pub(crate) anchor: &'a Layer,
    pub(crate) turns: &'a [Turn],
}

/// A state on the way, and what was not tried there.
struct Frame {
    state: Vec<u64>,
    turn: usize,
    /// The joint moves, once somebody has looked.
    left: Option<(Joints, Tries)>,
}

/// The order in which joint moves are tried.
enum Tries {
    Random(Order),
    /// Those first that look like what was seen.
    Ranked(std::vec::IntoIter<u64>),
}

/// More joint moves than this are not put in order.
const RANKED: u64 = 20_000;

impl Lifeline {
    pub(crate) fn new(anchor: &Layer, rng: &mut Rng) -> Self {
        Lifeline {
            origins: Order::new(anchor.len() as u64, rng),
            origin: None,
            frames: Vec::new(),
            path: Vec::new(),
            seen: Pool::default(),
        }
    }

    /// The state of the anchor that the course begins with, and its joint moves.
    pub(crate) fn course(&self) -> (u32, &[Move]) {
        (self.origin.unwrap_or(0), &self.path)
    }

    /// Goes on until the course has come through all turns; false if there is none.
    pub(crate) fn follow(
        &mut self,
        question: Question<'_>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<bool, Halt> {
        let roles = question.game.info().roles.len();
        let (mut step, mut joint, mut row) = (Step::new(), Vec::new(), Vec::new());
        loop {
            stop.check()?;
            let Some(frame) = self.frames.last_mut() else {
                let Some(origin) = self.origins.next() else { return Ok(false) };
                self.origin = Some(origin as u32);
                let state = question.anchor.state(origin as usize).to_vec();
                self.frames.push(Frame { state, turn: 0, left: None });
                continue;
            };
            worker.load(&frame.state, stop)?;
            let silent = worker.silent();
            if frame.turn == question.turns.len() && !silent {
                return Ok(true);
            }
            let turn = question.turns.get(frame.turn).filter(|_| !silent);
            if frame.left.is_none() {
                let mut joints = Joints::default();
                let own = turn.map(|turn| turn.own);
                let any = joints.look(worker, question.model, question.role, own);
                let count = if any { joints.count() } else { 0 };
                let tries = tries(&joints, count, turn, question, rng);
                frame.left = Some((joints, tries));
            }
            let tried = frame.left.as_mut().and_then(|(joints, tries)| {
                tries.next().map(|number| joints.write(number, &mut joint))
            });
            if tried.is_none() {
                self.frames.pop();
                self.path.truncate(self.path.len().saturating_sub(roles));
                continue;
            }
            if !possible(worker.step(&joint, &mut step, stop))? {
                continue;
            }
            if turn.is_some_and(|turn| !agrees(&turn.seen, question.role, &joint, &step)) {
                continue;
            }
            let next = frame.turn + usize::from(!silent);
            worker.save(&mut row);
            let state = row.clone();
            row.push(next as u64);
            if self.seen.insert(&row).1 {
                self.path.extend_from_slice(&joint);
                self.frames.push(Frame { state, turn: next, left: None });
            }
        }
    }

    /// Brings a worker to where the game may have come to, if nothing better is known: as far as
    /// the course goes, and from there on without regard to what was seen.
    pub(crate) fn pretend(
        &self,
        question: Question<'_>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let (state, turn) = match self.frames.last() {
            Some(frame) => (&frame.state[..], frame.turn),
            None => (question.anchor.state(0), 0),
        };
        worker.load(state, &Stop::never())?;
        blindly(question.model, question.role, &question.turns[turn..], worker, rng)
    }
}

/// Makes the own moves of some turns, without regard to what was seen.
pub(crate) fn blindly(
    model: &dyn Model,
    role: Role,
    turns: &[Turn],
    worker: &mut dyn Worker,
    rng: &mut Rng,
) -> Result<(), Halt> {
    let (mut step, mut joint) = (Step::new(), Vec::new());
    let mut turns = turns.iter();
    loop {
        let own = if worker.silent() {
            None
        } else {
            let Some(turn) = turns.next() else { return Ok(()) };
            Some(turn.own)
        };
        if !draw_joint(worker, model, role, own, &mut joint, rng) {
            return Ok(());
        }
        worker.step(&joint, &mut step, &Stop::never())?;
    }
}

impl Iterator for Tries {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match self {
            Tries::Random(order) => order.next(),
            Tries::Ranked(numbers) => numbers.next(),
        }
    }
}

/// An order of all joint moves. What a role perceives is often told in the words of the move that
/// made it so: a card that it is dealt, a door that is opened. So moves come first whose words are
/// those of the percepts; that only saves time, since all others come after them.
fn tries(
    joints: &Joints,
    count: u64,
    turn: Option<&Turn>,
    question: Question<'_>,
    rng: &mut Rng,
) -> Tries {
    let order = Order::new(count, rng);
    let Some(Turn { seen: Observation::Percepts(percepts), .. }) = turn else {
        return Tries::Random(order);
    };
    if percepts.is_empty() || !(8..=RANKED).contains(&count) {
        return Tries::Random(order);
    }
    let text = question.game.text();
    let seen: Vec<String> = percepts.iter().map(|&percept| text.percept_text(percept)).collect();
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let seen: Vec<Vec<String>> = seen.iter().map(|text| words(text)).collect();
    let rank = joints.ranks(question.role, |choice| {
        let told = words(&text.move_text(choice));
        // The share of words that a percept and a move have in common, at best.
        let alike = |percept: &Vec<String>| {
            let common = told.iter().filter(|word| percept.contains(word)).count();
            1000 * common / told.len().max(percept.len()).max(1)
        };
        seen.iter().map(alike).max().unwrap_or(0) as u64
    });
    let mut numbers: Vec<u64> = order.collect();
    numbers.sort_by_key(|&number| std::cmp::Reverse(rank.of(number)));
    Tries::Ranked(numbers.into_iter())
}
