//! The compiled rules as a stepper, for comparison with recorded matches.

use magister_core::{Halt, Stop};

use super::position::Position;
use crate::ground::Ground;
use crate::term::{TermId, Terms};
use crate::trace::{Stepper, Successor};

fn export(terms: &Terms, list: &[TermId]) -> Vec<Ground> {
    list.iter().map(|&term| terms.export(term)).collect()
}

impl Stepper for Position {
    fn roles(&self) -> Vec<Ground> {
        export(self.terms(), &self.machine.code.program.roles)
    }

    fn initial(&mut self, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let state = Position::initial(self, stop)?;
        Ok(export(self.terms(), &state))
    }

    fn load(&mut self, state: &[Ground], _stop: &Stop) -> Result<(), Halt> {
        let fluents: Vec<TermId> =
            state.iter().map(|fluent| self.machine.terms.import(fluent)).collect();
        self.set_state(&fluents);
        Ok(())
    }

    fn terminal(&mut self, stop: &Stop) -> Result<bool, Halt> {
        Position::terminal(self, stop)
    }

    fn legal(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        if self.is_operations() {
            let role = self.machine.code.program.roles[role];
            if !self.control(stop)?.contains(&role) {
                return Ok(Vec::new());
            }
        }
        let legal = Position::legal(self, role, stop)?.to_vec();
        Ok(export(self.terms(), &legal))
    }

    fn goals(&mut self, role: usize, stop: &Stop) -> Result<Vec<Ground>, Halt> {
        let goals = Position::goals(self, role, stop)?.to_vec();
        Ok(export(self.terms(), &goals))
    }

    fn successor(&mut self, joint: &[Option<Ground>], stop: &Stop) -> Result<Successor, Halt> {
        let import = |choice: &Option<Ground>| {
            choice.as_ref().map(|choice| self.machine.terms.import(choice))
        };
        let joint: Vec<Option<TermId>> = joint.iter().map(import).collect();
        self.set_moves(&joint);
        let mut state = Vec::new();
        self.next(&mut state, stop)?;
        let mut percepts = Vec::new();
        for role in 0..joint.len() {
            let seen = Position::percepts(self, role, stop)?.to_vec();
            percepts.push(export(self.terms(), &seen));
        }
        Ok(Successor { state: export(self.terms(), &state), percepts })
    }
}
