//! Tournaments and their pairings.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use magister_core::{MatchRecord, PlayerSource, Seed};
use serde::{Deserialize, Serialize};

use crate::contest::Contest;
use crate::log::{Log, Pairing};
use crate::series::{crew, seatings};
use crate::settings::{Heading, Terms, TournamentSettings};
use crate::swiss::{self, Standings};

/// The pairing system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// All players meet all others.
    RoundRobin,
    /// In each round, players with similar scores meet.
    Swiss,
}

/// A tournament of some players on some games.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The games.
    pub games: Vec<Contest>,
    /// The players.
    pub players: Vec<Arc<dyn PlayerSource>>,
    /// The pairing system.
    pub system: System,
    /// Matches of each group in a round robin, or rounds of a Swiss tournament.
    pub rounds: u32,
    /// The seed of all random draws.
    pub seed: Seed,
    /// The number of matches that run at the same time.
    pub jobs: usize,
}

/// The maximum number of matches; more would fill the memory.
const MOST: u128 = 1_000_000;

/// Why a tournament cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TournamentError {
    /// A player is given twice.
    Player(String),
    /// A game is given twice.
    Game(String),
    /// A player has no opponents in this game.
    Alone(String),
    /// There would be too many matches; this is their number.
    Large(u128),
    /// The matches of the log were played with these different settings.
    Settings(Vec<String>),
}

impl fmt::Display for TournamentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TournamentError::Player(name) => write!(
                f,
                "the player {name} is given twice; give each once, or give one of them other \
                 parameters"
            ),
            TournamentError::Game(name) => {
                write!(
                    f,
                    "the game {name} is given twice; for more matches of it, use more --rounds"
                )
            }
            TournamentError::Alone(game) => {
                write!(f, "there are no opponents in {game}; give two players or more")
            }
            TournamentError::Large(matches) => write!(
                f,
                "the tournament would have {matches} matches, but {MOST} is the maximum; give fewer \
                 players, or fewer --rounds"
            ),
            TournamentError::Settings(differences) => write!(
                f,
                "its matches were played with different settings ({}); repeat the options they were \
                 played with, or use another log",
                differences.join("; ")
            ),
        }
    }
}

impl std::error::Error for TournamentError {}

impl Tournament {
    /// Whether it can be played.
    pub fn check(&self) -> Result<(), TournamentError> {
        let mut known = BTreeSet::new();
        if let Some(twice) = self.names().into_iter().find(|name| !known.insert(name.clone())) {
            return Err(TournamentError::Player(twice));
        }
        let games = || self.games.iter().map(|contest| contest.game.info());
        let mut known = BTreeSet::new();
        if let Some(twice) = games().find(|info| !known.insert(&info.name)) {
            return Err(TournamentError::Game(twice.name.clone()));
        }
        if self.players.len() < 2
            && let Some(info) = games().find(|info| info.players().count() > 1)
        {
            return Err(TournamentError::Alone(info.name.clone()));
        }
        let size = self.size();
        if size > MOST { Err(TournamentError::Large(size)) } else { Ok(()) }
    }

    /// Whether the matches of a log were played with the settings of this tournament, as far as the
    /// log shows.
    pub fn fits(&self, log: &Log) -> Result<(), TournamentError> {
        let settings = self.settings();
        let differences: Vec<String> =
            log.settings.iter().flat_map(|known| known.differences(&settings)).collect();
        if differences.is_empty() { Ok(()) } else { Err(TournamentError::Settings(differences)) }
    }

    /// The settings that determine its matches.
    pub fn settings(&self) -> TournamentSettings {
        let terms = |contest: &Contest| (contest.game.info().name.clone(), Terms::of(contest));
        TournamentSettings {
            seed: self.seed.to_string(),
            system: self.system,
            games: self.games.iter().map(terms).collect(),
        }
    }

    /// The number of matches.
    fn size(&self) -> u128 {
        let players = self.players.len() as u128;
        let groups = |contest: &Contest| -> u128 {
            let seats = contest.game.info().players().count() as u128;
            match self.system {
                _ if players <= seats => 1,
                // The binomial coefficient, in an order in which each quotient is an integer.
                System::RoundRobin => (1..=seats.min(players - seats))
                    .fold(1, |all: u128, k| all.saturating_mul(players - k + 1) / k),
                System::Swiss => players / seats.max(1),
            }
        };
        let groups = self.games.iter().map(groups).fold(0, u128::saturating_add);
        groups.saturating_mul(u128::from(self.rounds))
    }

    /// Plays all matches that are not in the log. The record of each match is written to `out` as
    /// one line before it counts, and is then passed on with the number of known matches and the
    /// total.
    ///
    /// Afterwards the log contains only the matches of this tournament; returns the number of other
    /// matches that it had.
    pub fn play(
        &self,
        log: &mut Log,
        out: &mut (impl Write + Send),
        mut each: impl FnMut(&MatchRecord, usize, usize) + Send,
    ) -> io::Result<usize> {
        self.check().and_then(|()| self.fits(log)).map_err(io::Error::other)?;
        self.head(log, out)?;
        let total = usize::try_from(self.size()).unwrap_or(usize::MAX);
        let mut logged = std::mem::take(&mut log.played);
        // The matches of a round robin can be played in any order.
        let stages = match self.system {
            System::RoundRobin => self.rounds.min(1),
            System::Swiss => self.rounds,
        };
        for stage in 0..stages {
            let known = |(pairing, _): (Pairing, usize)| logged.remove_entry(&pairing);
            let known: Vec<_> = self.due(stage, log).filter_map(known).collect();
            let due = self.due(stage, log);
            log.played.extend(known);
            let work = Mutex::new((due, Ok(())));
            let shared = Mutex::new((&mut *log, &mut *out, &mut each));
            let play = || {
                loop {
                    let next = match &mut *locked(&work) {
                        (due, Ok(())) => {
                            due.find(|(pairing, _)| !locked(&shared).0.played.contains_key(pairing))
                        }
                        _ => None,
                    };
                    let Some((pairing, game)) = next else { return };
                    let record = self.meet(&pairing, game);
                    let written = {
                        let (log, out, each) = &mut *locked(&shared);
                        let written = write_line(out, &record);
                        if written.is_ok() {
                            log.played.insert(pairing, record.clone());
                            each(&record, log.played.len(), total);
                        }
                        written
                    };
                    if let Err(error) = written {
                        locked(&work).1 = Err(error);
                        return;
                    }
                }
            };
            std::thread::scope(|scope| crew(scope, self.jobs, total as u64, play))?;
            work.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1?;
        }
        Ok(logged.len())
    }

    /// Writes the settings to the log if it has none. Logs of earlier versions have none, and
    /// guessing them would be wrong.
    fn head(&self, log: &mut Log, out: &mut impl Write) -> io::Result<()> {
        let settings = self.settings();
        let recorded = |game| log.settings.iter().any(|known| known.games.contains_key(game));
        let old = log.settings.is_empty() && !log.is_empty();
        if !old && !settings.games.keys().all(recorded) {
            write_line(out, &Heading { tournament: settings.clone() })?;
            log.settings.push(settings);
        }
        Ok(())
    }

    /// Plays one match. Its seed depends on the pairing and not on the order of play.
    fn meet(&self, pairing: &Pairing, game: usize) -> MatchRecord {
        let seed = pairing.seats.iter().fold(
            self.seed.derive(&pairing.game).derive_index(u64::from(pairing.round)),
            |seed, seat| seed.derive(seat),
        );
        let player = |name: &String| self.players.iter().find(|one| one.name() == *name).cloned();
        let seats: Vec<_> = pairing.seats.iter().filter_map(player).collect();
        let record = self.games[game].sharing(self.jobs).play(&seats, seed);
        MatchRecord { round: Some(pairing.round), ..record }
    }

    fn names(&self) -> Vec<String> {
        self.players.iter().map(|player| player.name()).collect()
    }

    /// The matches of a round, or all of a round robin, each with the number of its game; generated
    /// lazily, because there may be many.
    fn due<'a>(
        &'a self,
        round: u32,
        log: &Log,
    ) -> impl Iterator<Item = (Pairing, usize)> + Send + use<'a> {
        let rounds = match self.system {
            System::RoundRobin => 0..self.rounds,
            System::Swiss => round..round + 1,
        };
        let drawn = self.games.iter().enumerate().map(|(number, contest)| {
            let seats = contest.game.info().players().count();
            let groups = match self.system {
                System::RoundRobin => groups(self.players.len(), seats),
                System::Swiss => swiss::round(&self.standings(round, log), seats).0,
            };
            (number, seatings(seats), groups)
        });
        let drawn: Vec<_> = drawn.collect();
        let names = Arc::new(self.names());
        drawn.into_iter().flat_map(move |(number, orders, groups)| {
            let (rounds, names, orders) = (rounds.clone(), Arc::clone(&names), Arc::new(orders));
            groups.into_iter().flat_map(move |group| {
                let (names, orders) = (Arc::clone(&names), Arc::clone(&orders));
                rounds.clone().map(move |round| {
                    let order = &orders[round as usize % orders.len()];
                    // If there are too few players, some have two seats.
                    let seat = |&place: &usize| names[group[place % group.len()]].clone();
                    let seats = order.iter().map(seat).collect();
                    let game = self.games[number].game.info().name.clone();
                    (Pairing { game, round, seats }, number)
                })
            })
        })
    }

    /// The players' results before a round. A player with a bye gets the points of a win in every
    /// game that it sits out.
    fn standings(&self, round: u32, log: &Log) -> Standings {
        let names = self.names();
        let mut earlier = log.clone();
        earlier.played.retain(|pairing, _| pairing.round < round);
        let comparisons = earlier.comparisons(None);
        let points = |name: &String| -> f64 {
            let known = comparisons.players();
            let Some(at) = known.iter().position(|other| other == name) else { return 0.0 };
            (0..known.len()).map(|other| comparisons.wins(at, other)).sum()
        };
        let mut standings = Standings {
            points: names.iter().map(points).collect(),
            byes: vec![0; names.len()],
            met: vec![vec![0; names.len()]; names.len()],
        };
        for round in 0..round {
            let met: Vec<&Pairing> =
                earlier.played.keys().filter(|pairing| pairing.round == round).collect();
            for (player, name) in names.iter().enumerate() {
                let sits = |pairing: &&&Pairing| pairing.seats.contains(name);
                let games = met.iter().filter(sits).count();
                if games == 0 {
                    standings.byes[player] += 1;
                }
                standings.points[player] += self.games.len().saturating_sub(games) as f64;
                for (other, its) in names.iter().enumerate().filter(|&(other, _)| other != player) {
                    let together = |pairing: &&Pairing| pairing.seats.contains(its);
                    standings.met[player][other] +=
                        u32::from(met.iter().filter(sits).copied().any(|p| together(&p)));
                }
            }
        }
        standings
    }
}

/// All groups of a size; one group of all players if there are too few.
fn groups(players: usize, seats: usize) -> Vec<Vec<usize>> {
    if players <= seats {
        return vec![(0..players).collect()];
    }
    let mut groups = vec![Vec::new()];
    for _ in 0..seats {
        let longer = |group: &Vec<usize>| -> Vec<Vec<usize>> {
            let from = group.last().map_or(0, |last| last + 1);
            (from..players).map(|player| [&group[..], &[player]].concat()).collect()
        };
        groups = groups.iter().flat_map(longer).collect();
    }
    groups
}

/// Writes a line of a log.
fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    let line = serde_json::to_string(line).map_err(io::Error::from)?;
    out.write_all((line + "\n").as_bytes())?;
    out.flush()
}

/// The contents of a lock. They are valid even if a player crashed while holding it.
fn locked<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_players_meet() {
        assert_eq!(groups(4, 2).len(), 6);
        assert_eq!(groups(6, 3).len(), 20);
        assert_eq!(groups(3, 1), [[0], [1], [2]]);
        assert_eq!(groups(2, 3), [[0, 1]]);
    }
}
