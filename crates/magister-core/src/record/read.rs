//! Reading records of this and of earlier versions.
//!
//! | format | recognised by |
//! |---|---|
//! | this one | `schema` of 2 or more |
//! | records of format 1 | `schema` 1, with `steps` |
//! | earlier output of `match --json` | no `schema` |
//! | earlier lines of tournaments | a `pairing` beside a `report` |

use serde::Deserialize;

use super::{
    Fault, FaultKind, MatchEnd, MatchLimits, MatchRecord, OpenAnswer, SCHEMA, Seat, Thoughts,
};

/// All fields of current and earlier formats.
#[derive(Debug, Deserialize)]
pub(super) struct Raw {
    schema: Option<u32>,
    #[serde(default, alias = "engine")]
    magister: String,
    id: Option<String>,
    game: Option<String>,
    #[serde(default)]
    rules_hash: String,
    #[serde(default)]
    text_hash: String,
    #[serde(default)]
    roles: Vec<String>,
    chance: Option<String>,
    #[serde(default)]
    seed: String,
    #[serde(default)]
    salt: String,
    #[serde(default)]
    seed_hash: String,
    players: Option<Vec<Option<String>>>,
    #[serde(default)]
    seats: Vec<Seat>,
    #[serde(default)]
    limits: MatchLimits,
    round: Option<u32>,
    moves: Option<Vec<Vec<String>>>,
    #[serde(default)]
    percepts: Vec<Option<Vec<Vec<String>>>>,
    #[serde(default)]
    gains: Vec<Vec<f64>>,
    #[serde(default)]
    silent: Vec<usize>,
    rewards: Option<Vec<Option<f64>>>,
    end: Option<MatchEnd>,
    #[serde(default)]
    clairvoyant: Vec<String>,
    #[serde(default)]
    errors: Vec<Fault>,
    #[serde(default)]
    times_ms: Vec<Vec<f64>>,
    #[serde(default)]
    thoughts: Vec<Thoughts>,
    #[serde(default)]
    answers: Vec<OpenAnswer>,
    /// Format 1: the steps.
    steps: Option<Vec<OldStep>>,
    /// Format 1: the results in role order.
    result: Option<Vec<Option<f64>>>,
    /// Earlier lines of tournaments: the match.
    report: Option<Box<Raw>>,
    /// Earlier lines of tournaments: the pairing.
    pairing: Option<OldPairing>,
}

#[derive(Debug, Deserialize)]
struct OldStep {
    joint: Vec<String>,
    percepts: Option<Vec<Vec<String>>>,
    #[serde(default)]
    gains: Vec<f64>,
    tick: bool,
    #[serde(default)]
    errors: Vec<OldFault>,
}

#[derive(Debug, Deserialize)]
struct OldFault {
    role: String,
    what: String,
}

#[derive(Debug, Deserialize)]
struct OldPairing {
    round: u32,
}

impl TryFrom<Raw> for MatchRecord {
    type Error = String;

    fn try_from(mut raw: Raw) -> Result<Self, String> {
        if let (Some(report), Some(pairing)) = (raw.report.take(), raw.pairing.take()) {
            let round = Some(pairing.round);
            return Ok(MatchRecord { round, ..MatchRecord::try_from(*report)? });
        }
        match raw.steps.take() {
            Some(steps) => raw.of_format_1(steps),
            None => raw.complete(),
        }
    }
}

impl Raw {
    /// A record of this version, or earlier output of `match --json`.
    fn complete(self) -> Result<MatchRecord, String> {
        let missing = |name: &str| format!("missing field `{name}`");
        let players = self.players.ok_or_else(|| missing("players"))?;
        let players: Vec<String> = players.into_iter().map(Option::unwrap_or_default).collect();
        let rewards = self.rewards.ok_or_else(|| missing("rewards"))?;
        let mut seats = self.seats;
        for (seat, player) in seats.iter_mut().zip(&players) {
            seat.player.clone_from(player);
        }
        // Earlier output shows the end only by its rewards and errors.
        let reported = |kind| self.errors.iter().any(|fault| fault.kind == kind);
        let end = self.end.or_else(|| match self.schema {
            Some(_) => None,
            None if rewards.iter().any(Option::is_some) => Some(MatchEnd::Terminal),
            None => [MatchEnd::BrokenOff, MatchEnd::Resigned, MatchEnd::Left]
                .into_iter()
                .find(|end| end.fault().is_some_and(reported)),
        });
        Ok(MatchRecord {
            schema: self.schema.unwrap_or(SCHEMA),
            magister: self.magister,
            id: self.id,
            game: self.game.ok_or_else(|| missing("game"))?,
            rules_hash: self.rules_hash,
            text_hash: self.text_hash,
            roles: self.roles,
            chance: self.chance,
            seed: self.seed,
            salt: self.salt,
            seed_hash: self.seed_hash,
            players,
            seats,
            limits: self.limits,
            round: self.round,
            moves: self.moves.ok_or_else(|| missing("moves"))?,
            percepts: self.percepts,
            gains: self.gains,
            silent: self.silent,
            rewards,
            end,
            clairvoyant: self.clairvoyant,
            errors: self.errors,
            times_ms: self.times_ms,
            thoughts: self.thoughts,
            answers: self.answers,
        })
    }

    /// A record of format 1, which stored everything step by step, and players and results in role
    /// order. Its hash was that of the text of the rules.
    fn of_format_1(mut self, steps: Vec<OldStep>) -> Result<MatchRecord, String> {
        let players = self.players.take().unwrap_or_default();
        let result = self.result.take();
        let played = |at: usize| {
            let named = players.get(at).is_some_and(Option::is_some);
            let paid = result.as_ref().and_then(|result| *result.get(at)?).is_some();
            // If no player is named, chance is recognised only by its usual name.
            named || paid || (players.iter().all(Option::is_none) && self.roles[at] != "random")
        };
        let seats: Vec<usize> = (0..self.roles.len()).filter(|&at| played(at)).collect();
        let mut chance = (0..self.roles.len()).filter(|at| !seats.contains(at));
        self.chance = chance.next().map(|at| self.roles[at].clone());
        let name = |&at: &usize| players.get(at).cloned().flatten();
        self.players = Some(seats.iter().map(name).collect());
        let reward = |&at: &usize| result.as_ref().and_then(|result| *result.get(at)?);
        self.rewards = Some(seats.iter().map(reward).collect());
        self.end = result.is_some().then_some(MatchEnd::Terminal);
        let hidden = steps.iter().any(|step| step.percepts.is_some() || !step.tick);
        let paying = steps.iter().any(|step| !step.gains.is_empty());
        let mut moves = Vec::new();
        for (at, step) in steps.into_iter().enumerate() {
            if !step.tick {
                self.silent.push(at + 1);
            }
            if hidden {
                self.percepts.push(step.percepts);
            }
            if paying {
                let none = vec![0.0; self.roles.len()];
                self.gains.push(if step.gains.is_empty() { none } else { step.gains });
            }
            for OldFault { role, what } in step.errors {
                let seat = seats.iter().position(|&seat| self.roles[seat] == role);
                let kind = FaultKind::Unknown;
                let (role, answer, played) = (Some(role), None, None);
                self.errors.push(Fault { step: at + 1, seat, role, kind, what, answer, played });
            }
            moves.push(step.joint);
        }
        self.moves = Some(moves);
        self.text_hash = std::mem::take(&mut self.rules_hash);
        self.schema = Some(SCHEMA);
        self.complete()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> MatchRecord {
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn a_record_of_format_1() {
        let line = r#"{"schema":1,"engine":"0.1.0","game":"claim","rules_hash":"ab","seed":"cd",
            "roles":["low","high","dealer"],"players":["careful","bold",null],
            "clairvoyant":["high"],"steps":[
            {"joint":["-","-","(deal 1)"],"tick":false},
            {"joint":["-","-","(deal 2)"],"percepts":[["2"],[],[]],"tick":true},
            {"joint":["pass","claim","-"],"percepts":[[],[],[]],"gains":[0.0,1.0,0.0],
             "tick":true,"errors":[{"role":"high","what":"answered too late"}]}],
            "result":[0.0,1.0,null]}"#;
        let record = read(line);
        assert_eq!(record.schema, SCHEMA);
        assert_eq!((record.rules_hash.as_str(), record.text_hash.as_str()), ("", "ab"));
        assert_eq!(record.chance.as_deref(), Some("dealer"));
        assert_eq!(record.players, ["careful", "bold"]);
        assert_eq!(record.rewards, [Some(0.0), Some(1.0)]);
        assert_eq!((record.moves.len(), &record.silent[..]), (3, &[1][..]));
        assert_eq!(record.percepts[0], None);
        assert_eq!(record.gains[2], [0.0, 1.0, 0.0]);
        assert_eq!((record.errors[0].step, record.errors[0].seat), (3, Some(1)));
        assert_eq!((record.end, record.magister.as_str()), (Some(MatchEnd::Terminal), "0.1.0"));
    }

    #[test]
    fn earlier_output_of_match() {
        let line = r#"{"game":"tictactoe","seed":"00","players":["uct","random"],
            "moves":[["(put 1 1)","-"],["-","(put 2 2)"]],"rewards":[null,null],
            "errors":[{"step":2,"seat":1,"kind":"illegal","what":"`x` is not legal here"},
            {"step":3,"seat":null,"kind":"broken-off","what":"the match was broken off"}],
            "times_ms":[[1.5,0.0],[0.0,0.1]]}"#;
        let record = read(line);
        assert_eq!((record.schema, record.moves.len()), (SCHEMA, 2));
        assert_eq!(record.errors[0].kind, FaultKind::Illegal);
        assert_eq!((record.end, record.seed_hash.as_str()), (Some(MatchEnd::BrokenOff), ""));
        assert_eq!(record.times_ms[0], [1.5, 0.0]);
        let played = format!(
            r#"{{"pairing":{{"game":"tictactoe","round":3,"seats":["uct","random"]}},
            "report":{line}}}"#
        );
        assert_eq!(read(&played), MatchRecord { round: Some(3), ..record });
    }

    #[test]
    fn other_json_is_refused() {
        for line in ["{}", r#"{"game":"g"}"#, r#"{"game":"g","players":[],"moves":[]}"#] {
            assert!(serde_json::from_str::<MatchRecord>(line).is_err(), "{line}");
        }
    }
}
