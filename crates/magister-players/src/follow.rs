//! From a view to the current position, in games of perfect information.

use std::sync::Arc;

use magister_core::{Decision, Game, Halt, Move, Observation, Step, Stop, Turn, View, Worker};

/// A worker that follows a match turn by turn, so that the match is not replayed for every move. If
/// the match branches off from the history that it has followed, it returns to that turn.
#[derive(Default)]
pub struct Follower {
    match_: Option<Following>,
}

struct Following {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    turns: Vec<Turn>,
    /// The state before each turn, and the one after the last.
    states: Vec<Vec<u64>>,
}

impl Follower {
    /// A follower without a match.
    pub fn new() -> Self {
        Self::default()
    }

    /// A worker in the current position of a view. [`Halt::Hidden`] in games with hidden
    /// information. After an error, the turns followed so far are kept.
    pub fn follow(&mut self, view: &View, stop: &Stop) -> Result<&mut dyn Worker, Halt> {
        if view.game().info().information == magister_core::Information::Hidden {
            return Err(Halt::Hidden);
        }
        if !self.match_.as_ref().is_some_and(|now| Arc::ptr_eq(&now.game, view.game())) {
            let game = Arc::clone(view.game());
            let mut worker = game.worker();
            worker.reset();
            let mut state = Vec::new();
            worker.save(&mut state);
            self.match_ = Some(Following { game, worker, turns: Vec::new(), states: vec![state] });
        }
        let Some(now) = &mut self.match_ else { return Err(Halt::Hidden) };
        let common = now.turns.iter().zip(view.turns()).take_while(|(a, b)| a == b).count();
        now.turns.truncate(common);
        now.states.truncate(common + 1);
        now.worker.load(&now.states[common], stop)?;
        let mut step = Step::new();
        for turn in &view.turns()[common..] {
            let Observation::Joint(joint) = &turn.seen else { return Err(Halt::Hidden) };
            now.worker.step(joint, &mut step, stop)?;
            let mut state = Vec::new();
            now.worker.save(&mut state);
            now.states.push(state);
            now.turns.push(turn.clone());
        }
        Ok(&mut *now.worker)
    }
}

/// The decision in the current position of a match.
pub(crate) enum Standing<'a> {
    /// There is at most one move.
    Settled(Decision),
    /// There are several moves.
    Open {
        /// A worker in the position.
        worker: &'a mut dyn Worker,
        /// The moves.
        legal: Vec<Move>,
        /// The position.
        state: Vec<u64>,
    },
}

impl Follower {
    /// Follows a match and determines the decision of its role.
    pub(crate) fn standing(&mut self, view: &View, stop: &Stop) -> Result<Standing<'_>, Halt> {
        let worker = self.follow(view, stop)?;
        let legal = worker.legal(view.role()).to_vec();
        if legal.len() < 2 {
            return Ok(Standing::Settled(legal.first().copied().unwrap_or(Move::IDLE).into()));
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        Ok(Standing::Open { worker, legal, state })
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let turns = self.match_.as_ref().map_or(0, |now| now.turns.len());
        f.debug_struct("Follower").field("turns", &turns).finish_non_exhaustive()
    }
}
