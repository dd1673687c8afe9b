//! The settings of a tournament's matches, so that a log is not continued with different ones.

use std::collections::BTreeMap;

use magister_core::record::MatchLimits;
use serde::{Deserialize, Serialize};

use crate::contest::Contest;
use crate::tournament::System;

/// Everything that determines the matches of a tournament, besides the pairings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentSettings {
    /// The seed of all random draws.
    pub seed: String,
    /// The pairing system.
    pub system: System,
    /// The conditions of each game, by name.
    pub games: BTreeMap<String, Terms>,
}

/// The conditions of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// SHA-256 of the rules.
    pub rules: String,
    /// The limits on thinking time and match length.
    #[serde(flatten)]
    pub limits: MatchLimits,
}

/// The line of a log with the settings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Heading {
    pub(crate) tournament: TournamentSettings,
}

impl Terms {
    /// The conditions of this contest.
    pub(crate) fn of(contest: &Contest) -> Self {
        let rules = contest.game.info().rules_hash.clone();
        Terms { rules, limits: contest.recorded_limits() }
    }

    /// The differences from other conditions, as text.
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
        let differences = pairs.into_iter().filter(|(_, one, other)| one != other);
        let differences =
            differences.map(|(what, one, other)| format!("{what} {one}, now {other}"));
        let rules = (self.rules != other.rules).then(|| format!("different rules of {game}"));
        rules.into_iter().chain(differences).collect()
    }
}

impl TournamentSettings {
    /// The differences from other settings, as text; empty if the matches of both may be combined.
    /// Games that occur in only one of them do not count.
    pub fn differences(&self, other: &TournamentSettings) -> Vec<String> {
        let mut all = Vec::new();
        all.extend((self.seed != other.seed).then(|| "another seed".to_owned()));
        all.extend((self.system != other.system).then(|| "a different pairing system".to_owned()));
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
    fn differences_are_listed_once() {
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
