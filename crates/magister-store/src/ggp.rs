//! The match record of ggp-base, as JSON.

use std::fmt;

use magister_core::record::{Fault, FaultKind, MatchEnd, MatchLimits, PlayerKind};
use magister_core::{MatchRecord, Seat};
use serde::{Deserialize, Serialize, Serializer};

/// A match in the format of ggp-base and Tiltyard. Unknown fields are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GgpMatch {
    /// The name of the match.
    pub match_id: String,
    /// A random word.
    pub random_token: String,
    /// When it began, in milliseconds since 1970.
    pub start_time: i64,
    /// The address of the game.
    #[serde(rename = "gameMetaURL", skip_serializing_if = "Option::is_none")]
    pub game_meta_url: Option<String>,
    /// Whether it was played to its end.
    pub is_completed: bool,
    /// Whether it was ended from outside.
    pub is_aborted: bool,
    /// The states, each a list of fluents.
    pub states: Vec<String>,
    /// The joint moves.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached.
    pub state_times: Vec<i64>,
    /// The errors, step by step and role by role; the first entry belongs to START.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Vec<String>>,
    /// The goal values of all roles.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "whole_numbers")]
    pub goal_values: Option<Vec<f64>>,
    /// The preview clock; -1 if there is none.
    pub preview_clock: i64,
    /// The start clock in seconds.
    pub start_clock: u64,
    /// The play clock in seconds.
    pub play_clock: u64,
    /// The names of the players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_names_from_host: Option<Vec<String>>,
    /// Which of the players are people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_player_human: Option<Vec<bool>>,
    /// The tournament that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tournament_name_from_host: Option<String>,
    /// Whether the names in the rules were scrambled.
    pub scrambled: bool,
}

/// ggp-base reads and writes integers, so `50.0` is written as `50`.
#[expect(clippy::ref_option, reason = "serde passes the field")]
fn whole_numbers<S: Serializer>(values: &Option<Vec<f64>>, out: S) -> Result<S::Ok, S::Error> {
    let number = |&value: &f64| {
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        if whole { serde_json::json!(value as i64) } else { serde_json::json!(value) }
    };
    out.collect_seq(values.iter().flatten().map(number))
}

/// Why a text is not a match of ggp-base.
#[derive(Debug)]
pub enum GgpError {
    /// It is not the JSON of a match.
    Json(serde_json::Error),
    /// The number of moves does not match the number of roles.
    Roles,
}

impl fmt::Display for GgpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GgpError::Json(error) => write!(f, "this is not a match of ggp-base: {error}"),
            GgpError::Roles => f.write_str("the moves do not fit the roles of the game"),
        }
    }
}

impl std::error::Error for GgpError {}

impl GgpMatch {
    /// Reads a match.
    pub fn read(text: &str) -> Result<Self, GgpError> {
        // A list would be read as the fields of a match in order, so an object is required.
        type Object = serde_json::Map<String, serde_json::Value>;
        let object: Object = serde_json::from_str(text).map_err(GgpError::Json)?;
        let read: GgpMatch = serde_json::from_value(object.into()).map_err(GgpError::Json)?;
        let roles = read.moves.first().map_or(0, Vec::len);
        if read.moves.iter().any(|joint| joint.len() != roles) {
            return Err(GgpError::Roles);
        }
        Ok(read)
    }

    /// The match as our record. `roles` are the names of all roles, and `chance` is the role that
    /// the manager played; the rules are identified by their hash.
    pub fn to_record(
        &self,
        game: &str,
        rules_hash: &str,
        roles: &[String],
        chance: Option<&str>,
    ) -> Result<MatchRecord, GgpError> {
        if self.moves.iter().any(|joint| joint.len() != roles.len()) {
            return Err(GgpError::Roles);
        }
        let seats: Vec<usize> =
            (0..roles.len()).filter(|&role| Some(roles[role].as_str()) != chance).collect();
        let name = |role: usize| {
            let names = self.player_names_from_host.as_ref();
            names.and_then(|names| names.get(role)).cloned().unwrap_or_else(|| "unknown".to_owned())
        };
        let players: Vec<String> = seats.iter().map(|&role| name(role)).collect();
        let goals = self.goal_values.as_ref();
        let reward = |role: usize| goals.and_then(|goals| goals.get(role)).copied();
        let mut errors = Vec::new();
        for (step, row) in self.errors.iter().enumerate() {
            for (role, error) in row.iter().enumerate() {
                let seat = seats.iter().position(|&seated| seated == role);
                errors.extend(fault(step, seat, roles.get(role), error, &self.moves, role));
            }
        }
        let end = match (self.is_completed, self.is_aborted) {
            (_, true) => Some(MatchEnd::Aborted),
            (true, false) => Some(MatchEnd::Terminal),
            (false, false) => None,
        };
        let seconds = |clock: u64| Some(clock as f64 * 1e3);
        let spaced = |text: &String| unspaced(text);
        let text = serde_json::json!({
            "schema": magister_core::record::SCHEMA,
            "magister": "",
            "id": self.match_id,
            "game": game,
            "rules_hash": rules_hash,
            "text_hash": "",
            "roles": roles,
            "seed": "",
            "players": players,
            "limits": MatchLimits {
                time_ms: seconds(self.play_clock),
                start_ms: seconds(self.start_clock),
                ..MatchLimits::default()
            },
            "moves": self.moves.iter()
                .map(|joint| joint.iter().map(spaced).collect::<Vec<_>>()).collect::<Vec<_>>(),
            "rewards": seats.iter().map(|&role| reward(role)).collect::<Vec<_>>(),
            "errors": [],
            "times_ms": vec![vec![0.0; seats.len()]; self.moves.len()],
        });
        let mut record: MatchRecord = serde_json::from_value(text).map_err(GgpError::Json)?;
        record.chance = chance.map(str::to_owned);
        record.seats = seats
            .iter()
            .zip(&players)
            .map(|(&role, player)| {
                let human =
                    self.is_player_human.as_ref().and_then(|all| all.get(role)) == Some(&true);
                let kind = if human { PlayerKind::Person } else { PlayerKind::Remote };
                let source = "ggp".to_owned();
                let mut seat =
                    Seat { role: roles[role].clone(), kind, source, ..Seat::new(player) };
                if self.scrambled {
                    seat.parameters.insert("scramble".to_owned(), "true".to_owned());
                }
                seat
            })
            .collect();
        record.end = end;
        record.errors = errors;
        Ok(record)
    }

    /// Our record as a match of ggp-base. `states` are the printed states, one more than moves.
    pub fn from_record(record: &MatchRecord, states: Vec<String>, started_ms: i64) -> Self {
        let seat_of = |role: usize| {
            let seat = record.seats.iter().position(|seat| seat.role == record.roles[role]);
            seat.or_else(|| (record.chance.is_none()).then_some(role))
        };
        let roles = 0..record.roles.len();
        let ended = record.end == Some(MatchEnd::Terminal);
        let goal = |role: usize| {
            let seat = seat_of(role)?;
            record.rewards.get(seat).copied().flatten()
        };
        let mut clock = started_ms;
        let mut state_times = vec![started_ms];
        for step in &record.times_ms {
            clock += step.iter().copied().fold(0.0, f64::max) as i64;
            state_times.push(clock);
        }
        let mut errors = vec![vec![String::new(); record.roles.len()]; record.moves.len() + 1];
        for fault in &record.errors {
            let role = roles.clone().find(|&role| seat_of(role) == fault.seat);
            if let (Some(role), Some(row), true) =
                (role, errors.get_mut(fault.step), fault.kind.is_mistake())
            {
                row[role] = match fault.kind {
                    FaultKind::Late => "TO".to_owned(),
                    FaultKind::Illegal => {
                        format!("IL {}", fault.answer.clone().unwrap_or_default())
                    }
                    _ => "CE".to_owned(),
                };
            }
        }
        let player = |role: usize| {
            let name = seat_of(role).and_then(|seat| record.players.get(seat)).cloned();
            name.unwrap_or_else(|| "Random".to_owned())
        };
        let human = |role: usize| {
            let seat = seat_of(role).and_then(|seat| record.seats.get(seat));
            seat.is_some_and(|seat| seat.kind == PlayerKind::Person)
        };
        let scrambled =
            |seat: &Seat| seat.parameters.get("scramble").is_some_and(|one| one == "true");
        GgpMatch {
            match_id: record.id.clone().unwrap_or_default(),
            random_token: record.seed_hash.chars().take(32).collect(),
            start_time: started_ms,
            game_meta_url: None,
            is_completed: ended,
            is_aborted: record.end == Some(MatchEnd::Aborted),
            states,
            moves: record.moves.clone(),
            state_times,
            errors,
            goal_values: ended.then(|| roles.clone().map(|r| goal(r).unwrap_or(0.0)).collect()),
            preview_clock: -1,
            start_clock: (record.limits.start_ms.unwrap_or(0.0) / 1e3).ceil() as u64,
            play_clock: (record.limits.time_ms.unwrap_or(0.0) / 1e3).ceil() as u64,
            player_names_from_host: Some(roles.clone().map(player).collect()),
            is_player_human: Some(roles.map(human).collect()),
            tournament_name_from_host: None,
            scrambled: record.seats.iter().any(scrambled),
        }
    }
}

/// The fault for an error code of ggp-base.
fn fault(
    step: usize,
    seat: Option<usize>,
    role: Option<&String>,
    error: &str,
    moves: &[Vec<String>],
    column: usize,
) -> Option<Fault> {
    let kind = match error.get(..2)? {
        "TO" => FaultKind::Late,
        "IL" => FaultKind::Illegal,
        _ => FaultKind::Connection,
    };
    let answer = error.strip_prefix("IL ").map(unspaced);
    let played = step.checked_sub(1).and_then(|at| moves.get(at)?.get(column));
    let played = played.map(|text| unspaced(text));
    let what = format!("ggp-base reports {error}");
    Some(Fault { step, seat, role: role.cloned(), kind, what, answer, played })
}

/// `( mark 1 1 )` without its blanks inside the parentheses: `(mark 1 1)`.
fn unspaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        if !out.is_empty() && !out.ends_with('(') && word != ")" {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"matchId":"m2","randomToken":"abc","startTime":5,"isCompleted":true,
        "isAborted":false,"states":["( ( round 1 ) )","( ( round 2 ) )"],
        "moves":[["( show heads )","noop"]],"stateTimes":[5,9],
        "errors":[["",""],["IL NOOP","TO"]],"goalValues":[100,0],"previewClock":-1,
        "startClock":3,"playClock":2,"playerNamesFromHost":["A","B"],
        "isPlayerHuman":[false,true],"scrambled":true}"#;

    #[test]
    fn a_match_of_ggp_base_comes_and_goes() {
        let read = GgpMatch::read(TEXT).unwrap();
        let roles = ["left".to_owned(), "right".to_owned()];
        let record = read.to_record("tiny", "h", &roles, None).unwrap();
        assert_eq!(record.moves, [["(show heads)", "noop"]]);
        assert_eq!(record.rewards, [Some(100.0), Some(0.0)]);
        let kinds: Vec<FaultKind> = record.errors.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, [FaultKind::Illegal, FaultKind::Late]);
        assert_eq!(record.errors[0].answer.as_deref(), Some("NOOP"));
        assert_eq!(record.errors[0].played.as_deref(), Some("(show heads)"));
        let again = GgpMatch::from_record(&record, read.states.clone(), 5);
        assert_eq!(again.errors, read.errors);
        assert_eq!(again.goal_values, read.goal_values);
        assert_eq!(again.player_names_from_host, read.player_names_from_host);
        assert_eq!(again.is_player_human, read.is_player_human);
        assert!(again.scrambled);
        let text = serde_json::to_string(&again).unwrap();
        assert!(text.contains(r#""goalValues":[100,0],"#), "{text}");
        assert_eq!(GgpMatch::read(&text).unwrap(), again);
    }

    #[test]
    fn broken_texts_are_errors() {
        for text in ["", "[]", "{\"moves\":[[\"a\"],[\"a\",\"b\"]]}", "{\"startClock\":-1}"] {
            assert!(GgpMatch::read(text).is_err(), "{text}");
        }
        let read = GgpMatch::read(TEXT).unwrap();
        assert!(read.to_record("tiny", "h", &["left".to_owned()], None).is_err());
    }
}
