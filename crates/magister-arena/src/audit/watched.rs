//! A game as it would be if the others saw everything.

use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{Game, Info, Percept, Role, StateTensors, Step, Text, Twist, Worker, Wrapped};
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
        // States become percepts, and nobody knows how many there are.
        info.percepts = None;
        Watched { game: Arc::clone(game), info: Arc::new(info), role, states: Arc::default() }
    }
}

impl Game for Watched {
    fn info(&self) -> &Info {
        &self.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let (role, states) = (self.role, Arc::clone(&self.states));
        let watcher = Watcher { role, states, state: Vec::new() };
        Box::new(Wrapped::new(self.game.worker(), Arc::clone(&self.info), watcher))
    }

    fn text(&self) -> &dyn Text {
        self.game.text()
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        self.game.tensors()
    }
}

/// Who shows the state to all but one.
struct Watcher {
    role: Role,
    states: Arc<Mutex<States>>,
    state: Vec<u64>,
}

impl Watcher {
    /// What stands for the current state: numbers from the end, which no game uses.
    fn sight(&mut self, worker: &dyn Worker) -> Percept {
        worker.save(&mut self.state);
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let next = states.len() as u32;
        let number = match states.get(&self.state) {
            Some(&number) => number,
            None => *states.entry(self.state.clone()).or_insert(next),
        };
        Percept(u32::MAX - number)
    }
}

impl Twist for Watcher {
    fn stepped(&mut self, info: &Info, worker: &mut dyn Worker, out: &mut Step) {
        if out.tick {
            let sight = self.sight(worker);
            for role in info.players().filter(|&role| role != self.role) {
                out.percepts.insert(role, sight);
            }
        }
    }

    fn changes_steps(&self) -> bool {
        true
    }
}
