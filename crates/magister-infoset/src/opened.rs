//! A game as if it hid nothing, from one of its states on.

use std::sync::Arc;

use magister_core::{
    Board, Game, Info, Information, Role, StateTensors, Stop, Text, Twist, View, Worker, Wrapped,
};

/// A game that begins in a given state and in which everybody sees everything: what a player of
/// perfect information is given to think about a state that somebody imagines or was shown.
///
/// The state is that of whoever makes it. A sampled one betrays nothing; the true one is only had
/// from [`Referee::reveal`](magister_core::Referee::reveal), which the record tells.
pub struct Opened {
    game: Arc<dyn Game>,
    info: Arc<Info>,
    start: Arc<[u64]>,
}

impl Opened {
    /// A game from a state on, as somebody sees it who knows everything.
    pub fn view(game: &Arc<dyn Game>, state: &[u64], role: Role) -> View {
        View::new(Arc::new(Self::new(game, state)), role)
    }

    /// A game from a state on, which must be one of the game.
    pub fn new(game: &Arc<dyn Game>, state: &[u64]) -> Self {
        let info = Info { information: Information::Perfect, ..game.info().clone() };
        Opened { game: Arc::clone(game), info: Arc::new(info), start: state.into() }
    }
}

impl Game for Opened {
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

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("game", &self.info.name).finish_non_exhaustive()
    }
}

/// Where an opened game begins.
struct Start(Arc<[u64]>);

impl Twist for Start {
    fn reset(&self, worker: &mut dyn Worker) {
        // It is a state of the game, so it can be loaded.
        let _ = worker.load(&self.0, &Stop::never());
    }
}
