//! One match.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Seed};

use crate::clock::Limits;
use crate::person::Person;
use crate::report::{GameReport, Mishap};
use crate::seat::Maker;
use crate::table::Table;

/// A game, who plays it and how long they may think.
#[derive(Clone)]
pub struct Contest {
    /// The game.
    pub game: Arc<dyn Game>,
    /// How long a player may think.
    pub limits: Limits,
    /// So many steps at the start are random, for variety.
    pub opening: u32,
    /// A match that is longer is broken off.
    pub max_steps: u32,
    /// How long the rules themselves may take for one step before the match is broken off.
    pub patience: Duration,
    /// Who asks the people, where people play.
    pub person: Option<Arc<dyn Person>>,
}

/// Who sits on a seat.
#[derive(Clone)]
pub enum Sitter {
    /// A player, made by this.
    Agent(Maker),
    /// A person.
    Person,
}

impl std::fmt::Debug for Sitter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sitter::Agent(_) => "Agent",
            Sitter::Person => "Person",
        })
    }
}

impl std::fmt::Debug for Contest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contest")
            .field("game", &self.game.info().name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Contest {
    /// A match of this game with these limits.
    pub fn new(game: Arc<dyn Game>, limits: Limits) -> Self {
        Contest {
            game,
            limits,
            opening: 0,
            max_steps: 10_000,
            patience: Duration::from_mins(1),
            person: None,
        }
    }

    /// Plays a match: one name and one maker for each seat, in the order of the roles that are
    /// played.
    ///
    /// Chance, the opening, the substitutes for missing moves and each player draw from seeds
    /// that do not give each other away.
    pub fn play(&self, players: &[(String, Maker)], seed: Seed) -> GameReport {
        let sitter =
            |(name, maker): &(String, Maker)| (name.clone(), Sitter::Agent(Arc::clone(maker)));
        self.sit(&players.iter().map(sitter).collect::<Vec<_>>(), seed)
    }

    /// Plays a match of players and people.
    pub fn sit(&self, players: &[(String, Sitter)], seed: Seed) -> GameReport {
        let mut table = match Table::new(self, players, seed) {
            Ok(table) => table,
            Err(trouble) => return self.unplayed(players, seed, trouble),
        };
        table.run(self);
        table.report(self)
    }

    /// The report of a match that could not begin.
    fn unplayed(&self, players: &[(String, Sitter)], seed: Seed, what: String) -> GameReport {
        GameReport {
            game: self.game.info().name.clone(),
            seed: seed.to_string(),
            players: players.iter().map(|(name, _)| name.clone()).collect(),
            moves: Vec::new(),
            rewards: vec![None; players.len()],
            clairvoyant: Vec::new(),
            errors: vec![Mishap::new(0, None, "broken-off", what)],
            times_ms: Vec::new(),
        }
    }
}
