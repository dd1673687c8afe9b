//! Positions of a game on compiled rules.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::Dialect;

use super::code::{Code, ProcedureId};
use super::machine::Machine;
use crate::reference::QueryLimits;
use crate::term::{TermId, Terms};

/// The maximum nesting of operations.
const NESTING: u32 = 100;

/// The machine in a state. Its answers follow the rules alone, as in the reference interpreter.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) machine: Machine,
    operations: bool,
    answers: Vec<TermId>,
    pending: Vec<(TermId, u32)>,
    /// By term, the number of the step in which it was last performed.
    performed: Vec<u64>,
    /// By term, the number of the step in which it was last added.
    added: Vec<u64>,
    /// By term, the number of the step in which it was last deleted.
    deleted: Vec<u64>,
    step: u64,
}

impl Position {
    /// The empty state.
    pub(super) fn new(code: Arc<Code>, limits: QueryLimits) -> Self {
        Position {
            operations: code.program.dialect == Dialect::Operations,
            machine: Machine::new(code, limits),
            answers: Vec::new(),
            pending: Vec::new(),
            performed: Vec::new(),
            added: Vec::new(),
            deleted: Vec::new(),
            step: 0,
        }
    }

    /// The terms that all numbers in arguments and results refer to.
    pub(super) fn terms(&self) -> &Terms {
        &self.machine.terms
    }

    /// Whether the rules are in the operations dialect.
    pub(super) fn is_operations(&self) -> bool {
        self.operations
    }

    /// The fluents of the state.
    pub(super) fn state(&self) -> &[TermId] {
        self.machine.state.fluents()
    }

    /// Goes to a state.
    pub(super) fn set_state(&mut self, fluents: &[TermId]) {
        self.machine.set_state(fluents);
    }

    /// Sets the joint move, one per role; `None` for an idle role.
    pub(super) fn set_moves(&mut self, moves: &[Option<TermId>]) {
        self.machine.set_moves(moves);
    }

    fn ask(
        &mut self,
        procedure: ProcedureId,
        key: &[TermId],
        stop: &Stop,
    ) -> Result<&[TermId], Halt> {
        let call = self.machine.solve(procedure, key, stop)?;
        let memo = &self.machine.memos[procedure as usize];
        if !memo.is_chained() {
            return Ok(memo.answers(call));
        }
        self.answers.clear();
        memo.copy(call, &mut self.answers);
        Ok(&self.answers)
    }

    fn ask_role(
        &mut self,
        procedure: ProcedureId,
        role: usize,
        stop: &Stop,
    ) -> Result<&[TermId], Halt> {
        let role = self.machine.code.program.roles[role];
        self.ask(procedure, &[role], stop)
    }

    /// The fluents of the initial state. Afterwards the state is empty.
    pub(super) fn initial(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        self.set_state(&[]);
        Ok(self.ask(self.machine.code.queries.init, &[], stop)?.to_vec())
    }

    /// Whether the state is terminal.
    pub(super) fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt> {
        let procedure = self.machine.code.queries.terminal;
        let call = self.machine.solve(procedure, &[], stop)?;
        Ok(!self.machine.memos[procedure as usize].is_empty(call))
    }

    /// The legal moves of a role, unordered. In the operations dialect they are those of the role
    /// in control, whatever the argument is.
    pub(super) fn legal(&mut self, role: usize, stop: &Stop) -> Result<&[TermId], Halt> {
        let procedure = self.machine.code.queries.legal;
        if self.operations {
            return self.ask(procedure, &[], stop);
        }
        self.ask_role(procedure, role, stop)
    }

    /// A number that changes whenever the legal moves of a role may change.
    pub(super) fn legal_version(&mut self, role: usize, stop: &Stop) -> Result<u64, Halt> {
        self.legal(role, stop)?;
        Ok(self.machine.memos[self.machine.code.queries.legal as usize].version)
    }

    /// The role in control, in the operations dialect.
    pub(super) fn control(&mut self, stop: &Stop) -> Result<&[TermId], Halt> {
        self.ask(self.machine.code.queries.control, &[], stop)
    }

    /// The goal values of a role, unordered.
    pub(super) fn goals(&mut self, role: usize, stop: &Stop) -> Result<&[TermId], Halt> {
        self.ask_role(self.machine.code.queries.goal, role, stop)
    }

    /// The percepts of a role for the joint move, unordered.
    pub(super) fn percepts(&mut self, role: usize, stop: &Stop) -> Result<&[TermId], Halt> {
        self.ask_role(self.machine.code.queries.sees, role, stop)
    }

    /// Replaces the contents of `out` by the fluents of the successor state, without duplicates.
    /// The state does not change.
    pub(super) fn next(&mut self, out: &mut Vec<TermId>, stop: &Stop) -> Result<(), Halt> {
        out.clear();
        if self.operations {
            return self.perform(out, stop);
        }
        out.extend_from_slice(self.ask(self.machine.code.queries.next, &[], stop)?);
        Ok(())
    }

    /// The state after performing the actions that were set as moves. All conditions refer to the
    /// old state; an atom that is both added and deleted is present.
    fn perform(&mut self, out: &mut Vec<TermId>, stop: &Stop) -> Result<(), Halt> {
        self.step += 1;
        self.pending.clear();
        self.pending.extend(self.machine.moves.iter().flatten().map(|&action| (action, 0)));
        let queries = self.machine.code.queries;
        while let Some((action, nesting)) = self.pending.pop() {
            if !mark(&mut self.performed, action, self.step) {
                continue;
            }
            if nesting > NESTING {
                let action = self.terms().export(action);
                let what = format!("operations nested {NESTING} deep, at `{action}`");
                return Err(Halt::Limit(what));
            }
            let call = self.machine.solve(queries.operation, &[action], stop)?;
            if self.machine.memos[queries.operation as usize].is_empty(call) {
                // An action without an operation is a fact.
                mark(&mut self.added, action, self.step);
                out.push(action);
                continue;
            }
            let call = self.machine.solve(queries.adds, &[action], stop)?;
            for &atom in self.machine.memos[queries.adds as usize].answers(call) {
                self.pending.push((atom, nesting + 1));
            }
            let call = self.machine.solve(queries.deletes, &[action], stop)?;
            for &atom in self.machine.memos[queries.deletes as usize].answers(call) {
                mark(&mut self.deleted, atom, self.step);
            }
        }
        for &fluent in self.machine.state.fluents() {
            let is = |list: &[u64]| list.get(fluent.0 as usize) == Some(&self.step);
            if !is(&self.deleted) && !is(&self.added) {
                out.push(fluent);
            }
        }
        Ok(())
    }
}

/// Marks a term; returns false if it was already marked in this step.
fn mark(marks: &mut Vec<u64>, term: TermId, step: u64) -> bool {
    let place = term.0 as usize;
    if place >= marks.len() {
        marks.resize(place + 1, 0);
    }
    std::mem::replace(&mut marks[place], step) != step
}
