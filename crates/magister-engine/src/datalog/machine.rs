//! Runs procedures.
//!
//! A call of a procedure is answered once: its rules are joined by backtracking, and all its
//! answers are kept until what they depend on changes. Procedures that are recursive with each
//! other are answered together: a rule that asks for answers which are still being found leaves a
//! copy of its variables behind and goes on from there with every answer that comes. All work
//! lies on stacks of our own.

use std::sync::Arc;

use magister_core::{Halt, Stop};

use super::bind::make;
use super::code::{Build, Code, Plan, ProcedureId};
use super::memo::Memo;
use super::state::State;
use crate::program::Depends;
use crate::reference::QueryLimits;
use crate::term::{TermId, Terms};

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
    pub(super) at: u32,
    /// Steps below this one are not tried again.
    pub(super) floor: u32,
    /// Where its variables begin.
    pub(super) variables: u32,
    /// Where its cursors begin.
    pub(super) cursors: u32,
    /// Whether it goes on from a copy, and so has one rule to work at.
    pub(super) resumed: bool,
    /// For the first call into a component: how high the stacks were.
    pub(super) component: Option<Marks>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) tasks: u32,
    pub(super) waiting: u32,
    pub(super) saved: u32,
    pub(super) unfinished: u32,
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

/// How much is done between two looks at the limits.
const PATIENCE: u64 = 1 << 12;

/// How much recursion may leave to do, for each answer that may be kept.
const BACKLOG: usize = 8;

/// Answers questions in a state and under moves that are set before.
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
    /// The procedures that have been asked, by what they depend on.
    pub(super) used: [Vec<ProcedureId>; 3],
    /// The groups of fluents that have changed, as bits.
    changed: Vec<u64>,
    pub(super) frames: Vec<Frame>,
    pub(super) variables: Vec<TermId>,
    pub(super) cursors: Vec<Cursor>,
    pub(super) tasks: Vec<Task>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) saved: Vec<TermId>,
    /// Calls of components that are not complete yet.
    pub(super) unfinished: Vec<(ProcedureId, u32)>,
    pub(super) key: Vec<TermId>,
    pub(super) row: Vec<TermId>,
    pub(super) scratch: Vec<TermId>,
    pub(super) numbers: Vec<TermId>,
    pub(super) work: u64,
    /// The work of all questions before.
    pub(super) total: u64,
    pub(super) next_look: u64,
    /// Answers and calls that are kept, about.
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

    /// Looks at the flag and the limits.
    pub(super) fn look(&mut self, code: &Code, plan: &Plan, stop: &Stop) -> Result<(), Halt> {
        stop.check()?;
        self.next_look = self.work + PATIENCE;
        let limit = if self.work > self.limits.steps {
            format!("{} steps for one query (`QueryLimits::steps`)", self.limits.steps)
        } else if self.kept > self.limits.answers {
            format!("{} answers (`QueryLimits::answers`)", self.limits.answers)
        } else if self.tasks.len().max(self.saved.len()) / BACKLOG > self.limits.answers {
            format!("work left to do for {} answers (`QueryLimits::answers`)", self.limits.answers)
        } else if self.terms.len() > self.limits.terms {
            format!("{} different terms (`QueryLimits::terms`)", self.limits.terms)
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
            "terms or lists nested {depth} deep (`QueryLimits::depth`), at {rule}; they may have no end"
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
