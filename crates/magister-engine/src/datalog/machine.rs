//! Runs procedures.
//!
//! A call of a procedure is answered once: its rules are joined by backtracking, and all its
//! answers are kept until what they depend on changes. Procedures that are recursive with each
//! other are answered together: a rule that asks for answers which are still being found leaves a
//! copy of its variables behind and goes on from there with every answer that comes. All work
//! lies on stacks of our own.

use std::sync::Arc;

use magister_core::{Halt, Stop};

use super::code::{Build, Code, Match, Plan, ProcedureId};
use super::memo::{Call, Memo};
use super::state::State;
use super::step::Entered;
use super::table::NONE;
use crate::program::Depends;
use crate::reference::Limits;
use crate::term::{Functor, Symbol, TermId, Terms};

/// Where the matches of a step are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) at: u32,
    pub(super) end: u32,
    /// A bucket of fluents, or a call.
    pub(super) of: u32,
}

/// A procedure at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) procedure: ProcedureId,
    pub(super) call: u32,
    /// The rule it is at.
    pub(super) plan: u32,
    /// The step at which it goes on when what it called is answered.
    at: u32,
    /// Steps below this one are not tried again.
    floor: u32,
    /// Where its variables begin.
    pub(super) variables: u32,
    /// Where its cursors begin.
    pub(super) cursors: u32,
    /// Whether it goes on from a copy, and so has one rule to work at.
    resumed: bool,
    /// For the first call into a component: how high the stacks were.
    component: Option<Marks>,
}

#[derive(Clone, Copy, Debug)]
struct Marks {
    tasks: u32,
    waiting: u32,
    saved: u32,
    unfinished: u32,
}

/// Work that is left to do in a component.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// The rules of a call.
    Call { procedure: ProcedureId, call: u32 },
    /// Somebody who waits, with an answer.
    Answer { waiting: u32, row: u32 },
}

/// A rule that waits for answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Another one that waits for the same.
    pub(super) next: u32,
    pub(super) procedure: ProcedureId,
    pub(super) call: u32,
    pub(super) plan: u32,
    /// The step that asked.
    pub(super) step: u32,
    /// Whom it asked.
    pub(super) asked: ProcedureId,
    /// Where the copy of its variables begins.
    pub(super) saved: u32,
}

/// Where a rule goes on.
enum Go {
    /// At its beginning.
    Plan,
    /// At a step.
    Enter(u32),
}

/// How much is done between two looks at the limits.
const PATIENCE: u64 = 1 << 12;

/// Answers questions in a state and under moves that are set before.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) code: Arc<Code>,
    pub(super) limits: Limits,
    pub(super) terms: Terms,
    pub(super) state: State,
    /// The move of each role.
    pub(super) moves: Vec<Option<TermId>>,
    pub(super) memos: Vec<Memo>,
    pub(super) builtins: Vec<Memo>,
    /// The procedures that have been asked, by what they depend on.
    used: [Vec<ProcedureId>; 3],
    /// The groups of fluents that have changed, as bits.
    changed: Vec<u64>,
    frames: Vec<Frame>,
    pub(super) variables: Vec<TermId>,
    pub(super) cursors: Vec<Cursor>,
    pub(super) tasks: Vec<Task>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) saved: Vec<TermId>,
    /// Calls of components that are not complete yet.
    pub(super) unfinished: Vec<(ProcedureId, u32)>,
    pub(super) key: Vec<TermId>,
    row: Vec<TermId>,
    pub(super) scratch: Vec<TermId>,
    pub(super) numbers: Vec<TermId>,
    pub(super) work: u64,
    /// The work of all questions before.
    pub(super) total: u64,
    next_look: u64,
    /// Answers and calls that are kept, about.
    pub(super) kept: usize,
}

impl Machine {
    /// A machine in the empty state.
    pub(super) fn new(code: Arc<Code>, limits: Limits) -> Self {
        let memo =
            |p: &super::code::Procedure| Memo::new(p.inputs, p.outputs, p.component.is_some());
        Machine {
            terms: code.terms.clone(),
            state: State::new(&code.groups),
            moves: vec![None; code.program.roles.len()],
            memos: code.procedures.iter().map(memo).collect(),
            builtins: Vec::new(),
            used: Default::default(),
            changed: vec![0; code.groups.len().div_ceil(64)],
            frames: Vec::new(),
            variables: Vec::new(),
            cursors: Vec::new(),
            tasks: Vec::new(),
            waiting: Vec::new(),
            saved: Vec::new(),
            unfinished: Vec::new(),
            key: Vec::new(),
            row: Vec::new(),
            scratch: Vec::new(),
            numbers: Vec::new(),
            work: 0,
            total: 0,
            next_look: PATIENCE,
            kept: 0,
            limits,
            code,
        }
    }

    /// Replaces the state; there are no moves afterwards. What depends only on fluents that stay
    /// as they are is still known.
    pub(super) fn set_state(&mut self, fluents: &[TermId]) {
        self.forget(Depends::Moves);
        self.moves.fill(None);
        self.changed.fill(0);
        if self.state.set(fluents, &self.terms, &mut self.changed) {
            let mut used = std::mem::take(&mut self.used[Depends::State as usize]);
            used.retain(|&number| {
                let groups = &self.code.procedures[number as usize].groups;
                let stays = groups.iter().zip(&self.changed).all(|(a, b)| a & b == 0);
                if !stays {
                    self.kept -= self.memos[number as usize].len();
                    self.memos[number as usize].clear();
                }
                stays
            });
            self.used[Depends::State as usize] = used;
        }
        // What never changes is kept for ever, unless it becomes too much.
        if self.kept > self.limits.answers / 2 {
            self.forget(Depends::State);
            self.forget(Depends::Nothing);
            self.builtins.iter_mut().for_each(Memo::clear);
            self.kept = 0;
        }
    }

    /// Replaces the moves, one per role.
    pub(super) fn set_moves(&mut self, moves: &[Option<TermId>]) {
        self.forget(Depends::Moves);
        self.moves.copy_from_slice(moves);
    }

    fn forget(&mut self, depends: Depends) {
        for &number in &self.used[depends as usize] {
            self.kept -= self.memos[number as usize].len();
            self.memos[number as usize].clear();
        }
        self.used[depends as usize].clear();
    }

    /// Forgets everything, after an evaluation that did not come to its end.
    fn abandon(&mut self) {
        for depends in [Depends::Nothing, Depends::State, Depends::Moves] {
            self.forget(depends);
        }
        self.builtins.iter_mut().for_each(Memo::clear);
        self.kept = 0;
        self.frames.clear();
        self.variables.clear();
        self.cursors.clear();
        self.tasks.clear();
        self.waiting.clear();
        self.saved.clear();
        self.unfinished.clear();
        self.scratch.clear();
    }

    /// The call of a procedure with these inputs, with all its answers found.
    pub(super) fn solve(
        &mut self,
        procedure: ProcedureId,
        key: &[TermId],
        stop: &Stop,
    ) -> Result<u32, Halt> {
        stop.check()?;
        if let Some(call) = self.memos[procedure as usize].find(key)
            && self.memos[procedure as usize].calls[call as usize].complete
        {
            return Ok(call);
        }
        self.work = 0;
        self.next_look = PATIENCE;
        self.key.clear();
        self.key.extend_from_slice(key);
        let code = Arc::clone(&self.code);
        let result = self.run(&code, procedure, stop);
        self.total += self.work;
        if result.is_err() {
            self.abandon();
        }
        result
    }

    /// A new call of a procedure with the inputs in `key`.
    pub(super) fn insert(&mut self, code: &Code, procedure: ProcedureId) -> u32 {
        let memo = &mut self.memos[procedure as usize];
        if memo.calls.is_empty() {
            let depends = code.procedures[procedure as usize].depends;
            self.used[depends as usize].push(procedure);
        }
        self.kept += 1;
        memo.insert(&self.key)
    }

    /// Begins a call with the inputs in `key`.
    fn begin(&mut self, code: &Code, procedure: ProcedureId) -> Frame {
        let call = self.insert(code, procedure);
        let component = code.procedures[procedure as usize].component.map(|_| Marks {
            tasks: self.tasks.len() as u32,
            waiting: self.waiting.len() as u32,
            saved: self.saved.len() as u32,
            unfinished: self.unfinished.len() as u32,
        });
        if component.is_some() {
            self.unfinished.push((procedure, call));
        }
        Frame {
            procedure,
            call,
            plan: 0,
            at: 0,
            floor: 0,
            variables: self.variables.len() as u32,
            cursors: self.cursors.len() as u32,
            resumed: false,
            component,
        }
    }

    fn run(&mut self, code: &Code, procedure: ProcedureId, stop: &Stop) -> Result<u32, Halt> {
        let mut frame = self.begin(code, procedure);
        let first = frame.call;
        let mut go = Go::Plan;
        loop {
            let plans = &code.procedures[frame.procedure as usize].plans;
            let Some(plan) = plans.get(frame.plan as usize) else {
                // No rule is left.
                match self.done(code, &mut frame) {
                    None => return Ok(first),
                    Some(next) => go = next,
                }
                continue;
            };
            let mut at = match go {
                Go::Enter(at) => at,
                Go::Plan => {
                    self.room(&frame, plan);
                    if !self.opens(&frame, plan) {
                        frame.plan += 1;
                        continue;
                    }
                    0
                }
            };
            // One rule: forward from step to step, and back to where another match may be.
            loop {
                self.work += 1;
                if self.work >= self.next_look {
                    self.look(code, plan, stop)?;
                }
                let mut target = match plan.steps.get(at as usize) {
                    Some(step) => match self.enter(code, &frame, plan, at)? {
                        Entered::Holds => {
                            at += 1;
                            continue;
                        }
                        Entered::Fails => step.fail,
                        Entered::Asks(procedure) => {
                            frame.at = at;
                            self.frames.push(frame);
                            frame = self.begin(code, procedure);
                            go = Go::Plan;
                            break;
                        }
                    },
                    None => {
                        self.answer(code, &frame, plan)?;
                        if plan.outputs.is_empty() {
                            // One answer is all there can be.
                            frame.plan = NONE;
                            go = Go::Plan;
                            break;
                        }
                        plan.after
                    }
                };
                while target > frame.floor && !self.advance(code, &frame, plan, target - 1) {
                    target = plan.steps[target as usize - 1].back;
                }
                if target <= frame.floor {
                    frame.plan = if frame.resumed { NONE } else { frame.plan + 1 };
                    go = Go::Plan;
                    break;
                }
                at = target;
            }
        }
    }

    /// A call, or a task of a component, is done. What comes next; `None` if that was all.
    fn done(&mut self, code: &Code, frame: &mut Frame) -> Option<Go> {
        if let Some(marks) = frame.component {
            if let Some(next) = self.task(code, frame, marks) {
                return Some(next);
            }
            self.complete(&marks);
        } else {
            self.memos[frame.procedure as usize].calls[frame.call as usize].complete = true;
        }
        self.variables.truncate(frame.variables as usize);
        self.cursors.truncate(frame.cursors as usize);
        *frame = self.frames.pop()?;
        Some(Go::Enter(frame.at))
    }

    /// Makes room for the variables and cursors of a rule.
    fn room(&mut self, frame: &Frame, plan: &Plan) {
        let variables = frame.variables as usize + plan.variables as usize;
        self.variables.resize(variables, TermId(NONE));
        let cursors = frame.cursors as usize + plan.steps.len();
        self.cursors.resize(cursors, Cursor::default());
    }

    /// Matches the inputs of a call with the head of a rule.
    fn opens(&mut self, frame: &Frame, plan: &Plan) -> bool {
        let key = self.memos[frame.procedure as usize].key(frame.call);
        let variables = &mut self.variables[frame.variables as usize..];
        plan.inputs.iter().zip(key).all(|(input, &term)| fits(input, term, variables, &self.terms))
    }

    /// The next thing to do in a component, if anything is left.
    fn task(&mut self, code: &Code, frame: &mut Frame, marks: Marks) -> Option<Go> {
        while self.tasks.len() > marks.tasks as usize {
            match self.tasks.pop()? {
                Task::Call { procedure, call } => {
                    frame.procedure = procedure;
                    frame.call = call;
                    frame.plan = 0;
                    frame.floor = 0;
                    frame.resumed = false;
                    return Some(Go::Plan);
                }
                Task::Answer { waiting, row } => {
                    let waiting = self.waiting[waiting as usize];
                    frame.procedure = waiting.procedure;
                    frame.call = waiting.call;
                    frame.plan = waiting.plan;
                    frame.floor = waiting.step + 1;
                    frame.resumed = true;
                    let procedure = &code.procedures[waiting.procedure as usize];
                    let call = self.memos[waiting.procedure as usize].calls[waiting.call as usize];
                    if procedure.outputs == 0 && call.first != NONE {
                        continue; // It is answered.
                    }
                    let plan = &procedure.plans[waiting.plan as usize];
                    self.room(frame, plan);
                    let (from, to) = (waiting.saved as usize, frame.variables as usize);
                    let count = plan.variables as usize;
                    self.variables[to..to + count].copy_from_slice(&self.saved[from..from + count]);
                    if self.takes(code, frame, plan, &waiting, row) {
                        return Some(Go::Enter(frame.floor));
                    }
                }
            }
        }
        None
    }

    /// All calls of a component are answered.
    fn complete(&mut self, marks: &Marks) {
        for (procedure, call) in self.unfinished.drain(marks.unfinished as usize..) {
            let call: &mut Call = &mut self.memos[procedure as usize].calls[call as usize];
            call.complete = true;
            call.waiting = NONE;
        }
        self.waiting.truncate(marks.waiting as usize);
        self.saved.truncate(marks.saved as usize);
    }

    /// A rule has come to its end: its head is an answer.
    fn answer(&mut self, code: &Code, frame: &Frame, plan: &Plan) -> Result<(), Halt> {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        for output in &plan.outputs {
            let term = self.build(output, frame);
            row.push(term);
            if self.terms.depth(term) > self.limits.depth {
                return Err(self.too_deep(code, plan));
            }
        }
        let memo = &mut self.memos[frame.procedure as usize];
        if let Some(new) = memo.answer(frame.call, &row) {
            self.kept += 1;
            if frame.component.is_some() {
                let mut waiting = memo.calls[frame.call as usize].waiting;
                while waiting != NONE {
                    self.tasks.push(Task::Answer { waiting, row: new });
                    waiting = self.waiting[waiting as usize].next;
                }
            }
        }
        self.row = row;
        Ok(())
    }

    /// Looks at the flag and the limits.
    fn look(&mut self, code: &Code, plan: &Plan, stop: &Stop) -> Result<(), Halt> {
        stop.check()?;
        self.next_look = self.work + PATIENCE;
        let limit = if self.work > self.limits.steps {
            format!("{} steps for one query (`Limits::steps`)", self.limits.steps)
        } else if self.kept > self.limits.answers {
            format!("{} answers (`Limits::answers`)", self.limits.answers)
        } else if self.terms.len() > self.limits.terms {
            format!("{} different terms (`Limits::terms`)", self.limits.terms)
        } else {
            return Ok(());
        };
        let rule = rule_name(code, plan);
        Err(Halt::Limit(format!("{limit}, at {rule}; it may have no end")))
    }

    /// The limit of nesting was met.
    pub(super) fn too_deep(&self, code: &Code, plan: &Plan) -> Halt {
        let (depth, rule) = (self.limits.depth, rule_name(code, plan));
        Halt::Limit(format!(
            "terms or lists nested {depth} deep (`Limits::depth`), at {rule}; they may have no end"
        ))
    }

    /// Makes a term.
    #[inline]
    pub(super) fn build(&mut self, build: &Build, frame: &Frame) -> TermId {
        let variables = &self.variables[frame.variables as usize..];
        make(build, variables, &mut self.scratch, &mut self.terms)
    }
}

/// The name of the rule of a plan.
pub(super) fn rule_name(code: &Code, plan: &Plan) -> String {
    if plan.rule == u32::MAX { "the facts".to_owned() } else { code.program.rule_name(plan.rule) }
}

/// Makes a term of variables that have values.
#[inline(always)]
pub(super) fn make(
    build: &Build,
    variables: &[TermId],
    scratch: &mut Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    match build {
        Build::Known(term) => *term,
        Build::Variable(variable) => variables[*variable as usize],
        Build::Compound(symbol, args) => compound(*symbol, args, variables, scratch, terms),
        Build::Any => TermId(NONE),
    }
}

fn compound(
    symbol: Symbol,
    args: &[Build],
    variables: &[TermId],
    scratch: &mut Vec<TermId>,
    terms: &mut Terms,
) -> TermId {
    let top = scratch.len();
    for arg in args {
        let term = make(arg, variables, scratch, terms);
        scratch.push(term);
    }
    let term = terms.compound(symbol, &scratch[top..]);
    scratch.truncate(top);
    term
}

/// Takes a term apart; false if it does not fit. Variables that got values keep them.
#[inline(always)]
pub(super) fn fits(pattern: &Match, term: TermId, variables: &mut [TermId], terms: &Terms) -> bool {
    match pattern {
        Match::Any => true,
        Match::Bind(variable) => {
            variables[*variable as usize] = term;
            true
        }
        Match::Same(variable) => variables[*variable as usize] == term,
        Match::Known(known) => *known == term,
        Match::Compound(symbol, args) => part_fits(*symbol, args, term, variables, terms),
    }
}

fn part_fits(
    symbol: Symbol,
    args: &[Match],
    term: TermId,
    variables: &mut [TermId],
    terms: &Terms,
) -> bool {
    terms.functor(term) == Functor { symbol, arity: Some(args.len() as u32) }
        && args.iter().zip(terms.args(term)).all(|(arg, &part)| fits(arg, part, variables, terms))
}
