//! Many matches of the same players, in all seatings.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, Scope};

use magister_core::{MatchRecord, PlayerSource, Seed};

use crate::contest::Contest;

/// Up to this number of players, every permutation is a seating; above it, only the cyclic shifts.
const ALL_ORDERS: usize = 4;

/// A series of matches.
#[derive(Clone, Debug)]
pub struct Series {
    /// The game and its conditions.
    pub contest: Contest,
    /// The players: one for each seat, or a single one for all seats.
    pub players: Vec<Arc<dyn PlayerSource>>,
    /// The number of matches.
    pub games: u64,
    /// The seed of all random draws.
    pub seed: Seed,
    /// The number of matches that run at the same time. It has no influence if only iterations are
    /// limited; with a clock, the players take time from each other.
    pub jobs: usize,
}

/// Why a series cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesError {
    /// The number of players does not fit the game.
    Players {
        /// The number of seats.
        seats: usize,
        /// The number of players given.
        named: usize,
    },
    /// A player does not support hidden information.
    Hidden {
        /// The player.
        player: String,
        /// The game.
        game: String,
    },
    /// No thread could be started, for this reason.
    Threads(String),
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeriesError::Threads(error) => write!(f, "no thread could be started: {error}"),
            SeriesError::Players { seats, named } => write!(
                f,
                "the number of players is {named}, but the number of seats is {seats}; give one \
                 player for each seat, or one for all"
            ),
            SeriesError::Hidden { player, game } => {
                write!(
                    f,
                    "{player} does not play games with hidden information, and {game} is one; try \
                     `honest`"
                )
            }
        }
    }
}

impl std::error::Error for SeriesError {}

impl Series {
    /// Plays all matches and passes on the record of each, in order, until the callback stops the
    /// series.
    pub fn play(
        &self,
        each: impl FnMut(u64, MatchRecord) -> ControlFlow<()>,
    ) -> Result<(), SeriesError> {
        let orders = seatings(self.seated()?.len());
        let plan = |number: u64| {
            (orders[number as usize % orders.len()].clone(), self.seed.derive_index(number))
        };
        self.play_as(plan, each)
    }

    /// The same with a plan that gives the seating and the seed of each match.
    pub(crate) fn play_as(
        &self,
        plan: impl Fn(u64) -> (Vec<usize>, Seed) + Sync,
        mut each: impl FnMut(u64, MatchRecord) -> ControlFlow<()>,
    ) -> Result<(), SeriesError> {
        let players = self.seated()?;
        let next = AtomicU64::new(0);
        let (done, records) = mpsc::channel();
        let contest = &self.contest.sharing(self.jobs);
        std::thread::scope(|scope| {
            let (next, players, plan) = (&next, &players, &plan);
            crew(scope, self.jobs, self.games, move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= self.games {
                        return;
                    }
                    let (seating, seed) = plan(number);
                    let seated: Vec<_> =
                        seating.iter().map(|&player| Arc::clone(&players[player])).collect();
                    let record = contest.play(&seated, seed);
                    if done.send((number, record)).is_err() {
                        return;
                    }
                }
            })
            .map_err(|error| SeriesError::Threads(error.to_string()))?;
            let mut early = BTreeMap::new();
            let mut due = 0;
            for (number, record) in records {
                early.insert(number, record);
                while let Some(record) = early.remove(&due) {
                    if each(due, record).is_break() {
                        // Matches in progress are finished and ignored.
                        next.store(self.games, Ordering::Relaxed);
                        return Ok(());
                    }
                    due += 1;
                }
            }
            Ok(())
        })
    }

    /// A player for each seat.
    fn seated(&self) -> Result<Vec<Arc<dyn PlayerSource>>, SeriesError> {
        let info = self.contest.game.info();
        let seats = info.players().count();
        if info.information == magister_core::Information::Hidden
            && let Some(player) = self.players.iter().find(|one| !one.capabilities().hidden)
        {
            let (player, game) = (player.name(), info.name.clone());
            return Err(SeriesError::Hidden { player, game });
        }
        match &self.players[..] {
            [one] => Ok((0..seats).map(|_| Arc::clone(one)).collect()),
            many if many.len() == seats => Ok(many.to_vec()),
            many => Err(SeriesError::Players { seats, named: many.len() }),
        }
    }
}

/// The maximum number of concurrent matches: each uses threads for its players.
const CREW: usize = 256;

/// Starts a number of threads that run the same work, but at most one per item. With fewer threads
/// than requested the work takes longer; with none it is an error.
pub(crate) fn crew<'scope>(
    scope: &'scope Scope<'scope, '_>,
    jobs: usize,
    work: u64,
    run: impl FnOnce() + Clone + Send + 'scope,
) -> io::Result<()> {
    let most = usize::try_from(work).unwrap_or(CREW).min(CREW);
    for number in 0..jobs.min(most).max(1) {
        match Builder::new().spawn_scoped(scope, run.clone()) {
            Ok(_) => {}
            Err(error) if number == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(())
}

/// The seatings of a number of players; the first is the order in which they were given.
pub fn seatings(players: usize) -> Vec<Vec<usize>> {
    if players > ALL_ORDERS {
        let turned = |by| (0..players).map(|seat| (seat + by) % players).collect();
        return (0..players).map(turned).collect();
    }
    let mut orders = vec![Vec::new()];
    for _ in 0..players {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let left = (0..players).filter(|player| !order.contains(player));
            left.map(|player| [&order[..], &[player]].concat()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_than_work() {
        for (jobs, work, most) in [(0, 5, 1), (3, 5, 3), (usize::MAX, 5, 5), (300, 1_000, CREW)] {
            let count = AtomicU64::new(0);
            std::thread::scope(|scope| {
                crew(scope, jobs, work, || {
                    count.fetch_add(1, Ordering::Relaxed);
                })
                .unwrap();
            });
            assert_eq!(count.into_inner(), most as u64, "{jobs} {work}");
        }
    }

    #[test]
    fn every_player_takes_every_seat() {
        assert_eq!(seatings(2), [[0, 1], [1, 0]]);
        assert_eq!(seatings(3).len(), 6);
        assert_eq!(seatings(3)[1], [0, 2, 1]);
        assert_eq!(seatings(6).len(), 6);
        assert_eq!(seatings(6)[1], [1, 2, 3, 4, 5, 0]);
    }
}
