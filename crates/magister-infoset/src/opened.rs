//! A game as if it hid nothing, from one of its states on.

use std::sync::Arc;

use magister_core::{
    Batch, Board, Features, Game, Halt, Info, Information, Move, Results, Role, Step, Stop, Text,
    View, Worker,
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
        let mut worker = OpenedWorker {
            worker: self.game.worker(),
            info: Arc::clone(&self.info),
            start: Arc::clone(&self.start),
        };
        worker.reset();
        Box::new(worker)
    }

    fn text(&self) -> &dyn Text {
        self.game.text()
    }

    fn board(&self) -> Option<&dyn Board> {
        self.game.board()
    }

    fn features(&self) -> Option<&dyn Features> {
        self.game.features()
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("game", &self.info.name).finish_non_exhaustive()
    }
}

struct OpenedWorker {
    worker: Box<dyn Worker>,
    info: Arc<Info>,
    start: Arc<[u64]>,
}

impl Worker for OpenedWorker {
    fn info(&self) -> &Info {
        &self.info
    }

    fn reset(&mut self) {
        // It is a state of the game, so it can be loaded.
        let _ = self.worker.load(&self.start, &Stop::never());
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        self.worker.load(state, stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        self.worker.save(out);
    }

    fn terminal(&self) -> bool {
        self.worker.terminal()
    }

    fn legal(&self, role: Role) -> &[Move] {
        self.worker.legal(role)
    }

    fn weights(&self) -> &[u32] {
        self.worker.weights()
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        self.worker.step(joint, out, stop)
    }

    fn perceive(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<bool, Halt> {
        self.worker.perceive(joint, out, stop)
    }

    fn undo(&mut self) -> bool {
        self.worker.undo()
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.worker.goals(role, out);
    }

    fn lanes(&self) -> usize {
        self.worker.lanes()
    }

    fn playouts(&mut self, batch: &Batch<'_>, out: &mut Results, stop: &Stop) -> Result<(), Halt> {
        self.worker.playouts(batch, out, stop)
    }

    fn side_by_side(&self, streams: usize) -> usize {
        self.worker.side_by_side(streams)
    }
}
