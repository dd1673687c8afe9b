//! A game in which the other roles see the state.

use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{Game, Info, Percept, Role, StateTensors, Step, Text, Twist, Worker, Wrapped};
use rustc_hash::FxHashMap;

/// The same game, but after every turn all players except one observe the state. The observations
/// of that player do not change, so its information states are the same in both games.
pub(super) struct Watched {
    game: Arc<dyn Game>,
    info: Arc<Info>,
    role: Role,
    states: Arc<Mutex<States>>,
}

/// The number of each state that was shown.
type States = FxHashMap<Vec<u64>, u32>;

impl Watched {
    /// The game in which all roles except this one see the state.
    pub(super) fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let mut info = game.info().clone();
        // Players that cache data by the hash of the rules must not confuse the two games.
        info.rules_hash.push_str(" watched");
        // States become percepts, so their number is unknown.
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

/// Shows the state to all roles except one.
struct Watcher {
    role: Role,
    states: Arc<Mutex<States>>,
    state: Vec<u64>,
}

impl Watcher {
    /// The percept of the current state. Its numbers count down from the maximum, which no game
    /// uses.
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
