//! The information state of a player in a match.

use std::fmt;
use std::sync::Arc;

use crate::{Game, Halt, Move, Observation, Role, Stop, Turn, Worker};

/// A match from the perspective of one role: the rules, its own moves and its observations.
///
/// An agent gets nothing else, so agents are honest by construction. The view contains no state and
/// gives no access to one:
///
/// ```compile_fail
/// fn peek(view: &magister_core::View) -> &[u64] {
///     view.state()
/// }
/// ```
///
/// Any code may build a view, because that reveals nothing: it contains only what was pushed into
/// it. A player that models another player does exactly that: it samples moves and percepts, builds
/// the view that the other player would have, and computes what it would do.
///
/// With perfect information the observations determine the state, and [`replay`](View::replay)
/// reconstructs it.
#[derive(Clone)]
pub struct View {
    game: Arc<dyn Game>,
    role: Role,
    turns: Vec<Turn>,
}

impl View {
    /// The view of a role before the first turn.
    pub fn new(game: Arc<dyn Game>, role: Role) -> Self {
        View { game, role, turns: Vec::new() }
    }

    /// Adds a turn.
    pub fn push(&mut self, turn: Turn) {
        self.turns.push(turn);
    }

    /// Removes turns until this many are left, for players that simulate continuations.
    pub fn truncate(&mut self, turns: usize) {
        self.turns.truncate(turns);
    }

    /// The game with its rules, but not its state.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// All turns so far, in order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Brings a worker of the same game to the current state, with perfect information;
    /// [`Halt::Hidden`] otherwise.
    pub fn replay(&self, worker: &mut dyn Worker, stop: &Stop) -> Result<(), Halt> {
        replay(&self.turns, worker, stop)
    }
}

/// Brings a worker to the state after these turns, with perfect information.
pub fn replay(turns: &[Turn], worker: &mut dyn Worker, stop: &Stop) -> Result<(), Halt> {
    let mut step = crate::Step::new();
    worker.reset();
    for turn in turns {
        let Observation::Joint(joint) = &turn.seen else {
            return Err(Halt::Hidden);
        };
        worker.step(joint, &mut step, stop)?;
    }
    Ok(())
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("game", &self.game.info().name)
            .field("role", &self.role)
            .field("turns", &self.turns)
            .finish()
    }
}

/// What one role observes of a step at which the players had a turn.
pub fn observe(
    information: crate::Information,
    role: Role,
    joint: &[Move],
    step: &crate::Step,
) -> Observation {
    match information {
        crate::Information::Perfect => Observation::Joint(joint.into()),
        crate::Information::Hidden => Observation::Percepts(step.percepts.of(role).into()),
    }
}
