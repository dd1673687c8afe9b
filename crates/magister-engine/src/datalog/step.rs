//! How each kind of step enumerates its matches.

use magister_core::Halt;

use super::bind::{fits, make, meet};
use super::code::{Build, Code, Link, Op, Outs, Plan, ProcedureId};
use super::machine::{Cursor, Frame, Machine, Task, Waiting, rule_name};
use super::memo::Memo;
use super::table::NONE;
use crate::program::Collect;
use crate::reference::builtin::{self, Outcome};
use crate::term::{TermId, Terms};

/// The result of a step.
pub(super) enum Entered {
    Holds,
    Fails,
    /// A procedure must be called first, with the inputs in `key`.
    Asks(ProcedureId),
}

impl From<bool> for Entered {
    fn from(holds: bool) -> Self {
        if holds { Entered::Holds } else { Entered::Fails }
    }
}

/// Whether a row matches.
#[expect(clippy::inline_always, reason = "the innermost loop of every join")]
#[inline(always)]
fn row_fits(outs: &Outs, row: &[TermId], variables: &mut [TermId], terms: &Terms) -> bool {
    outs.iter().all(|(column, out)| fits(out, row[*column as usize], variables, terms))
}

impl Machine {
    /// Enters a step under the current values of the variables.
    #[inline]
    pub(super) fn enter(
        &mut self,
        code: &Code,
        frame: &Frame,
        plan: &Plan,
        at: u32,
    ) -> Result<Entered, Halt> {
        let cursor = frame.cursors as usize + at as usize;
        let negated = match &plan.steps[at as usize].op {
            Op::Table { table, index, key, outs, negated } => {
                self.keys(key, frame);
                let (from, to) = code.tables[*table as usize].lookup(*index, &self.key);
                if outs.is_empty() {
                    return Ok(((from < to) != *negated).into());
                }
                self.cursors[cursor] = Cursor { at: from, end: to, of: 0 };
                *negated
            }
            Op::Fluents { group, index, key, outs, whole, negated } => {
                let mut bucket = 0;
                if *index != NONE {
                    self.keys(key, frame);
                    bucket = self.state.bucket(*group, *index, &self.key);
                    if bucket == NONE {
                        return Ok((*negated).into());
                    }
                }
                let count = self.state.members(*group, *index, bucket).len() as u32;
                if outs.is_empty() && whole.is_none() {
                    return Ok(((count > 0) != *negated).into());
                }
                self.cursors[cursor] = Cursor { at: 0, end: count, of: bucket };
                *negated
            }
            Op::Holds { fluent, negated, .. } => {
                return Ok((self.holds(fluent, frame) != *negated).into());
            }
            Op::Every { negated, .. } => {
                let end = self.state.fluents().len() as u32;
                self.cursors[cursor] = Cursor { at: 0, end, of: 0 };
                *negated
            }
            Op::Does { negated, .. } => {
                let end = self.moves.len() as u32;
                self.cursors[cursor] = Cursor { at: 0, end, of: 0 };
                *negated
            }
            Op::Distinct { left, right, negated } => {
                let variables = &self.variables[frame.variables as usize..];
                let differ = !meet(left, right, variables, &self.terms);
                return Ok((differ != *negated).into());
            }
            Op::Call { procedure, link, key, negated, .. } => {
                self.keys(key, frame);
                let memo = &self.memos[*procedure as usize];
                let mut call = memo.find(&self.key);
                if *link == Link::Mutual {
                    let call = call.unwrap_or_else(|| {
                        let call = self.insert(code, *procedure);
                        self.unfinished.push((*procedure, call));
                        self.tasks.push(Task::Call { procedure: *procedure, call });
                        call
                    });
                    self.wait(frame, plan, at, *procedure, call);
                    let entry = self.memos[*procedure as usize].calls[call as usize];
                    self.cursors[cursor] = Cursor { at: entry.first, end: entry.last, of: call };
                    return Ok(self.advance(code, frame, plan, at).into());
                }
                let Some(call) = call.take() else {
                    return Ok(Entered::Asks(*procedure));
                };
                let entry = memo.calls[call as usize];
                self.cursors[cursor] = Cursor { at: entry.first, end: entry.last, of: call };
                *negated
            }
            Op::Builtin { builtin, reads, negated, .. } => {
                self.key.clear();
                for &variable in reads {
                    self.key.push(self.variables[(frame.variables + variable) as usize]);
                }
                let call =
                    match self.builtins.get(*builtin as usize).and_then(|m| m.find(&self.key)) {
                        Some(call) => call,
                        None => self.ask_builtin(code, plan, *builtin, reads)?,
                    };
                let entry = self.builtins[*builtin as usize].calls[call as usize];
                self.cursors[cursor] = Cursor { at: entry.first, end: entry.last, of: call };
                *negated
            }
            Op::Aggregate { procedure, key, collect, value, negated } => {
                self.keys(key, frame);
                let Some(call) = self.memos[*procedure as usize].find(&self.key) else {
                    return Ok(Entered::Asks(*procedure));
                };
                let Some(term) = self.collect(code, *collect, *procedure, call) else {
                    return Err(self.too_deep(code, plan));
                };
                let variables = &mut self.variables[frame.variables as usize..];
                return Ok((fits(value, term, variables, &self.terms) != *negated).into());
            }
            Op::Unsafe => {
                return Err(Halt::Rules(format!(
                    "{} leaves a variable of its head without a value",
                    rule_name(code, plan)
                )));
            }
        };
        Ok((self.advance(code, frame, plan, at) != negated).into())
    }

    /// Continues with the next match of a step.
    #[inline]
    pub(super) fn advance(&mut self, code: &Code, frame: &Frame, plan: &Plan, at: u32) -> bool {
        let cursor = &mut self.cursors[frame.cursors as usize + at as usize];
        let variables = &mut self.variables[frame.variables as usize..];
        match &plan.steps[at as usize].op {
            Op::Table { table, index, outs, .. } => {
                let table = &code.tables[*table as usize];
                while cursor.at < cursor.end {
                    let row = table.row(*index, cursor.at);
                    cursor.at += 1;
                    self.work += 1;
                    if row_fits(outs, row, variables, &self.terms) {
                        return true;
                    }
                }
            }
            Op::Fluents { group, index, outs, whole, .. } => {
                let members = self.state.members(*group, *index, cursor.of);
                while cursor.at < cursor.end {
                    let fluent = members[cursor.at as usize];
                    cursor.at += 1;
                    self.work += 1;
                    if row_fits(outs, self.terms.args(fluent), variables, &self.terms) {
                        if let Some(whole) = whole {
                            variables[*whole as usize] = fluent;
                        }
                        return true;
                    }
                }
            }
            Op::Every { fluent, .. } => {
                while cursor.at < cursor.end {
                    let term = self.state.fluents()[cursor.at as usize];
                    cursor.at += 1;
                    self.work += 1;
                    if fits(fluent, term, variables, &self.terms) {
                        return true;
                    }
                }
            }
            Op::Does { role, choice, .. } => {
                while cursor.at < cursor.end {
                    let number = cursor.at as usize;
                    cursor.at += 1;
                    if let Some(made) = self.moves[number]
                        && fits(role, code.program.roles[number], variables, &self.terms)
                        && fits(choice, made, variables, &self.terms)
                    {
                        return true;
                    }
                }
            }
            Op::Call { procedure, outs, .. } => {
                let memo = &self.memos[*procedure as usize];
                return next_answer(memo, cursor, |row| {
                    self.work += 1;
                    row_fits(outs, row, variables, &self.terms)
                });
            }
            Op::Builtin { builtin, value, .. } => {
                let memo = &self.builtins[*builtin as usize];
                return next_answer(memo, cursor, |row| {
                    fits(value, row[0], variables, &self.terms)
                });
            }
            Op::Holds { .. } | Op::Distinct { .. } | Op::Aggregate { .. } | Op::Unsafe => {}
        }
        false
    }

    /// Writes the inputs of a step into `key`.
    #[inline]
    fn keys(&mut self, key: &[Build], frame: &Frame) {
        self.key.clear();
        let variables = &self.variables[frame.variables as usize..];
        for build in key {
            let term = match build {
                Build::Known(term) => *term,
                Build::Variable(variable) => variables[*variable as usize],
                build => make(build, variables, &mut self.scratch, &mut self.terms),
            };
            self.key.push(term);
        }
    }

    fn holds(&mut self, fluent: &Build, frame: &Frame) -> bool {
        let variables = &self.variables[frame.variables as usize..];
        let term = match fluent {
            Build::Known(term) => *term,
            Build::Variable(variable) => variables[*variable as usize],
            Build::Compound(symbol, args) => {
                // Most fluents are flat, and an unknown one does not hold.
                self.key.clear();
                for arg in args {
                    self.key.push(make(arg, variables, &mut self.scratch, &mut self.terms));
                }
                match self.terms.find_compound(*symbol, &self.key) {
                    Some(term) => term,
                    None => return false,
                }
            }
            Build::Any => return false,
        };
        self.state.holds(term)
    }

    /// Saves a copy of the variables with an incomplete call.
    fn wait(&mut self, frame: &Frame, plan: &Plan, step: u32, asked: ProcedureId, call: u32) {
        let entry = &mut self.memos[asked as usize].calls[call as usize];
        if entry.complete {
            return;
        }
        let saved = self.saved.len() as u32;
        let from = frame.variables as usize;
        self.saved.extend_from_slice(&self.variables[from..from + plan.variables as usize]);
        self.waiting.push(Waiting {
            next: entry.waiting,
            procedure: frame.procedure,
            call: frame.call,
            plan: frame.plan,
            step,
            asked,
            saved,
        });
        entry.waiting = self.waiting.len() as u32 - 1;
    }

    /// Whether an answer matches the waiting step of a rule, whose variables are in the frame.
    pub(super) fn takes(
        &mut self,
        _code: &Code,
        frame: &Frame,
        plan: &Plan,
        waiting: &Waiting,
        row: u32,
    ) -> bool {
        let Op::Call { outs, .. } = &plan.steps[waiting.step as usize].op else { return false };
        let row = self.memos[waiting.asked as usize].row(row);
        row_fits(outs, row, &mut self.variables[frame.variables as usize..], &self.terms)
    }

    /// Calls a builtin for the first time with these inputs, which are in `key`.
    fn ask_builtin(
        &mut self,
        code: &Code,
        plan: &Plan,
        number: u32,
        reads: &[u32],
    ) -> Result<u32, Halt> {
        let asked = &code.builtins[number as usize];
        while self.builtins.len() <= number as usize {
            // Memos get their shape at first use.
            self.builtins.push(Memo::new(0, 1, false));
        }
        if self.builtins[number as usize].calls.is_empty() {
            self.builtins[number as usize] = Memo::new(reads.len() as u32, 1, false);
        }
        let mut bindings = vec![TermId(NONE); asked.variables as usize];
        for (&variable, &value) in reads.iter().zip(&self.key) {
            bindings[variable as usize] = value;
        }
        let definitions = &code.program.definitions;
        let depth = self.limits.depth;
        let outcome =
            builtin::solve(asked.name, &asked.args, &bindings, &mut self.terms, definitions, depth);
        let values = match outcome {
            Outcome::NoEnd => return Err(self.too_deep(code, plan)),
            Outcome::Test(true) => vec![TermId(0)],
            Outcome::Test(false) => Vec::new(),
            Outcome::Values(_, values) => values,
        };
        let memo = &mut self.builtins[number as usize];
        let call = memo.insert(&self.key);
        self.kept += 1;
        for value in values {
            memo.answer(call, &[value]);
            self.kept += 1;
        }
        Ok(call)
    }

    /// The number or the list of the answers of a call; `None` if the list is too long.
    fn collect(
        &mut self,
        code: &Code,
        collect: Collect,
        procedure: ProcedureId,
        call: u32,
    ) -> Option<TermId> {
        let memo = &self.memos[procedure as usize];
        let chained = code.procedures[procedure as usize].component.is_some();
        let entry = memo.calls[call as usize];
        let mut cursor = Cursor { at: entry.first, end: entry.last, of: call };
        let top = self.scratch.len();
        let scratch = &mut self.scratch;
        debug_assert!(!chained || cursor.at == NONE || memo.row(cursor.at).len() == 1);
        while next_answer(memo, &mut cursor, |row| {
            scratch.push(row[0]);
            true
        }) {}
        let count = self.scratch.len() - top;
        let term = match collect {
            Collect::Count => Some(self.number(count)),
            Collect::List if count > self.limits.depth as usize => None,
            Collect::List => {
                let terms = &self.terms;
                self.scratch[top..].sort_unstable_by(|&a, &b| terms.compare(a, b));
                Some(builtin::list(&self.scratch[top..], &mut self.terms))
            }
        };
        self.scratch.truncate(top);
        term
    }

    /// The term of a number.
    fn number(&mut self, number: usize) -> TermId {
        while self.numbers.len() <= number {
            let term = self.terms.constant_named(&self.numbers.len().to_string());
            self.numbers.push(term);
        }
        self.numbers[number]
    }
}

/// Continues with the next matching answer.
#[inline]
fn next_answer(
    memo: &Memo,
    cursor: &mut Cursor,
    mut wanted: impl FnMut(&[TermId]) -> bool,
) -> bool {
    if memo.is_chained() {
        while cursor.at != NONE {
            let row = cursor.at;
            cursor.at = if row == cursor.end { NONE } else { memo.after(row) };
            if wanted(memo.row(row)) {
                return true;
            }
        }
    } else {
        while cursor.at < cursor.end {
            let row = cursor.at;
            cursor.at += 1;
            if wanted(memo.row(row)) {
                return true;
            }
        }
    }
    false
}
