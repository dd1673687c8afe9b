//! Work on the circuit of a game within a time limit, or on small games only.

use std::time::Duration;

use magister_core::{Game, Halt, Stop};
use magister_engine::evaluator::CompiledGame;
use magister_engine::{Compiled, within};

/// Work on a game that is done without a time limit only if the game is small, so that its cost
/// stays small as well and does not depend on the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Splitting a game, and searching its parts.
    Split,
    /// Recognising a puzzle of placements and solving it, which is cheaper.
    Placement,
}

impl Work {
    /// The maximum number of wires times moves of a small game.
    fn limit(self) -> usize {
        match self {
            Work::Split => 4_000_000,
            Work::Placement => 40_000_000,
        }
    }
}

/// Whether a game is small enough for this work without a time limit.
pub fn is_small(game: &dyn Game, work: Work) -> bool {
    compiled(game).is_some_and(|compiled| {
        let network = compiled.network();
        network.graph.edges().saturating_mul(network.moves.len()) <= work.limit()
    })
}

/// Does some work on the circuit of a game within a time limit. Without one, only small games are
/// processed.
pub(crate) fn attempt<T>(
    game: &dyn Game,
    kind: Work,
    time: Option<Duration>,
    stop: &Stop,
    work: impl FnOnce(&Compiled, &Stop) -> Result<Option<T>, Halt>,
) -> Result<Option<T>, Halt> {
    let Some(compiled) = compiled(game) else { return Ok(None) };
    match time {
        Some(time) => match within(time, stop, |stop| work(compiled, stop)) {
            // The time for this work was up, not that of the caller.
            Err(Halt::Stopped) if !stop.is_set() => Ok(None),
            other => other,
        },
        None if is_small(game, kind) => work(compiled, stop),
        None => Ok(None),
    }
}

/// The circuit of a game, if it has one.
fn compiled(game: &dyn Game) -> Option<&Compiled> {
    let game = game.as_any()?.downcast_ref::<CompiledGame>()?;
    Some(game.compiled())
}
