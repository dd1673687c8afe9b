//! Exhaustive search for one history that is consistent with a role's observations.

mod tries;

use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, Worker};

use crate::evidence::{distance, perceived, possible};
use crate::exact::Layer;
use crate::hints::Hints;
use crate::joints::{Joints, Order};
use crate::model::Model;
use crate::pool::Pool;
use crate::views::{ViewId, Views};
use tries::{Tries, tries};

/// One history through the turns so far, which is extended turn by turn. At a dead end the search
/// backtracks, last steps first. It remembers dead ends, so no state is tried twice after the same
/// turn. The result is some consistent history, not an unbiased sample.
pub(crate) struct Lifeline {
    /// The start states in the anchor that have not been tried yet, with the preferred ones in a
    /// separate list, best last; and the one that was tried last.
    first: Vec<u32>,
    origins: Order,
    origin: Option<u32>,
    frames: Vec<Frame>,
    /// The largest number of turns that any history reached, and its last state.
    farthest: (usize, Vec<u64>),
    /// The joint moves of the history in order.
    path: Vec<Move>,
    seen: Pool,
    /// Whether a state was abandoned before all its joint moves were tried.
    hasty: bool,
}

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Found,
    Impossible,
    Tired,
}

/// The problem: the game and the observations.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) game: &'a dyn Game,
    pub(crate) role: Role,
    pub(crate) model: &'a dyn Model,
    pub(crate) anchor: &'a Layer,
    pub(crate) turns: &'a [Turn],
    /// Whether the game must continue after each turn.
    pub(crate) asked: bool,
}

/// The worker and caches of the search.
pub(crate) struct Means<'a> {
    pub(crate) worker: &'a mut dyn Worker,
    pub(crate) histories: &'a mut Option<Views>,
    pub(crate) hints: &'a mut Hints,
    pub(crate) rng: &'a mut Rng,
    pub(crate) stop: &'a Stop,
}

/// The effort: the number of joint moves per state after varying single roles has failed, and the
/// number of states that may be abandoned before a history gets farther.
#[derive(Clone, Copy)]
struct Effort {
    width: u64,
    tries: u64,
}

/// The number of times that the same number of turns is taken back.
const DIVES: u32 = 4;
/// The number of start states that are compared with the observations.
const COMPARED: usize = 128;

impl Effort {
    /// The effort for the last steps of a long history, and for a new one.
    const LAST: Effort = Effort { width: 32, tries: 2 };
    const FIRST: Effort = Effort { width: 32, tries: 1 };

    fn more(self) -> Self {
        Effort { width: self.width.saturating_mul(4), tries: self.tries.saturating_mul(4) }
    }
}

/// A state on the path, and the joint moves that remain to be tried there.
struct Frame {
    state: Vec<u64>,
    /// The information states of all roles, if they are stored.
    views: Vec<ViewId>,
    turn: usize,
    /// The length of the path to this state.
    depth: usize,
    /// The joint moves, once enumerated, and how many of them were tried.
    left: Option<(Joints, Tries)>,
    tried: u64,
}

impl Frame {
    fn new(state: Vec<u64>, views: Vec<ViewId>, turn: usize, depth: usize) -> Self {
        Frame { state, views, turn, depth, left: None, tried: 0 }
    }
}

impl Lifeline {
    pub(crate) fn new(anchor: &Layer, rng: &mut Rng) -> Self {
        Lifeline {
            first: Vec::new(),
            origins: Order::new(anchor.len() as u64, rng),
            origin: None,
            frames: Vec::new(),
            farthest: (0, Vec::new()),
            path: Vec::new(),
            seen: Pool::default(),
            hasty: false,
        }
    }

    /// The start state in the anchor and the joint moves of the history, then its last state and
    /// the information states of all roles there.
    pub(crate) fn history(&self) -> (u32, &[Move], &[u64], &[ViewId]) {
        let (state, views) = self
            .frames
            .last()
            .map(|frame| (&frame.state[..], &frame.views[..]))
            .unwrap_or_default();
        (self.origin.unwrap_or(0), &self.path, state, views)
    }

    /// The largest number of turns that any history reached, and its last state; `None` if no
    /// history completed a turn.
    pub(crate) fn farthest(&self) -> Option<(usize, &[u64])> {
        let (turns, state) = &self.farthest;
        (*turns > 0).then_some((*turns, state))
    }

    /// Continues until the history covers all turns or patience ends.
    ///
    /// Late evidence can turn a promising history into a dead end, and the wrong step may be
    /// anywhere. The search therefore leaves a dead end soon: it takes back one turn, then more and
    /// more, and tries alternatives a few times from there. If that fails too, it starts over with
    /// more effort per state, until all histories have been tried.
    pub(crate) fn follow(
        &mut self,
        question: Question<'_>,
        means: &mut Means<'_>,
        patience: &dyn Fn() -> bool,
    ) -> Result<Search, Halt> {
        let (mut effort, mut back, mut dives) = (Effort::FIRST, 1, 0);
        loop {
            let fresh = self.frames.is_empty();
            let hard = if fresh { effort } else { Effort::LAST };
            let result = self.dig(question, hard, fresh, means, patience)?;
            if result != Search::Tired || !patience() {
                return Ok(result);
            }
            if dives == DIVES {
                (back, dives) = (back + 1 + back / 8, 0);
            }
            if fresh {
                effort = effort.more();
            }
            if fresh || back >= question.turns.len() {
                self.begin(question, means, patience);
            } else {
                self.take_back(question.turns.len() - back, question, means, patience)?;
                dives += 1;
            }
        }
    }

    /// Discards the history. Start states that resemble the observations come first.
    fn begin(
        &mut self,
        question: Question<'_>,
        means: &mut Means<'_>,
        patience: &dyn Fn() -> bool,
    ) {
        let farthest = std::mem::take(&mut self.farthest);
        *self = Lifeline { farthest, ..Lifeline::new(question.anchor, means.rng) };
        let all = question.anchor.len();
        if all == 1 {
            return;
        }
        let order = Order::new(all as u64, means.rng).take(COMPARED);
        let some: Vec<u32> = order.map(|origin| origin as u32).collect();
        let states: Vec<&[u64]> =
            some.iter().map(|&origin| question.anchor.state(origin as usize)).collect();
        let text = question.game.text();
        let ranks = means.hints.liken(text, question.turns, &states, patience);
        let mut ranked: Vec<(u64, u32)> = ranks.into_iter().zip(some).collect();
        ranked.sort_by_key(|entry| entry.0);
        self.first.extend(ranked.into_iter().map(|entry| entry.1));
    }

    /// Goes back to the state after a given number of turns, or earlier. From there everything may
    /// be tried again, in another order.
    fn take_back(
        &mut self,
        to: usize,
        question: Question<'_>,
        means: &mut Means<'_>,
        patience: &dyn Fn() -> bool,
    ) -> Result<(), Halt> {
        self.seen = Pool::default();
        if self.frames.first().is_some_and(|first| first.turn > to) {
            // An adopted history comes without its intermediate states.
            self.retrace(to, question, means, patience)?;
        }
        while self.frames.last().is_some_and(|frame| frame.turn > to) {
            self.frames.pop();
        }
        if let Some(last) = self.frames.last_mut() {
            (last.left, last.tried) = (None, 0);
            self.path.truncate(last.depth);
        }
        Ok(())
    }

    /// Replays the history up to a turn to recover its states.
    fn retrace(
        &mut self,
        to: usize,
        question: Question<'_>,
        means: &mut Means<'_>,
        patience: &dyn Fn() -> bool,
    ) -> Result<(), Halt> {
        let info = question.game.info();
        let origin = self.origin.unwrap_or(0) as usize;
        let mut views: Vec<ViewId> = question.anchor.views(origin).collect();
        let state = question.anchor.state(origin).to_vec();
        means.worker.load(&state, means.stop)?;
        self.frames.clear();
        self.frames.push(Frame::new(state, views.clone(), 0, 0));
        let (mut step, mut turn) = (Step::new(), 0);
        for (number, joint) in self.path.chunks(info.roles.len()).enumerate() {
            let silent = means.worker.silent();
            turn += usize::from(!silent);
            if turn > to
                || !patience()
                || !possible(means.worker.step(joint, &mut step, means.stop))?
            {
                break;
            }
            if let Some(histories) = &mut means.histories {
                histories.live(&mut views, info, joint, &step);
            }
            let mut state = Vec::new();
            means.worker.save(&mut state);
            let depth = (number + 1) * info.roles.len();
            self.frames.push(Frame::new(state, views.clone(), turn, depth));
        }
        Ok(())
    }

    /// Depth-first search, last steps first. At the beginning, a search that has used up its effort
    /// moves on to another start state.
    fn dig(
        &mut self,
        question: Question<'_>,
        effort: Effort,
        fresh: bool,
        means: &mut Means<'_>,
        patience: &dyn Fn() -> bool,
    ) -> Result<Search, Halt> {
        let (mut step, mut joint, mut row) = (Step::new(), Vec::new(), Vec::new());
        let (mut vain, mut deepest) = (0, 0);
        // Loading a state may cost more than a step.
        let mut there = false;
        loop {
            means.stop.check()?;
            let Some(frame) = self.frames.last_mut() else {
                let next = self.first.pop();
                let Some(origin) = next.or_else(|| self.origins.next().map(|at| at as u32)) else {
                    return Ok(if self.hasty { Search::Tired } else { Search::Impossible });
                };
                (vain, deepest) = (0, 0);
                self.path.clear();
                self.origin = Some(origin);
                let state = question.anchor.state(origin as usize).to_vec();
                let views = question.anchor.views(origin as usize).collect();
                self.frames.push(Frame::new(state, views, 0, 0));
                continue;
            };
            if !std::mem::take(&mut there) {
                means.worker.load(&frame.state, means.stop)?;
            }
            let silent = means.worker.silent();
            if frame.turn == question.turns.len() && !silent {
                return Ok(Search::Found);
            }
            if frame.turn > deepest {
                (vain, deepest) = (0, frame.turn);
            }
            if !patience() || vain > effort.tries && !fresh {
                return Ok(Search::Tired);
            }
            if vain > effort.tries {
                self.hasty = true;
                self.frames.clear();
                continue;
            }
            let turn = question.turns.get(frame.turn).filter(|_| !silent);
            let (joints, tries) = match &mut frame.left {
                Some(left) => left,
                empty => {
                    let mut joints = Joints::default();
                    let own = turn.map(|turn| turn.own);
                    let any = joints.look(&*means.worker, question.model, question.role, own);
                    let count = if any { joints.count() } else { 0 };
                    let at = turn.map(|_| frame.turn);
                    let tries = tries(&mut joints, count, at, question, means)?;
                    empty.insert((joints, tries))
                }
            };
            let hasty = frame.tried >= effort.width;
            let next = tries.next();
            let Some(number) = next.filter(|_| !hasty) else {
                self.hasty |= hasty && next.is_some();
                vain += 1;
                self.frames.pop();
                self.path.truncate(self.frames.last().map_or(0, |frame| frame.depth));
                continue;
            };
            frame.tried += u64::from(!tries.is_climbing());
            joints.write(number, &mut joint);
            if let Some(turn) = turn {
                let perceived = perceived(means.worker.perceive(&joint, &mut step, means.stop))?;
                if !perceived && !possible(means.worker.step(&joint, &mut step, means.stop))? {
                    continue;
                }
                let distance = distance(&turn.seen, question.role, &joint, &step);
                tries.tell(distance);
                if distance > 0 {
                    there = perceived;
                    continue;
                }
                if perceived && !possible(means.worker.step(&joint, &mut step, means.stop))? {
                    continue;
                }
            } else if !possible(means.worker.step(&joint, &mut step, means.stop))? {
                continue;
            }
            if question.asked && means.worker.terminal() {
                continue;
            }
            let next = frame.turn + usize::from(!silent);
            means.worker.save(&mut row);
            let state = row.clone();
            row.push(next as u64);
            if self.seen.insert(&row).1 {
                let mut views = frame.views.clone();
                if let Some(histories) = &mut means.histories {
                    histories.live(&mut views, question.game.info(), &joint, &step);
                }
                self.path.truncate(frame.depth);
                self.path.extend_from_slice(&joint);
                if next > self.farthest.0 {
                    self.farthest = (next, state.clone());
                }
                self.frames.push(Frame::new(state, views, next, self.path.len()));
                there = true;
            }
        }
    }

    /// Continues from another history, which covers some turns. If it leads to a dead end,
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
        self.frames.push(Frame::new(state, views, turn, self.path.len()));
    }
}
