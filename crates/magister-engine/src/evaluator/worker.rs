//! The worker of a game that runs on its network.

use std::cell::RefCell;
use std::sync::Arc;

use magister_core::playout::{LANES, one_by_one};
use magister_core::{
    Batch, Halt, Info, Information, Move, Percept, Results, Role, Step, Stop, Worker,
};
use magister_lanes::Width;

use super::game::{Method, Shared};
use super::machine::Machine;
use crate::batch::{BatchPlayer, Trouble};

/// A machine in a state, with the lists that the vocabulary asks for.
pub(super) struct NetworkWorker<M> {
    shared: Arc<Shared>,
    /// Goals are computed when somebody asks, and asking changes nothing that can be seen.
    machine: RefCell<M>,
    terminal: bool,
    legal: Vec<Vec<Move>>,
    numbers: Vec<u32>,
    inputs: Vec<u32>,
    /// The state to go back to when a state cannot be played.
    last: Vec<u64>,
    /// States to go back to.
    history: Vec<u64>,
    /// Plays many games at once.
    player: Option<BatchPlayer>,
}

impl<M: Machine> NetworkWorker<M> {
    pub(super) fn new(shared: Arc<Shared>, machine: M) -> Self {
        let machine = RefCell::new(machine);
        let roles = shared.info.roles.len();
        let mut worker = Self {
            machine,
            terminal: false,
            legal: vec![Vec::new(); roles],
            numbers: Vec::new(),
            inputs: Vec::with_capacity(roles),
            last: shared.initial.clone(),
            history: Vec::new(),
            player: None,
            shared,
        };
        worker.reset();
        worker
    }

    /// Whether the first state can be played.
    pub(super) fn begin(&mut self) -> Result<(), Halt> {
        self.machine.get_mut().load(&self.shared.initial);
        self.look()
    }

    /// Reads the lists off the machine. An error if a role has nothing to do and should.
    fn look(&mut self) -> Result<(), Halt> {
        let machine = self.machine.get_mut();
        self.terminal = machine.terminal();
        let mut stuck = None;
        let mut acting = 0;
        for (role, list) in self.legal.iter_mut().enumerate() {
            list.clear();
            if self.terminal {
                continue;
            }
            let (from, to) = self.shared.ranges[role];
            self.numbers.clear();
            machine.legal(from, to, &mut self.numbers);
            list.extend(self.numbers.iter().map(|&at| Move(self.shared.numbers[at as usize])));
            if list.is_empty() {
                if self.shared.operations {
                    list.push(Move::IDLE);
                    continue;
                }
                stuck.get_or_insert(role);
            }
            acting += 1;
        }
        if let Some(role) = stuck {
            let name = &self.shared.info.roles[role];
            let what = format!("`{name}` has no legal move in a state that is not terminal");
            return Err(Halt::Rules(what));
        }
        if acting == 0 && !self.terminal {
            let what = "no role has a legal move in a state that is not terminal".to_owned();
            return Err(Halt::Rules(what));
        }
        Ok(())
    }

    /// Goes back to the last state that could be played.
    fn restore(&mut self) {
        self.machine.get_mut().load(&self.last);
        // It could be played before.
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
        // A game whose first state cannot be played is refused when it is prepared.
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
        &self.legal[role.index()]
    }

    fn weights(&self) -> &[u32] {
        &[]
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        stop.check()?;
        let roles = self.shared.info.roles.len();
        if joint.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: joint.len() });
        }
        self.inputs.clear();
        let machine = self.machine.get_mut();
        for (role, &choice) in joint.iter().enumerate() {
            let input = if choice == Move::IDLE {
                let idles = self.legal[role].first() == Some(&Move::IDLE);
                self.shared.network.idle[role].filter(|_| idles)
            } else {
                let place = self.shared.places[role].get(&choice.0).copied();
                place
                    .filter(|&at| !self.terminal && machine.is_legal(at as usize))
                    .map(|at| self.shared.network.inputs[at as usize])
            };
            let Some(input) = input else {
                return Err(Halt::IllegalMove { role: Role(role as u8), choice });
            };
            self.inputs.push(input);
        }
        out.clear(roles);
        out.tick = true;
        machine.moves(&self.inputs);
        if self.shared.info.information == Information::Hidden {
            for (number, &(role, ..)) in self.shared.network.percepts.iter().enumerate() {
                if machine.percept(number) {
                    out.percepts.insert(Role(role as u8), Percept(self.shared.percepts[number]));
                }
            }
        }
        machine.advance(&self.inputs);
        if let Err(halt) = self.look() {
            self.restore();
            return Err(halt);
        }
        self.history.extend_from_slice(&self.last);
        self.machine.get_mut().save(&mut self.last);
        Ok(())
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
        for (number, &(whose, ..)) in self.shared.network.goals.iter().enumerate() {
            if whose as usize == role.index() && machine.goal(number) {
                out.extend(self.shared.values[number]);
            }
        }
        if out.is_empty() && self.shared.operations {
            out.push(0.0); // The dialect says so: a role without a goal has zero.
        }
    }

    fn lanes(&self) -> usize {
        if self.shared.method == Method::Batch { Width::best().slots() * LANES } else { 1 }
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        if self.shared.method != Method::Batch {
            return one_by_one(self, batch, out, stop);
        }
        if !batch.streams.iter().all(|stream| self.shared.is_state(stream.start)) {
            return Err(Halt::BadState);
        }
        let plan = self.shared.batch(stop);
        let player = self.player.get_or_insert_with(|| BatchPlayer::new(plan, Width::best()));
        match player.play(batch, out, stop) {
            Ok(()) => Ok(()),
            Err(Trouble::Halt(halt)) => Err(halt),
            // What is wrong with a state, this worker can say.
            Err(Trouble::State(state)) => self.load(&state, stop).and(Err(Halt::BadState)),
        }
    }
}
