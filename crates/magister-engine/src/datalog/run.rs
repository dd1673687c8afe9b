//! The loop that answers calls, forward from step to step and back.

use magister_core::{Halt, Stop};

use super::bind::fits;
use super::code::{Code, Plan, ProcedureId};
use super::machine::{Cursor, Frame, Machine, Marks, Task};
use super::memo::Call;
use super::step::Entered;
use super::table::NONE;
use crate::term::TermId;

/// Where a rule continues.
enum Go {
    /// At the beginning of its plan.
    Plan,
    /// At a step.
    Enter(u32),
}

impl Machine {
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

    /// Starts a call with the inputs in `key`.
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

    pub(super) fn run(
        &mut self,
        code: &Code,
        procedure: ProcedureId,
        stop: &Stop,
    ) -> Result<u32, Halt> {
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
            // One rule: forward from step to step, with backtracking.
            loop {
                self.work += 1;
                if self.work >= self.next_look {
                    self.look(code, plan, stop)?;
                }
                let mut target = if let Some(step) = plan.steps.get(at as usize) {
                    match self.enter(code, &frame, plan, at)? {
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
                    }
                } else {
                    self.answer(code, &frame, plan)?;
                    if plan.outputs.is_empty() {
                        // There can be only one answer.
                        frame.plan = NONE;
                        go = Go::Plan;
                        break;
                    }
                    plan.after
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

    /// A call, or a task of a component, is done. Returns where to continue; `None` if nothing is
    /// left.
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

    /// Allocates the variables and cursors of a rule.
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

    /// The next task in a component, if any is left.
    fn task(&mut self, code: &Code, frame: &mut Frame, marks: Marks) -> Option<Go> {
        while self.tasks.len() > marks.tasks as usize {
            self.work += 1;
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
                        continue; // It has its answer.
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

    /// Marks all calls of a component as complete.
    fn complete(&mut self, marks: &Marks) {
        for (procedure, call) in self.unfinished.drain(marks.unfinished as usize..) {
            let call: &mut Call = &mut self.memos[procedure as usize].calls[call as usize];
            call.complete = true;
            call.waiting = NONE;
        }
        self.waiting.truncate(marks.waiting as usize);
        self.saved.truncate(marks.saved as usize);
    }

    /// A rule has succeeded: its head is an answer.
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
}
