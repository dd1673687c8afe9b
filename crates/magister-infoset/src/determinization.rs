//! Determinization: a game with perfect information that starts in a given state.

use std::sync::Arc;

use magister_core::{
    Board, Game, Info, Information, Role, StateTensors, Stop, Text, Twist, View, Worker, Wrapped,
};

/// A game with perfect information that starts in a given state. Players for perfect information
/// search it to evaluate a sampled or revealed state.
///
/// The caller provides the state. A sampled state leaks nothing. The true state comes only from
/// [`Referee::reveal`](magister_core::Referee::reveal), and the match record reports that.
pub struct Determinization {
    game: Arc<dyn Game>,
    info: Arc<Info>,
    start: Arc<[u64]>,
}

impl Determinization {
    /// The view of a role in the determinization of a state.
    pub fn view(game: &Arc<dyn Game>, state: &[u64], role: Role) -> View {
        View::new(Arc::new(Self::new(game, state)), role)
    }

    /// The determinization of a state, which must belong to the game.
    pub fn new(game: &Arc<dyn Game>, state: &[u64]) -> Self {
        let info = Info { information: Information::Perfect, ..game.info().clone() };
        Determinization { game: Arc::clone(game), info: Arc::new(info), start: state.into() }
    }
}

impl Game for Determinization {
    fn info(&self) -> &Info {
        &self.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let start = Start(Arc::clone(&self.start));
        Box::new(Wrapped::new(self.game.worker(), Arc::clone(&self.info), start))
    }

    fn text(&self) -> &dyn Text {
        self.game.text()
    }

    fn board(&self) -> Option<&dyn Board> {
        self.game.board()
    }

    fn tensors(&self) -> Option<&dyn StateTensors> {
        self.game.tensors()
    }
}

impl std::fmt::Debug for Determinization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Determinization").field("game", &self.info.name).finish_non_exhaustive()
    }
}

/// The start state of a determinization.
struct Start(Arc<[u64]>);

impl Twist for Start {
    fn reset(&self, worker: &mut dyn Worker) {
        // It is a state of the game, so it can be loaded.
        let _ = worker.load(&self.0, &Stop::never());
    }
}
