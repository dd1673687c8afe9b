//! The legal moves of a role after its latest percepts, estimated from random play.
//!
//! In some games a role loses track of the state: a piece is captured without notice, and soon no
//! consistent history is found. The latest percepts are still informative; they may say whose turn
//! it is, for example. The states of random play in which the role has just had the same percepts
//! show which moves it has.

use magister_core::{
    Game, Halt, Move, Observation, Percept, Rng, Role, Seed, Step, Stop, Worker, draw,
};
use rustc_hash::FxHashMap;

use crate::votes::Votes;

/// The number of random matches, and the number of steps after which one is cut off.
const MATCHES: u64 = 64;
const STEPS: u32 = 200;
/// The number of states that suffice for an estimate.
const ENOUGH: f64 = 16.0;

/// The legal moves of a role by its latest percepts.
#[derive(Clone, Debug)]
pub struct Customary {
    role: Role,
    after: FxHashMap<Box<[Percept]>, Votes>,
    matches: u64,
    rng: Rng,
}

impl Customary {
    /// An empty estimate for this role.
    pub fn new(role: Role) -> Self {
        let rng = Seed::from(0).derive("customary").rng();
        Customary { role, after: FxHashMap::default(), matches: 0, rng }
    }

    /// Plays more random matches, until there are enough or patience ends. A later call continues.
    pub fn learn(
        &mut self,
        game: &dyn Game,
        worker: &mut dyn Worker,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Halt> {
        while self.matches < MATCHES && patience() {
            self.matches += 1;
            match self.play(game, worker, patience, stop) {
                // If the rules fail, the match ends.
                Ok(()) | Err(Halt::Rules(_)) => {}
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    fn play(
        &mut self,
        game: &dyn Game,
        worker: &mut dyn Worker,
        patience: &dyn Fn() -> bool,
        stop: &Stop,
    ) -> Result<(), Halt> {
        worker.reset();
        let (mut step, mut joint) = (Step::new(), Vec::new());
        let mut perceived: Option<Box<[Percept]>> = None;
        for _ in 0..STEPS {
            if worker.terminal() || !patience() {
                break;
            }
            if !worker.silent()
                && let Some(perceived) = perceived.take()
            {
                self.after.entry(perceived).or_default().add(worker.legal(self.role), 1.0);
            }
            joint.clear();
            for role in game.info().all_roles() {
                let chance = game.info().chance == Some(role);
                let weights = if chance { worker.weights() } else { &[] };
                let choice = draw(worker.legal(role), weights, &mut self.rng);
                joint.push(choice.unwrap_or(Move::IDLE));
            }
            worker.step(&joint, &mut step, stop)?;
            if step.tick {
                perceived = Some(step.percepts.of(self.role).into());
            }
        }
        Ok(())
    }

    /// The votes of the states in which the role has just had these percepts; `None` if there were
    /// few.
    pub fn after(&self, seen: &Observation) -> Option<&Votes> {
        match seen {
            Observation::Percepts(percepts) => {
                self.after.get(&percepts[..]).filter(|votes| votes.total() >= ENOUGH)
            }
            Observation::Joint(_) => None,
        }
    }
}
