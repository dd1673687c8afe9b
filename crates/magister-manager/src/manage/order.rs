//! Orders: matches that a manager is asked to play.

use std::sync::Arc;
use std::time::Duration;

use magister_arena::TimeControl;
use magister_core::record::MatchLimits;
use magister_core::{Game, PlayerKind, PlayerSource, Seat, Seed, Setup};
use magister_store::Place;

use crate::session::{Manner, match_name};
use crate::wire::WireGame;

/// A match that is to be played.
#[derive(Clone)]
pub struct Order {
    /// Its name, which is unique in a store.
    pub id: String,
    /// The game.
    pub game: Arc<dyn Game>,
    /// Its rules in the form that is sent to players.
    pub wire: Arc<WireGame>,
    /// Its rules as text, for the store.
    pub rules: Option<String>,
    /// The players in seat order.
    pub seats: Vec<SeatOrder>,
    /// The start clock.
    pub start: Duration,
    /// The play clock.
    pub play: Duration,
    /// How late an answer may be and still count.
    pub grace: Duration,
    /// The number of turns after which a match is broken off.
    pub max_steps: u32,
    /// The seed of all random draws.
    pub seed: Seed,
    /// The salt of the hash of the seed; by default it is derived from the seed.
    pub salt: Option<Seed>,
    /// The format of messages.
    pub manner: Manner,
    /// The tournament that it belongs to.
    pub tournament: Option<String>,
}

/// The player on a seat.
#[derive(Clone, Debug)]
pub enum SeatOrder {
    /// A remote player.
    Remote {
        /// Its name in records.
        name: String,
        /// Its address.
        address: String,
        /// Whether it recognises duplicate messages.
        repeats: bool,
    },
    /// A player of this process.
    Local(Arc<dyn PlayerSource>),
}

impl SeatOrder {
    /// The location of the player.
    pub(crate) fn place(&self) -> Place {
        match self {
            SeatOrder::Remote { address, repeats, .. } => {
                Place { address: Some(address.clone()), repeats: *repeats }
            }
            SeatOrder::Local(_) => Place { address: None, repeats: true },
        }
    }

    fn seat(&self) -> Seat {
        match self {
            SeatOrder::Remote { name, .. } => Seat {
                kind: PlayerKind::Remote,
                source: "ggp".to_owned(),
                asked_when_forced: true,
                ..Seat::new(name)
            },
            SeatOrder::Local(source) => source.seat(),
        }
    }
}

impl Order {
    /// The name of the match in the messages to a seat.
    pub(crate) fn id_of(&self, seat: usize) -> String {
        let place = |seat: &SeatOrder| match seat {
            SeatOrder::Remote { name, address, .. } => Some((name.clone(), address.clone())),
            SeatOrder::Local(_) => None,
        };
        let mine = self.seats.get(seat).and_then(place);
        let same = |other: &&SeatOrder| mine.is_some() && place(other) == mine;
        match_name(&self.id, self.seats.iter().take(seat).filter(same).count())
    }

    pub(crate) fn setup(&self) -> Setup {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        Setup {
            id: Some(self.id.clone()),
            salt: self.salt,
            limits: MatchLimits {
                time_ms: Some(ms(self.play)),
                start_ms: Some(ms(self.start)),
                grace_ms: ms(self.grace),
                max_steps: self.max_steps,
                ..MatchLimits::default()
            },
            ..Setup::new(self.seed, self.seats.iter().map(SeatOrder::seat).collect())
        }
    }

    pub(crate) fn control(&self) -> TimeControl {
        TimeControl {
            time: Some(self.play),
            start: Some(self.start),
            grace: self.grace,
            iterations: None,
        }
    }
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Order")
            .field("id", &self.id)
            .field("game", &self.game.info().name)
            .finish_non_exhaustive()
    }
}
