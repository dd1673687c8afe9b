//! Games that can be played.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Halt, Stop};
use magister_engine::board::Painter;
use magister_engine::evaluator::{NetworkGame, Playouts};
use magister_engine::{Prepared, within};
use magister_recycle::CardGame;

use crate::{Language, Source};

/// How long [`Playable::warm_up`] may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A game that can be played, with all that belongs to it.
pub struct Playable {
    /// What to call it.
    pub name: String,
    /// The game.
    pub game: Arc<dyn Game>,
    /// The name of its evaluator; `rust` for a game written in Rust, `recycle` for a card game.
    pub evaluator: &'static str,
    /// The time from text to game.
    pub took: Duration,
    /// What the engine made of it, if it was made of rules.
    pub prepared: Option<Prepared>,
    /// Where it comes from.
    pub source: Source,
}

impl Playable {
    pub(crate) fn new(source: Source, prepared: Prepared, took: Duration) -> Self {
        Playable {
            name: source.name().to_owned(),
            game: Arc::clone(&prepared.game),
            evaluator: prepared.evaluator.name(),
            took,
            prepared: Some(prepared),
            source,
        }
    }

    pub(crate) fn native(source: Source, game: Arc<dyn Game>) -> Self {
        Playable {
            name: source.name().to_owned(),
            game,
            evaluator: "rust",
            took: Duration::ZERO,
            prepared: None,
            source,
        }
    }

    pub(crate) fn cards(source: Source, game: &CardGame, took: Duration) -> Self {
        Playable {
            name: source.name().to_owned(),
            game: Arc::new(game.clone()),
            evaluator: "recycle",
            took,
            prepared: None,
            source,
        }
    }

    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.source.language()
    }

    /// Its rules as text, if it is made of rules.
    pub fn rules(&self) -> Option<&str> {
        self.source.input().map(|input| input.text.as_str())
    }

    /// The game on its network, if it runs on one.
    pub fn network(&self) -> Option<&Arc<NetworkGame>> {
        self.prepared.as_ref()?.network.as_ref()
    }

    /// Makes what players need beyond single steps: batches of playouts run on vectors where that
    /// is faster, which is compiled and measured now and not on a player's clock. A game for which
    /// that takes more than 20 seconds is played without.
    pub fn warm_up(&self) {
        let _ = self.warm_up_within(PATIENCE, &Stop::never());
    }

    /// [`Playable::warm_up`] with a time and a flag of the caller's. An error says that it was not
    /// finished, and the game is played without.
    pub fn warm_up_within(&self, time: Duration, stop: &Stop) -> Result<(), Halt> {
        let Some(network) = self.network() else { return Ok(()) };
        within(time, stop, |stop| network.choices(stop)).map(drop)
    }

    /// The same game, whose playouts are made step by step.
    #[must_use]
    pub fn one_by_one(mut self) -> Self {
        if let Some(network) = self.network() {
            self.game = Arc::new(network.playing(Playouts::OneByOne));
        }
        self
    }

    /// Finds out how to draw positions of the game. That may take some time in large games; keep
    /// the painter.
    pub fn painter(&self) -> Painter {
        let network = self.network().map(|network| network.network());
        let program = self.source.program().and_then(Result::ok);
        Painter::new(&*self.game, network, program.as_ref(), self.source.style())
    }
}

impl fmt::Debug for Playable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playable")
            .field("name", &self.name)
            .field("evaluator", &self.evaluator)
            .field("took", &self.took)
            .finish_non_exhaustive()
    }
}
