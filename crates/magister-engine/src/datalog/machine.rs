//! Runs procedures.
//!
//! A call of a procedure is answered once: its rules are joined by backtracking, and all its
//! answers are kept until one of their dependencies changes. Mutually recursive procedures are
//! answered together: a rule that needs answers which are still being computed saves a copy of its
//! variables and continues from it with every new answer. All stacks are explicit.

use std::sync::Arc;

use magister_core::{Halt, Stop};

use super::bind::make;
use super::code::{Build, Code, Plan, ProcedureId};
use super::memo::Memo;
use super::state::State;
use crate::program::Depends;
use crate::reference::QueryLimits;
use crate::term::{TermId, Terms};

/// The matches of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) at: u32,
    pub(super) end: u32,
    /// A bucket of fluents, or a call.
    pub(super) of: u32,
}

/// An active procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) procedure: ProcedureId,
    pub(super) call: u32,
    /// The current rule.
    pub(super) plan: u32,
    /// The step at which it continues when its callee is answered.
    pub(super) at: u32,
    /// Steps below this one are not retried.
    pub(super) floor: u32,
    /// The start of its variables.
    pub(super) variables: u32,
    /// The start of its cursors.
    pub(super) cursors: u32,
    /// Whether it continues from a copy, and so has only one rule.
    pub(super) resumed: bool,
    /// For the first call into a component: the heights of the stacks.
    pub(super) component: Option<Marks>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) tasks: u32,
    pub(super) waiting: u32,
    pub(super) saved: u32,
    pub(super) unfinished: u32,
}

/// Remaining work in a component.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// The rules of a call.
    Call { procedure: ProcedureId, call: u32 },
    /// A waiting rule with an answer.
    Answer { waiting: u32, row: u32 },
}

/// A rule that waits for answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The next rule that waits for the same call.
    pub(super) next: u32,
    pub(super) procedure: ProcedureId,
    pub(super) call: u32,
    pub(super) plan: u32,
    /// The step that waits.
    pub(super) step: u32,
    /// The procedure that it called.
    pub(super) asked: ProcedureId,
    /// The start of the copy of its variables.
    pub(super) saved: u32,
}

/// The amount of work between two checks of the limits.
const PATIENCE: u64 = 1 << 12;

/// The maximum backlog of recursive work, per answer that may be kept.
const BACKLOG: usize = 8;

/// Answers queries in a given state and under given moves.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) code: Arc<Code>,
    pub(super) limits: QueryLimits,
    pub(super) terms: Terms,
    pub(super) state: State,
    /// The move of each role.
    pub(super) moves: Vec<Option<TermId>>,
    pub(super) memos: Vec<Memo>,
    pub(super) builtins: Vec<Memo>,
    /// The procedures that have been queried, by their dependencies.
    pub(super) used: [Vec<ProcedureId>; 3],
    /// The groups of fluents that have changed, as bits.
    changed: Vec<u64>,
    pub(super) frames: Vec<Frame>,
    pub(super) variables: Vec<TermId>,
    pub(super) cursors: Vec<Cursor>,
    pub(super) tasks: Vec<Task>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) saved: Vec<TermId>,
    /// Calls of incomplete components.
    pub(super) unfinished: Vec<(ProcedureId, u32)>,
    pub(super) key: Vec<TermId>,
    pub(super) row: Vec<TermId>,
    pub(super) scratch: Vec<TermId>,
    pub(super) numbers: Vec<TermId>,
    pub(super) work: u64,
    /// The work of all earlier queries.
    pub(super) total: u64,
    pub(super) next_look: u64,
    /// The approximate number of stored answers and calls.
    pub(super) kept: usize,
}

impl Machine {
    /// A machine in the empty state.
    pub(super) fn new(code: Arc<Code>, limits: QueryLimits) -> Self {
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

    /// Replaces the state and clears the moves. Answers that depend only on unchanged fluents are
    /// kept.
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
        // Constant answers are kept unless there are too many of them.
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

    /// Clears all results after an incomplete evaluation.
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

    /// The number of the call of a procedure with these inputs, after all its answers have been
    /// computed.
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

    /// Checks the flag and the limits.
    pub(super) fn look(&mut self, code: &Code, plan: &Plan, stop: &Stop) -> Result<(), Halt> {
        stop.check()?;
        self.next_look = self.work + PATIENCE;
        let limit = if self.work > self.limits.steps {
            format!("{} steps for one query", self.limits.steps)
        } else if self.kept > self.limits.answers {
            format!("{} answers for one query", self.limits.answers)
        } else if self.tasks.len().max(self.saved.len()) / BACKLOG > self.limits.answers {
            format!("a backlog for {} answers", self.limits.answers)
        } else if self.terms.len() > self.limits.terms {
            format!("{} different terms", self.limits.terms)
        } else {
            return Ok(());
        };
        let rule = rule_name(code, plan);
        Err(Halt::Limit(format!("{limit}, at {rule}; it may be infinite")))
    }

    /// The error that the nesting limit was exceeded.
    pub(super) fn too_deep(&self, code: &Code, plan: &Plan) -> Halt {
        let (depth, rule) = (self.limits.depth, rule_name(code, plan));
        Halt::Limit(format!("terms or lists nested {depth} deep, at {rule}; they may be infinite"))
    }

    /// Builds a term.
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
