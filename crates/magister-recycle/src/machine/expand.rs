//! The options of a choice: every path through its alternatives.
//!
//! Alternatives run as if they were chosen. At an `any` the machine stores a backtracking point,
//! continues with the first element, and undoes everything before it continues with the next.

use super::{CARD, Event, FRESH, Fault, Item, Machine, Trap};
use crate::certain::Body;
use crate::ir::{Act, Origin, Stmt, StmtId};
use crate::program::Program;

/// A backtracking point.
#[derive(Clone, Copy, Debug)]
struct Point {
    stmt: StmtId,
    /// The elements, and the next one to use.
    start: usize,
    count: usize,
    stride: usize,
    next: usize,
    stack: (usize, usize),
    slots: usize,
    journal: usize,
    lists: usize,
    path: usize,
    values: usize,
    log: usize,
    acted: bool,
}

/// The options of a choice, and the memory to find them.
#[derive(Debug, Default)]
pub(crate) struct Choosing {
    /// For each option, the end of its path in `paths`, of its values and of its actions.
    ends: Vec<(u32, u32, u32)>,
    paths: Vec<u32>,
    /// The values of the `any` variables, as words; see [`Choosing::values`].
    values: Vec<i32>,
    points: Vec<Point>,
    saved: Vec<Item>,
    slots: Vec<i32>,
    /// The slots before the first alternative.
    before: Vec<i32>,
    path: Vec<u32>,
    bound: Vec<i32>,
    actions: Vec<Event>,
    /// The length of the log before the options.
    log: usize,
    /// Whether to record the values of variables.
    pub noting: bool,
    /// The assumed outcomes of chance inside options, which are drawn only after one is chosen; the
    /// first outcome by default.
    guesses: Vec<u32>,
    /// The number of outcomes of each draw.
    guessed: Vec<u32>,
}

impl Choosing {
    /// Sets the assumed outcomes of chance for the next expansion.
    pub(crate) fn guess(&mut self, guesses: &[u32]) {
        self.guesses.clear();
        self.guesses.extend_from_slice(guesses);
    }

    /// The numbers of outcomes of chance in the last expansion.
    pub(crate) fn guessed(&self) -> &[u32] {
        &self.guessed
    }

    /// The assumed outcome.
    pub(super) fn outcome(&mut self, count: u32) -> u32 {
        let guess = self.guesses.get(self.guessed.len()).copied().unwrap_or(0);
        self.guessed.push(count);
        guess.min(count - 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The path through the alternatives: the alternative, then the element of each `any`.
    pub(crate) fn path(&self, option: usize) -> &[u32] {
        let start = if option == 0 { 0 } else { self.ends[option - 1].0 as usize };
        &self.paths[start..self.ends[option].0 as usize]
    }

    /// The value of each `any` of the path: its slot; then either -1 and a word, or the number of
    /// cards and the cards; then the index of the element in its collection.
    pub(crate) fn values(&self, option: usize) -> &[i32] {
        let start = if option == 0 { 0 } else { self.ends[option - 1].1 as usize };
        &self.values[start..self.ends[option].1 as usize]
    }

    /// The actions of an option, if they were logged.
    pub(crate) fn actions(&self, option: usize) -> &[Event] {
        let start = if option == 0 { 0 } else { self.ends[option - 1].2 as usize };
        &self.actions[start..self.ends[option].2 as usize]
    }
}

impl Machine {
    /// Finds the options of a choice.
    pub(crate) fn expand(&mut self, p: &Program, choice: StmtId) -> Result<(), Fault> {
        let Stmt::Choice(alternatives) = &p.rules.stmts[choice as usize] else { return Ok(()) };
        let choosing = &mut self.choosing;
        choosing.ends.clear();
        choosing.paths.clear();
        choosing.values.clear();
        choosing.actions.clear();
        choosing.guessed.clear();
        let log = self.log.len();
        choosing.log = log;
        let base = self.stack.len();
        self.work = 0;
        self.expanding = true;
        self.path_base = base;
        let lists = self.lists.len();
        self.choosing.before.clear();
        self.choosing.before.extend_from_slice(&self.slots);
        let mut result = Ok(());
        for (at, &alternative) in alternatives.iter().enumerate() {
            self.choosing.path.clear();
            self.choosing.path.push(at as u32);
            self.choosing.bound.clear();
            self.acted = false;
            self.stack.push(Item { stmt: alternative, slot: FRESH, a: 0, b: 0 });
            result = self.ways(p, base, log);
            if matches!(result, Err(Fault::Untried | Fault::ManyOptions | Fault::TooLong)) {
                self.failed = (Some(alternative), Origin::UNKNOWN);
            }
            self.undo(0);
            self.stack.truncate(base);
            self.lists.truncate(lists);
            self.log.truncate(log);
            self.choosing.points.clear();
            self.choosing.saved.clear();
            self.choosing.slots.clear();
            if result.is_err() {
                break;
            }
        }
        self.expanding = false;
        self.path_base = 0;
        self.slots.copy_from_slice(&self.choosing.before);
        result?;
        if self.choosing.len() == 0 {
            self.failed = (Some(choice), Origin::UNKNOWN);
            return Err(Fault::NoOption);
        }
        Ok(())
    }

    /// All paths through one alternative, which is on the stack.
    fn ways(&mut self, p: &Program, base: usize, log: usize) -> Result<(), Fault> {
        let mut steps = 0u64;
        loop {
            let mut sound = true;
            while self.stack.len() > base {
                let Some(item) = self.stack.pop() else { break };
                steps += 1;
                if steps > p.limits.steps {
                    return Err(Fault::Untried);
                }
                match self.item(p, item) {
                    Ok(()) => {}
                    Err(Trap::Fault(fault)) if fault.is_limit() => {
                        self.failed = (Some(item.stmt), self.spot);
                        return Err(fault);
                    }
                    // An impossible path is not an option.
                    Err(_) => {
                        sound = false;
                        break;
                    }
                }
            }
            if sound && self.acted {
                self.note(log);
            }
            if self.choosing.len() > p.limits.options {
                return Err(Fault::ManyOptions);
            }
            if self.work > p.limits.work {
                return Err(Fault::TooLong);
            }
            if !self.back(p, base) {
                return Ok(());
            }
        }
    }

    fn note(&mut self, log: usize) {
        let choosing = &mut self.choosing;
        let copied = choosing.path.len() + choosing.bound.len() + self.log.len() - log;
        self.work += copied as u64;
        choosing.paths.extend_from_slice(&choosing.path);
        choosing.values.extend_from_slice(&choosing.bound);
        choosing.actions.extend_from_slice(&self.log[log..]);
        choosing.ends.push((
            choosing.paths.len() as u32,
            choosing.values.len() as u32,
            choosing.actions.len() as u32,
        ));
    }

    /// Handles an `any`: the first element now, the others later.
    pub(super) fn branch(
        &mut self,
        p: &Program,
        stmt: StmtId,
        (start, count, stride): (usize, usize, usize),
        slot: u32,
        body: StmtId,
    ) {
        if !self.expanding {
            self.follow(p, (start, count, stride), slot, body);
            return;
        }
        if count == 0 || self.list_options(p, stmt, (start, count, stride)) {
            return;
        }
        if count > 1 {
            let base = self.path_base;
            let choosing = &mut self.choosing;
            let saved = choosing.saved.len();
            choosing.saved.extend_from_slice(&self.stack[base..]);
            let slots = choosing.slots.len();
            choosing.slots.extend_from_slice(&self.slots);
            choosing.points.push(Point {
                stmt,
                start,
                count,
                stride,
                next: 1,
                stack: (saved, choosing.saved.len()),
                slots,
                journal: self.journal.len(),
                lists: self.lists.len(),
                path: choosing.path.len(),
                values: choosing.bound.len(),
                log: self.log.len(),
                acted: self.acted,
            });
        }
        self.enter(p, (start, stride), slot, body, 0);
    }

    /// Continues with one element of an `any`.
    fn enter(
        &mut self,
        p: &Program,
        (start, stride): (usize, usize),
        slot: u32,
        body: StmtId,
        pick: usize,
    ) {
        let (a, b) = self.pick((start, stride), slot, pick);
        self.take(p, Item { stmt: body, slot, a, b }, pick);
    }

    /// Adds an element of an `any` to the current path.
    fn pick(&mut self, (start, stride): (usize, usize), slot: u32, pick: usize) -> (i32, i32) {
        let at = start + pick * stride;
        let (a, b) = (self.lists[at], if stride == 2 { self.lists[at + 1] } else { 0 });
        self.choosing.path.push(pick as u32);
        if self.choosing.noting {
            let bound = &mut self.choosing.bound;
            bound.push(slot as i32);
            if stride == 2 {
                bound.push(b);
                bound.extend_from_slice(&self.lists[a as usize..(a + b) as usize]);
            } else {
                bound.push(-1);
                bound.push(a);
            }
            bound.push(pick as i32);
        }
        (a, b)
    }

    /// Notes an option for each element of an `any` that ends its alternative, without trying them,
    /// if its body cannot fail. Returns false otherwise.
    fn list_options(
        &mut self,
        p: &Program,
        stmt: StmtId,
        (start, count, stride): (usize, usize, usize),
    ) -> bool {
        let kind = p.bodies[stmt as usize];
        // In compatible games, an option that is tried may change the order of a pile.
        if kind == Body::Open || p.compat || self.stack.len() > self.path_base {
            return false;
        }
        let Stmt::Any(_, slot, body) = &p.rules.stmts[stmt as usize] else { return false };
        let mut target = None;
        if self.logging {
            // The actions are needed too. That of a single move follows from the card.
            let Stmt::Act(Act::Move { to, at, .. }) = &p.rules.stmts[*body as usize] else {
                return false;
            };
            target = self.target(p, to, at).ok().filter(|_| kind == Body::Moves);
            if target.is_none() {
                return false;
            }
        }
        let log = self.choosing.log;
        let (path, bound) = (self.choosing.path.len(), self.choosing.bound.len());
        for pick in 0..count {
            let (word, _) = self.pick((start, stride), *slot, pick);
            if let Some((to, position, _)) = target {
                let card = (word & CARD) as u32;
                let (from, to) = (self.at[card as usize], to as u32);
                self.log.push(Event::Move { card, from, to, at: position });
            }
            self.note(log);
            self.choosing.path.truncate(path);
            self.choosing.bound.truncate(bound);
            self.log.truncate(self.log.len() - usize::from(target.is_some()));
            if self.choosing.len() > p.limits.options || self.work > p.limits.work {
                break;
            }
        }
        // They are noted.
        self.acted = false;
        true
    }

    /// Backtracks to the last point with a remaining element; false if there is none.
    fn back(&mut self, p: &Program, base: usize) -> bool {
        let Some(&point) = self.choosing.points.last() else { return false };
        self.undo(point.journal);
        self.stack.truncate(base);
        self.stack.extend_from_slice(&self.choosing.saved[point.stack.0..point.stack.1]);
        let count = self.slots.len();
        self.slots.copy_from_slice(&self.choosing.slots[point.slots..point.slots + count]);
        self.lists.truncate(point.lists);
        self.choosing.path.truncate(point.path);
        self.choosing.bound.truncate(point.values);
        self.log.truncate(point.log);
        self.acted = point.acted;
        let pick = point.next;
        if pick + 1 < point.count {
            if let Some(last) = self.choosing.points.last_mut() {
                last.next += 1;
            }
        } else {
            self.choosing.points.pop();
            self.choosing.saved.truncate(point.stack.0);
            self.choosing.slots.truncate(point.slots);
        }
        if let Stmt::Any(_, slot, body) = &p.rules.stmts[point.stmt as usize] {
            self.enter(p, (point.start, point.stride), *slot, *body, pick);
        }
        true
    }
}
