//! One match with clocks and threads.

use std::sync::Arc;
use std::time::Duration;

use magister_core::record::MatchLimits;
use magister_core::{
    Event, Fault, FaultKind, Game, Match, MatchEnd, MatchRecord, PlayerSource, Seed, Setup, Stop,
};

use crate::clock::TimeControl;
use crate::driver::Driver;
use crate::person::Person;

/// A game and the conditions of its matches: thinking time, and the interface to people.
#[derive(Clone)]
pub struct Contest {
    /// The game.
    pub game: Arc<dyn Game>,
    /// How long a player may think.
    pub limits: TimeControl,
    /// The number of random turns at the start, for variety.
    pub opening: u32,
    /// The number of turns after which a match is broken off.
    pub max_steps: u32,
    /// How long the rules may take for one step before the match is broken off, and how long a
    /// source may take to create a player.
    pub patience: Duration,
    /// The interface to people, if people play.
    pub person: Option<Arc<dyn Person>>,
    /// Whether local players think at the same time.
    pub asking: Asking,
    /// The number of threads that this match may use if players think at the same time.
    pub cores: usize,
    /// Whether the record keeps the players' thoughts.
    pub thoughts: bool,
    /// Prepares the players of each match, if needed.
    pub seating: Option<Arc<dyn Seating>>,
}

/// Prepares players for one match. Sources know nothing about matches, but remote players need the
/// name of their match, which all players of the match share.
pub trait Seating: Send + Sync {
    /// The name of a match that is about to begin, and its players in the same order. This may wait
    /// until they are free; they are reserved until the returned sources are dropped.
    fn seat(
        &self,
        game: &dyn Game,
        players: &[Arc<dyn PlayerSource>],
    ) -> (Option<String>, Vec<Arc<dyn PlayerSource>>);
}

/// Whether local players think at the same time, if several must decide in a turn. People and
/// remote players are always asked at the same time as all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// At the same time if each of their threads has its own processor ([`Contest::cores`]),
    /// otherwise one after the other, so that they do not take time from each other.
    #[default]
    Fair,
    /// At the same time.
    Together,
    /// One after the other.
    InTurn,
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
    pub fn new(game: Arc<dyn Game>, limits: TimeControl) -> Self {
        Contest {
            game,
            limits,
            opening: 0,
            max_steps: 10_000,
            patience: Duration::from_mins(1),
            person: None,
            asking: Asking::default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            thoughts: false,
            seating: None,
        }
    }

    /// The same contest with its share of the cores when this number of matches run at once.
    pub(crate) fn sharing(&self, matches: usize) -> Contest {
        Contest { cores: self.cores / matches.max(1), ..self.clone() }
    }

    /// The limits as recorded.
    pub fn recorded_limits(&self) -> MatchLimits {
        let (opening, max_steps) = (self.opening, self.max_steps);
        MatchLimits { opening, max_steps, ..self.limits.recorded() }
    }

    /// Plays a match of these players, one for each seat, in role order without chance.
    ///
    /// Chance, the opening, the substitutes for missing moves and each player draw from seeds that
    /// do not reveal each other.
    pub fn play(&self, players: &[Arc<dyn PlayerSource>], seed: Seed) -> MatchRecord {
        self.watch(players, seed, &mut |_| {})
    }

    /// Plays a match and passes on all events as they happen. The events are complete;
    /// [`Event::seen_by`] restricts them to a viewer.
    pub fn watch(
        &self,
        players: &[Arc<dyn PlayerSource>],
        seed: Seed,
        observer: &mut dyn FnMut(&Event),
    ) -> MatchRecord {
        let seated = self.seating.as_ref().map(|seating| seating.seat(&*self.game, players));
        let (id, players) = match &seated {
            Some((id, players)) => (id.clone(), &players[..]),
            None => (None, players),
        };
        let setup = Setup {
            id,
            limits: self.recorded_limits(),
            thoughts: self.thoughts,
            ..Setup::new(seed, players.iter().map(|player| player.seat()).collect())
        };
        let begin = |stop: &Stop| Match::new(&self.game, &setup, stop);
        match Driver::new(self, players, begin, observer) {
            Ok(driver) => driver.run(),
            Err(error) => self.unplayed(setup, error),
        }
    }

    /// Continues a paused match from its record. Chance makes the same moves as without the pause.
    /// The error says why the record cannot be continued.
    pub fn resume(
        &self,
        players: &[Arc<dyn PlayerSource>],
        record: &MatchRecord,
    ) -> Result<MatchRecord, String> {
        let begin = |stop: &Stop| Match::from_record(&self.game, record, stop);
        Ok(Driver::new(self, players, begin, &mut |_| {})?.run())
    }

    /// The record of a match that could not start.
    fn unplayed(&self, setup: Setup, what: String) -> MatchRecord {
        let mut record = MatchRecord::new(self.game.info(), setup.seed);
        record.players = setup.seats.iter().map(|seat| seat.player.clone()).collect();
        record.rewards = vec![None; record.players.len()];
        record.limits = setup.limits;
        record.end = Some(MatchEnd::BrokenOff);
        let (kind, answer, played) = (FaultKind::BrokenOff, None, None);
        record.errors = vec![Fault { step: 0, seat: None, role: None, kind, what, answer, played }];
        record
    }
}
