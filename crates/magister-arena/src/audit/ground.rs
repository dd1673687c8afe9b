//! A game for audits.

use std::sync::{Arc, OnceLock};

use magister_core::{Game, Role, Stop};
use magister_solve::Equilibrium;

use super::opponents::Opponents;
use super::watched::Watched;

/// A game with the data that all its audits share: its equilibrium, if it is small enough to be
/// solved.
pub struct Ground {
    pub(super) game: Arc<dyn Game>,
    pub(super) opponents: Opponents,
    watched: Vec<OnceLock<Option<Watching>>>,
}

/// The game in which all other roles see the state, and its solution.
pub(super) struct Watching {
    pub(super) game: Arc<dyn Game>,
    pub(super) solved: Equilibrium,
}

impl Ground {
    /// Solves the game if it is small. If the flag is set, it counts as too large.
    pub fn new(game: &Arc<dyn Game>, stop: &Stop) -> Self {
        let roles = game.info().roles.len();
        Ground {
            game: Arc::clone(game),
            opponents: Opponents::of(game, stop),
            watched: (0..roles).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The game in which all roles except this one see the state, if it is small enough to be
    /// solved.
    pub(super) fn watched(&self, role: Role, stop: &Stop) -> Option<&Watching> {
        let place = &self.watched[role.index()];
        if place.get().is_none() {
            let game: Arc<dyn Game> = Arc::new(Watched::new(&self.game, role));
            let solved = Opponents::of(&game, stop).solved;
            // A later call with more time may solve it.
            if !stop.is_set() {
                let _ = place.set(solved.map(|solved| Watching { game, solved }));
            }
        }
        place.get()?.as_ref()
    }
}

impl std::fmt::Debug for Ground {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ground")
            .field("game", &self.game.info().name)
            .field("solved", &self.opponents.solved.is_some())
            .finish_non_exhaustive()
    }
}
