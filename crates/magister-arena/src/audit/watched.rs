//! A game as it would be if the others saw everything.

use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{
    Batch, Game, Halt, Info, Leaves, Move, Percept, Results, Role, Step, Stop, Text, Worker, Yields,
};
use rustc_hash::FxHashMap;

/// The same game, but after every turn all players except one are shown the state. What that one
/// sees stays the same, so whatever it has lived in the one game it may have lived in the other.
pub(super) struct Watched {
    game: Arc<dyn Game>,
    info: Arc<Info>,
    role: Role,
    states: Arc<Mutex<States>>,
}

/// The number of each state that somebody was shown.
type States = FxHashMap<Vec<u64>, u32>;

impl Watched {
    /// A game in which this role is watched by all others.
    pub(super) fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let mut info = game.info().clone();
        // Players that remember a game by its rules must not take it for the other one.
        info.rules_hash.push_str(" watched");
        Watched { game: Arc::clone(game), info: Arc::new(info), role, states: Arc::default() }
    }
}

impl Game for Watched {
    fn info(&self) -> &Info {
        &self.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(WatchedWorker {
            worker: self.game.worker(),
            info: Arc::clone(&self.info),
            role: self.role,
            states: Arc::clone(&self.states),
            state: Vec::new(),
        })
    }

    fn text(&self) -> &dyn Text {
        self.game.text()
    }
}

struct WatchedWorker {
    worker: Box<dyn Worker>,
    info: Arc<Info>,
    role: Role,
    states: Arc<Mutex<States>>,
    state: Vec<u64>,
}

impl WatchedWorker {
    /// What stands for the current state: numbers from the end, which no game uses.
    fn sight(&mut self) -> Percept {
        self.worker.save(&mut self.state);
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let next = states.len() as u32;
        let number = match states.get(&self.state) {
            Some(&number) => number,
            None => *states.entry(self.state.clone()).or_insert(next),
        };
        Percept(u32::MAX - number)
    }
}

impl Worker for WatchedWorker {
    fn info(&self) -> &Info {
        &self.info
    }

    fn reset(&mut self) {
        self.worker.reset();
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        self.worker.load(state, stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        self.worker.save(out);
    }

    fn terminal(&self) -> bool {
        self.worker.terminal()
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.worker.legal(role)
    }

    fn weights(&self) -> &[u32] {
        self.worker.weights()
    }

    fn silent(&self) -> bool {
        self.worker.silent()
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        self.worker.step(joint, out, stop)?;
        if out.tick {
            let sight = self.sight();
            for role in self.info.players().filter(|&role| role != self.role) {
                out.percepts.insert(role, sight);
            }
        }
        Ok(())
    }

    fn undo(&mut self) -> bool {
        self.worker.undo()
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.worker.goals(role, out);
    }

    fn lanes(&self) -> usize {
        self.worker.lanes()
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        self.worker.playouts(batch, out, stop)
    }

    fn leaves(&mut self, leaves: &Leaves<'_>, out: &mut Yields, stop: &Stop) -> Result<(), Halt> {
        self.worker.leaves(leaves, out, stop)
    }

    fn side_by_side(&self, streams: usize) -> usize {
        self.worker.side_by_side(streams)
    }
}
