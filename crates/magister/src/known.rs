//! The knowledge of a role with hidden information: the positions that are consistent with its
//! observations, and its moves in them.

use std::sync::Arc;
use std::time::Duration;

use magister_arena::Deadline;
use magister_core::{Budget, Game, Move, Rng, Role, Seed, Stop, View, Worker};
use magister_engine::within;
use magister_infoset::{Belief, InfosetLimits, Settings};
use magister_players::Possible;

/// The number of states whose moves are compared.
const COMPARED: usize = 64;

/// The effort for determining the knowledge of a role.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time limit for one position.
    pub patience: Duration,
    /// The maximum size of an information set that is enumerated.
    pub states: usize,
    /// The size of the sample of a larger one.
    pub particles: usize,
}

/// Tracks the information set of one role during a match.
pub struct Follower {
    role: Role,
    effort: Effort,
    worker: Box<dyn Worker>,
    belief: Option<Belief>,
    possible: Possible,
    rng: Rng,
}

/// The legal moves of a role, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownMoves {
    /// The moves.
    pub moves: Vec<Move>,
    /// Whether they come from a position that is consistent with all observations.
    pub agrees: bool,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("role", &self.role).finish_non_exhaustive()
    }
}

impl Follower {
    /// The state before the first turn.
    pub fn new(game: &Arc<dyn Game>, role: Role, effort: Effort) -> Self {
        let rng = Seed::from(0).derive("possible").rng();
        let (worker, possible) = (game.worker(), Possible::default());
        Follower { role, effort, worker, belief: None, possible, rng }
    }

    /// Advances to the end of a view. Returns the moves that are legal in all consistent positions;
    /// if there are none, those of one position.
    pub fn follow(&mut self, view: &View) -> KnownMoves {
        let Follower { role, effort, worker, belief, possible, rng } = self;
        let (role, turns, game) = (*role, view.turns(), view.game());
        within(effort.patience, &Stop::never(), |stop| {
            let clock = Arc::new(Deadline::within(effort.patience));
            let budget = Budget::until(stop.clone()).with_clock(clock);
            let limits = InfosetLimits { states: effort.states, steps: 40 * effort.states as u64 };
            let settings = Settings { limits, particles: effort.particles, ..Settings::default() };
            let kept = belief.take().filter(|belief| belief.precedes(game, role, turns));
            let made = match kept {
                Some(kept) => Ok(kept),
                None => Belief::new(Arc::clone(game), role, settings, stop),
            };
            let followed = made.and_then(|mut made| {
                made.follow(turns, &budget, rng)?;
                Ok(made)
            });
            if let Ok(made) = followed {
                let moves = common_moves(&made, &mut **worker, role);
                *belief = Some(made);
                return KnownMoves { moves, agrees: true };
            }
            // If no consistent position is found, the moves come from one that is close.
            let (moves, agrees) = possible.moves(view, &budget, rng).unwrap_or_default();
            KnownMoves { moves, agrees }
        })
    }

    /// The positions that are consistent with the last view; `None` if they could not be found in
    /// time.
    pub fn belief(&self) -> Option<&Belief> {
        self.belief.as_ref()
    }
}

/// The moves that are legal in all examined states; if there are none, those of the first state.
fn common_moves(belief: &Belief, worker: &mut dyn Worker, role: Role) -> Vec<Move> {
    let stride = belief.len().div_ceil(COMPARED).max(1);
    let mut first: Option<Vec<Move>> = None;
    let mut common: Option<Vec<Move>> = None;
    for number in (0..belief.len()).step_by(stride) {
        if worker.load(belief.state(number), &Stop::never()).is_err() {
            continue;
        }
        let here = worker.legal(role);
        first.get_or_insert_with(|| here.to_vec());
        match &mut common {
            None => common = Some(here.to_vec()),
            Some(common) => common.retain(|choice| here.contains(choice)),
        }
    }
    common.filter(|common| !common.is_empty()).or(first).unwrap_or_default()
}
