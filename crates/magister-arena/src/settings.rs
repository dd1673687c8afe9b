//! What the matches of a tournament were played with, so that a log is not gone on with by others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contest::Contest;
use crate::tournament::System;

/// What decides how the matches of a tournament go, beside who meets whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Where everything random comes from.
    pub seed: String,
    /// How opponents are found.
    pub system: System,
    /// How each game is played, by its name.
    pub games: BTreeMap<String, Terms>,
}

/// How a game is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// SHA-256 of the rules.
    pub rules: String,
    /// The time for a move, in milliseconds.
    pub time_ms: Option<f64>,
    /// The iterations for a move.
    pub iterations: Option<u64>,
    /// The time before the first move, in milliseconds.
    pub start_ms: Option<f64>,
    /// How much later an answer may come, in milliseconds.
    pub grace_ms: f64,
    /// So many steps at the start are random.
    pub opening: u32,
    /// A match that is longer is broken off.
    pub max_steps: u32,
}

/// The line of a log that tells settings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Heading {
    pub(crate) tournament: Settings,
}

impl Terms {
    /// How this game is played.
    pub(crate) fn of(contest: &Contest) -> Self {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        Terms {
            rules: contest.game.info().rules_hash.clone(),
            time_ms: contest.limits.time.map(ms),
            iterations: contest.limits.iterations,
            start_ms: contest.limits.start.map(ms),
            grace_ms: ms(contest.limits.grace),
            opening: contest.opening,
            max_steps: contest.max_steps,
        }
    }

    /// In what others differ, in words.
    fn differences(&self, other: &Terms, game: &str) -> Vec<String> {
        let ms = |time: Option<f64>| time.map_or("none".to_owned(), |time| format!("{time}ms"));
        let count = |n: Option<u64>| n.map_or("none".to_owned(), |n| n.to_string());
        let pairs = [
            ("time", ms(self.time_ms), ms(other.time_ms)),
            ("iterations", count(self.iterations), count(other.iterations)),
            ("start", ms(self.start_ms), ms(other.start_ms)),
            ("grace", ms(Some(self.grace_ms)), ms(Some(other.grace_ms))),
            ("opening", self.opening.to_string(), other.opening.to_string()),
            ("max-steps", self.max_steps.to_string(), other.max_steps.to_string()),
        ];
        let told = pairs.into_iter().filter(|(_, one, other)| one != other);
        let told = told.map(|(what, one, other)| format!("{what} {one}, now {other}"));
        let rules = (self.rules != other.rules).then(|| format!("other rules of {game}"));
        rules.into_iter().chain(told).collect()
    }
}

impl Settings {
    /// In what others differ, in words; nothing if the matches of both may be counted together.
    /// Games that only one of them has are no difference.
    pub fn differences(&self, other: &Settings) -> Vec<String> {
        let mut all = Vec::new();
        all.extend((self.seed != other.seed).then(|| "another seed".to_owned()));
        all.extend((self.system != other.system).then(|| "another system of pairing".to_owned()));
        for (game, terms) in &self.games {
            let others = other.games.get(game);
            all.extend(others.into_iter().flat_map(|others| terms.differences(others, game)));
        }
        // Most options are the same for all games.
        let mut known = std::collections::BTreeSet::new();
        all.retain(|difference| known.insert(difference.clone()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_once() {
        let terms = Terms {
            rules: "a".into(),
            time_ms: None,
            iterations: Some(400),
            start_ms: None,
            grace_ms: 50.0,
            opening: 0,
            max_steps: 100,
        };
        let games = ["one", "two"].map(|name| (name.to_owned(), terms.clone()));
        let one = Settings {
            seed: "4".into(),
            system: System::RoundRobin,
            games: games.into_iter().collect(),
        };
        let mut more = one.clone();
        more.games.insert("three".into(), Terms { iterations: Some(5), ..terms });
        assert!(one.differences(&more).is_empty() && more.differences(&one).is_empty());
        let mut other = one.clone();
        for terms in other.games.values_mut() {
            terms.iterations = Some(5);
        }
        other.seed = "99".into();
        assert_eq!(one.differences(&other), ["another seed", "iterations 400, now 5"]);
    }
}
