//! The worker of a card game.

use std::sync::Arc;

use magister_core::{Halt, Info, Move, Role, Step, Stop, Worker};

use crate::game::Shared;
use crate::machine::{Draw, Fault, Machine, Wait};

/// One state and what callers ask about it.
pub(crate) struct CardWorker {
    shared: Arc<Shared>,
    machine: Machine,
    /// The options of the player whose turn it is.
    options: Vec<Move>,
    weights: Vec<u32>,
    scores: Vec<i32>,
    /// The state before a step, in case it can not be made.
    before: Vec<u64>,
    key: Vec<i32>,
    /// What is wrong with the initial state, if the rules fail before the first decision.
    broken: Option<Fault>,
}

const IDLE: [Move; 1] = [Move::IDLE];

impl CardWorker {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let mut machine = Machine::new(&shared.program);
        machine.choosing.noting = true;
        let mut worker = CardWorker {
            shared,
            machine,
            options: Vec::new(),
            weights: Vec::new(),
            scores: Vec::new(),
            before: Vec::new(),
            key: Vec::new(),
            broken: None,
        };
        worker.reset();
        worker
    }

    /// Works out what can be done in the current state.
    fn refresh(&mut self) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let p = &shared.program;
        self.options.clear();
        self.weights.clear();
        self.scores.clear();
        match self.machine.wait {
            Wait::Choice(choice) => {
                self.machine.logging = false;
                self.machine.choosing.guess(&[]);
                self.machine.expand(p, choice)?;
                for option in 0..self.machine.choosing.len() {
                    let choice =
                        shared.moves.number(p, &self.machine, choice, option, &mut self.key);
                    self.options.push(choice);
                }
            }
            Wait::Draw(Draw::Tie(count)) if p.compat => {
                // Each further card replaces the one held by the flip of a coin.
                let count = count.min(31);
                self.weights.push(1);
                self.weights.extend((1..count).map(|at| 1 << (at - 1)));
            }
            Wait::Draw(_) | Wait::Shuffle { .. } => {}
            Wait::End => {
                for player in 0..p.rules.players {
                    let score = self.machine.score(p, player)?;
                    self.scores.push(score);
                }
            }
        }
        Ok(())
    }

    /// How many outcomes chance has.
    fn outcomes(&self) -> usize {
        match self.machine.wait {
            Wait::Draw(Draw::Number(count)) => count as usize,
            Wait::Draw(Draw::Tie(count)) if self.shared.program.compat => count.min(31) as usize,
            Wait::Draw(Draw::Tie(count)) => count as usize,
            Wait::Shuffle { at, .. } => at as usize + 1,
            _ => 0,
        }
    }

    fn halt(fault: Fault) -> Halt {
        if fault.is_limit() {
            Halt::Limit(fault.text().to_owned())
        } else {
            Halt::Rules(fault.text().to_owned())
        }
    }

    fn decider(&self) -> Option<Role> {
        match self.machine.wait {
            Wait::Choice(_) => Some(Role(self.machine.current() as u8)),
            Wait::Draw(_) | Wait::Shuffle { .. } => self.shared.info.chance,
            Wait::End => None,
        }
    }
}

impl Worker for CardWorker {
    fn info(&self) -> &Info {
        &self.shared.info
    }

    fn reset(&mut self) {
        let shared = Arc::clone(&self.shared);
        self.machine.logging = false;
        self.machine.reset(&shared.program);
        self.broken = self.machine.run(&shared.program).and_then(|()| self.refresh()).err();
        if self.broken.is_some() {
            // Nothing can be played, and nobody has a score.
            self.machine.stack.clear();
            self.machine.wait = Wait::End;
            self.options.clear();
            self.scores.clear();
        }
    }

    fn load(&mut self, state: &[u64], _stop: &Stop) -> Result<(), Halt> {
        let shared = Arc::clone(&self.shared);
        if self.machine.load(&shared.program, state).is_none() {
            self.reset();
            return Err(Halt::BadState);
        }
        self.refresh().map_err(|fault| {
            self.reset();
            Self::halt(fault)
        })
    }

    fn save(&self, out: &mut Vec<u64>) {
        self.machine.save(out);
    }

    fn terminal(&self) -> bool {
        self.machine.wait == Wait::End
    }

    fn legal(&self, role: Role) -> &[Move] {
        match self.decider() {
            None => &[],
            Some(decider) if decider != role => {
                if role.index() < self.shared.info.roles.len() {
                    &IDLE
                } else {
                    &[]
                }
            }
            Some(_) if matches!(self.machine.wait, Wait::Choice(_)) => &self.options,
            Some(_) => &self.shared.draws[..self.outcomes()],
        }
    }

    fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// All positions of a shuffled pile but the last are filled in silence.
    fn silent(&self) -> bool {
        matches!(self.machine.wait, Wait::Shuffle { at, .. } if at > 1)
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        let shared = Arc::clone(&self.shared);
        let p = &shared.program;
        let expected = shared.info.roles.len();
        if joint.len() != expected {
            return Err(Halt::JointLength { expected, given: joint.len() });
        }
        stop.check()?;
        let decider = self.decider();
        let mut picked = 0;
        for (role, &choice) in shared.info.all_roles().zip(joint) {
            let position = if decider == shared.info.chance && decider == Some(role) {
                Some(choice.index()).filter(|&at| at < self.outcomes())
            } else {
                self.legal(role).iter().position(|&legal| legal == choice)
            };
            let Some(position) = position else {
                return Err(Halt::IllegalMove { role, choice });
            };
            if decider == Some(role) {
                picked = position;
            }
        }
        out.clear(expected);
        out.tick = !self.silent();
        if !out.tick {
            // A silent position of a shuffle can not go wrong.
            return self.machine.drawn(p, picked as u32).map_err(Self::halt);
        }
        self.machine.save(&mut self.before);
        self.machine.log.clear();
        self.machine.logging = true;
        let made = match self.machine.wait {
            Wait::Choice(_) => self.machine.chosen(p, picked),
            _ => self.machine.drawn(p, picked as u32),
        };
        self.machine.logging = false;
        if let Err(fault) = made.and_then(|()| self.refresh()) {
            let _ = self.machine.load(p, &self.before);
            let _ = self.refresh();
            return Err(Self::halt(fault));
        }
        for player in 0..p.rules.players {
            for (order, event) in self.machine.log.iter().enumerate() {
                if let Some(percept) = shared.percepts.of(p, order, event, player) {
                    out.percepts.insert(Role(player as u8), percept);
                }
            }
        }
        self.machine.log.clear();
        Ok(())
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        if let Some(&score) = self.scores.get(role.index()) {
            let sign = if self.shared.program.rules.most { 1.0 } else { -1.0 };
            // Adding zero makes minus zero zero.
            out.push(sign * f64::from(score) + 0.0);
        }
    }
}
