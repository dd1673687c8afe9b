//! The log of a tournament, which remains valid if the process is killed.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use magister_core::{FaultKind, MatchRecord};
use serde::{Deserialize, Serialize};

use crate::online::Meeting;
use crate::ratings::Comparisons;
use crate::settings::{Heading, TournamentSettings};

/// A match to be played, which identifies it in a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pairing {
    /// The game.
    pub game: String,
    /// The round.
    pub round: u32,
    /// The players in seat order.
    pub seats: Vec<String>,
}

impl Pairing {
    /// The pairing of a record; `None` if it belongs to no tournament.
    pub fn of(record: &MatchRecord) -> Option<Self> {
        let (game, seats) = (record.game.clone(), record.players.clone());
        Some(Pairing { game, round: record.round?, seats })
    }
}

/// How often a player's move was replaced by a random one, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mistakes {
    /// Its answer came too late.
    pub late: u64,
    /// Its answer was not a legal move.
    pub illegal: u64,
    /// It crashed, could not be reached or gave no answer for another reason.
    pub other: u64,
}

impl Mistakes {
    /// The mistakes of one seat in a match.
    pub fn of(record: &MatchRecord, seat: usize) -> Self {
        let mut mistakes = Mistakes::default();
        let own = record.errors.iter().filter(|fault| fault.seat == Some(seat));
        for fault in own.filter(|fault| fault.kind.is_mistake()) {
            match fault.kind {
                FaultKind::Late => mistakes.late += 1,
                FaultKind::Illegal => mistakes.illegal += 1,
                _ => mistakes.other += 1,
            }
        }
        mistakes
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.late + self.illegal + self.other
    }

    fn add(&mut self, more: &Mistakes) {
        self.late += more.late;
        self.illegal += more.illegal;
        self.other += more.other;
    }
}

/// The matches played so far.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(crate) played: BTreeMap<Pairing, MatchRecord>,
    pub(crate) settings: Vec<TournamentSettings>,
}

/// A line of a log.
enum LogLine {
    Match(Pairing, Box<MatchRecord>),
    Settings(TournamentSettings),
}

impl LogLine {
    fn read(line: &[u8]) -> serde_json::Result<Self> {
        let record: serde_json::Result<MatchRecord> = serde_json::from_slice(line);
        match record {
            Ok(record) => match Pairing::of(&record) {
                Some(pairing) => Ok(LogLine::Match(pairing, Box::new(record))),
                None => Err(serde::de::Error::custom("the match belongs to no tournament")),
            },
            Err(error) => {
                let heading: Result<Heading, _> = serde_json::from_slice(line);
                heading.map(|heading| LogLine::Settings(heading.tournament)).map_err(|_| error)
            }
        }
    }
}

impl Log {
    /// No match was played.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a log. An incomplete last line, left by a killed process, is ignored; any other line
    /// that is not a match is an error. Also returns the number of valid bytes, after which writing
    /// continues.
    pub fn read(mut from: impl BufRead) -> io::Result<(Self, u64)> {
        let mut log = Log::new();
        let (mut good, mut line, mut number) = (0, Vec::new(), 0);
        loop {
            line.clear();
            let length = from.read_until(b'\n', &mut line)?;
            number += 1;
            if length == 0 {
                return Ok((log, good));
            }
            match (LogLine::read(&line), line.ends_with(b"\n")) {
                (Ok(LogLine::Match(pairing, record)), true) => {
                    log.played.insert(pairing, *record);
                }
                (Ok(LogLine::Settings(settings)), true) => log.settings.push(settings),
                (Ok(_), false) => return Ok((log, good)),
                // A truncated line begins like a line of the log; anything else is another kind of
                // file.
                (Err(error), false) if error.is_eof() => return Ok((log, good)),
                (Err(error), _) => {
                    let what = format!("line {number} is not a match of a tournament: {error}");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
            good += length as u64;
        }
    }

    /// The settings of the matches; empty in logs of earlier versions.
    pub fn settings(&self) -> &[TournamentSettings] {
        &self.settings
    }

    /// The number of matches.
    pub fn len(&self) -> usize {
        self.played.len()
    }

    /// Whether there are no matches.
    pub fn is_empty(&self) -> bool {
        self.played.is_empty()
    }

    /// All matches.
    pub fn matches(&self) -> impl Iterator<Item = (&Pairing, &MatchRecord)> {
        self.played.iter()
    }

    /// The mistakes of each player over all matches. Players without mistakes are included.
    pub fn mistakes(&self) -> BTreeMap<&str, Mistakes> {
        let mut mistakes: BTreeMap<&str, Mistakes> = BTreeMap::new();
        for (pairing, record) in &self.played {
            for (seat, player) in pairing.seats.iter().enumerate() {
                mistakes.entry(player).or_default().add(&Mistakes::of(record, seat));
            }
        }
        mistakes
    }

    /// The participants and rewards of each match, round after round, in one game or in all. In
    /// games for one player, the players of the same round are compared.
    pub fn meetings(&self, game: Option<&str>) -> Vec<Meeting> {
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut alone: BTreeMap<(u32, &str), Meeting> = BTreeMap::new();
        for (pairing, record) in &self.played {
            if game.is_some_and(|game| pairing.game != game) {
                continue;
            }
            let mut meeting =
                Meeting { round: pairing.round, players: Vec::new(), rewards: Vec::new() };
            for (player, reward) in pairing.seats.iter().zip(&record.rewards) {
                // A player on two seats counts once.
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

    /// The comparisons of all pairs of players, in one game or in all.
    pub fn comparisons(&self, game: Option<&str>) -> Comparisons {
        let mut comparisons = Comparisons::new();
        let mut alone: BTreeMap<(&str, u32), Vec<(&str, f64)>> = BTreeMap::new();
        for (pairing, record) in &self.played {
            let rewards: Option<Vec<f64>> = record.rewards.iter().copied().collect();
            let (Some(rewards), true) = (rewards, game.is_none_or(|game| pairing.game == game))
            else {
                continue;
            };
            match (&pairing.seats[..], &rewards[..]) {
                // In games for one player, the players are compared with each other.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_last_line_is_ignored() {
        let info = magister_core::Info::new("g", &["role"], "g 1");
        let record = MatchRecord {
            players: vec!["a".into()],
            rewards: vec![Some(1.0)],
            ..MatchRecord::new(&info, magister_core::Seed::from(1))
        };
        let line = |round| {
            let record = MatchRecord { round: Some(round), ..record.clone() };
            serde_json::to_string(&record).unwrap() + "\n"
        };
        let whole = line(0) + &line(1);
        let torn = whole.clone() + &line(2)[..20];
        let (log, good) = Log::read(torn.as_bytes()).unwrap();
        assert_eq!((log.len(), good), (2, whole.len() as u64));
        assert!(Log::read(&b"nonsense\n"[..]).is_err());
        // Another file must not be mistaken for a truncated log, because it would be overwritten.
        assert!(Log::read(&b"a letter"[..]).is_err());
        assert!(Log::read(&b"{\"dear\": \"reader\"}"[..]).is_err());
    }

    /// Logs of earlier versions wrote the pairing beside the match.
    #[test]
    fn logs_of_earlier_versions_are_read() {
        let old = concat!(
            r#"{"pairing":{"game":"g","round":3,"seats":["a","b"]},"report":{"game":"g","#,
            r#""seed":"00","players":["a","b"],"moves":[],"rewards":[1.0,0.0],"errors":[],"#,
            r#""times_ms":[]}}"#,
            "\n"
        );
        let (log, good) = Log::read(old.as_bytes()).unwrap();
        assert_eq!((log.len(), good), (1, old.len() as u64));
        let (pairing, record) = log.matches().next().unwrap();
        assert_eq!((pairing.round, pairing.seats.len()), (3, 2));
        assert_eq!(record.rewards, [Some(1.0), Some(0.0)]);
    }
}
