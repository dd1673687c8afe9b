//! What the matches of a tournament were played with, so that a log is not gone on with by others.

use std::collections::BTreeMap;

use magister_core::record::MatchLimits;
use serde::{Deserialize, Serialize};

use crate::contest::Contest;
use crate::tournament::System;

/// What decides how the matches of a tournament go, beside who meets whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentSettings {
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
    /// How long players may think, and how long a match may become.
    #[serde(flatten)]
    pub limits: MatchLimits,
}

/// The line of a log that tells settings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Heading {
    pub(crate) tournament: TournamentSettings,
}

impl Terms {
    /// How this game is played.
    pub(crate) fn of(contest: &Contest) -> Self {
        let rules = contest.game.info().rules_hash.clone();
        Terms { rules, limits: contest.recorded_limits() }
    }

    /// In what others differ, in words.
    fn differences(&self, other: &Terms, game: &str) -> Vec<String> {
        let ms = |time: Option<f64>| time.map_or("none".to_owned(), |time| format!("{time}ms"));
        let count = |n: Option<u64>| n.map_or("none".to_owned(), |n| n.to_string());
        let (mine, its) = (&self.limits, &other.limits);
        let pairs = [
            ("time", ms(mine.time_ms), ms(its.time_ms)),
            ("iterations", count(mine.iterations), count(its.iterations)),
            ("start", ms(mine.start_ms), ms(its.start_ms)),
            ("grace", ms(Some(mine.grace_ms)), ms(Some(its.grace_ms))),
            ("opening", mine.opening.to_string(), its.opening.to_string()),
            ("max-steps", mine.max_steps.to_string(), its.max_steps.to_string()),
        ];
        let told = pairs.into_iter().filter(|(_, one, other)| one != other);
        let told = told.map(|(what, one, other)| format!("{what} {one}, now {other}"));
        let rules = (self.rules != other.rules).then(|| format!("other rules of {game}"));
        rules.into_iter().chain(told).collect()
    }
}

impl TournamentSettings {
    /// In what others differ, in words; nothing if the matches of both may be counted together.
    /// Games that only one of them has are no difference.
    pub fn differences(&self, other: &TournamentSettings) -> Vec<String> {
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
        let with = |iterations| Terms {
            rules: "a".into(),
            limits: MatchLimits {
                iterations: Some(iterations),
                grace_ms: 50.0,
                max_steps: 100,
                ..MatchLimits::default()
            },
        };
        let terms = with(400);
        let games = ["one", "two"].map(|name| (name.to_owned(), terms.clone()));
        let one = TournamentSettings {
            seed: "4".into(),
            system: System::RoundRobin,
            games: games.into_iter().collect(),
        };
        let mut more = one.clone();
        more.games.insert("three".into(), with(5));
        assert!(one.differences(&more).is_empty() && more.differences(&one).is_empty());
        let mut other = one.clone();
        for terms in other.games.values_mut() {
            *terms = with(5);
        }
        other.seed = "99".into();
        assert_eq!(one.differences(&other), ["another seed", "iterations 400, now 5"]);
    }
}
