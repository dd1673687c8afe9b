//! Positions of a game according to the rules.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::Dialect;

use super::limits::QueryLimits;
use super::machine::Machine;
use crate::ground::Ground;
use crate::program::{Goal, Pattern, Program};
use crate::term::{TermId, Terms};
use crate::trace::{Stepper, Successor};

/// The reference interpreter in a state.
///
/// Its answers follow the rules alone: they include legal moves in terminal states, all goal values
/// even if there are several, and the successor of any joint move, legal or not.
#[derive(Clone, Debug)]
pub struct Reference {
    pub(super) machine: Machine,
}

impl Reference {
    /// An interpreter in the empty state.
    pub fn new(program: Arc<Program>, limits: QueryLimits) -> Self {
        Reference { machine: Machine::new(program, limits) }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.machine.program
    }

    /// The terms that all numbers in arguments and results refer to.
    pub fn terms(&self) -> &Terms {
        &self.machine.terms
    }

    /// The terms, to add new ones.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.machine.terms
    }

    /// The fluents of the initial state, sorted. Afterwards the interpreter is in the empty state.
    pub fn initial(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        self.machine.set_state(&[]);
        self.last_arguments("init", vec![Pattern::Variable(0)], stop)
    }

    /// Goes to a state.
    pub fn set_state(&mut self, fluents: &[TermId]) {
        self.machine.set_state(fluents);
    }

    /// The fluents of the state.
    pub fn state(&self) -> &[TermId] {
        self.machine.state()
    }

    /// Whether the state is terminal.
    pub fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt> {
        Ok(!self.ask("terminal", Vec::new(), stop)?.is_empty())
    }

    /// The answers of `(legal role ?move)`, sorted. In the operations dialect, the answers of
    /// `legal(Move)` if the role is in control.
    pub fn legal(&mut self, role: usize, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        let term = self.program().roles[role];
        if self.program().dialect == Dialect::Operations {
            if !self.control(stop)?.contains(&term) {
                return Ok(Vec::new());
            }
            return self.last_arguments("legal", vec![Pattern::Variable(0)], stop);
        }
        self.last_arguments("legal", vec![Pattern::Ground(term), Pattern::Variable(0)], stop)
    }

    /// The answers of `control(Role)`, sorted; for the operations dialect.
    pub fn control(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        self.last_arguments("control", vec![Pattern::Variable(0)], stop)
    }

    /// The answers of `(goal role ?value)`, sorted.
    pub fn goals(&mut self, role: usize, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        let role = Pattern::Ground(self.program().roles[role]);
        self.last_arguments("goal", vec![role, Pattern::Variable(0)], stop)
    }

    /// Sets the joint move for [`next`](Reference::next) and [`percepts`](Reference::percepts): one
    /// move per role, `None` for an idle role.
    pub fn set_moves(&mut self, joint: &[Option<TermId>]) {
        let roles = &self.machine.program.roles;
        let moves = roles.iter().zip(joint).filter_map(|(&role, &choice)| Some((role, choice?)));
        let moves = moves.collect();
        self.machine.set_moves(moves);
    }

    /// The fluents of the successor state under the joint move, sorted. The state does not change.
    pub fn next(&mut self, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        if self.program().dialect == Dialect::Operations {
            return self.perform(stop);
        }
        self.last_arguments("next", vec![Pattern::Variable(0)], stop)
    }

    /// The answers of `(sees role ?percept)` in this state under the joint move, sorted.
    pub fn percepts(&mut self, role: usize, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        let role = Pattern::Ground(self.program().roles[role]);
        self.last_arguments("sees", vec![role, Pattern::Variable(0)], stop)
    }

    /// All ground atoms that answer a name with arguments.
    pub fn ask(
        &mut self,
        name: &str,
        args: Vec<Pattern>,
        stop: &Stop,
    ) -> Result<Vec<TermId>, Halt> {
        match self.program().goal(name, args) {
            Some(goal) => self.machine.ask(&goal, stop),
            None => Ok(Vec::new()),
        }
    }

    /// All answers to a goal whose variables are numbered from zero.
    pub fn ask_goal(&mut self, goal: &Goal, stop: &Stop) -> Result<Vec<TermId>, Halt> {
        self.machine.ask(goal, stop)
    }

    fn last_arguments(
        &mut self,
        name: &str,
        args: Vec<Pattern>,
        stop: &Stop,
    ) -> Result<Vec<TermId>, Halt> {
        let answers = self.ask(name, args, stop)?;
        let terms = self.terms();
        let mut last: Vec<TermId> =
            answers.iter().filter_map(|&answer| terms.args(answer).last().copied()).collect();
        terms.sort(&mut last);
        Ok(last)
    }

    fn export(&self, terms: &[TermId]) -> Vec<Ground> {
        terms.iter().map(|&term| self.terms().export(term)).collect()
    }
}

impl Stepper for Reference {
    fn roles(&self) -> Vec<Ground> {
        self.export(&self.program().roles)
    }

    fn initial(&mut self, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let state = Reference::initial(self, stop)?;
        Ok(self.export(&state))
    }

    fn load(&mut self, state: &[Ground], _stop: &Stop) -> Result<(), Halt> {
        let fluents: Vec<TermId> =
            state.iter().map(|fluent| self.terms_mut().import(fluent)).collect();
        self.set_state(&fluents);
        Ok(())
    }

    fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt> {
        Reference::terminal(self, stop)
    }

    fn legal(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let legal = Reference::legal(self, role, stop)?;
        Ok(self.export(&legal))
    }

    fn goals(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let goals = Reference::goals(self, role, stop)?;
        Ok(self.export(&goals))
    }

    fn successor(&mut self, joint: &[Option<Ground>], stop: &Stop) -> Result<Successor, Halt> {
        let joint: Vec<Option<TermId>> = joint
            .iter()
            .map(|choice| choice.as_ref().map(|choice| self.terms_mut().import(choice)))
            .collect();
        self.set_moves(&joint);
        let state = self.next(stop)?;
        let mut percepts = Vec::new();
        for role in 0..joint.len() {
            let seen = Reference::percepts(self, role, stop)?;
            percepts.push(self.export(&seen));
        }
        Ok(Successor { state: self.export(&state), percepts })
    }
}
