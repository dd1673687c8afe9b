//! The worker of a card game.

use std::sync::Arc;

use magister_core::{
    Batch, Detail, Halt, Info, LeafResults, Leaves, Move, Results, Role, Step, Stop, Worker,
    playout,
};

use crate::fault::Spot;
use crate::game::Shared;
use crate::machine::{Draw, Fault, Machine, Wait};

/// One state with its options.
pub(crate) struct CardWorker {
    shared: Arc<Shared>,
    machine: Machine,
    /// The options of the current player.
    options: Vec<Move>,
    weights: Vec<u32>,
    scores: Vec<i32>,
    /// The state before a step, in case it fails.
    before: Vec<u64>,
    key: Vec<i32>,
    /// Set in playouts, which need neither percepts nor a way back from an error.
    blind: bool,
    /// Set in playouts, in which options may be identified by their index in the list.
    nameless: bool,
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
            blind: false,
            nameless: false,
        };
        worker.reset();
        worker
    }

    /// Computes the options of the current state.
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
                self.machine.choosing.noting = !self.nameless;
                self.machine.expand(p, choice)?;
                if self.nameless {
                    self.options.extend((0..self.machine.choosing.len() as u32).map(Move));
                    return Ok(());
                }
                for option in 0..self.machine.choosing.len() {
                    let choice =
                        shared.moves.number(p, &self.machine, choice, option, &mut self.key);
                    self.options.push(choice);
                }
            }
            Wait::Draw(Draw::Tie(count)) if p.compat => {
                // With each further card, a coin flip decides whether it replaces the current one.
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

    /// The number of outcomes of chance.
    fn outcomes(&self) -> usize {
        match self.machine.wait {
            Wait::Draw(Draw::Tie(count)) if self.shared.program.compat => count.min(31) as usize,
            Wait::Draw(Draw::Number(count) | Draw::Tie(count)) => count as usize,
            Wait::Shuffle { at, .. } => at as usize + 1,
            _ => 0,
        }
    }

    fn halt(&self, fault: Fault) -> Halt {
        let Shared { program, text, .. } = &*self.shared;
        let text = Spot::of(program, text, &self.machine, fault).describe(text, fault);
        if fault.is_limit() { Halt::Limit(text) } else { Halt::Rules(text) }
    }

    /// Runs without everything that playouts do not need.
    fn blindly<T>(
        &mut self,
        named: bool,
        play: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        self.blind = true;
        self.nameless = !named;
        let played = play(self);
        (self.blind, self.nameless) = (false, false);
        // The worker is in some state of the game, and its options have names again.
        self.reset();
        played
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
        if self.machine.run(&shared.program).and_then(|()| self.refresh()).is_err() {
            // The game cannot be played, so there are no scores.
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
            let halt = self.halt(fault);
            self.reset();
            halt
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

    /// All positions of a shuffled pile except the last are filled in silent steps.
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
            } else if self.nameless && decider == Some(role) {
                Some(choice.index()).filter(|&at| at < self.options.len())
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
            // A silent position of a shuffle cannot fail.
            return self.machine.drawn(p, picked as u32).map_err(|fault| self.halt(fault));
        }
        if !self.blind {
            self.machine.save(&mut self.before);
        }
        self.machine.log.clear();
        self.machine.logging = !self.blind;
        let made = match self.machine.wait {
            Wait::Choice(_) => self.machine.chosen(p, picked),
            _ => self.machine.drawn(p, picked as u32),
        };
        self.machine.logging = false;
        if let Err(fault) = made.and_then(|()| self.refresh()) {
            let halt = self.halt(fault);
            if !self.blind {
                let _ = self.machine.load(p, &self.before);
                let _ = self.refresh();
            }
            return Err(halt);
        }
        if self.blind {
            return Ok(());
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

    fn quiet(&mut self, quiet: bool) {
        self.blind = quiet;
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        self.blindly(batch.detail == Detail::Moves, |worker| {
            playout::one_by_one(worker, batch, out, stop)
        })
    }

    fn leaves(
        &mut self,
        leaves: &Leaves<'_>,
        out: &mut LeafResults,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.blindly(true, |worker| playout::leaves_one_by_one(worker, leaves, out, stop))
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        out.clear();
        if let Some(&score) = self.scores.get(role.index()) {
            let sign = if self.shared.program.rules.most { 1.0 } else { -1.0 };
            // Adding zero turns minus zero into zero.
            out.push(sign * f64::from(score) + 0.0);
        }
    }
}
