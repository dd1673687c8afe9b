//! Tournaments: who meets whom, a log that survives being killed, and tables.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};

use magister_core::Seed;
use magister_players::Spec;
use serde::{Deserialize, Serialize};

use crate::contest::Contest;
use crate::online::Meeting;
use crate::ratings::Comparisons;
use crate::report::GameReport;
use crate::seat::Maker;
use crate::series::seatings;
use crate::swiss::{self, Standings};

/// How opponents are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// Everybody meets everybody.
    RoundRobin,
    /// In each round those meet who have about the same score.
    Swiss,
}

/// A tournament of some players on some games.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The games.
    pub games: Vec<Contest>,
    /// The players.
    pub players: Vec<Spec>,
    /// How opponents are found.
    pub system: System,
    /// Matches of each group in a round robin, or rounds of a Swiss tournament.
    pub rounds: u32,
    /// Where everything random comes from.
    pub seed: Seed,
    /// How many matches are played at the same time.
    pub jobs: usize,
}

/// A match that is to be played, by which it is found again in a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pairing {
    /// The game.
    pub game: String,
    /// The round.
    pub round: u32,
    /// The players in the order of their seats.
    pub seats: Vec<String>,
}

/// A match that was played: one line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Which match it is.
    pub pairing: Pairing,
    /// What came of it.
    pub report: GameReport,
}

/// The matches that were played.
#[derive(Clone, Debug, Default)]
pub struct Log {
    played: BTreeMap<Pairing, GameReport>,
}

impl Log {
    /// No match was played.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a log. A last line that is not whole, because whoever wrote it was killed, is left
    /// out; any other line that is no match is an error. Gives the bytes that are good as well:
    /// who goes on writing begins there.
    pub fn read(mut from: impl BufRead) -> io::Result<(Self, u64)> {
        let mut log = Log::new();
        let (mut good, mut line, mut number) = (0, String::new(), 0);
        loop {
            line.clear();
            let length = from.read_line(&mut line)?;
            number += 1;
            if length == 0 || !line.ends_with('\n') {
                return Ok((log, good));
            }
            let played: Played = serde_json::from_str(&line).map_err(|error| {
                let what = format!("line {number} is no match of a tournament: {error}");
                io::Error::new(io::ErrorKind::InvalidData, what)
            })?;
            log.played.insert(played.pairing, played.report);
            good += length as u64;
        }
    }

    /// How many matches there are.
    pub fn len(&self) -> usize {
        self.played.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.played.is_empty()
    }

    /// All matches.
    pub fn matches(&self) -> impl Iterator<Item = (&Pairing, &GameReport)> {
        self.played.iter()
    }

    /// Who met in each match, round after round, in one game or in all; who plays alone meets the
    /// others who did so in the same round.
    pub fn meetings(&self, game: Option<&str>) -> Vec<Meeting> {
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut alone: BTreeMap<(u32, &str), Meeting> = BTreeMap::new();
        for (pairing, report) in &self.played {
            if game.is_some_and(|game| pairing.game != game) {
                continue;
            }
            let mut meeting =
                Meeting { round: pairing.round, players: Vec::new(), rewards: Vec::new() };
            for (player, reward) in pairing.seats.iter().zip(&report.rewards) {
                // Who sits twice meets the others once.
                if let Some(reward) = reward.filter(|_| !meeting.players.contains(player)) {
                    meeting.players.push(player.clone());
                    meeting.rewards.push(reward);
                }
            }
            if pairing.seats.len() == 1 {
                let same = alone.entry((pairing.round, &pairing.game)).or_insert_with(|| Meeting {
                    round: pairing.round,
                    players: Vec::new(),
                    rewards: Vec::new(),
                });
                same.players.extend(meeting.players);
                same.rewards.extend(meeting.rewards);
            } else {
                meetings.push(meeting);
            }
        }
        meetings.extend(alone.into_values());
        meetings.sort_by_key(|meeting| meeting.round);
        meetings
    }

    /// Who was in front of whom, in one game or in all.
    pub fn comparisons(&self, game: Option<&str>) -> Comparisons {
        let mut comparisons = Comparisons::new();
        let mut alone: BTreeMap<(&str, u32), Vec<(&str, f64)>> = BTreeMap::new();
        for (pairing, report) in &self.played {
            let rewards: Option<Vec<f64>> = report.rewards.iter().copied().collect();
            let (Some(rewards), true) = (rewards, game.is_none_or(|game| pairing.game == game))
            else {
                continue;
            };
            match (&pairing.seats[..], &rewards[..]) {
                // Who plays alone is compared with the others who did.
                ([player], [reward]) => {
                    let same = alone.entry((&pairing.game, pairing.round)).or_default();
                    same.push((player, *reward));
                }
                (seats, rewards) => comparisons.add(seats, rewards),
            }
        }
        for same in alone.into_values() {
            let players: Vec<String> = same.iter().map(|one| one.0.to_owned()).collect();
            let rewards: Vec<f64> = same.iter().map(|one| one.1).collect();
            comparisons.add(&players, &rewards);
        }
        comparisons
    }
}

impl Tournament {
    /// Plays all matches that are not in the log. Each is written to `out` as one line before it
    /// counts, and then handed on, with how many are known by now and how many there will be.
    pub fn play(
        &self,
        log: &mut Log,
        out: &mut (impl Write + Send),
        mut each: impl FnMut(&Played, usize, usize) + Send,
    ) -> io::Result<()> {
        let per_round = self.round(0, log).len();
        let rounds = match self.system {
            System::RoundRobin => 1,
            System::Swiss => self.rounds,
        };
        for round in 0..rounds {
            let due = self.round(round, log);
            let total = match self.system {
                System::RoundRobin => due.len(),
                System::Swiss => per_round * rounds as usize,
            };
            let missing: Vec<&(Pairing, usize)> =
                due.iter().filter(|(pairing, _)| !log.played.contains_key(pairing)).collect();
            let work = Mutex::new((missing.into_iter(), Ok(())));
            let shared = Mutex::new((&mut *log, &mut *out, &mut each));
            std::thread::scope(|scope| {
                for _ in 0..self.jobs.max(1) {
                    scope.spawn(|| {
                        loop {
                            let next = match &mut *locked(&work) {
                                (rest, Ok(())) => rest.next(),
                                _ => None,
                            };
                            let Some((pairing, game)) = next else { return };
                            let report = self.meet(pairing, *game);
                            let played = Played { pairing: pairing.clone(), report };
                            let (log, out, each) = &mut *locked(&shared);
                            let written = serde_json::to_string(&played)
                                .map_err(io::Error::from)
                                .and_then(|line| out.write_all((line + "\n").as_bytes()))
                                .and_then(|()| out.flush());
                            if let Err(error) = written {
                                locked(&work).1 = Err(error);
                                return;
                            }
                            log.played.insert(played.pairing.clone(), played.report.clone());
                            each(&played, log.played.len(), total);
                        }
                    });
                }
            });
            work.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1?;
        }
        Ok(())
    }

    /// Plays one match. Its seed depends on what it is and not on when it is played.
    fn meet(&self, pairing: &Pairing, game: usize) -> GameReport {
        let seed = pairing.seats.iter().fold(
            self.seed.derive(&pairing.game).derive_index(u64::from(pairing.round)),
            |seed, seat| seed.derive(seat),
        );
        let maker = |name: &String| -> Option<(String, Maker)> {
            let spec = self.players.iter().find(|spec| spec.to_string() == *name)?.clone();
            Some((name.clone(), Arc::new(move || spec.make())))
        };
        let seats: Vec<(String, Maker)> = pairing.seats.iter().filter_map(maker).collect();
        self.games[game].play(&seats, seed)
    }

    /// The matches of a round, each with the number of its game.
    fn round(&self, round: u32, log: &Log) -> Vec<(Pairing, usize)> {
        let names: Vec<String> = self.players.iter().map(ToString::to_string).collect();
        let mut pairings = Vec::new();
        for (number, contest) in self.games.iter().enumerate() {
            let info = contest.game.info();
            let seats = info.players().count();
            let groups = match self.system {
                System::RoundRobin => groups(names.len(), seats),
                System::Swiss => swiss::round(&self.standings(round, log), seats).0,
            };
            let orders = seatings(seats);
            let mut add = |group: &[usize], round: u32| {
                let order = &orders[round as usize % orders.len()];
                // Too few players sit down twice.
                let seat = |&place: &usize| names[group[place % group.len()]].clone();
                let seats = order.iter().map(seat).collect();
                pairings.push((Pairing { game: info.name.clone(), round, seats }, number));
            };
            for group in groups {
                match self.system {
                    System::RoundRobin => (0..self.rounds).for_each(|round| add(&group, round)),
                    System::Swiss => add(&group, round),
                }
            }
        }
        pairings
    }

    /// What is known of the players before a round. Who has a bye gets the points of a win in
    /// every game that it sits out.
    fn standings(&self, round: u32, log: &Log) -> Standings {
        let names: Vec<String> = self.players.iter().map(ToString::to_string).collect();
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

/// All groups of so many out of so many; one group of all if there are too few.
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

/// What a lock guards; a player that crashed while it was held changes nothing that matters.
fn locked<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_everybody() {
        assert_eq!(groups(4, 2).len(), 6);
        assert_eq!(groups(6, 3).len(), 20);
        assert_eq!(groups(3, 1), [[0], [1], [2]]);
        assert_eq!(groups(2, 3), [[0, 1]]);
    }

    #[test]
    fn a_torn_line_is_left_out() {
        let pairing = |round| Pairing { game: "g".into(), round, seats: vec!["a".into()] };
        let report = GameReport {
            game: "g".into(),
            seed: String::new(),
            players: vec!["a".into()],
            moves: Vec::new(),
            rewards: vec![Some(1.0)],
            clairvoyant: Vec::new(),
            errors: Vec::new(),
            times_ms: Vec::new(),
        };
        let line = |round| {
            let played = Played { pairing: pairing(round), report: report.clone() };
            serde_json::to_string(&played).unwrap() + "\n"
        };
        let whole = line(0) + &line(1);
        let torn = whole.clone() + &line(2)[..20];
        let (log, good) = Log::read(torn.as_bytes()).unwrap();
        assert_eq!((log.len(), good), (2, whole.len() as u64));
        assert!(Log::read(&b"nonsense\n"[..]).is_err());
    }
}
