//! The worker of a game that runs on the reference interpreter.

use std::sync::Arc;

use magister_core::{Halt, Info, Information, Move, Percept, Role, Step, Stop, Worker};
use magister_gdl::Dialect;

use super::game::{Shared, locked};
use super::number;
use super::position::Reference;
use crate::term::TermId;

/// All answers about a position. They are computed when the position is reached, so that later
/// queries of a worker cannot fail.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    words: Vec<u64>,
    state: Vec<TermId>,
    terminal: bool,
    legal: Vec<Vec<Move>>,
    /// The terms of the legal moves; `None` for a role without a choice.
    choices: Vec<Vec<Option<TermId>>>,
    goals: Vec<Vec<f64>>,
}

/// One interpreter in one position.
#[derive(Clone, Debug)]
pub(super) struct ReferenceWorker {
    pub(super) shared: Arc<Shared>,
    pub(super) reference: Reference,
    pub(super) position: Position,
}

impl ReferenceWorker {
    /// Moves to a state, or stays in the current one if that fails.
    pub(super) fn enter(&mut self, state: Vec<TermId>, stop: &Stop) -> Result<(), Halt> {
        self.reference.set_state(&state);
        match self.look(state, stop) {
            Ok(position) => {
                self.position = position;
                Ok(())
            }
            Err(halt) => {
                self.reference.set_state(&self.position.state);
                Err(halt)
            }
        }
    }

    fn look(&mut self, mut state: Vec<TermId>, stop: &Stop) -> Result<Position, Halt> {
        self.reference.terms().sort(&mut state);
        let terminal = self.reference.terminal(stop)?;
        let mut position = Position { terminal, ..Position::default() };
        for role in self.shared.info.all_roles() {
            let choices = if terminal { Vec::new() } else { self.choices(role, stop)? };
            position.choices.push(choices);
            position.goals.push(self.values(role, stop)?);
        }
        let reference = &self.reference;
        let mut numbering = locked(&self.shared.numbering);
        let fluents: Vec<_> = state.iter().map(|&f| reference.terms().export(f)).collect();
        position.words = numbering.words(&fluents);
        position.state = state;
        position.legal = position
            .choices
            .iter()
            .map(|choices| {
                let number = |choice: &Option<TermId>| match choice {
                    None => Move::IDLE,
                    Some(term) => {
                        let term = numbering.terms.copy(reference.terms(), *term);
                        Move(numbering.moves.number(term))
                    }
                };
                choices.iter().map(number).collect()
            })
            .collect();
        Ok(position)
    }

    /// The legal moves of a role in a non-terminal position.
    fn choices(&mut self, role: Role, stop: &Stop) -> Result<Vec<Option<TermId>>, Halt> {
        if self.reference.program().dialect == Dialect::Operations {
            // If several roles have control, the first one moves.
            let control = self.reference.control(stop)?;
            let roles = &self.reference.program().roles;
            let mover = control.iter().find_map(|term| roles.iter().position(|r| r == term));
            match mover {
                None => {
                    return Err(Halt::Rules(
                        "no role is in control in a state that is not terminal".to_owned(),
                    ));
                }
                Some(mover) if mover != role.index() => return Ok(vec![None]),
                Some(_) => {}
            }
        }
        let legal = self.reference.legal(role.index(), stop)?;
        if legal.is_empty() {
            let name = self.shared.info.role_name(role);
            let what = format!("`{name}` has no legal move in a state that is not terminal");
            return Err(Halt::Rules(what));
        }
        Ok(legal.into_iter().map(Some).collect())
    }

    /// The goal values of a role that are numbers.
    fn values(&mut self, role: Role, stop: &Stop) -> Result<Vec<f64>, Halt> {
        let goals = self.reference.goals(role.index(), stop)?;
        let terms = self.reference.terms();
        let operations = self.reference.program().dialect == Dialect::Operations;
        if operations && goals.is_empty() {
            // In the operations dialect a role without a goal has the goal zero.
            return Ok(vec![0.0]);
        }
        let value = |&goal: &TermId| {
            if operations {
                return number::of(goal, terms);
            }
            terms.constant_text(goal)?.parse::<i64>().ok().map(|value| value as f64)
        };
        let mut values: Vec<f64> = goals.iter().filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Ok(values)
    }

    fn advance(
        &mut self,
        joint: &[Option<TermId>],
        out: &mut Step,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.reference.set_moves(joint);
        let state = self.reference.next(stop)?;
        out.clear(joint.len());
        if self.shared.info.information == Information::Hidden {
            for role in self.shared.info.all_roles() {
                let seen = self.reference.percepts(role.index(), stop)?;
                let mut numbering = locked(&self.shared.numbering);
                for percept in seen {
                    let term = numbering.terms.copy(self.reference.terms(), percept);
                    let number = numbering.percepts.number(term);
                    out.percepts.insert(role, Percept(number));
                }
            }
        }
        self.enter(state, stop)
    }
}

impl Worker for ReferenceWorker {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn reset(&mut self) {
        self.position = self.shared.initial.clone();
        self.reference.set_state(&self.position.state);
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        let fluents = {
            let numbering = locked(&self.shared.numbering);
            let fluents = numbering.state(state).ok_or(Halt::BadState)?;
            let terms = self.reference.terms_mut();
            fluents.into_iter().map(|fluent| terms.copy(&numbering.terms, fluent)).collect()
        };
        self.enter(fluents, stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        out.clone_from(&self.position.words);
    }

    fn terminal(&self) -> bool {
        self.position.terminal
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.position.legal.get(role.index()).map_or(&[], Vec::as_slice)
    }

    fn weights(&self) -> &[u32] {
        &[]
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        let roles = self.position.legal.len();
        if joint.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: joint.len() });
        }
        let mut chosen = Vec::with_capacity(roles);
        for (role, &choice) in self.shared.info.all_roles().zip(joint) {
            let place = self.legal(role).iter().position(|&legal| legal == choice);
            let place = place.ok_or(Halt::IllegalMove { role, choice })?;
            chosen.push(self.position.choices[role.index()][place]);
        }
        self.advance(&chosen, out, stop)
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        if let Some(goals) = self.position.goals.get(role.index()) {
            out.extend_from_slice(goals);
        }
    }
}
