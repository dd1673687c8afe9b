//! The worker of a game on compiled rules.

use std::cell::RefCell;
use std::sync::Arc;

use magister_core::{Halt, Info, Information, Move, Percept, Role, Step, Stop, Worker};

use super::game::Shared;
use super::names::Names;
use super::position::Position;
use crate::reference::number;
use crate::term::TermId;

/// The cached data of a state.
#[derive(Clone, Debug)]
struct View {
    terminal: bool,
    legal: Vec<Vec<Move>>,
    /// The terms of the legal moves; `None` for an idle role.
    choices: Vec<Vec<Option<TermId>>>,
    /// For each role, the version of the legal moves in these lists.
    versions: Vec<Option<u64>>,
}

/// A machine with its cache of shared numbers.
#[derive(Clone, Debug)]
struct Engine {
    position: Position,
    names: Names,
    places: Vec<u32>,
}

impl Engine {
    /// Computes the data of the state.
    fn look(&mut self, shared: &Shared, view: &mut View, stop: &Stop) -> Result<(), Halt> {
        view.terminal = self.position.terminal(stop)?;
        let mover = if view.terminal { None } else { self.mover(stop)? };
        for role in 0..view.legal.len() {
            let version = if view.terminal || mover.is_some_and(|mover| mover != role) {
                None
            } else {
                Some(self.position.legal_version(role, stop)?)
            };
            if version.is_some() && view.versions[role] == version {
                continue; // None of their dependencies has changed.
            }
            view.versions[role] = None;
            view.legal[role].clear();
            view.choices[role].clear();
            if view.terminal {
                // Errors in goal values are detected now.
                self.position.goals(role, stop)?;
                continue;
            }
            if version.is_none() {
                view.legal[role].push(Move::IDLE);
                view.choices[role].push(None);
                continue;
            }
            let legal = self.position.legal(role, stop)?;
            self.places.clear();
            self.places.extend(legal.iter().map(|term| term.0));
            self.names.sort_moves(&mut self.places, self.position.terms(), &shared.numbering);
            for &place in &self.places {
                let (number, term) = self.names.choice(place);
                view.legal[role].push(Move(number));
                view.choices[role].push(Some(term));
            }
            if view.legal[role].is_empty() {
                let name = &shared.info.roles[role];
                let what = format!("`{name}` has no legal move in a state that is not terminal");
                return Err(Halt::Rules(what));
            }
            view.versions[role] = version;
        }
        Ok(())
    }

    /// The role to move, in the operations dialect: if several roles have control, the first of
    /// them in term order.
    fn mover(&mut self, stop: &Stop) -> Result<Option<usize>, Halt> {
        if !self.position.is_operations() {
            return Ok(None);
        }
        let code = Arc::clone(&self.position.machine.code);
        let control = self.position.control(stop)?;
        let mut first: Option<usize> = None;
        let holders =
            (0..code.program.roles.len()).filter(|&at| control.contains(&code.program.roles[at]));
        for role in holders {
            let term = |role: usize| code.program.roles[role];
            if first.is_none_or(|other| code.terms.compare(term(role), term(other)).is_lt()) {
                first = Some(role);
            }
        }
        match first {
            Some(role) => Ok(Some(role)),
            None => {
                Err(Halt::Rules("no role is in control in a state that is not terminal".to_owned()))
            }
        }
    }
}

/// One machine in one state.
#[derive(Clone, Debug)]
pub(super) struct DatalogWorker {
    shared: Arc<Shared>,
    /// Goals and words are computed on demand; callers see no change.
    engine: RefCell<Engine>,
    view: View,
    state: Vec<TermId>,
    next: Vec<TermId>,
    /// The earlier states, concatenated, and the start of each.
    history: Vec<TermId>,
    starts: Vec<usize>,
    joint: Vec<Option<TermId>>,
}

impl DatalogWorker {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let roles = shared.info.roles.len();
        let view = View {
            terminal: false,
            legal: vec![Vec::new(); roles],
            choices: vec![Vec::new(); roles],
            versions: vec![None; roles],
        };
        DatalogWorker {
            engine: RefCell::new(Engine {
                position: Position::new(Arc::clone(&shared.code), shared.limits),
                names: Names::default(),
                places: Vec::new(),
            }),
            view,
            state: Vec::new(),
            next: Vec::new(),
            history: Vec::new(),
            starts: Vec::new(),
            joint: Vec::new(),
            shared,
        }
    }

    /// Goes to the initial state, if it can be played.
    pub(super) fn begin(&mut self, stop: &Stop) -> Result<(), Halt> {
        self.next.clone_from(&self.shared.initial);
        self.jump(stop)
    }

    /// Goes to the state in `next`, without undo.
    fn jump(&mut self, stop: &Stop) -> Result<(), Halt> {
        self.enter(stop)?;
        self.history.clear();
        self.starts.clear();
        Ok(())
    }

    /// Goes to the state in `next`, or stays if that cannot be played.
    fn enter(&mut self, stop: &Stop) -> Result<(), Halt> {
        let engine = self.engine.get_mut();
        engine.position.set_state(&self.next);
        if let Err(halt) = engine.look(&self.shared, &mut self.view, stop) {
            engine.position.set_state(&self.state);
            // This state was playable before.
            let _ = engine.look(&self.shared, &mut self.view, &Stop::never());
            return Err(halt);
        }
        self.state.clear();
        self.state.extend_from_slice(&self.next);
        Ok(())
    }

    /// Sets the joint move, if it is legal.
    fn set_joint(&mut self, joint: &[Move]) -> Result<(), Halt> {
        let roles = self.view.legal.len();
        if joint.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: joint.len() });
        }
        self.joint.clear();
        for (role, &choice) in self.shared.info.all_roles().zip(joint) {
            let legal = &self.view.legal[role.index()];
            let place = legal.iter().position(|&legal| legal == choice);
            let place = place.ok_or(Halt::IllegalMove { role, choice })?;
            self.joint.push(self.view.choices[role.index()][place]);
        }
        self.engine.get_mut().position.set_moves(&self.joint);
        Ok(())
    }

    /// Writes the percepts of the current joint move.
    fn percepts(&mut self, out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        let Engine { position, names, .. } = self.engine.get_mut();
        out.clear(self.joint.len());
        if self.shared.info.information == Information::Hidden {
            for role in self.shared.info.all_roles() {
                let count = position.percepts(role.index(), stop)?.len();
                for at in 0..count {
                    let percept = position.percepts(role.index(), stop)?[at];
                    let numbering = &self.shared.numbering;
                    let number = names.percept(percept, position.terms(), numbering);
                    out.percepts.insert(role, Percept(number));
                }
            }
        }
        Ok(())
    }

    fn advance(&mut self, out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        self.engine.get_mut().position.next(&mut self.next, stop)?;
        self.percepts(out, stop)?;
        let start = self.history.len();
        self.history.extend_from_slice(&self.state);
        if let Err(halt) = self.enter(stop) {
            self.history.truncate(start);
            return Err(halt);
        }
        self.starts.push(start);
        Ok(())
    }
}

impl Worker for DatalogWorker {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn reset(&mut self) {
        // A game whose initial state cannot be played is refused when it is prepared.
        let _ = self.begin(&Stop::never());
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        if !state.is_sorted_by(|a, b| a < b) {
            return Err(Halt::BadState);
        }
        let Engine { position, names, .. } = self.engine.get_mut();
        self.next.clear();
        for &word in state {
            let terms = &mut position.machine.terms;
            let fluent = names.fluent_term(word, terms, &self.shared.numbering);
            self.next.push(fluent.ok_or(Halt::BadState)?);
        }
        self.jump(stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        let Engine { position, names, .. } = &mut *self.engine.borrow_mut();
        out.clear();
        for &fluent in &self.state {
            let number = names.fluent(fluent, position.terms(), &self.shared.numbering);
            out.push(u64::from(number));
        }
        out.sort_unstable();
    }

    fn terminal(&self) -> bool {
        self.view.terminal
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.view.legal.get(role.index()).map_or(&[], Vec::as_slice)
    }

    fn weights(&self) -> &[u32] {
        &[]
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        self.set_joint(joint)?;
        self.advance(out, stop)
    }

    fn perceive(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<bool, Halt> {
        self.set_joint(joint)?;
        self.percepts(out, stop)?;
        Ok(true)
    }

    fn undo(&mut self) -> bool {
        let Some(&start) = self.starts.last() else { return false };
        self.next.clear();
        self.next.extend_from_slice(&self.history[start..]);
        // This state was playable before.
        if self.enter(&Stop::never()).is_err() {
            return false;
        }
        self.starts.pop();
        self.history.truncate(start);
        true
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        if role.index() >= self.view.legal.len() {
            return;
        }
        let position = &mut self.engine.borrow_mut().position;
        let operations = position.is_operations();
        let Ok(count) = position.goals(role.index(), &Stop::never()).map(<[TermId]>::len) else {
            return;
        };
        if operations && count == 0 {
            out.push(0.0); // The dialect defines that a role without a goal has zero.
        }
        for at in 0..count {
            let Ok(goals) = position.goals(role.index(), &Stop::never()) else { return };
            let (goal, terms) = (goals[at], position.terms());
            if operations {
                out.extend(number::of(goal, terms));
            } else {
                let text = terms.constant_text(goal);
                out.extend(text.and_then(|text| text.parse::<i64>().ok()).map(|v| v as f64));
            }
        }
        out.sort_unstable_by(f64::total_cmp);
        out.dedup();
    }
}
