//! Playable games.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Halt, Stop, Style};
use magister_engine::board::Painter;
use magister_engine::evaluator::{NetworkGame, Playouts};
use magister_engine::{Prepared, within};
use magister_recycle::CardGame;

use crate::{Language, Source};

/// How long [`Playable::warm_up`] may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A playable game with everything that belongs to it.
pub struct Playable {
    /// Its name.
    pub name: String,
    /// The game.
    pub game: Arc<dyn Game>,
    /// The name of its evaluator; `rust` for a game written in Rust, `recycle` for a card game.
    pub evaluator: &'static str,
    /// The time for preparing the game from its text.
    pub took: Duration,
    /// The engine's result, if the game was built from rules.
    pub prepared: Option<Prepared>,
    /// Its source.
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

    /// Its language.
    pub fn language(&self) -> Language {
        self.source.language()
    }

    /// Its rules as text, if it has any.
    pub fn rules(&self) -> Option<&str> {
        self.source.input().map(|input| input.text.as_str())
    }

    /// The game on its network, if it has one.
    pub fn network(&self) -> Option<&Arc<NetworkGame>> {
        self.prepared.as_ref()?.network.as_ref()
    }

    /// Creates the data that players need beyond single steps. Batch playouts run on vectors if
    /// that is faster; this is compiled and measured now instead of on a player's clock. If it
    /// takes more than 20 seconds, the game is played without vectors.
    pub fn warm_up(&self) {
        let _ = self.warm_up_within(PATIENCE, &Stop::never());
    }

    /// [`Playable::warm_up`] with the caller's time limit and flag. An error means that it was not
    /// finished, and the game is played without vectors.
    pub fn warm_up_within(&self, time: Duration, stop: &Stop) -> Result<(), Halt> {
        let Some(network) = self.network() else { return Ok(()) };
        within(time, stop, |stop| network.warm_up(stop))
    }

    /// The same game with playouts that run step by step.
    #[must_use]
    pub fn one_by_one(mut self) -> Self {
        if let Some(network) = self.network() {
            self.game = Arc::new(network.playing(Playouts::OneByOne));
        }
        self
    }

    /// Determines how to draw positions of the game. This may take some time in large games, so
    /// keep the painter.
    pub fn painter(&self) -> Painter {
        self.painter_with(self.source.style())
    }

    /// The same with another style.
    pub fn painter_with(&self, style: &Style) -> Painter {
        let network = self.network().map(|network| network.network());
        let program = self.source.program().and_then(Result::ok);
        Painter::new(&*self.game, network, program.as_ref(), style)
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
