//! The worker of a game on its network.

use std::cell::RefCell;
use std::sync::Arc;

use magister_core::{
    Batch, Halt, Info, Information, LeafResults, Leaves, Move, Results, Role, Step, Stop, Tried,
    Tries, Worker,
};
use magister_lanes::Width;

use super::game::Shared;
use super::machine::{Lists, Machine};
use super::pace::Playouts;
use super::weights::weightless;
use crate::batch::{BatchPlayer, TryPlayer};
use crate::network::InputId;

/// A machine in a state, with the lists of [`Worker`].
pub(super) struct NetworkWorker<M> {
    pub(super) shared: Arc<Shared>,
    /// Goals are computed on demand; callers see no change.
    machine: RefCell<M>,
    terminal: bool,
    legal: Lists,
    /// The weights of the legal moves of chance; empty if they are equally likely.
    weights: Vec<u32>,
    /// Whether the step from the state is silent.
    silent: bool,
    inputs: Vec<InputId>,
    /// The state to return to if a state turns out not to be playable.
    last: Vec<u64>,
    /// The earlier states, for undo.
    history: Vec<u64>,
    /// How batches of playouts are played.
    pub(super) playouts: Playouts,
    /// Batch players, one for each width that was used.
    pub(super) players: Vec<BatchPlayer>,
    /// Batch tries, one for each role and width.
    pub(super) try_players: Vec<TryPlayer>,
}

impl Shared {
    /// Adds the gains of the current moves.
    fn gain(&self, machine: &impl Machine, out: &mut Step) {
        for (number, gain) in self.network.gains.iter().enumerate() {
            if machine.gain(number) {
                out.gains[gain.role.index()] += gain.value;
            }
        }
    }
}

impl<M: Machine> NetworkWorker<M> {
    pub(super) fn new(shared: Arc<Shared>, machine: M, playouts: Playouts) -> Self {
        let machine = RefCell::new(machine);
        let roles = shared.info.roles.len();
        let mut worker = Self {
            machine,
            terminal: false,
            legal: Lists::new(&shared.places.ranges),
            weights: Vec::new(),
            silent: false,
            inputs: Vec::with_capacity(roles),
            last: shared.initial.clone(),
            history: Vec::new(),
            playouts,
            players: Vec::new(),
            try_players: Vec::new(),
            shared,
        };
        worker.reset();
        worker
    }

    /// Goes to the initial state, if it can be played.
    pub(super) fn begin(&mut self) -> Result<(), Halt> {
        self.machine.get_mut().load(&self.shared.initial);
        self.look()
    }

    /// Reads the lists from the machine. An error if a role has no legal move.
    #[inline]
    fn look(&mut self) -> Result<(), Halt> {
        let machine = self.machine.get_mut();
        self.terminal = machine.terminal();
        if self.terminal {
            self.legal.clear();
            self.weights.clear();
            self.silent = false;
            return Ok(());
        }
        machine.legal(&mut self.legal);
        if let Some(role) = self.legal.stuck() {
            self.idle(role)?;
        }
        if self.shared.weights.is_some() || self.shared.silent {
            self.look_at_chance()?;
        }
        Ok(())
    }

    /// Reads the weights of chance moves from the machine, and whether the step is silent.
    fn look_at_chance(&mut self) -> Result<(), Halt> {
        let (shared, machine) = (&self.shared, self.machine.get_mut());
        self.silent = machine.silent();
        let Some(weights) = &shared.weights else { return Ok(()) };
        let legal = self.legal.of(weights.chance());
        weights
            .list(&shared.places, machine, legal, &mut self.weights)
            .map_err(|choice| weightless(&shared.compiled.names().moves()[choice.index()]))
    }

    /// Called if a role has no legal move, with the first such role. This is an error unless roles
    /// may be idle and some role can move.
    #[cold]
    fn idle(&mut self, first: usize) -> Result<(), Halt> {
        if self.shared.network.idle[first].is_none() {
            let name = &self.shared.info.roles[first];
            let what = format!("`{name}` has no legal move in a state that is not terminal");
            return Err(Halt::Rules(what));
        }
        if self.legal.counts().all(|count| count == 0) {
            let what = "no role has a legal move in a state that is not terminal".to_owned();
            return Err(Halt::Rules(what));
        }
        for role in first..self.shared.info.roles.len() {
            if self.legal.of(role).is_empty() {
                self.legal.idle(role);
            }
        }
        Ok(())
    }

    /// Goes to a state of this game, without undo.
    pub(super) fn enter(&mut self, state: &[u64]) -> Result<(), Halt> {
        self.machine.get_mut().load(state);
        self.look()
    }

    /// The state that the machine is in.
    pub(super) fn save_machine(&self, out: &mut Vec<u64>) {
        out.resize(self.last.len(), 0);
        self.machine.borrow().save(out);
    }

    /// Makes legal moves, without undo. This and what it calls are the loop of playouts one by one.
    #[inline]
    pub(super) fn follow(&mut self, joint: &[Move]) -> Result<(), Halt> {
        self.inputs.clear();
        for (role, &choice) in joint.iter().enumerate() {
            self.inputs.extend(self.shared.places.input(role, choice));
        }
        self.machine.get_mut().follow(&self.inputs);
        self.look()
    }

    /// The same, with the gains of the step.
    pub(super) fn follow_gaining(&mut self, joint: &[Move], out: &mut Step) -> Result<(), Halt> {
        self.inputs.clear();
        for (role, &choice) in joint.iter().enumerate() {
            self.inputs.extend(self.shared.places.input(role, choice));
        }
        out.clear(joint.len());
        let machine = self.machine.get_mut();
        machine.moves(&self.inputs);
        self.shared.gain(machine, out);
        machine.advance(&self.inputs);
        self.look()
    }

    /// Switches legal moves on, and writes the percepts.
    fn switch(&mut self, joint: &[Move], out: &mut Step) -> Result<(), Halt> {
        let roles = self.shared.info.roles.len();
        if joint.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: joint.len() });
        }
        self.inputs.clear();
        let machine = self.machine.get_mut();
        for (role, &choice) in joint.iter().enumerate() {
            let legal = match self.shared.places.place(role, choice) {
                Some(at) => !self.terminal && machine.is_legal(at),
                None => self.legal.of(role) == [choice],
            };
            let input = self.shared.places.input(role, choice).filter(|_| legal);
            let Some(input) = input else {
                return Err(Halt::IllegalMove { role: Role(role as u8), choice });
            };
            self.inputs.push(input);
        }
        out.clear(roles);
        out.tick = !self.silent;
        machine.moves(&self.inputs);
        if self.shared.info.information == Information::Hidden {
            for (number, sight) in self.shared.network.percepts.iter().enumerate() {
                if machine.percept(number) {
                    out.percepts.insert(sight.role, sight.percept);
                }
            }
        }
        if self.shared.gaining {
            self.shared.gain(machine, out);
        }
        Ok(())
    }

    /// Returns to the last state that could be played.
    pub(super) fn restore(&mut self) {
        self.machine.get_mut().load(&self.last);
        // This state was playable before.
        let _ = self.look();
    }
}

impl<M: Machine> Worker for NetworkWorker<M> {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn reset(&mut self) {
        self.history.clear();
        self.last.copy_from_slice(&self.shared.initial);
        self.machine.get_mut().load(&self.shared.initial);
        // A game whose initial state cannot be played is refused when it is prepared.
        let _ = self.look();
    }

    fn load(&mut self, state: &[u64], _stop: &Stop) -> Result<(), Halt> {
        if !self.shared.is_state(state) {
            return Err(Halt::BadState);
        }
        self.machine.get_mut().load(state);
        if let Err(halt) = self.look() {
            self.restore();
            return Err(halt);
        }
        self.history.clear();
        self.last.copy_from_slice(state);
        Ok(())
    }

    fn save(&self, out: &mut Vec<u64>) {
        out.clear();
        out.extend_from_slice(&self.last);
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.legal.of(role.index())
    }

    fn weights(&self) -> &[u32] {
        &self.weights
    }

    fn silent(&self) -> bool {
        self.silent
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        stop.check()?;
        self.switch(joint, out)?;
        self.machine.get_mut().advance(&self.inputs);
        if let Err(halt) = self.look() {
            self.restore();
            return Err(halt);
        }
        self.history.extend_from_slice(&self.last);
        self.machine.get_mut().save(&mut self.last);
        Ok(())
    }

    fn perceive(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<bool, Halt> {
        stop.check()?;
        self.switch(joint, out)?;
        self.machine.get_mut().retreat(&self.inputs);
        Ok(true)
    }

    fn undo(&mut self) -> bool {
        let words = self.last.len();
        let Some(start) = self.history.len().checked_sub(words).filter(|_| words > 0) else {
            return false;
        };
        self.last.copy_from_slice(&self.history[start..]);
        self.history.truncate(start);
        self.restore();
        true
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        let mut machine = self.machine.borrow_mut();
        machine.know_goals();
        for (number, goal) in self.shared.network.goals.iter().enumerate() {
            if goal.role == role && machine.goal(number) {
                out.extend(goal.value);
            }
        }
        if out.is_empty() {
            out.extend(self.shared.missing_goal);
        }
    }

    fn lanes(&self) -> usize {
        match self.playouts {
            Playouts::OneByOne => 1,
            // Speed is measured, but the answer must not depend on it.
            Playouts::Lanes(_) | Playouts::Measured => Width::best().lanes(),
        }
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        self.play(batch, out, stop)
    }

    fn leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.play_leaves(leaves, out, stop)
    }

    fn tries(&mut self, tries: &Tries<'_>, out: &mut Tried, stop: &Stop) -> Result<bool, Halt> {
        self.try_all(tries, out, stop).map(|()| true)
    }

    fn side_by_side(&self, streams: usize) -> usize {
        self.shared.side_by_side(self.playouts, streams)
    }
}
