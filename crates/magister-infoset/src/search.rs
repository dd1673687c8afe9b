//! One course of the game that agrees with what a role saw, found by trying everything.

use std::cell::Cell;

use magister_core::{Game, Halt, Move, Observation, Rng, Role, Step, Stop, Turn, Worker};

use rustc_hash::FxHashMap;

use crate::evidence::agrees;
use crate::exact::{Layer, possible};
use crate::joints::{Joints, Order, Shells, draw_joint};
use crate::model::Model;
use crate::pool::Pool;
use crate::views::{ViewId, Views};

/// A course through the turns so far, which is gone on with at the next one. Where it comes to a
/// dead end, other ways are tried, the last steps first. States that lead nowhere are remembered,
/// so that none is tried twice after the same turn. It is some course, and no fair sample.
pub(crate) struct Lifeline {
    /// The states of the anchor that were not tried yet, and the one that was tried last.
    origins: Order,
    origin: Option<u32>,
    frames: Vec<Frame>,
    /// The most turns that any course came through, and the state it came to.
    farthest: (usize, Vec<u64>),
    /// The joint moves between the frames, one after the other.
    path: Vec<Move>,
    seen: Pool,
    /// How much each move looks like what was seen in a turn.
    ranks: FxHashMap<(usize, Move), u64>,
}

/// What came of looking for a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Found,
    Impossible,
    Tired,
}

/// What a course is looked for in.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) game: &'a dyn Game,
    pub(crate) role: Role,
    pub(crate) model: &'a dyn Model,
    pub(crate) anchor: &'a Layer,
    pub(crate) turns: &'a [Turn],
    /// Whether the game goes on after each turn.
    pub(crate) asked: bool,
}

/// Steps that are tried in vain before something else is, and courses that are begun then.
const TRIES: u64 = 200;
const DIVES: usize = 20;
/// How often a step is tried that should not end the game.
const BLIND: usize = 20;

/// A state on the way, and what was not tried there.
struct Frame {
    state: Vec<u64>,
    /// The histories of all roles, if they are kept.
    views: Vec<ViewId>,
    turn: usize,
    /// The joint moves, once somebody has looked.
    left: Option<(Joints, Tries)>,
}

/// The order in which joint moves are tried.
enum Tries {
    Random(Order),
    /// Those first that look like what was seen.
    Ranked(Shells),
}

impl Lifeline {
    pub(crate) fn new(anchor: &Layer, rng: &mut Rng) -> Self {
        Lifeline {
            origins: Order::new(anchor.len() as u64, rng),
            origin: None,
            frames: Vec::new(),
            farthest: (0, Vec::new()),
            path: Vec::new(),
            seen: Pool::default(),
            ranks: FxHashMap::default(),
        }
    }

    /// The state of the anchor that the course begins with, and its joint moves;
    /// then the state it ends in and what all roles have lived through there.
    pub(crate) fn course(&self) -> (u32, &[Move], &[u64], &[ViewId]) {
        let (state, views) = self
            .frames
            .last()
            .map(|frame| (&frame.state[..], &frame.views[..]))
            .unwrap_or_default();
        (self.origin.unwrap_or(0), &self.path, state, views)
    }

    /// Goes on until the course has come through all turns, or the caller has no more patience.
    ///
    /// Where the last steps can not be put right, it is often the first that were wrong. So trying
    /// everything takes turns with new courses from the beginning, which are given up soon.
    pub(crate) fn follow(
        &mut self,
        question: Question<'_>,
        histories: &mut Option<Views>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Search, Halt> {
        let mut tries = TRIES;
        loop {
            let left = Cell::new(tries);
            let some = || {
                left.set(left.get().saturating_sub(1));
                left.get() > 0 && patience()
            };
            let result = self.dig(question, histories, worker, rng, &some, stop)?;
            if result != Search::Tired || !patience() {
                return Ok(result);
            }
            for _ in 0..DIVES {
                let mut dive = Lifeline::new(question.anchor, rng);
                dive.ranks = std::mem::take(&mut self.ranks);
                let result = dive.dive(question, histories, worker, rng, patience, stop)?;
                if result == Search::Found {
                    *self = dive;
                    return Ok(Search::Found);
                }
                self.ranks = dive.ranks;
                if dive.farthest.0 > self.farthest.0 {
                    self.farthest = dive.farthest;
                }
                if !patience() {
                    return Ok(Search::Tired);
                }
            }
            tries = tries.saturating_mul(2);
        }
    }

    /// One course from the beginning, without going back more than a step.
    fn dive(
        &mut self,
        question: Question<'_>,
        histories: &mut Option<Views>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Search, Halt> {
        let (mut deepest, left) = (0, Cell::new(TRIES));
        let some = || {
            left.set(left.get().saturating_sub(1));
            left.get() > 0 && patience()
        };
        loop {
            let goal = (deepest + 1).min(question.turns.len());
            let part = Question { turns: &question.turns[..goal], ..question };
            let result = self.dig(part, histories, worker, rng, &some, stop)?;
            if result != Search::Found || goal == question.turns.len() {
                return Ok(result);
            }
            // What was found is not given up any more, but that it leads nowhere.
            deepest = goal;
            left.set(TRIES);
        }
    }

    /// Tries everything, the last steps first.
    fn dig(
        &mut self,
        question: Question<'_>,
        histories: &mut Option<Views>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<Search, Halt> {
        let roles = question.game.info().roles.len();
        let (mut step, mut joint, mut row) = (Step::new(), Vec::new(), Vec::new());
        // To load a state may cost more than a step.
        let mut there = false;
        loop {
            stop.check()?;
            let Some(frame) = self.frames.last_mut() else {
                let Some(origin) = self.origins.next() else { return Ok(Search::Impossible) };
                self.path.clear();
                self.origin = Some(origin as u32);
                let state = question.anchor.state(origin as usize).to_vec();
                let views = question.anchor.views(origin as usize).collect();
                self.frames.push(Frame { state, views, turn: 0, left: None });
                continue;
            };
            if !std::mem::take(&mut there) {
                worker.load(&frame.state, stop)?;
            }
            let silent = worker.silent();
            if frame.turn == question.turns.len() && !silent {
                return Ok(Search::Found);
            }
            if !patience() {
                return Ok(Search::Tired);
            }
            let turn = question.turns.get(frame.turn).filter(|_| !silent);
            if frame.left.is_none() {
                let mut joints = Joints::default();
                let own = turn.map(|turn| turn.own);
                let any = joints.look(worker, question.model, question.role, own);
                let count = if any { joints.count() } else { 0 };
                let at = frame.turn;
                let tries = tries(&mut joints, count, at, question, silent, &mut self.ranks, rng);
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
            let over = question.asked && worker.terminal();
            let agreed = |turn: &Turn| agrees(&turn.seen, question.role, &joint, &step);
            if over || !turn.is_none_or(agreed) {
                continue;
            }
            let next = frame.turn + usize::from(!silent);
            worker.save(&mut row);
            let state = row.clone();
            row.push(next as u64);
            if self.seen.insert(&row).1 {
                self.path.extend_from_slice(&joint);
                let mut views = frame.views.clone();
                if let Some(histories) = histories {
                    histories.live(&mut views, question.game.info(), &joint, &step);
                }
                if next > self.farthest.0 {
                    self.farthest = (next, state.clone());
                }
                self.frames.push(Frame { state, views, turn: next, left: None });
                there = true;
            }
        }
    }

    /// Goes on from another course, which has come through some turns. Should that lead nowhere,
    /// everything is tried again from the beginning.
    pub(crate) fn adopt(
        &mut self,
        anchor: &Layer,
        (origin, path): (u32, Vec<Move>),
        (state, views): (&[u64], &[ViewId]),
        turn: usize,
        rng: &mut Rng,
    ) {
        *self = Lifeline::new(anchor, rng);
        self.origin = Some(origin);
        self.path = path;
        let (state, views) = (state.to_vec(), views.to_vec());
        self.farthest = (turn, state.clone());
        self.frames.push(Frame { state, views, turn, left: None });
    }

    /// Brings a worker to where the game may have come to, if nothing better is known: as far as
    /// the course goes, and from there on without regard to what was seen.
    pub(crate) fn pretend(
        &self,
        question: Question<'_>,
        worker: &mut dyn Worker,
        rng: &mut Rng,
    ) -> Result<(), Halt> {
        let (state, turn) = match &self.farthest {
            (0, _) => (question.anchor.state(0), 0),
            (turn, state) => (&state[..], *turn),
        };
        worker.load(state, &Stop::never())?;
        let rest = question.turns.get(turn..).unwrap_or_default();
        blindly(question.model, question.role, rest, worker, rng)
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
    let (mut step, mut joint, mut state) = (Step::new(), Vec::new(), Vec::new());
    let mut turns = turns.iter();
    loop {
        let own = if worker.silent() {
            None
        } else {
            let Some(turn) = turns.next() else { return Ok(()) };
            Some(turn.own)
        };
        worker.save(&mut state);
        for _ in 0..BLIND {
            // Where the own move is not legal, this is not where it was made; the turn passes all
            // the same.
            if !draw_joint(worker, model, role, own, &mut joint, rng)
                && !draw_joint(worker, model, role, None, &mut joint, rng)
            {
                return Ok(());
            }
            worker.step(&joint, &mut step, &Stop::never())?;
            // It is not over, or nobody would ask.
            if !worker.terminal() {
                break;
            }
            worker.load(&state, &Stop::never())?;
        }
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
    joints: &mut Joints,
    count: u64,
    at: usize,
    question: Question<'_>,
    silent: bool,
    ranks: &mut FxHashMap<(usize, Move), u64>,
    rng: &mut Rng,
) -> Tries {
    let turn = question.turns.get(at).filter(|_| !silent);
    let order = Order::new(count, rng);
    let Some(Turn { seen: Observation::Percepts(percepts), .. }) = turn else {
        return Tries::Random(order);
    };
    if percepts.is_empty() || count < 8 {
        return Tries::Random(order);
    }
    let text = question.game.text();
    let seen: Vec<String> = percepts.iter().map(|&percept| text.percept_text(percept)).collect();
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || "(),".contains(c));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let seen: Vec<Vec<String>> = seen.iter().map(|text| words(text)).collect();
    joints.rank(rng, |choice| {
        *ranks.entry((at, choice)).or_insert_with(|| {
            let told = words(&text.move_text(choice));
            seen.iter().map(|percept| common(percept, &told)).sum()
        })
    });
    Tries::Ranked(joints.shells())
}

/// The length of the longest run of words that two texts have in common; one alone says nothing,
/// unless there is no other.
fn common(one: &[String], other: &[String]) -> u64 {
    let mut best = 0;
    // For each place of the second text, the length of the run that ends there.
    let mut runs = vec![0_u64; other.len() + 1];
    for word in one {
        for at in (0..other.len()).rev() {
            runs[at + 1] = if *word == other[at] { runs[at] + 1 } else { 0 };
            best = best.max(runs[at + 1]);
        }
    }
    if best > 1 || one.len().min(other.len()) == 1 { best } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn runs_of_words() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(common(&words("ghost 3 3 4 3"), &words("scan 1 1 1 2 3 3 4 3")), 4);
        assert_eq!(common(&words("hand 1 2 5"), &words("deal earl 2 1 5")), 0);
        assert_eq!(common(&words("red"), &words("arm red")), 1);
    }
}
